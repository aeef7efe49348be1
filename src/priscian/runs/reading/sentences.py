"""Perplexity per word on a list of sentences, the same for every kind of model.

exp(nats of words and sentence ends / (words + sentences)), with Penn Treebank words whatever the
model's own tokens are. For a grammar it is an upper bound, since its beam leaves out some trees.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from priscian.errors import DataError, ModelError
from priscian.metrics.measures import perplexity
from priscian.models import (
    ClosedVocabulary,
    EndScorer,
    EndTokenProvider,
    ModelSpec,
    TorchModel,
    find_provider,
    open_model,
    parse_model,
    traits_of,
)
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
from priscian.records import Text
from priscian.scoring import Options, ScoreStore, score_texts
from priscian.scoring.long_texts import LongOptions, score_long_texts

ALONE = Options(workers=1)
"""Workers would keep to themselves what they know about the ends of sentences."""


@dataclass(frozen=True, slots=True)
class SentencePerplexity:
    """What a model gives to words and ends of sentences together, in nats."""

    nats: float
    tokens: int
    """The model's own, without the ends."""
    words: int
    sentences: int
    unknown: int | None
    """Words outside the model's vocabulary; None if it has no unknown words."""

    @property
    def value(self) -> float:
        """The perplexity per word."""
        return perplexity(self.nats, self.words + self.sentences)


def count_words(sentences: Sequence[str]) -> list[int]:
    """Penn Treebank words of each sentence.

    >>> count_words(["She can't.", "It rains."])
    [4, 3]
    """
    splitter = WordSplitter(Tokenisation())
    return [len(splitter.split(sentence)) for sentence in sentences]


def sentence_perplexity(
    model_string: str | ModelSpec,
    sentences: Sequence[str],
    store: ScoreStore | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> SentencePerplexity:
    """Score sentences, each alone, with their ends."""
    if not sentences:
        raise DataError("no sentences to measure a perplexity on; give some")
    spec = parse_model(model_string)
    loaded = open_model(spec)
    model = loaded.model
    provider = find_provider(spec.provider)
    suffix = provider.end_token(spec) if isinstance(provider, EndTokenProvider) else ""
    if not suffix and not isinstance(model, EndScorer):
        raise ModelError(
            f"{spec} has no probability for the end of a sentence; measure it without ends"
        )
    texts = [Text(sentence + suffix) for sentence in sentences]
    with nullcontext(store) if store else ScoreStore.default() as kept:
        if isinstance(model, TorchModel):
            found = score_long_texts(spec, texts, kept, LongOptions(), loaded=loaded).scores
        else:
            found = score_texts(
                spec, texts, kept, loaded=loaded, options=ALONE, progress=progress
            ).scores
    nats = -math.fsum(logp for text in texts for logp in found[text].logps)
    tokens = sum(len(found[text]) for text in texts) - (len(texts) if suffix else 0)
    if not suffix:
        assert isinstance(model, EndScorer)
        nats -= math.fsum(model.score_ends(texts))
    if math.isnan(nats):
        raise ModelError(f"{spec} does not score the first word of a sentence; leave out bos=none")
    unknown = None
    if traits_of(spec).closed_vocabulary and isinstance(model, ClosedVocabulary):
        unknown = sum(model.oov_counts(texts))
    words = sum(count_words(sentences))
    return SentencePerplexity(nats, tokens, words, len(sentences), unknown)
