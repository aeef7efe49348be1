"""The results of a sweep: its table, the list of its runs, and its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from priscian import __version__
from priscian.analysis.curves.table import (
    CurveModel,
    CurveScore,
    CurveTable,
    is_curve,
    read_curve,
    scores_of,
)
from priscian.errors import PriscianError
from priscian.files import write_json
from priscian.runs import Run
from priscian.runs.choose import INDEX
from priscian.sweeps.items import scored_on_others
from priscian.sweeps.jobs import Job, SweepFolder
from priscian.sweeps.sweep import Sweep, shared_sentences
from priscian.sweeps.work import (
    measured_on,
    missing_of,
    model_string,
    read_card,
    read_record,
    read_run,
)
from priscian.training.amounts import format_amount


def collect(
    place: SweepFolder, jobs: Sequence[Job], sweep: Sweep, failed: Mapping[str, str]
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
    reasons = {**_failed_before(place), **failed, **others}
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


def _failed_before(place: SweepFolder) -> dict[str, str]:
    """Why jobs failed in earlier commands, which may have been about others than this one."""
    try:
        return read_curve(place.path).failed if is_curve(place.path) else {}
    except PriscianError:  # a damaged table is written anew
        return {}


def describe(place: SweepFolder, job: Job, sweep: Sweep) -> CurveModel:
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
