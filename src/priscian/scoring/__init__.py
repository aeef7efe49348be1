"""Scoring: plan, batches, executors, store."""

from priscian.scoring.engine import ScoredTexts, grade_texts, score_texts
from priscian.scoring.plan import DEFAULTS, Options, Plan, SavedPlan
from priscian.scoring.shard import Shard
from priscian.scoring.store import Pruned, ScoreStore, StoredModel

__all__ = [
    "DEFAULTS",
    "Options",
    "Plan",
    "Pruned",
    "SavedPlan",
    "ScoreStore",
    "ScoredTexts",
    "Shard",
    "StoredModel",
    "grade_texts",
    "score_texts",
]
