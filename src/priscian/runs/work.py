"""The work of a run: every model scores every data set, and every item is judged.

While one model is computed, the next is loaded in a thread. At most two models are in memory.
Nothing is loaded ahead where a second model of the size of everything in memory so far would not
fit, or where that cannot be told.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from priscian.datasets import Dataset
from priscian.errors import RunError, SetAsideError
from priscian.models import (
    DownloadingProvider,
    LoadedModel,
    PrecomputedScores,
    ResolvedModel,
)
from priscian.records import Text
from priscian.runs.facts import Request
from priscian.runs.kinds.registry import Evaluated, Kind, KindJob, find_kind
from priscian.runs.options import ScoreOptions
from priscian.runs.record import Record
from priscian.runs.result import Result, Run
from priscian.runs.sources import (
    LookedUp,
    Scores,
    ScoreSource,
    UnigramScores,
    UnknownWordCounter,
    warn_if_absurd,
)
from priscian.runs.tokens import TOKENS, tokens_table
from priscian.scoring import Options, Plan, SavedPlan, ScoreStore, grade_texts, score_texts
from priscian.scoring.plan import Shared

Watch = Callable[[str, int, int], None]  # model, texts done, texts in all
PATIENCE = 5.0
"""Seconds to wait at the end of a failed run for a model that is still being loaded."""


def silent(model: str, done: int, total: int) -> None:
    """Report no progress."""


@dataclass(frozen=True, slots=True)
class RunWork:
    """What was requested, resolved: every source is evaluated on every data set."""

    request: Request
    sources: Sequence[ScoreSource]
    data: Sequence[Dataset]
    options: ScoreOptions
    unigrams: UnigramScores | None = None
    shared: Shared = field(default_factory=Shared)

    def run(
        self, record: Record, store: ScoreStore | None = None, watch: Watch | None = None
    ) -> Run:
        """All results, under a record that has begun; it ends here."""
        results: list[Result] = []
        with record.under_way():
            with (
                nullcontext(store) if store else ScoreStore.default() as kept,  # close our own
                self.ahead(self.sources, kept) as ahead,
            ):
                bench = Bench(record, kept, watch or silent, ahead, self.shared)
                score_each(self.sources, lambda s: results.extend(self.judge(s, bench)), record)
            record.update(status="finished", error="")
        about = record.info.models
        made = tuple(replace(r, about=about[r.model]) for r in results)
        return Run(record.info, made, record.path)

    def judge(self, source: ScoreSource, bench: Bench) -> Iterator[Result]:
        """One model: all its texts are scored together, then every data set is judged."""
        kinds = self.prepare(source)
        scores = bench.score(source, *texts_to_score(kinds), self.options.compute)
        for kind in kinds:
            evaluated = kind.evaluate(scores)
            if self.options.tokens and source.measure is None:
                tokens = tokens_table(kind.texts(), scores.tokens)
                evaluated = Evaluated(evaluated.summary, {**evaluated.tables, TOKENS: tokens})
            if source.model is not None:
                source.model.check()  # it may be loaded again, for ends and unknown words
            yield bench.record.keep(evaluated)

    def prepare(self, source: ScoreSource) -> list[Kind]:
        """The data sets in the form that a model reads."""
        job = KindJob(source, self.options, self.unigrams)
        return [find_kind(d.kind).prepare(d, job) for d in self.data]

    def ahead(self, sources: Sequence[ScoreSource], store: ScoreStore) -> Ahead:
        """Loads each of some models while the one before it is computed."""
        models = [source.model for source in sources if source.model is not None]
        keeps = self.options.keep_weights == "all"
        return Ahead(models, store, frozenset() if keeps else not_downloaded(models))


def texts_to_score(kinds: Sequence[Kind]) -> tuple[list[Text], list[Text]]:
    """What a model must score, and which of it also for the correction of leading spaces."""
    texts = [text for kind in kinds for text in kind.texts()]
    return texts, [text for kind in kinds for text in kind.boundary_texts()]


def score_each(
    sources: Sequence[ScoreSource], score: Callable[[ScoreSource], None], record: Record
) -> None:
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


@dataclass(frozen=True, slots=True)
class Bench:
    """What the models of a run are scored with, one after the other, and the run's record."""

    record: Record
    store: ScoreStore
    watch: Watch
    ahead: Ahead
    shared: Shared = field(default_factory=Shared)

    def score(
        self, source: ScoreSource, texts: Sequence[Text], boundary: Sequence[Text], options: Options
    ) -> Scores:
        """Scores of the texts, from the store, the model or the table.

        Those in `boundary` are also scored for the correction of leading spaces. The record has the
        model's key and plan before anything is computed.
        """
        record, name, model = self.record, source.name, source.model
        record.enter(source)
        first: list[int] = []

        def progress(done: int, total: int) -> None:
            first.append(done)
            record.worth_keeping |= done > first[0]
            self.watch(name, done, total)
            if model is not None:
                self.ahead.report(model, done, total)

        if model is None:
            scores = Scores(source.table)
        elif model.traits.precomputed:
            table = model.load().model
            assert isinstance(table, PrecomputedScores)
            found = LookedUp(table, texts)
            scores = Scores(found, texts=len(found), computed=0)
        else:
            plan = saved_plan(record, name)
            loaded = self.ahead.take(model)
            began = time.monotonic()
            if model.traits.grades:
                scored = grade_texts(
                    model, texts, self.store, loaded=loaded, shard=options.shard, progress=progress
                )
            else:
                scored = score_texts(
                    model,
                    texts,
                    self.store,
                    boundary=boundary,
                    loaded=loaded,
                    options=options,
                    saved=SavedPlan(
                        plan,
                        lambda plan: record.update_model(name, plan=asdict(plan)),
                        self.shared,
                    ),
                    progress=progress,
                )
                warn_if_absurd(name, scored)
            scores = Scores(
                scored.scores,
                UnknownWordCounter(model, scored.loaded or loaded),
                len(scored.scores),
                scored.computed,
                round(time.monotonic() - began, 2),
                {k: str(v) for k, v in scored.notes.items()},
            )
        if model is not None:
            self.ahead.finish(model)
        record.scored(name, scores)
        return scores


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


# ---------------------------------------------------------------- the next model


@dataclass(slots=True)
class _Loading:
    """A model that is being loaded, or its error."""

    resolved: ResolvedModel
    thread: threading.Thread = field(init=False)
    model: LoadedModel | None = None
    error: BaseException | None = None

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self._load, name="next model", daemon=True)

    def _load(self) -> None:
        try:
            self.model = self.resolved.load()
        except BaseException as error:  # raised again where the model is needed
            self.error = error


@dataclass(slots=True)
class Ahead:
    """Loads models in turn, each while the one before it is computed."""

    models: Sequence[ResolvedModel] = ()
    store: ScoreStore | None = None
    temporary: frozenset[ResolvedModel] = frozenset()
    """Models whose weights are removed from the download cache after use."""
    fits: Callable[[], bool] = field(default=lambda: another_fits())
    _loading: _Loading | None = None
    _last: int | None = None  # texts done at the last report

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        loading, self._loading = self._loading, None
        if loading is not None:
            loading.thread.join(PATIENCE)

    def take(self, model: ResolvedModel) -> LoadedModel | None:
        """The model, if it was loaded ahead; an error while loading is raised here."""
        self._last = None
        loading, self._loading = self._loading, None
        if loading is None:
            return None
        loading.thread.join()
        if loading.resolved is not model:
            return None
        if loading.error is not None:
            raise loading.error
        return loading.model

    def report(self, model: ResolvedModel, done: int, total: int) -> None:
        """Progress callback: when the first batch is done, workers exist and loading may begin.

        If workers are about to be started again, loading ends first: no process is forked while
        another thread works.
        """
        last, self._last = self._last, done
        if last is None:
            return
        if done < last and self._loading is not None:
            self._loading.thread.join()
        later = self._after(model)
        if done <= last or self._loading is not None or not later:
            return
        if not later[0].traits.loads_ahead or not self.fits() or self.store is None:
            return
        if self.store.texts_of(later[0].key.digest) < total:  # else there is nothing to compute
            self._loading = _Loading(later[0])
            self._loading.thread.start()

    def finish(self, model: ResolvedModel) -> None:
        """A model has been scored: its weights go if they are temporary and not needed again."""
        spec = model.spec
        if model in self.temporary and all(
            (spec.id, spec.revision) != (later.spec.id, later.spec.revision)
            for later in self._after(model)
        ):
            assert isinstance(model.provider, DownloadingProvider)
            model.provider.discard(spec)

    def _after(self, model: ResolvedModel) -> Sequence[ResolvedModel]:
        return self.models[self.models.index(model) + 1 :] if model in self.models else ()


def not_downloaded(models: Iterable[ResolvedModel]) -> frozenset[ResolvedModel]:
    """The models whose weights would be downloaded now."""
    return frozenset(
        model
        for model in models
        if isinstance(model.provider, DownloadingProvider)
        and not model.provider.downloaded(model.spec)
    )


def another_fits() -> bool:
    """Whether there is memory for as much again as this process uses."""
    here, free = _resident(), _available()
    if here is None or free is None or free < here:
        return False
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return True
    return bool(torch.cuda.mem_get_info()[0] >= torch.cuda.memory_reserved())


def _resident() -> int | None:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def _available() -> int | None:
    """Free memory of the machine, or of the control group that this process is limited to."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if "MemAvailable" in line)
    except (OSError, ValueError, StopIteration):
        return None
    group = Path("/sys/fs/cgroup")
    try:
        limit = int((group / "memory.max").read_text())
        return min(free, limit - int((group / "memory.current").read_text()))
    except (OSError, ValueError):  # no limit
        return free
