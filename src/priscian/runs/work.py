"""The work of a run: every model scores every data set, and every item is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from priscian.datasets import Dataset
from priscian.errors import SetAsideError
from priscian.records import Text
from priscian.runs.ahead import Ahead, not_downloaded
from priscian.runs.facts import Request
from priscian.runs.kinds.registry import Job, Kind, find_kind
from priscian.runs.options import ScoreOptions
from priscian.runs.record import Record
from priscian.runs.result import Result, Run
from priscian.runs.sources import Desk, ModelSource, Scorer, Watch
from priscian.runs.unigrams import Unigrams
from priscian.scoring import ScoreStore
from priscian.scoring.batches import Shared


def silent(model: str, done: int, total: int) -> None:
    """Report no progress."""


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
                desk = Desk(kept, record, self.options.compute, watch or silent, ahead, self.shared)
                score_each(self.sources, lambda s: results.extend(self._one(s, desk)), record)
            record.finish()
        about = record.info.models
        made = tuple(replace(r, about=about[r.model]) for r in results)
        return Run(record.info, made, record.path)

    def ahead(self, sources: Sequence[Scorer], store: ScoreStore) -> Ahead:
        """Loads each of some models while the one before it is computed."""
        specs = [source.spec for source in sources if isinstance(source, ModelSource)]
        temporary = not_downloaded(specs) if self.options.keep_weights == "none" else frozenset()
        return Ahead(specs, store, temporary)

    def _one(self, source: Scorer, desk: Desk) -> Iterator[Result]:
        """One model: all its texts are scored together, then every data set is judged."""
        unchanged = source.watch_files()
        kinds = self.prepare(source)
        scores = source.score(*texts_to_score(kinds), desk)
        for kind in kinds:
            evaluated = kind.evaluate(scores)
            unchanged()  # the model may be loaded again, for ends and unknown words
            yield desk.record.keep(evaluated)

    def prepare(self, source: Scorer) -> list[Kind]:
        """The data sets in the form that a model reads."""
        job = Job(source, self.options, self.unigrams)
        return [find_kind(d.kind).prepare(d, job) for d in self.data]


def score_each(sources: Sequence[Scorer], score: Callable[[Scorer], None], record: Record) -> None:
    """Score with every model; one some of whose texts were set aside does not stop the others."""
    aside: list[SetAsideError] = []
    for source in sources:
        try:
            score(source)
        except SetAsideError as error:
            record.update_model(source.name, status="failed")
            aside.append(error)
    if aside:
        raise aside[0]


def texts_to_score(kinds: Sequence[Kind]) -> tuple[list[Text], list[Text]]:
    """What a model must score, and which of it also for the correction of leading spaces."""
    texts = [text for kind in kinds for text in kind.texts()]
    return texts, [text for kind in kinds for text in kind.boundary_texts()]
