"""Perplexity: how well a model predicts a text, per token, word, character and byte."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

from msgspec import Struct

from priscian.errors import DataError, ModelError
from priscian.files import plain
from priscian.metrics.measures import perplexity as of_nats
from priscian.models import (
    ClosedVocabulary,
    EndScorer,
    EndTokenProvider,
    LoadedModel,
    ModelSpec,
    SentenceMeter,
    TorchModel,
    open_model,
)
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
from priscian.records import Text
from priscian.scoring import Options, ScoreStore, score_texts
from priscian.scoring.long_texts import LongOptions, score_long_texts

BIT = math.log(2)
TOGETHER = 2000
"""Number of texts that are scored at once."""


class Perplexity(Struct, frozen=True):
    """The log-probability of some texts, in nats, and what it is divided by.

    Words are separated by spaces; those of `measure_with_ends` are Penn Treebank words. `ends` is
    how many ends of sentences are included in the log-probability (on request; always for n-gram
    models, as in KenLM), `unscored` how many first tokens are not (for models without BOS).
    `known_logprob` leaves unknown words out.
    """

    ALSO: ClassVar = (
        "per_token",
        "per_word",
        "without_unknown",
        "bits_per_character",
        "bits_per_byte",
    )
    as_dict = plain
    """Everything, ready for JSON."""

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


def measure_perplexity(
    loaded: LoadedModel, texts: Iterable[str], store: ScoreStore | None = None
) -> Perplexity:
    """The perplexity of a loaded model on some texts, each scored alone.

    Scores of models that run on torch are kept in the store.
    """
    size = _Size()
    spec, model, shelf = loaded.spec, loaded.model, store or ScoreStore()
    logprob, tokens, unscored, unknown = 0.0, 0, 0, 0
    ends, known_logprob = 0, None
    rest = size.counting(texts)
    if isinstance(model, SentenceMeter):
        whole = model.measure(rest)
        logprob, tokens, ends = whole.logprob, whole.tokens, whole.texts
        unknown, known_logprob = whole.unknown, whole.known_logprob
    else:
        while block := [Text(text) for text in islice(rest, TOGETHER)]:
            if isinstance(model, TorchModel):
                by_text = score_long_texts(spec, block, shelf, LongOptions(), loaded=loaded).scores
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
    is_closed = isinstance(model, SentenceMeter | ClosedVocabulary)
    measured = Perplexity(
        model=spec.label,
        logprob=logprob,
        texts=size.texts,
        tokens=tokens,
        words=size.words,
        characters=size.characters,
        bytes=size.bytes,
        ends=ends,
        unscored=unscored,
        unknown=unknown if is_closed else None,
        known_logprob=known_logprob,
        pseudo=loaded.traits.bidirectional and not isinstance(model, SentenceMeter),
    )
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
        return of_nats(self.nats, self.words + self.sentences)


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
    loaded = open_model(model_string)
    spec, model, provider = loaded.spec, loaded.model, loaded.resolved.provider
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
    if loaded.traits.closed_vocabulary and isinstance(model, ClosedVocabulary):
        unknown = sum(model.oov_counts(texts))
    words = sum(count_words(sentences))
    return SentencePerplexity(nats, tokens, words, len(sentences), unknown)
