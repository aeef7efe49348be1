"""Priscian in other tools: exports in their formats, and a callback for Transformers' Trainer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from priscian.bridges.trainer import PriscianCallback as PriscianCallback

__all__ = ["PriscianCallback"]


def __getattr__(name: str) -> Any:
    if name == "PriscianCallback":  # needs Transformers
        from priscian.bridges.trainer import PriscianCallback

        return PriscianCallback
    raise AttributeError(f"module 'priscian.bridges' has no attribute {name!r}")
