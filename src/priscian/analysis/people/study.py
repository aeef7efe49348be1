"""A study that `priscian judge export` wrote, beside models on the same pairs.

Everybody gets a credit from 0 to 1 for each pair: of people the share who choose the good sentence,
or, where sentences were rated, whether its mean z-score is higher; of a model whether it is right.
A class's accuracy is the unweighted mean over its sets, so that people and models can be compared;
by majority it is the share of all pairs. People's forced choices are counted as `priscian analyse
human` counts them, and models on the pairs that count there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Literal

from priscian.analysis.charts import inline, lanes
from priscian.analysis.people.agreement import JudgedSet, shares_of
from priscian.analysis.people.study_files import StudyPair, is_study, read_study_files
from priscian.analysis.result import OVERALL
from priscian.analysis.vega import PALETTE, SCHEMA, Chart, Figure, HasFigures
from priscian.errors import counted
from priscian.runs import Result
from priscian.stats.agreement import Answers, RaterAgreement, measure_agreement
from priscian.stats.bootstrap import credit_mean_interval

__all__ = ["OVERALL", "Seat", "StudyBesideModels", "StudyScore", "beside_models", "is_study"]

PEOPLE, MAJORITY, MEAN = "people, one by one", "people, majority", "people, mean rating"
EDGES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
ANSWERS: Mapping[str, Answers] = {"choice": "choices", "binary": "categories", "likert": "scale"}
Seat = Literal["people", "asked", "scored"]
"""People, a model that answered the questionnaire, a model of a run."""


@dataclass(frozen=True, slots=True)
class StudyScore:
    """Accuracy of people or of a model on the pairs of a class, with a 95 % interval."""

    who: str
    seat: Seat
    name: str
    accuracy: float
    low: float
    high: float
    pairs: int


@dataclass(frozen=True, slots=True)
class StudyBesideModels(HasFigures):
    """People's accuracy, agreement and response times, and models on the same pairs."""

    name: str
    task: str
    scores: tuple[StudyScore, ...]
    agreement: RaterAgreement
    people: int
    answers: int
    pairs: int
    times: tuple[float, ...] = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def classes(self) -> tuple[str, ...]:
        """Phenomena or sets, and overall."""
        return tuple(dict.fromkeys(s.name for s in self.scores))

    @property
    def everybody(self) -> tuple[str, ...]:
        """People first, then models that were asked, then those of runs."""
        return tuple(dict.fromkeys(s.who for s in self.scores))

    def score(self, who: str, name: str = OVERALL) -> StudyScore | None:
        """One accuracy, if there is one."""
        return next((s for s in self.scores if (s.who, s.name) == (who, name)), None)

    @property
    def median_time(self) -> float:
        """Median of people's response times in seconds; NaN without any."""
        return median(self.times) if self.times else math.nan

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Accuracy of everybody, and response times."""
        return (_accuracy_figure(self), *([_times_figure(self)] if self.times else []))


def beside_models(folder: Path, results: Iterable[Result]) -> StudyBesideModels:
    """Read an exported study and compare it with the models of some runs."""
    read = read_study_files(folder)
    given: dict[tuple[str, Seat], dict[StudyPair, float]] = {}
    if not read.judged:
        given[MEAN, "people"] = dict(read.people)
    for name, found in read.models.items():
        given[f"{name} (asked)", "asked"] = dict(found)
    shared = 0
    for result in results:
        found = _right(result, read.people)
        if found:
            shared += 1
            given.setdefault((result.label, "scored"), {}).update(found)
    notes = [] if shared else ["No model of the runs was scored on the pairs of this study."]
    agreement = measure_agreement(read.units, ANSWERS.get(read.task, "numbers"))
    return StudyBesideModels(
        name=read.name,
        task=read.task,
        scores=(
            *_people(read.judged),
            *(s for key, found in given.items() for s in _scores(*key, found)),
        ),
        agreement=agreement,
        people=agreement.raters,
        answers=sum(map(len, read.units.values())),
        pairs=len(read.people),
        times=read.times,
        notes=(*notes, *read.notes),
    )


def _people(judged: Mapping[str, Sequence[JudgedSet]]) -> Iterator[StudyScore]:
    """People's forced choices, by class and overall, with the figures of `human_agreement`."""
    classes = dict(sorted(judged.items()))
    if classes:
        classes[OVERALL] = [s for sets in judged.values() for s in sets]
    shares = {name: shares_of(sets) for name, sets in classes.items()}
    for name, s in shares.items():
        yield StudyScore(PEOPLE, "people", name, s.individual, *s.individual_ci, s.pairs)
    for name, s in shares.items():
        yield StudyScore(MAJORITY, "people", name, s.majority, *s.majority_ci, s.pairs)


def _right(result: Result, pairs: Iterable[StudyPair]) -> dict[StudyPair, float]:
    """What a model of a run gets right of these pairs, which are found by their sentences."""
    import polars

    if result.kind not in ("pairs", "graded"):
        return {}
    frame = result.items
    if not {"text_good", "text_bad", "correct"} <= set(frame.collect_schema().names()):
        return {}
    first = frame.filter(polars.col("method") == next(iter(result.methods)))
    rows = first.select("text_good", "text_bad", "correct").collect()
    known = {(good, bad): float(correct) for good, bad, correct in rows.iter_rows()}
    return {p: known[p.good, p.bad] for p in pairs if (p.good, p.bad) in known}


def _scores(who: str, seat: Seat, given: Mapping[StudyPair, float]) -> list[StudyScore]:
    import numpy as np

    classes: dict[str, list[StudyPair]] = {}
    for pair in given:
        classes.setdefault(pair.phenomenon or pair.set, []).append(pair)
    found = []
    for name, pairs in [*sorted(classes.items()), (OVERALL, list(given))]:
        sets: dict[str, list[float]] = {}
        for pair in pairs:
            sets.setdefault(pair.set, []).append(given[pair])
        if sets:
            mean = math.fsum(math.fsum(c) / len(c) for c in sets.values()) / len(sets)
            low, high = credit_mean_interval([np.array(c) for c in sets.values()], "items").ci
            found.append(StudyScore(who, seat, name, mean, low, high, len(pairs)))
    return found


def _accuracy_figure(found: StudyBesideModels) -> Figure:
    """Everybody's accuracy by phenomenon and overall."""
    rows: list[dict[str, object]] = [
        {
            "who": s.who,
            "phenomenon": s.name.replace("_", " "),
            "per_cent": round(100 * s.accuracy, 2),
            "low": round(100 * s.low, 2),
            "high": round(100 * s.high, 2),
            "pairs": s.pairs,
        }
        for s in found.scores
    ]
    caption = (
        f"Accuracy of people ({found.people:,} of them) and of models on the same pairs of the "
        f"study {found.name}: unweighted means over sets, by majority the share of pairs; 95 % "
        "intervals, bootstrap over pairs within sets, by majority Wilson's. A model marked as "
        "asked answered the questionnaire; the others come from the runs."
    )
    caption = " ".join([caption, *found.notes])
    title = f"People and models on the same pairs: {found.name}"
    chart = lanes(
        rows,
        "phenomenon",
        "who",
        "accuracy, per cent",
        ("who", "phenomenon", "pairs"),
        step=12,
        point=45,
        scale={"zero": False},
        legend={"orient": "top", "columns": 1, "labelLimit": 300},
    )
    return Figure(f"study-{found.name}", title, caption, chart, rows)


def _times_figure(found: StudyBesideModels) -> Figure:
    """How long people took, in bins that double."""
    rows: list[dict[str, object]] = []
    for low, high in zip((0.0, *EDGES), (*EDGES, math.inf), strict=True):
        name = f"{low:g}–{high:g}" if high < math.inf else f"over {low:g}"
        rows.append({"seconds": name, "answers": sum(low <= t < high for t in found.times)})
    caption = (
        f"Response times of people in the study {found.name}: {counted(len(found.times), 'answer')}"
        f" with a time, median {found.median_time:.2f} s. The bins double; time in a hidden tab is "
        "not counted."
    )
    chart: Chart = {
        "$schema": SCHEMA,
        "width": 460,
        "height": 180,
        "data": inline(rows),
        "mark": {"type": "bar", "color": PALETTE[0]},
        "encoding": {
            "x": {
                "field": "seconds",
                "type": "ordinal",
                "sort": [row["seconds"] for row in rows],
                "title": "seconds",
                "axis": {"labelAngle": 0},
            },
            "y": {"field": "answers", "type": "quantitative"},
            "tooltip": [{"field": "seconds"}, {"field": "answers", "type": "quantitative"}],
        },
    }
    return Figure(
        f"study-{found.name}-times", f"Response times: {found.name}", caption, chart, rows
    )
