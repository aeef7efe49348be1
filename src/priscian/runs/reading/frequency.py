"""Word frequencies from the unigrams of an n-gram model."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable

from priscian.errors import ModelError, PriscianWarning, UsageError
from priscian.models import (
    ClosedVocabulary,
    LanguageModel,
    ModelSpec,
    load,
    parse_model,
    traits_of,
)
from priscian.records import Text

BIT = math.log(2)
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


def find_unigrams(model: str | ModelSpec) -> ModelSpec:
    """The spec of a model's unigrams; models without unigrams are refused."""
    spec = parse_model(model, default="ngram")
    if not traits_of(spec).unigrams:
        raise UsageError(
            f"{spec} has no word frequencies: these need an n-gram model; "
            "write builtin:ngram or ngram:FILE"
        )
    if spec.options.get("order", "1") != "1":
        raise UsageError(f"{spec}: word frequencies are of order 1; leave the order out")
    return spec.with_options(order="1")


def look_up_frequencies(spec: ModelSpec, words: Iterable[str]) -> dict[str, float]:
    """log2 of each word's unigram probability, without the punctuation around it.

    NaN for a word that the model does not know, and for punctuation alone. A word that the model
    splits in two (do + n't) has the sum of both.
    """
    bare = {word: _EDGES.sub("", word) for word in dict.fromkeys(words)}
    asked = list(dict.fromkeys(Text(form) for form in bare.values() if form))
    model = load(spec)
    if not isinstance(model, LanguageModel) or not isinstance(model, ClosedVocabulary):
        raise ModelError(f"{spec} cannot report unknown words; use builtin:ngram")
    unknown = dict(zip(asked, model.oov_counts(asked), strict=True)) if asked else {}
    known = {
        text.text: scores.total / BIT
        for text, scores in zip(asked, model.score(asked), strict=True)
        if not unknown[text]
    }
    strange = [text.text for text in asked if unknown[text]]
    if strange:
        shown = ", ".join(strange[:3]) + (", …" if len(strange) > 3 else "")
        warnings.warn(
            f"{len(strange)} of {len(asked)} different words have no frequency in {spec.label} "
            f"({shown}): their cells are empty",
            PriscianWarning,
            stacklevel=2,
        )
    return {word: known.get(form, math.nan) for word, form in bare.items()}
