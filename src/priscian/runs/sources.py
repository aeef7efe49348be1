"""Where scores come from: a model, through the store, or a table of scores from elsewhere."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from priscian.datasets import Dataset
from priscian.datasets.graded import SentenceScores
from priscian.errors import DataError, PriscianWarning, RunError, UsageError
from priscian.models import (
    ClosedVocabulary,
    LoadedModel,
    ModelKey,
    ModelSpec,
    PrecomputedScores,
    Traits,
    model_key,
    open_model,
    traits_of,
)
from priscian.models.fingerprint import files_hashed
from priscian.models.loaded import refuse_changed
from priscian.models.traits import PLAIN
from priscian.records import Text, TokenScores
from priscian.runs.ahead import Ahead
from priscian.runs.kinds.registry import Scores, Source, Unknown
from priscian.runs.kinds.suites import Ending, find_ending
from priscian.runs.record import Record
from priscian.scoring import Options, Plan, SavedPlan, ScoredTexts, ScoreStore, score_texts
from priscian.scoring.batches import Shared
from priscian.scoring.compute import check_looked_up
from priscian.scoring.engine import grade_texts

Watch = Callable[[str, int, int], None]  # model, texts done, texts in all


@dataclass(frozen=True, slots=True)
class Desk:
    """What scoring works with: store, record of the run, options, and progress function.

    `ahead` loads the next model early; `shared` has what models of one tokenizer share.
    """

    store: ScoreStore
    record: Record
    compute: Options
    watch: Watch
    ahead: Ahead = field(default_factory=Ahead)
    shared: Shared = field(default_factory=Shared)


class Scorer(Source, Protocol):
    """A source that scores texts."""

    @property
    def string(self) -> str:
        """How the request names it."""
        ...

    def check(self) -> None:
        """Refuse a source that does not exist, before a run folder is created."""
        ...

    def watch_files(self) -> Callable[[], None]:
        """A function that refuses results if the source's files have changed since now."""
        ...

    def score(self, texts: Sequence[Text], boundary: Sequence[Text], desk: Desk) -> Scores:
        """Scores of the texts; those in `boundary` also for the correction of leading spaces."""
        ...


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A model: earlier scores are in the store, the rest is computed."""

    spec: ModelSpec
    name: str
    folder: str

    @property
    def string(self) -> str:
        """The model string."""
        return str(self.spec)

    @property
    def traits(self) -> Traits:
        """What the model offers."""
        return traits_of(self.spec)

    @property
    def measure(self) -> str | None:
        """`score` for a model that gives one number for a whole text."""
        return "score" if self.traits.grades else None

    def check(self) -> None:
        """Compute the key, which fails if the model does not exist."""
        model_key(self.spec)

    def watch_files(self) -> Callable[[], None]:
        """A function that refuses results if the model's files have changed since now."""
        with files_hashed() as files:
            model_key(self.spec)
        return lambda: refuse_changed(self.spec, files)

    def find_ending(self, texts: Sequence[Text]) -> Ending:
        """How the model scores the end of a text."""
        return find_ending(self.spec, texts)

    def score(self, texts: Sequence[Text], boundary: Sequence[Text], desk: Desk) -> Scores:
        """Every text's tokens, from the store or the model."""
        key = self._enter(desk.record)
        if self.traits.precomputed:
            table = open_model(self.spec, key).model
            assert isinstance(table, PrecomputedScores)
            desk.record.worth_keeping = True
            found = LookedUp(table, texts)
            desk.record.update_model(self.name, status="finished", texts=len(found), computed=0)
            return Scores(found)
        began = time.monotonic()
        loaded = desk.ahead.take(self.spec)
        first: list[int] = []

        def progress(done: int, total: int) -> None:
            first.append(done)
            desk.record.worth_keeping |= done > first[0]
            desk.watch(self.name, done, total)
            desk.ahead.report(self.spec, done, total)

        def keep(plan: Plan) -> None:
            desk.record.update_model(self.name, plan=plan.to_dict())

        if self.traits.grades:
            scored = grade_texts(
                self.spec,
                texts,
                desk.store,
                key=key,
                loaded=loaded,
                shard=desk.compute.shard,
                progress=progress,
            )
        else:
            scored = score_texts(
                self.spec,
                texts,
                desk.store,
                boundary=boundary,
                key=key,
                loaded=loaded,
                options=desk.compute,
                saved=SavedPlan(_saved_plan(desk.record, self.name), keep, desk.shared),
                progress=progress,
            )
            warn_if_absurd(self.name, scored)
        desk.ahead.finish(self.spec)
        desk.record.worth_keeping = True
        desk.record.update_model(self.name, status="finished", texts=len(scored.scores))
        if scored.computed or desk.record.info.models[self.name].computed is None:
            desk.record.update_model(
                self.name,
                computed=scored.computed,
                seconds=round(time.monotonic() - began, 2),
                notes={k: str(v) for k, v in scored.notes.items()},
            )
        return Scores(scored.scores, self._unknown(key, scored.loaded or loaded))

    def _enter(self, record: Record) -> ModelKey:
        """Write the model's key into `run.json`; a changed key is refused."""
        key = model_key(self.spec)
        before = record.info.models.get(self.name)
        if before is not None and before.digest and before.digest != key.digest:
            raise RunError(
                f"{self.spec} is not the model that {record.path} was started with: "
                "its files have changed; give another --out"
            )
        record.update_model(
            self.name,
            string=self.string,
            folder=self.folder,
            key={k: str(v) for k, v in key.fields.items()},
            digest=key.digest,
            status="running",
        )
        return key

    def _unknown(
        self, key: ModelKey, loaded: LoadedModel | None
    ) -> Callable[[Sequence[Text]], Unknown | None]:
        """Counts of unknown words; the model is loaded for this if it was not loaded yet."""
        kept = [loaded.model] if loaded is not None else []

        def count(texts: Sequence[Text]) -> Unknown | None:
            if not self.traits.closed_vocabulary:
                return None
            if not kept:
                kept.append(open_model(self.spec, key).model)
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


def _saved_plan(record: Record, name: str) -> Plan | None:
    known = record.info.models[name].plan
    if known is None:
        return None
    try:
        msgspec.convert(known, Plan)
    except msgspec.ValidationError as error:
        raise RunError(f"the saved plan is not from this version: {error}") from None
    return Plan.from_dict(known)


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

    @property
    def name(self) -> str:
        """The column's name."""
        return self.table.name

    @property
    def string(self) -> str:
        """The column's name."""
        return self.table.name

    def check(self) -> None:
        """Every sentence must have a score."""
        for data in self.data:
            self._by_text(data)

    def watch_files(self) -> Callable[[], None]:
        """Nothing can change: the table has been read."""
        return lambda: None

    def find_ending(self, texts: Sequence[Text]) -> Ending:
        """An error: a sentence has only one score."""
        raise UsageError("scores by sentence have no end of text; leave out --eos last-region")

    def score(self, texts: Sequence[Text], boundary: Sequence[Text], desk: Desk) -> Scores:
        """Each text as one token with the sentence's score."""
        facts: dict[str, Any] = {
            "string": f"{self.table.source}:{self.name}",
            "folder": self.folder,
            "status": "finished",
        }
        desk.record.update_model(self.name, **facts)
        desk.record.worth_keeping = True
        found: dict[Text, TokenScores] = {}
        for data in self.data:
            found |= self._by_text(data)
        return Scores(found)

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
