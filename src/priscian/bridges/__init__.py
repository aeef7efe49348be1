"""Runs in the file formats of other tools."""
