"""Perplexity: how well a model predicts a text, per token, word, character and byte."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from priscian.errors import DataError
from priscian.metrics.measures import perplexity as of_nats
from priscian.models import (
    ClosedVocabulary,
    LoadedModel,
    ModelSpec,
    SentenceMeter,
    TorchModel,
    traits_of,
)
from priscian.records import Text
from priscian.runs.reading.sentences import sentence_perplexity
from priscian.scoring import ScoreStore
from priscian.scoring.long_texts import LongOptions, score_long_texts

BIT = math.log(2)
TOGETHER = 2000
"""Number of texts that are scored at once."""


@dataclass(frozen=True, slots=True)
class Perplexity:
    """The log-probability of some texts, in nats, and what it is divided by.

    Words are separated by spaces; those of `measure_with_ends` are Penn Treebank words. `ends` is
    how many ends of sentences are included in the log-probability (on request; always for n-gram
    models, as in KenLM), `unscored` how many first tokens are not (for models without BOS).
    `known_logprob` leaves unknown words out.
    """

    model: str
    logprob: float
    texts: int
    tokens: int
    words: int
    characters: int
    bytes: int
    ends: int = 0
    unscored: int = 0
    unknown: int | None = None
    known_logprob: float | None = None
    pseudo: bool = False

    @property
    def per_token(self) -> float:
        """exp(−mean log p) over tokens, and ends of sentences if the model predicts them."""
        return of_nats(-self.logprob, self.tokens + self.ends)

    @property
    def per_word(self) -> float:
        """exp(−log p / (words + ends)): comparable between models that count the same ends."""
        return of_nats(-self.logprob, self.words + self.ends)

    @property
    def without_unknown(self) -> float | None:
        """Per token, over the words that the model knows."""
        if self.known_logprob is None or self.unknown is None:
            return None
        return of_nats(-self.known_logprob, self.tokens + self.ends - self.unknown)

    @property
    def bits_per_character(self) -> float:
        """−log2 p per character."""
        return -self.logprob / BIT / self.characters

    @property
    def bits_per_byte(self) -> float:
        """−log2 p per byte of UTF-8."""
        return -self.logprob / BIT / self.bytes

    def as_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        names = (
            "per_token",
            "per_word",
            "without_unknown",
            "bits_per_character",
            "bits_per_byte",
        )
        return asdict(self) | {name: getattr(self, name) for name in names}


def measure_perplexity(
    loaded: LoadedModel, texts: Iterable[str], store: ScoreStore | None = None
) -> Perplexity:
    """The perplexity of a loaded model on some texts, each scored alone.

    Scores of models that run on torch are kept in the store.
    """
    size = _Size()
    spec, model = loaded.spec, loaded.model
    if isinstance(model, SentenceMeter):
        found = model.measure(size.counting(texts))
        measured = Perplexity(
            model=spec.label,
            logprob=found.logprob,
            tokens=found.tokens,
            ends=found.texts,
            unknown=found.unknown,
            known_logprob=found.known_logprob,
            texts=size.texts,
            words=size.words,
            characters=size.characters,
            bytes=size.bytes,
        )
    else:
        measured = _measure_tokens(loaded, texts, store or ScoreStore(), size)
    loaded.check()
    if not measured.tokens or not measured.words:
        raise DataError("no words to measure a model on; give a text with words in it")
    return measured


def measure_with_ends(
    spec: ModelSpec, sentences: Iterable[str], store: ScoreStore | None = None
) -> Perplexity:
    """The perplexity on sentences and their ends, with Penn Treebank words, as on a model's card.

    It is comparable between all models that give a probability to the end of a sentence.
    """
    size = _Size()
    texts = list(size.counting(sentences))
    found = sentence_perplexity(spec, texts, store)
    return Perplexity(
        model=spec.label,
        logprob=-found.nats,
        texts=size.texts,
        tokens=found.tokens,
        words=found.words,
        characters=size.characters,
        bytes=size.bytes,
        ends=found.sentences,
        unknown=found.unknown,
    )


def _measure_tokens(
    loaded: LoadedModel, texts: Iterable[str], store: ScoreStore, size: _Size
) -> Perplexity:
    spec, model = loaded.spec, loaded.model
    logprob, tokens, unscored, unknown = 0.0, 0, 0, 0
    rest = size.counting(texts)
    while block := [Text(text) for text in islice(rest, TOGETHER)]:
        if isinstance(model, TorchModel):
            by_text = score_long_texts(spec, block, store, LongOptions(), loaded=loaded).scores
            scores = [by_text[text] for text in block]
        else:
            scores = list(model.score(block))
        if isinstance(model, ClosedVocabulary):
            unknown += sum(model.oov_counts(block))
        for found in scores:
            missing = sum(math.isnan(p) for p in found.logps)
            logprob += found.total
            tokens += len(found) - missing
            unscored += missing
    return Perplexity(
        model=spec.label,
        logprob=logprob,
        tokens=tokens,
        unscored=unscored,
        unknown=unknown if isinstance(model, ClosedVocabulary) else None,
        pseudo=traits_of(spec).bidirectional,
        texts=size.texts,
        words=size.words,
        characters=size.characters,
        bytes=size.bytes,
    )


@dataclass(slots=True)
class _Size:
    """Counts texts as they are read."""

    texts: int = 0
    words: int = 0
    characters: int = 0
    bytes: int = 0

    def counting(self, texts: Iterable[str]) -> Iterator[str]:
        for text in texts:
            self.texts += 1
            self.words += len(text.split())
            self.characters += len(text)
            self.bytes += len(text.encode("utf-8", "surrogatepass"))
            yield text
