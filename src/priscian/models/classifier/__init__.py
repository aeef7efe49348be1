"""Acceptability classifiers: hidden states of an encoder, heads on them, and `classifier:DIR`."""
