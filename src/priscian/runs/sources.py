"""Where scores come from: a model, or a table of scores from elsewhere; and frequencies of words.

The unigram model of SLOR and NormLP says how frequent words are; it is an n-gram file.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from priscian.datasets import Dataset
from priscian.datasets.graded import SentenceScores
from priscian.errors import DataError, ModelError, PriscianWarning, UsageError
from priscian.metrics import needs_unigrams
from priscian.models import (
    ClosedVocabulary,
    LanguageModel,
    LoadedModel,
    ModelSpec,
    PrecomputedScores,
    ResolvedModel,
    Traits,
    parse_model,
    traits_of,
)
from priscian.models.protocol import PLAIN
from priscian.records import Sentence, Text, TokenScores
from priscian.scoring import ScoredTexts
from priscian.scoring.compute import check_looked_up

DEFAULT_UNIGRAMS = "builtin:ngram"
Unknown = Mapping[Text, int]  # words of a text that a model does not know


@dataclass(frozen=True, slots=True)
class ScoreSource:
    """A model, or one model's column in a table of sentence scores, higher being better."""

    name: str
    """Its name in tables."""
    folder: str
    """Its folder in the run."""
    origin: str
    """How `run.json` describes it: the model string, or the table and the column."""
    model: ResolvedModel | None = None
    table: Mapping[Text, TokenScores] = field(default_factory=dict)
    """Scores from elsewhere: each text as one token."""

    @property
    def string(self) -> str:
        """How the request names it."""
        return self.name if self.model is None else str(self.model)

    @property
    def traits(self) -> Traits:
        """What it offers beyond token scores."""
        return PLAIN if self.model is None else self.model.traits

    @property
    def measure(self) -> str | None:
        """`score` if there is one number for a whole text, so that options cannot set it."""
        return "score" if self.model is None or self.model.traits.grades else None


@dataclass(frozen=True, slots=True)
class Scores:
    """A source's scores of the requested texts, and what `run.json` says of them."""

    tokens: Mapping[Text, TokenScores]
    unknown: Callable[[Sequence[Text]], Unknown | None] = lambda texts: None
    """Unknown words of texts; None for a model without a fixed list of words."""
    texts: int | None = None
    computed: int | None = None
    seconds: float | None = None
    notes: dict[str, str] = field(default_factory=dict)

    def __call__(self, sentence: Sentence) -> TokenScores:
        return self.tokens[Text(sentence.text, sentence.context)]


@dataclass(slots=True)
class UnknownWordCounter:
    """Counts unknown words; the model is loaded for this if it was not loaded yet."""

    model: ResolvedModel
    loaded: LoadedModel | None = None

    def __call__(self, texts: Sequence[Text]) -> Unknown | None:
        if not self.model.traits.closed_vocabulary:
            return None
        if self.loaded is None:
            self.loaded = self.model.load()
        reader = self.loaded.model
        if not isinstance(reader, ClosedVocabulary):
            return None
        asked = list(dict.fromkeys(texts))
        return dict(zip(asked, reader.oov_counts(asked), strict=True))


class LookedUp(Mapping[Text, TokenScores]):
    """Precomputed scores of some texts as a mapping; each is looked up on demand."""

    def __init__(self, model: PrecomputedScores, texts: Sequence[Text]) -> None:
        self._model = model
        self._texts = dict.fromkeys(texts)

    def __getitem__(self, text: Text) -> TokenScores:
        found = self._model.look_up(text)
        check_looked_up(text, found)
        return found

    def __iter__(self) -> Iterator[Text]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def warn_if_absurd(name: str, scored: ScoredTexts) -> None:
    """Warn about a model that is worse than a uniform guess: its input is probably wrong."""
    vocabulary = int(scored.notes.get("vocabulary", 0))
    logps = [p for scores in scored.scores.values() for p in scores.logps if p == p]
    mean = -math.fsum(logps) / len(logps) if logps else 0.0
    if vocabulary and mean > math.log(vocabulary):
        warnings.warn(
            f"{name}: mean surprisal is {mean / math.log(2):.1f} bits per token, worse than "
            f"guessing among its {vocabulary} tokens; check the tokenizer and the BOS policy "
            "(?bos=…)",
            PriscianWarning,
            stacklevel=2,
        )


def look_up_sentences(column: SentenceScores, data: Sequence[Dataset]) -> dict[Text, TokenScores]:
    """Every sentence of the data as one token with its score in a table."""
    found: dict[Text, TokenScores] = {}
    for d in data:
        names: dict[Text, str] = {}
        for itemset in d.sets:
            for item in itemset.items:
                for condition, sentence in item.conditions.items():
                    text = Text(sentence.text, sentence.context)
                    own = str(item.meta.get(f"{condition}_id", item.id))
                    name = own if own in column.values else sentence.text
                    first = names.setdefault(text, name)
                    if column.values.get(first) != column.values.get(name):
                        raise DataError(
                            f"{column.source}: {column.name} scores {sentence.text!r} as "
                            f"{first!r} and as {name!r} differently; give one text one score"
                        )
        for text, name in names.items():
            if name not in column.values:
                raise DataError(
                    f"{column.source}: {column.name} has no score for {text.text!r}; score it too"
                )
            if text.context:
                raise UsageError("scores by sentence cannot be used for data with contexts")
            found[text] = TokenScores((0,), (len(text.text),), (column.values[name],))
    return found


# ---------------------------------------------------------------- frequencies of words


@dataclass(frozen=True, slots=True)
class UnigramScores:
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
    return find_unigrams(DEFAULT_UNIGRAMS if model is None else model, "unigram")


def find_unigrams(model: str | ModelSpec, parameter: str) -> ModelSpec:
    """The spec of a model's unigrams; models without unigrams are refused."""
    spec = parse_model(model, default="ngram")
    if not traits_of(spec).unigrams:
        raise UsageError(
            f"`{parameter}={spec}`: unigrams need an n-gram model; write builtin:ngram or "
            "ngram:FILE"
        )
    if spec.options.get("order", "1") != "1":
        raise UsageError(f"`{parameter}={spec}`: a unigram model has order 1; leave order out")
    return spec.with_options(order="1")


def score_unigrams(resolved: ResolvedModel, texts: Iterable[Text]) -> UnigramScores:
    """Look up every word; this is as fast as reading a store."""
    wanted = list(dict.fromkeys(texts))
    spec, model = resolved.spec, resolved.load().model
    if not isinstance(model, LanguageModel) or not isinstance(model, ClosedVocabulary):
        raise ModelError(f"{spec} cannot report unknown words; use builtin:ngram")
    scores = dict(zip(wanted, model.score(wanted), strict=True))
    unknown = sum(model.oov_counts(wanted))
    return UnigramScores(spec, scores, sum(map(len, scores.values())), unknown)
