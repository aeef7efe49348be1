"""The results of a sweep: its table, the list of its runs; all scored on the same items."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress

from priscian import __version__
from priscian.analysis.curves.table import (
    CurveModel,
    CurveScore,
    CurveTable,
    is_curve,
    read_curve,
    scores_of,
)
from priscian.errors import BusyError, PriscianError, PriscianWarning, RunError
from priscian.files import write_json
from priscian.runs import Run
from priscian.runs.choose import INDEX
from priscian.runs.facts import DataFacts
from priscian.runs.job import describe_data, read_data
from priscian.runs.options import ScoreOptions
from priscian.sweeps.folder import (
    SweepFolder,
    measured_on,
    missing_of,
    read_card,
    read_record,
    read_run,
    write_record,
)
from priscian.sweeps.jobs import SweepJob
from priscian.sweeps.sweep import Sweep, shared_sentences
from priscian.sweeps.work import model_string
from priscian.training.amounts import format_amount

Items = tuple[Mapping[str, str], ...]
"""Marks of the sets of each data string of a job."""


def forget_changed(place: SweepFolder, jobs: Sequence[SweepJob], sweep: Sweep) -> None:
    """Compare finished runs with the data as they are now; what has changed is scored again.

    Mistakes in the names of data are found here, before anything is trained.
    """
    for on, limit in dict.fromkeys((job.on, job.limit) for job in jobs if job.on):
        own = [job for job in jobs if (job.on, job.limit) == (on, limit)]
        done = [job for job in own if "score" not in missing_of(place, job, sweep)]
        try:
            now = items_now(on, limit)
        except PriscianError as error:
            if len(done) < len(own):
                raise
            warnings.warn(
                f"cannot check whether scoring data have changed: {error}",
                PriscianWarning,
                stacklevel=3,
            )
            continue
        changed: dict[str, str] = {}
        for job in done:
            why = ""
            try:
                if name := differing(job.on, items_of(read_run(place, job)), now):
                    why = f"{name} changed since"
            except RunError:
                why = "a run cannot be read"
            if why and _forget(place, job):
                changed[job.name] = why
        if changed:
            why = ", ".join(dict.fromkeys(changed.values()))
            warnings.warn(
                f"scored again: {', '.join(changed)} ({why})",
                PriscianWarning,
                stacklevel=3,
            )


def items_now(on: Sequence[str], limit: int) -> Items:
    """The items that a job would be scored on."""
    data = read_data(list(on), ScoreOptions(limit=limit or None).updated({}))
    return tuple(_marks(describe_data(d, d.kind)) for d in data)


def items_of(run: Run) -> Items:
    """The items that a job was scored on."""
    return tuple(_marks(facts) for facts in run.info.request.data.values())


def _marks(facts: DataFacts) -> dict[str, str]:
    """What decides a score: the hash of the sentences, and the predictions of a suite."""
    return {name: " ".join((own.hash, *own.formulas)) for name, own in facts.sets.items()}


def differing(on: Sequence[str], one: Items, two: Items) -> str:
    """The first data string whose items differ, or nothing."""
    return next((name for name, a, b in zip(on, one, two, strict=True) if a != b), "")


def scored_on_others(scored: Sequence[tuple[SweepJob, Run]]) -> dict[str, str]:
    """Why the scores of some models cannot be in one table with those of the newest run."""
    newest: dict[tuple[tuple[str, ...], int], tuple[SweepJob, Run]] = {}
    for job, run in sorted(scored, key=lambda pair: pair[1].info.created):
        newest[job.on, job.limit] = (job, run)
    found = {}
    for job, run in scored:
        other, latest = newest[job.on, job.limit]
        what = differing(job.on, items_of(run), items_of(latest))
        if what:
            found[job.name] = (
                f"{what} changed between the scoring of {job.name} and {other.name}; run the same "
                "command again, which scores it again and trains nothing"
            )
    return found


def _forget(place: SweepFolder, job: SweepJob) -> bool:
    """Mark a job as not scored, unless another process is running it."""
    try:
        with place.job(job).locked():
            write_record(place, job, scored="")
    except BusyError:
        return False
    return True


def collect(
    place: SweepFolder, jobs: Sequence[SweepJob], sweep: Sweep, failed: Mapping[str, str]
) -> tuple[CurveTable, list[Run]]:
    """Write `curve.json`, `curve.csv` and `runs.json` of the jobs that are finished."""
    finished = [job for job in jobs if not missing_of(place, job, sweep)]
    scored = [(job, read_run(place, job)) for job in finished if job.on]
    others = scored_on_others(scored)
    finished = [job for job in finished if job.name not in others]
    scored = [(job, run) for job, run in scored if job.name not in others]
    scores: list[CurveScore] = []
    for job, run in scored:
        for data, result in zip(job.on, run.results, strict=True):
            scores += scores_of(result, data)
    names = {job.name for job in finished}
    missing = tuple(job.name for job in jobs if job.name not in names)
    before: Mapping[str, str] = {}
    with suppress(PriscianError):  # a damaged table is written anew
        if is_curve(place.path):  # earlier commands may have been about other jobs than this one
            before = read_curve(place.path).failed
    reasons = {**before, **failed, **others}
    table = CurveTable(
        priscian=__version__,
        models=tuple(describe(place, job, sweep) for job in finished),
        scores=tuple(scores),
        failed={name: reasons[name] for name in missing if name in reasons},
        missing=missing,
    )
    table.write(place.path)
    write_json(place.path / INDEX, [f"runs/{job.run_folder}" for job, _ in scored])
    return table, [run for _, run in scored]


def describe(place: SweepFolder, job: SweepJob, sweep: Sweep) -> CurveModel:
    """The facts of a finished job, from its card and its record."""
    card = read_card(place, job)
    record = read_record(place, job)
    measured = measured_on(record, shared_sentences(sweep), job, sweep)
    whole = measured_on(record, job.test_sentences, job, sweep)
    return CurveModel(
        model=job.name,
        curve=job.group,
        architecture=job.architecture,
        tokens=job.size,
        size=format_amount(job.size),
        words=card.corpus.words,
        seed=job.seed,
        order_seed=job.order_seed,
        tokens_seen=card.tokens_seen,
        parameters=card.parameters,
        vocabulary=card.vocabulary,
        closed_vocabulary=card.closed_vocabulary,
        left_out=card.corpus.left_out,
        perplexity=measured.perplexity if measured else None,
        test_sentences=measured.sentences if measured else 0,
        test_words=measured.words if measured else 0,
        unknown=measured.unknown if measured else None,
        whole_perplexity=whole.perplexity if whole else None,
        whole_sentences=whole.sentences if whole else 0,
        training_seconds=card.seconds,
        scoring_seconds=record.seconds.get("score", 0.0) + record.seconds.get("perplexity", 0.0),
        limit=job.limit,
        string=model_string(place, job),
        run_folder=f"runs/{job.run_folder}" if job.on else "",
    )
