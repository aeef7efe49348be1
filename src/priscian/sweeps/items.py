"""Whether all models of a sweep were scored on the same items: data may change between commands."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from priscian.errors import BusyError, PriscianError, PriscianWarning, RunError
from priscian.runs import Run
from priscian.runs.facts import DataFacts
from priscian.runs.job import describe_data, read_data
from priscian.runs.options import ScoreOptions
from priscian.sweeps.jobs import Job, SweepFolder
from priscian.sweeps.sweep import Sweep
from priscian.sweeps.work import missing_of, read_run, write_record

Items = tuple[Mapping[str, str], ...]
"""Marks of the sets of each data string of a job."""


def forget_changed(place: SweepFolder, jobs: Sequence[Job], sweep: Sweep) -> None:
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
        changed = {
            job.name: what
            for job in done
            if (what := _changed(place, job, now)) and _forget(place, job)
        }
        if changed:
            why = ", ".join(dict.fromkeys(changed.values()))
            warnings.warn(
                f"scored again: {', '.join(changed)} ({why})",
                PriscianWarning,
                stacklevel=3,
            )


def _changed(place: SweepFolder, job: Job, now: Items) -> str:
    """Why a job is to be scored again: its data have changed, or its run is damaged; or ""."""
    try:
        name = differing(job.on, items_of(read_run(place, job)), now)
    except RunError:
        return "a run cannot be read"
    return f"{name} changed since" if name else ""


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


def scored_on_others(scored: Sequence[tuple[Job, Run]]) -> dict[str, str]:
    """Why the scores of some models cannot be in one table with those of the newest run."""
    newest: dict[tuple[tuple[str, ...], int], tuple[Job, Run]] = {}
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


def _forget(place: SweepFolder, job: Job) -> bool:
    """Mark a job as not scored, unless another process is at it."""
    try:
        with place.job(job).locked():
            write_record(place, job, scored="")
    except BusyError:
        return False
    return True
