"""`rnng:` — surprisals of a recurrent neural network grammar by word-synchronous beam search."""
