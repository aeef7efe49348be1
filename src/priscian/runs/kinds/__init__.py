"""Kinds of data: how each is prepared, which texts are scored, how scores are evaluated."""

from __future__ import annotations

from priscian.runs.kinds.registry import Evaluated, Kind, KindJob, find_kind, kind, kinds

__all__ = ["Evaluated", "Kind", "KindJob", "find_kind", "kind", "kinds"]
