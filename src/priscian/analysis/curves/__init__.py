"""Scores against the amount of training."""
