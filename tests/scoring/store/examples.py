"""A key, some texts and their scores, for tests that start other processes."""

from __future__ import annotations

from priscian.models import ModelKey
from priscian.records import Text, TokenScores

KEY = ModelKey({"provider": "test", "weights": "1"})
SCORES = TokenScores((0, 3), (3, 7), (-1.25, -0.5))
TEXTS = [Text(f"text {i}") for i in range(3000)]
