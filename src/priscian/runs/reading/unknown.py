"""A warning about words that a model with a closed vocabulary does not know."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

from priscian.errors import PriscianWarning, counted
from priscian.files import shown
from priscian.models import ClosedVocabulary, ModelSpec, UnknownWordFinder
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
from priscian.records import Text
from priscian.runs.reading.passages import Passage

NAMED = 5
"""Unknown words that a warning names."""


def warn_of_unknown(spec: ModelSpec, model: object, passages: Sequence[Passage]) -> None:
    """Say how many words a model does not know, and name a few: words first, then punctuation."""
    assert isinstance(model, ClosedVocabulary)
    texts = [line.text for passage in passages for line in passage.lines]
    count = sum(model.oov_counts([Text(text) for text in texts]))
    if not count:
        return
    unknown = sorted(dict.fromkeys(_unknown_words(model, texts)), key=_is_sign)
    listed = ", ".join(shown(word) if _is_sign(word) else word for word in unknown[:NAMED])
    which = f" ({listed}{' …' * (len(unknown) > NAMED)})" if listed else ""
    warnings.warn(
        f"{spec.label} does not know {counted(count, 'word')}{which}; an "
        "unknown word gets the surprisal of its whole class, which is too low",
        PriscianWarning,
        stacklevel=3,
    )


def _unknown_words(model: ClosedVocabulary, texts: Sequence[str]) -> list[str]:
    """By the model itself; else Penn Treebank tokens that are unknown alone, or words at spaces."""
    if isinstance(model, UnknownWordFinder):
        return [word for text in texts for word in model.unknown_words(text)]
    tokens = WordSplitter(Tokenisation()).words
    return _unknown_alone(model, (word for text in texts for word in tokens(text))) or (
        _unknown_alone(model, (word for text in texts for word in text.split()))
    )


def _unknown_alone(model: ClosedVocabulary, words: Iterable[str]) -> list[str]:
    asked = list(dict.fromkeys(words))
    counts = model.oov_counts([Text(word) for word in asked])
    return [word for word, count in zip(asked, counts, strict=True) if count]


def _is_sign(word: str) -> bool:
    return not any(char.isalnum() for char in word)
