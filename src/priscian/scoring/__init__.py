"""Scoring: plan, batches, executors, store."""

from priscian.scoring.engine import ScoredTexts, score_texts
from priscian.scoring.plan import DEFAULTS, Options, Plan, SavedPlan
from priscian.scoring.store import Pruned, ScoreStore, StoredModel

__all__ = [
    "DEFAULTS",
    "Options",
    "Plan",
    "Pruned",
    "SavedPlan",
    "ScoreStore",
    "ScoredTexts",
    "StoredModel",
    "score_texts",
]
