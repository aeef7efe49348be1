"""Kinds of data: how each is prepared, which texts a model must score, what the scores say."""

from __future__ import annotations

from priscian.runs.kinds.registry import Evaluated, Job, Kind, find_kind, kind, kinds

__all__ = ["Evaluated", "Job", "Kind", "find_kind", "kind", "kinds"]
