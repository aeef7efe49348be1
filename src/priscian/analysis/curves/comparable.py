"""Which perplexities of a sweep may be compared with each other."""

from __future__ import annotations

from collections.abc import Iterable

from priscian.analysis.curves.table import CurveModel
from priscian.training.architectures import TREES

CLOSED, BOUND = "*", "≤"
MARKS_NOTE = (
    f"{CLOSED} closed vocabulary: comparable only if vocabularies are equal; "
    f"{BOUND} upper bound (grammar)"
)


def marked_perplexity(model: CurveModel) -> str:
    """A perplexity, marked if it is over a closed vocabulary or an upper bound: `≤131.3*`."""
    if model.perplexity is None:
        return ""
    bound = BOUND if model.architecture in TREES else ""
    return f"{bound}{model.perplexity:,.1f}{CLOSED if model.closed_vocabulary else ''}"


def comparable(models: Iterable[CurveModel]) -> bool:
    """Whether all perplexities have the same vocabulary, or open ones, and none is only a bound."""
    kinds = {
        (m.vocabulary if m.closed_vocabulary else 0, m.architecture in TREES)
        for m in models
        if m.perplexity is not None
    }
    return len(kinds) < 2
