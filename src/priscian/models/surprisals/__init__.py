"""Surprisals from elsewhere, read from a table and used as a model's scores."""

from priscian.models.surprisals.alignment import align
from priscian.models.surprisals.table import SurprisalTable, read_surprisals

__all__ = ["SurprisalTable", "align", "read_surprisals"]
