"""The score store: every model's scores for every text, in one SQLite file."""

from priscian.scoring.store.rows import TokenColumns, columns_of
from priscian.scoring.store.scores import Pruned, ScoreStore, StoredModel

__all__ = ["Pruned", "ScoreStore", "StoredModel", "TokenColumns", "columns_of"]
