"""The span parser: its treebank, its training, and trees for whole corpora."""
