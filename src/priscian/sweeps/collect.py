"""The results of a sweep: its table, the list of its runs, and its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from priscian import __version__
from priscian.analysis.curves.table import CurveModel, CurveScore, CurveTable, scores_of
from priscian.files import read_json, write_json
from priscian.runs import Run, load_run
from priscian.runs.choose import INDEX
from priscian.sweeps.jobs import Job, Place
from priscian.sweeps.sweep import Sweep
from priscian.sweeps.work import CARD, missing_of, model_string, read_record
from priscian.training.amounts import format_amount


def collect(
    place: Place, jobs: Sequence[Job], sweep: Sweep, failed: Mapping[str, str]
) -> tuple[CurveTable, list[Run]]:
    """Write `curve.json`, `curve.csv` and `runs.json` of the jobs that are finished."""
    finished = [job for job in jobs if not missing_of(place, job, sweep)]
    scored = [job for job in finished if job.on]
    runs = [load_run(place.run(job)) for job in scored]
    scores: list[CurveScore] = []
    for job, run in zip(scored, runs, strict=True):
        for data, result in zip(job.on, run.results, strict=True):
            scores += scores_of(result, data)
    names = {job.name for job in finished}
    table = CurveTable(
        priscian=__version__,
        models=tuple(describe(place, job) for job in finished),
        scores=tuple(scores),
        failed={name: reason for name, reason in failed.items() if name not in names},
        missing=tuple(job.name for job in jobs if job.name not in names),
    )
    table.write(place.root)
    write_json(place.root / INDEX, [f"runs/{job.run_folder}" for job in scored])
    return table, runs


def describe(place: Place, job: Job) -> CurveModel:
    """The facts of a finished job, from its card and its record."""
    card = read_json(place.model(job) / CARD, dict[str, Any])
    record = read_record(place, job)
    measured = record.measured
    return CurveModel(
        model=job.name,
        curve=job.group,
        architecture=job.architecture,
        tokens=job.size,
        size=format_amount(job.size),
        words=card["corpus"]["words"],
        seed=job.seed,
        order_seed=job.order_seed,
        tokens_seen=card["tokens_seen"],
        parameters=card["parameters"],
        vocabulary=card["vocabulary"],
        closed_vocabulary=card["closed_vocabulary"],
        perplexity=measured.perplexity if measured else None,
        test_sentences=measured.sentences if measured else 0,
        test_words=measured.words if measured else 0,
        unknown=measured.unknown if measured else None,
        training_seconds=card["seconds"],
        scoring_seconds=record.seconds.get("score", 0.0) + record.seconds.get("perplexity", 0.0),
        limit=job.limit,
        string=model_string(place, job),
        run_folder=f"runs/{job.run_folder}" if job.on else "",
    )
