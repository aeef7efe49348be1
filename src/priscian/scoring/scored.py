"""What scoring returns: every text's scores, and how they were obtained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from priscian.models import LoadedModel, ModelKey
from priscian.records import Text, TokenScores
from priscian.scoring.plan import Plan

Progress = Callable[[int, int], None]  # texts done, texts in all


@dataclass(frozen=True, slots=True)
class ScoredTexts:
    """Scores of every text, and how they were obtained; the model, if it had to be loaded."""

    key: ModelKey
    scores: dict[Text, TokenScores]
    computed: int
    plan: Plan | None
    notes: dict[str, str] = field(default_factory=dict)
    loaded: LoadedModel | None = None
