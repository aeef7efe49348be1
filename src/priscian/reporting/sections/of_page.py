"""Sections of the whole page: checkpoints, people, training size and perplexity, transfer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from priscian.analysis.curves.checkpoints import checkpoint_curves, find_checkpoints, is_series
from priscian.analysis.curves.sizes import trained_models
from priscian.analysis.curves.training_size import analyse_training_size
from priscian.analysis.people.study import OVERALL, StudyBesideModels
from priscian.analysis.result import Table
from priscian.analysis.sg.circuits import analyse_sg_runs
from priscian.analysis.sg.perplexity import against_perplexity
from priscian.analysis.transfer.transfer import Transfer
from priscian.analysis.vega import Figure
from priscian.reporting.sections import Draw, ReportData, page_section
from priscian.runs import Result


@page_section("Checkpoints", place=4)
def checkpoints(given: ReportData) -> list[Draw]:
    """Learning curves where names or cards of models give steps or tokens; not of a sweep."""
    if given.curves:
        return []
    by_data: dict[str, list[Result]] = {}
    for run in given.runs:
        for result in run.results:
            if result.kind != "labels":
                by_data.setdefault(result.data, []).append(result)

    def make(number: int, results: Sequence[Result]) -> list[Figure]:
        made = checkpoint_curves(results).figures
        return [replace(f, name=f"{f.name}-{number + 1}" if number else f.name) for f in made]

    series = [found for found in by_data.values() if is_series(find_checkpoints(found))]
    return [Draw("learning curves", partial(make, n, found)) for n, found in enumerate(series)]


@page_section("People", place=95)
def studies(given: ReportData) -> list[Draw]:
    """Studies of `priscian judge` beside the models: accuracy, agreement, response times."""
    return [Draw(s.name, partial(getattr, s, "figures"), study_tables(s)) for s in given.studies]


def study_tables(study: StudyBesideModels) -> tuple[Table, ...]:
    """Who has which accuracy, and how far people agree."""
    classes = [OVERALL, *(name for name in study.classes if name != OVERALL)]
    accuracies = []
    for who in study.everybody:
        cells = []
        for name in classes:
            score = study.score(who, name)
            text = "" if score is None else f"{100 * score.accuracy:.1f}"
            if score is not None and name == OVERALL:
                text += f" ({100 * score.low:.1f}–{100 * score.high:.1f})"
            cells.append(text)
        accuracies.append((who, *cells))
    note = (
        f"Per cent right on {study.pairs:,} pairs of the study, overall with 95 % intervals; "
        "means over sets, by majority the share of pairs. A model of a run counts on those of "
        "these pairs that it was scored on."
    )
    people, units, *measures = study.agreement.rows()
    agreement = [people, units, ("Answers", f"{study.answers:,}"), *measures]
    if not math.isnan(study.median_time):
        agreement.append(("Median response time", f"{study.median_time:.2f} s"))
    return (
        Table(
            f"People and models on the same pairs: {study.name}",
            ("who", *(name.replace("_", " ") for name in classes)),
            tuple(accuracies),
            " ".join([note, *study.notes]),
        ),
        Table(
            f"How far people agree: {study.name}",
            ("measure", "value"),
            tuple(agreement),
            study.agreement.note,
        ),
    )


@page_section("Transfer between phenomena", place=97)
def transfer(given: ReportData) -> list[Draw]:
    """Saved analyses of `priscian analyse transfer`, one after the other, if there are any."""

    def make(number: int, found: Transfer) -> list[Figure]:
        if len(given.transfers) == 1:
            return list(found.figures)
        encoder = found.record.encoder
        return [
            replace(figure, name=f"{figure.name}-{number}", title=f"{figure.title}, {encoder}")
            for figure in found.figures
        ]

    return [
        Draw("transfer", partial(make, number, found), found.tables())
        for number, found in enumerate(given.transfers, 1)
    ]


@page_section("Training size and perplexity", place=100)
def training(given: ReportData) -> list[Draw]:
    """Accuracy by training tokens, SG score by perplexity, if the user gave tables of these."""
    draws = []
    if given.sizes:

        def by_size() -> Sequence[Figure]:
            return analyse_training_size(trained_models(given.runs, given.sizes)).figures

        draws.append(Draw("training size", by_size))
    if given.perplexities:

        def by_perplexity() -> Sequence[Figure]:
            results = [result for run in given.runs for result in run.results]
            return against_perplexity(analyse_sg_runs(results), given.perplexities).figures

        draws.append(Draw("perplexity", by_perplexity))
    return draws
