"""Scoring: plan, batches, workers, store."""

from priscian.scoring.engine import Options, Scored, score_texts
from priscian.scoring.plan import Plan
from priscian.scoring.store import ScoreStore, StoredModel

__all__ = ["Options", "Plan", "ScoreStore", "Scored", "StoredModel", "score_texts"]
