"""The channel `score`: one number for a whole text, from a model that grades texts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from priscian.errors import DataError, ModelError, ScoreError
from priscian.models import (
    GradingModel,
    LoadedModel,
    ModelKey,
    ModelSpec,
    agreed_key,
    open_model,
    parse_model,
    traits_of,
)
from priscian.models.text_offsets import shorten
from priscian.models.traits import no_tokens
from priscian.records import Text, TokenScores
from priscian.scoring.scored import Progress, ScoredTexts
from priscian.scoring.shard import Shard
from priscian.scoring.store import ScoreStore

CHANNEL = "score"
TOGETHER = 512
"""Texts that are graded and stored at once."""


def grade_texts(
    model: str | ModelSpec,
    texts: Sequence[Text],
    store: ScoreStore,
    *,
    key: ModelKey | None = None,
    loaded: LoadedModel | None = None,
    shard: Shard | None = None,
    progress: Progress = lambda done, total: None,
) -> ScoredTexts:
    """Every text as one token with its grade; the model is loaded only if one is not stored.

    With a shard, all texts are divided into parts, and those of the shard are graded.
    """
    if not all(text.text for text in texts):
        raise DataError("a text to grade is empty; give at least one character")
    spec = parse_model(model)
    key = agreed_key(spec, key, loaded)
    texts = list(dict.fromkeys(texts))
    scores = store.read(key, texts, CHANNEL)
    listed = texts if shard else [text for text in texts if text not in scores]
    parts = [listed[at : at + TOGETHER] for at in range(0, len(listed), TOGETHER)]
    mine = [part for number, part in enumerate(parts) if shard is None or shard.has(number)]
    missing = [part for part in mine if any(text not in scores for text in part)]
    total = sum(map(len, mine)) if shard else len(texts)
    progress(len(scores), total)
    if not missing:
        return ScoredTexts(key, scores, 0, None, {}, loaded)
    loaded = loaded or open_model(spec, key)
    grader = loaded.model
    if not isinstance(grader, GradingModel):
        raise ModelError(f"{spec.label} cannot grade whole texts; score it by its tokens")
    for part in missing:
        rows = _one_token_each(spec.label, part, list(grader.grade(part)))
        loaded.check()
        store.write(key, spec.label, rows, CHANNEL)
        scores |= dict(rows)
        progress(len(scores), total)
    return ScoredTexts(key, scores, sum(map(len, missing)), None, {}, loaded)


def refuse_grades(spec: ModelSpec) -> None:
    """Refuse a model that grades whole texts where tokens are needed."""
    if traits_of(spec).grades:
        raise ModelError(no_tokens(spec.label))


def _one_token_each(
    model: str, texts: Sequence[Text], grades: Sequence[float]
) -> list[tuple[Text, TokenScores]]:
    if len(grades) != len(texts):
        raise ScoreError(f"{model} gave {len(grades)} grades for {len(texts)} texts")
    for text, value in zip(texts, grades, strict=True):
        if not math.isfinite(value):
            raise ScoreError(f"{model} gave {value} for {shorten(text.text)!r}; correct the model")
    return [
        (text, TokenScores((0,), (len(text.text),), (float(value),)))
        for text, value in zip(texts, grades, strict=True)
    ]
