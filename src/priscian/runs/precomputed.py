"""The old home of `surprisals:`, which an installation made before the move still names."""

from __future__ import annotations

from priscian.models.surprisals.provider import SurprisalsProvider

__all__ = ["SurprisalsProvider"]
