"""The unigram model of SLOR and NormLP: word frequencies from an n-gram file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from priscian.errors import ModelError, UsageError
from priscian.metrics import needs_unigrams
from priscian.models import (
    ClosedVocabulary,
    LanguageModel,
    ModelSpec,
    ResolvedModel,
    parse_model,
    traits_of,
)
from priscian.records import Sentence, Text, TokenScores

DEFAULT = "builtin:ngram"


@dataclass(frozen=True, slots=True)
class Unigrams:
    """Every text's words with their unigram log-probabilities.

    A word that the model does not know has the probability of its `<unk>`; such words are counted.
    """

    spec: ModelSpec
    scores: Mapping[Text, TokenScores]
    words: int
    unknown: int

    def __call__(self, sentence: Sentence) -> TokenScores:
        return self.scores[Text(sentence.text, sentence.context)]


def unigram_spec(measure: str, model: str | ModelSpec | None) -> ModelSpec | None:
    """The unigram model that a measure needs, or None; an unneeded one is refused."""
    if not needs_unigrams(measure):
        if model is not None:
            raise UsageError(f"the measure {measure} takes no unigram model; leave `unigram=` out")
        return None
    spec = parse_model(DEFAULT if model is None else model, default="ngram")
    if not traits_of(spec).unigrams:
        raise UsageError(
            f"`unigram={spec}`: unigrams need an n-gram model; write builtin:ngram or ngram:FILE"
        )
    if spec.options.get("order", "1") != "1":
        raise UsageError(f"`unigram={spec}`: a unigram model has order 1; leave order out")
    return spec.with_options(order="1")


def score_unigrams(resolved: ResolvedModel, texts: Iterable[Text]) -> Unigrams:
    """Look up every word; this is as fast as reading a store."""
    wanted = list(dict.fromkeys(texts))
    spec, model = resolved.spec, resolved.load().model
    if not isinstance(model, LanguageModel) or not isinstance(model, ClosedVocabulary):
        raise ModelError(f"{spec} cannot report unknown words; use builtin:ngram")
    scores = dict(zip(wanted, model.score(wanted), strict=True))
    unknown = sum(model.oov_counts(wanted))
    return Unigrams(spec, scores, sum(map(len, scores.values())), unknown)
