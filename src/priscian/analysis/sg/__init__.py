"""The analyses of syntactic generalization."""
