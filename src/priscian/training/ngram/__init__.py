"""Estimation of n-gram models."""
