"""Where scores come from: a model, through the store, or a table of scores from elsewhere."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from priscian.datasets import Dataset
from priscian.datasets.graded import SentenceScores
from priscian.errors import DataError, PriscianWarning, UsageError
from priscian.models import (
    ClosedVocabulary,
    LoadedModel,
    PrecomputedScores,
    ResolvedModel,
    Traits,
)
from priscian.models.protocol import PLAIN
from priscian.records import Text, TokenScores
from priscian.runs.kinds.registry import Scores, Source, Unknown
from priscian.scoring import (
    DEFAULTS,
    Options,
    SavedPlan,
    ScoredTexts,
    ScoreStore,
    grade_texts,
    score_texts,
)
from priscian.scoring.compute import check_looked_up
from priscian.scoring.engine import Progress
from priscian.scoring.plan import NOT_SAVED


@dataclass(frozen=True, slots=True)
class Scoring:
    """What a source scores with: the store, options, the saved plan, and a model loaded ahead."""

    store: ScoreStore
    compute: Options = DEFAULTS
    saved: SavedPlan = NOT_SAVED
    progress: Progress = lambda done, total: None
    loaded: LoadedModel | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of the requested texts, and what `run.json` says of them."""

    scores: Scores
    texts: int | None = None
    computed: int | None = None
    seconds: float | None = None
    notes: dict[str, str] = field(default_factory=dict)


class Scorer(Source, Protocol):
    """A source that scores texts."""

    @property
    def string(self) -> str:
        """How the request names it."""
        ...

    @property
    def origin(self) -> str:
        """How `run.json` describes it."""
        ...

    @property
    def folder(self) -> str:
        """Its folder in the run."""
        ...

    def check_files(self) -> None:
        """Refuse results if the source's files have changed since it was resolved."""
        ...

    def score(self, texts: Sequence[Text], boundary: Sequence[Text], scoring: Scoring) -> Scored:
        """Scores of the texts; those in `boundary` also for the correction of leading spaces."""
        ...


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A model: earlier scores are in the store, the rest is computed."""

    model: ResolvedModel
    name: str
    folder: str

    @property
    def string(self) -> str:
        """The model string."""
        return str(self.model)

    @property
    def origin(self) -> str:
        """The model string."""
        return str(self.model)

    @property
    def traits(self) -> Traits:
        """What the model offers."""
        return self.model.traits

    @property
    def measure(self) -> str | None:
        """`score` for a model that gives one number for a whole text."""
        return "score" if self.traits.grades else None

    def check_files(self) -> None:
        """Refuse results if the model's files have changed since it was resolved."""
        self.model.check()

    def score(self, texts: Sequence[Text], boundary: Sequence[Text], scoring: Scoring) -> Scored:
        """Every text's tokens, from the store or the model."""
        if self.traits.precomputed:
            table = self.model.load().model
            assert isinstance(table, PrecomputedScores)
            found = LookedUp(table, texts)
            return Scored(Scores(found), len(found), 0)
        began = time.monotonic()
        if self.traits.grades:
            scored = grade_texts(
                self.model,
                texts,
                scoring.store,
                loaded=scoring.loaded,
                shard=scoring.compute.shard,
                progress=scoring.progress,
            )
        else:
            scored = score_texts(
                self.model,
                texts,
                scoring.store,
                boundary=boundary,
                loaded=scoring.loaded,
                options=scoring.compute,
                saved=scoring.saved,
                progress=scoring.progress,
            )
            warn_if_absurd(self.name, scored)
        return Scored(
            Scores(scored.scores, self._unknown(scored.loaded or scoring.loaded)),
            len(scored.scores),
            scored.computed,
            round(time.monotonic() - began, 2),
            {k: str(v) for k, v in scored.notes.items()},
        )

    def _unknown(self, loaded: LoadedModel | None) -> Callable[[Sequence[Text]], Unknown | None]:
        """Counts of unknown words; the model is loaded for this if it was not loaded yet."""
        kept = [loaded.model] if loaded is not None else []

        def count(texts: Sequence[Text]) -> Unknown | None:
            if not self.traits.closed_vocabulary:
                return None
            if not kept:
                kept.append(self.model.load().model)
            if not isinstance(kept[0], ClosedVocabulary):
                return None
            asked = list(dict.fromkeys(texts))
            return dict(zip(asked, kept[0].oov_counts(asked), strict=True))

        return count


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
    mean = mean_surprisal(scored.scores.values())
    if vocabulary and mean > math.log(vocabulary):
        warnings.warn(
            f"{name}: mean surprisal is {mean / math.log(2):.1f} bits per token, worse than "
            f"guessing among its {vocabulary} tokens; check the tokenizer and the BOS policy "
            "(?bos=…)",
            PriscianWarning,
            stacklevel=2,
        )


def mean_surprisal(scores: Iterable[TokenScores]) -> float:
    """Nats per token, over all tokens that were scored."""
    logps = [p for s in scores for p in s.logps if p == p]
    return -math.fsum(logps) / len(logps) if logps else 0.0


@dataclass(frozen=True, slots=True)
class TableSource:
    """One model's column in a table of sentence scores, higher being better."""

    table: SentenceScores
    folder: str
    data: Sequence[Dataset]
    measure: str = "score"
    traits: Traits = PLAIN
    model: None = None

    @property
    def name(self) -> str:
        """The column's name."""
        return self.table.name

    @property
    def string(self) -> str:
        """The column's name."""
        return self.table.name

    @property
    def origin(self) -> str:
        """The table and the column."""
        return f"{self.table.source}:{self.name}"

    def check(self) -> None:
        """Every sentence must have a score."""
        for data in self.data:
            self._by_text(data)

    def check_files(self) -> None:
        """Nothing can change: the table has been read."""

    def score(self, texts: Sequence[Text], boundary: Sequence[Text], scoring: Scoring) -> Scored:
        """Each text as one token with the sentence's score."""
        found: dict[Text, TokenScores] = {}
        for data in self.data:
            found |= self._by_text(data)
        return Scored(Scores(found))

    def _by_text(self, data: Dataset) -> dict[Text, TokenScores]:
        names: dict[Text, str] = {}
        known = self.table.values
        for itemset in data.sets:
            for item in itemset.items:
                for condition, sentence in item.conditions.items():
                    text = Text(sentence.text, sentence.context)
                    own = str(item.meta.get(f"{condition}_id", item.id))
                    name = own if own in known else sentence.text
                    first = names.setdefault(text, name)
                    if known.get(first) != known.get(name):
                        raise DataError(
                            f"{self.table.source}: {self.name} scores {sentence.text!r} as "
                            f"{first!r} and as {name!r} differently; give one text one score"
                        )
        return {text: self._one_token(text, name) for text, name in names.items()}

    def _one_token(self, text: Text, name: str) -> TokenScores:
        if name not in self.table.values:
            raise DataError(
                f"{self.table.source}: {self.name} has no score for {text.text!r}; score it too"
            )
        if text.context:
            raise UsageError("scores by sentence cannot be used for data with contexts")
        return TokenScores((0,), (len(text.text),), (self.table.values[name],))
