"""Studies of `priscian judge` beside the models: accuracy, agreement, response times."""

from __future__ import annotations

import math
from functools import partial

from priscian.analysis.people.study import OVERALL, StudyBesideModels, StudyScore
from priscian.reporting.sections.registry import Draw, Given, Table, page_section


@page_section("People", place=95)
def studies(given: Given) -> list[Draw]:
    """One study after the other, if there are any."""
    return [Draw(s.name, partial(getattr, s, "figures"), study_tables(s)) for s in given.studies]


def study_tables(study: StudyBesideModels) -> tuple[Table, ...]:
    """Who has which accuracy, and how far people agree."""
    return _accuracy(study), _agreement(study)


def _accuracy(study: StudyBesideModels) -> Table:
    classes = [OVERALL, *(name for name in study.classes if name != OVERALL)]
    rows = tuple(
        (who, *(_cell(study.score(who, name), name == OVERALL) for name in classes))
        for who in study.everybody
    )
    note = (
        f"Per cent right on {study.pairs:,} pairs of the study, overall with 95 % intervals; "
        "means over sets, by majority the share of pairs. A model of a run counts on those of "
        "these pairs that it was scored on."
    )
    return Table(
        f"People and models on the same pairs: {study.name}",
        ("who", *(name.replace("_", " ") for name in classes)),
        rows,
        " ".join([note, *study.notes]),
    )


def _cell(score: StudyScore | None, interval: bool) -> str:
    if score is None:
        return ""
    text = f"{100 * score.accuracy:.1f}"
    return f"{text} ({100 * score.low:.1f}–{100 * score.high:.1f})" if interval else text


def _agreement(study: StudyBesideModels) -> Table:
    people, units, *measures = study.agreement.rows()
    rows = [people, units, ("Answers", f"{study.answers:,}"), *measures]
    if not math.isnan(study.median_time):
        rows.append(("Median response time", f"{study.median_time:.2f} s"))
    title = f"How far people agree: {study.name}"
    return Table(title, ("measure", "value"), tuple(rows), study.agreement.note)
