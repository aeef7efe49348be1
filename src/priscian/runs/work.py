"""The work of a run: every model scores every data set, and every item is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import msgspec

from priscian.datasets import Dataset
from priscian.errors import RunError, SetAsideError
from priscian.records import Text
from priscian.runs.ahead import Ahead, not_downloaded
from priscian.runs.facts import Request
from priscian.runs.kinds.registry import Evaluated, Job, Kind, find_kind
from priscian.runs.options import ScoreOptions
from priscian.runs.record import Record
from priscian.runs.result import Result, Run
from priscian.runs.sources import Scored, Scorer, Scoring
from priscian.runs.tokens import TOKENS, tokens_table
from priscian.runs.unigrams import Unigrams
from priscian.scoring import Options, Plan, SavedPlan, ScoreStore
from priscian.scoring.plan import Shared

Watch = Callable[[str, int, int], None]  # model, texts done, texts in all


def silent(model: str, done: int, total: int) -> None:
    """Report no progress."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What the models of a run are scored with, one after the other, and the run's record."""

    record: Record
    store: ScoreStore
    compute: Options
    watch: Watch
    ahead: Ahead
    shared: Shared = field(default_factory=Shared)

    def score(
        self, source: Scorer, texts: Sequence[Text], boundary: Sequence[Text], compute: Options
    ) -> Scored:
        """Score with one model; the record has its key and plan before anything is computed."""
        record, name, model = self.record, source.name, source.model
        record.enter(source)
        first: list[int] = []

        def progress(done: int, total: int) -> None:
            first.append(done)
            record.worth_keeping |= done > first[0]
            self.watch(name, done, total)
            if model is not None:
                self.ahead.report(model, done, total)

        def save(plan: Plan) -> None:
            record.update_model(name, plan=asdict(plan))

        saved = SavedPlan(saved_plan(record, name), save, self.shared)
        loaded = None
        if model is not None and not model.traits.precomputed:
            loaded = self.ahead.take(model)
        scored = source.score(
            texts, boundary, Scoring(self.store, compute, saved, progress, loaded)
        )
        if model is not None:
            self.ahead.finish(model)
        record.scored(name, scored)
        return scored


@dataclass(frozen=True, slots=True)
class Work:
    """Evaluates every source on every data set."""

    sources: Sequence[Scorer]
    data: Sequence[Dataset]
    options: ScoreOptions
    unigrams: Unigrams | None = None
    shared: Shared = field(default_factory=Shared)

    def run(
        self,
        request: Request,
        out: Path | None = None,
        resume: bool = False,
        store: ScoreStore | None = None,
        watch: Watch | None = None,
    ) -> Run:
        """All results; with `out` they are written as they are made."""
        return self.carry_out(Record.begin(request, out, resume=resume), store, watch)

    def carry_out(
        self, record: Record, store: ScoreStore | None = None, watch: Watch | None = None
    ) -> Run:
        """All results, under a record that has begun; it ends here."""
        results: list[Result] = []
        with record.under_way():
            with (
                nullcontext(store) if store else ScoreStore.default() as kept,  # close our own
                self.ahead(self.sources, kept) as ahead,
            ):
                compute = self.options.compute
                bench = Bench(record, kept, compute, watch or silent, ahead, self.shared)
                score_each(self.sources, lambda s: results.extend(self._one(s, bench)), record)
            record.finish()
        about = record.info.models
        made = tuple(replace(r, about=about[r.model]) for r in results)
        return Run(record.info, made, record.path)

    def ahead(self, sources: Sequence[Scorer], store: ScoreStore) -> Ahead:
        """Loads each of some models while the one before it is computed."""
        models = [source.model for source in sources if source.model is not None]
        keeps = self.options.keep_weights == "all"
        return Ahead(models, store, frozenset() if keeps else not_downloaded(models))

    def _one(self, source: Scorer, bench: Bench) -> Iterator[Result]:
        """One model: all its texts are scored together, then every data set is judged."""
        kinds = self.prepare(source)
        scores = bench.score(source, *texts_to_score(kinds), bench.compute).scores
        for kind in kinds:
            evaluated = kind.evaluate(scores)
            if self.options.tokens and source.measure is None:
                tables = {**evaluated.tables, TOKENS: tokens_table(kind.texts(), scores.tokens)}
                evaluated = Evaluated(evaluated.summary, tables)
            source.check_files()  # the model may be loaded again, for ends and unknown words
            yield bench.record.keep(evaluated)

    def prepare(self, source: Scorer) -> list[Kind]:
        """The data sets in the form that a model reads."""
        job = Job(source, self.options, self.unigrams)
        return [find_kind(d.kind).prepare(d, job) for d in self.data]


def score_each(sources: Sequence[Scorer], score: Callable[[Scorer], None], record: Record) -> None:
    """Score with every model; one some of whose texts were set aside does not stop the others.

    The record is written after each model, but for the last one, whose end is that of the run.
    """
    aside: list[SetAsideError] = []
    for number, source in enumerate(sources, 1):
        try:
            score(source)
            record.update(write=number < len(sources))
        except SetAsideError as error:
            record.update_model(source.name, status="failed")
            aside.append(error)
    if aside:
        raise aside[0]


def texts_to_score(kinds: Sequence[Kind]) -> tuple[list[Text], list[Text]]:
    """What a model must score, and which of it also for the correction of leading spaces."""
    texts = [text for kind in kinds for text in kind.texts()]
    return texts, [text for kind in kinds for text in kind.boundary_texts()]


def saved_plan(record: Record, name: str) -> Plan | None:
    """The plan of a model in the run that is resumed."""
    known = record.info.models[name].plan
    if known is None:
        return None
    try:
        msgspec.convert(known, Plan)
        return Plan(**known)  # refuses what this version does not know
    except (msgspec.ValidationError, TypeError) as error:
        raise RunError(f"the saved plan is not from this version: {error}") from None
