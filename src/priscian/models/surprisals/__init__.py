"""Surprisals from elsewhere, read from a table and used as a model's scores."""
