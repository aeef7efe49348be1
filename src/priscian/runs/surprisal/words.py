"""Surprisals of tokens and words, by one or more models, in sentences or whole passages."""

from __future__ import annotations

import math
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from priscian.errors import ModelError, PriscianWarning, UsageError, counted
from priscian.files import shown
from priscian.metrics.measures import home
from priscian.metrics.regions import Boundary, correct_boundaries
from priscian.models import (
    ClosedVocabulary,
    LanguageModel,
    LoadedModel,
    ModelSpec,
    ResolvedModel,
    UnknownWordFinder,
    load,
    resolve,
)
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
from priscian.records import Sentence, Text, TokenScores
from priscian.runs.sources import find_unigrams
from priscian.runs.surprisal.passages import Passage, make_passages
from priscian.runs.surprisal.table import SurprisalTable, Unit
from priscian.scoring import ScoreStore
from priscian.scoring.long_texts import LongOptions, score_long_texts

BIT = math.log(2)
NAMED = 5
"""Unknown words that a warning names."""
_WORD = re.compile(r"\S+")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, slots=True)
class SurprisalOptions:
    """What is computed.

    Parameters
    ----------
    words
        Sum the tokens of each word (between white space), by character offsets.
    boundary
        With words: plain sums over tokens; or corrected, so that a word's probability includes the
        end of the word and not the space before it (causal models of hf:).
    context
        Text that goes before each text, or passage, and is not scored.
    entropy
        Add the entropy of the model's prediction before each token or word, in bits.
    frequency
        With words: add log2 of each word's frequency, by the unigrams of this n-gram model
        (builtin:ngram, ngram:FILE).
    previous
        Add the values of this many previous tokens or words, for spill-over: prev_surprisal,
        prev2_surprisal and so on.
    stride
        Texts that are longer than a model's context are read in windows, each of which scores this
        many tokens; half of the context by default.
    """

    words: bool = False
    boundary: str = "plain"
    context: str = ""
    entropy: bool = False
    frequency: str | None = None
    previous: int = 0
    stride: int | None = None

    def check(self) -> None:
        """Refuse options that contradict each other."""
        if self.boundary not in get_args(Boundary):
            raise UsageError(f"`boundary=` takes plain or corrected, not {self.boundary!r}")
        if self.boundary == "corrected" and not self.words:
            raise UsageError("`boundary=corrected` is for whole words; add `words=True`")
        if self.frequency is not None and not self.words:
            raise UsageError("`frequency=` is for whole words; add `words=True`")
        if self.previous < 0:
            raise UsageError(f"`previous={self.previous}`: give a number from 0")
        if self.stride is not None and self.stride < 1:
            raise UsageError(f"`stride={self.stride}`: give a number of tokens from 1")

    @property
    def values(self) -> tuple[str, ...]:
        """The columns of values."""
        asked = {"entropy": self.entropy, "log_frequency": self.frequency is not None}
        return ("surprisal", *(name for name, wanted in asked.items() if wanted))


DEFAULTS = SurprisalOptions()


def surprisals(
    models: str | ModelSpec | Sequence[str | ModelSpec],
    texts: str | Iterable[str | Sequence[str] | Passage],
    options: SurprisalOptions = DEFAULTS,
    *,
    store: ScoreStore | None = None,
) -> SurprisalTable:
    """How unexpected each token or word is, in bits.

    A text is scored alone. A list of texts is a passage: each is conditioned on those before it.
    A text that is longer than a model's context is scored with a sliding window.

    >>> from priscian import SurprisalOptions, surprisals
    >>> words = SurprisalOptions(words=True, frequency="builtin:ngram")
    >>> table = surprisals("builtin:lstm", "The keys to the cabinet are here.", words)
    >>> [unit.word for unit in table]
    ['The', 'keys', 'to', 'the', 'cabinet', 'are', 'here.']
    >>> round(table[1].surprisal, 1), table[1].length
    (12.5, 4)

    `table.frame()` is a polars data frame, `table.write("surprisal.tsv")` a file. Scores are kept
    in the store that is given; by default nothing is kept.
    """
    options.check()
    given = [models] if isinstance(models, str | ModelSpec) else list(models)
    resolved = [resolve(model) for model in given]
    labels = [model.label for model in resolved]
    names = [m.label if labels.count(m.label) == 1 else str(m) for m in resolved]
    if len(set(names)) < len(names):
        raise UsageError("the same model is named twice; name each once")
    unigrams = None
    if options.frequency is not None:
        unigrams = find_unigrams(options.frequency, "frequency")
    passages = make_passages(texts)
    if not resolved or not passages:
        raise UsageError("give at least one model and one text")
    shelf = store or ScoreStore()
    units: list[Unit] = []
    for name, model in zip(names, resolved, strict=True):
        closed = model.load() if model.traits.closed_vocabulary else None
        scores = score_passages(model, passages, shelf, options, closed)
        units += _units(name, passages, scores, options.words)
        if closed is not None:
            warn_of_unknown(model.spec, closed.model, passages)
    if unigrams is not None:
        known = look_up_frequencies(unigrams, (unit.word for unit in units))
        units = [replace(unit, log_frequency=known[unit.word]) for unit in units]
    return SurprisalTable(
        tuple(units),
        "word" if options.words else "token",
        tuple(names),
        options.values,
        options.previous,
    )


def score_passages(
    model: ResolvedModel,
    passages: Sequence[Passage],
    store: ScoreStore,
    options: SurprisalOptions,
    loaded: LoadedModel | None = None,
) -> list[TokenScores]:
    """Token scores of each passage, with offsets in its text.

    A bidirectional model sees what comes before a line, but not what follows it.
    """
    corrected = options.boundary == "corrected"
    how = LongOptions(
        stride=options.stride,
        boundary=corrected,
        entropy=options.entropy,
        settle=_correct if corrected else LongOptions().settle,
    )
    parts: list[list[tuple[int, Text]]] = []
    for passage in passages:
        whole, lines = passage.text, zip(passage.starts, passage.lines, strict=True)
        parts.append(
            [(at, Text(line.text, options.context + whole[:at])) for at, line in lines]
            if model.traits.bidirectional
            else [(0, Text(whole, options.context))]
        )
    texts = [text for part in parts for _, text in part]
    found = score_long_texts(model, texts, store, how, loaded=loaded)
    if found.windows and found.limit is not None:
        count, after = len(found.windows), found.limit - (options.stride or found.limit // 2)
        what = "1 text is" if count == 1 else f"{count:,} texts are"
        warnings.warn(
            f"{what} longer than the {found.limit:,} tokens that {model.label} reads: scored with "
            f"a sliding window; after the first, each token has {after:,} or more before it",
            PriscianWarning,
            stacklevel=3,
        )
    return [_join([(at, found.scores[text]) for at, text in part]) for part in parts]


def _join(parts: Sequence[tuple[int, TokenScores]]) -> TokenScores:
    """Scores of parts of a text, each with its offset, as scores of the text."""
    names = set(parts[0][1].channels)
    return TokenScores(
        tuple(at + start for at, scores in parts for start in scores.starts),
        tuple(at + end for at, scores in parts for end in scores.ends),
        tuple(logp for _, scores in parts for logp in scores.logps),
        {name: tuple(v for _, s in parts for v in s.channels[name]) for name in names},
    )


def _correct(text: Text, scores: TokenScores) -> TokenScores:
    return replace(correct_boundaries(scores, Sentence(text.text, (), text.context)), channels={})


def _units(
    model: str, passages: Sequence[Passage], scores: Sequence[TokenScores], words: bool
) -> Iterator[Unit]:
    number = 0  # of texts so far
    for count, (passage, found) in enumerate(zip(passages, scores, strict=True), 1):
        whole, starts = passage.text, passage.starts
        pieces = _words(whole, found) if words else _tokens(whole, found)
        index, last = 0, -1
        for start, end, bits, entropy in pieces:
            line = bisect_right(starts, home(whole, start)) - 1
            index, last = (index + 1 if line == last else 1), line
            start = max(start, starts[line])  # a space between two lines belongs to neither
            yield Unit(
                model=model,
                passage=count,
                text=number + line + 1,
                line=passage.lines[line].number,
                index=index,
                word=whole[start:end],
                start=start - starts[line],
                end=end - starts[line],
                surprisal=bits,
                entropy=entropy,
            )
        number += len(passage.lines)


Piece = tuple[int, int, float, float]  # start, end, bits, entropy in bits


def _tokens(text: str, scores: TokenScores) -> Iterator[Piece]:
    entropies = scores.channels.get("entropy", (math.nan,) * len(scores))
    for start, end, logp, nats in zip(
        scores.starts, scores.ends, scores.logps, entropies, strict=True
    ):
        yield start, end, -logp / BIT + 0.0, nats / BIT


def _words(text: str, scores: TokenScores) -> Iterator[Piece]:
    """Words with the sum of their tokens; the entropy is the one before the first token."""
    spans = [found.span() for found in _WORD.finditer(text)]
    begins = [start for start, _ in spans]
    inside: list[list[int]] = [[] for _ in spans]
    for token, start in enumerate(scores.starts):
        place = home(text, start)
        word = bisect_right(begins, place) - 1
        if start < len(text) and word >= 0 and place < spans[word][1]:
            inside[word].append(token)
    entropies = scores.channels.get("entropy", (math.nan,) * len(scores))
    for (start, end), tokens in zip(spans, inside, strict=True):
        known = [scores.logps[t] for t in tokens if not math.isnan(scores.logps[t])]
        bits = 0.0 - math.fsum(known) / BIT if known else math.nan
        yield start, end, bits, entropies[tokens[0]] / BIT if tokens else math.nan


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
