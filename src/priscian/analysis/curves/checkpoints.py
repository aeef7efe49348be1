"""Checkpoints: steps or tokens in names and cards of models, and accuracy as training goes on."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from priscian.analysis.blimp.accuracy_table import tables
from priscian.analysis.blimp.published_rows import PEOPLE
from priscian.analysis.charts import (
    colour,
    dash,
    figure,
    inline,
    people_level,
    share,
    share_domain,
    tips,
)
from priscian.analysis.curves.sizes import UNITS
from priscian.analysis.named_results import FORCED_CHOICE, words
from priscian.analysis.result import OVERALL, AnalysisResult
from priscian.analysis.vega import Chart, Figure
from priscian.errors import DataError
from priscian.runs import Result
from priscian.runs.cards import read_card
from priscian.stats.interval import Interval

COLUMNS = 4
FEWEST = 3
"""Fewest checkpoints that make a curve."""
SIGNS = "-_/@.: "
"""Signs between a name and its number of steps."""
MARK = re.compile(
    r"(?:^|(?<=[-_/@.:\s]))(?P<what>global[-_]?steps?|steps?|tokens|checkpoint|ckpt|iter)[-_]?"
    r"(?P<number>\d+(?:\.\d+)?)(?P<unit>[kmbgt]?)(?![a-z0-9])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What the name or the card of a model says: its series, and how long it was trained."""

    series: str
    amount: float
    tokens: bool
    """Whether the amount is in tokens; else it is in steps."""


def parse_checkpoint(name: str) -> Checkpoint | None:
    """The checkpoint that a name speaks of, if it does.

    >>> parse_checkpoint("pythia-70m@step1000")
    Checkpoint(series='pythia-70m', amount=1000.0, tokens=False)
    >>> parse_checkpoint("tokens-2M").amount, parse_checkpoint("gpt2/checkpoint-500").series
    (2000000.0, 'gpt2')
    """
    found = list(MARK.finditer(name))
    if not found:
        return None
    last = found[-1]
    series = (name[: last.start()] + name[last.end() :]).strip(SIGNS)
    amount = float(last["number"]) * UNITS[last["unit"].lower()]
    return Checkpoint(series, amount, last["what"].lower() == "tokens")


def find_checkpoints(results: Sequence[Result]) -> list[tuple[Result, Checkpoint]]:
    """Results whose name, or else whose card.json, says how long the model was trained.

    Cards that `priscian train` wrote have both units, and follow the names; without names they
    count tokens. A model that is named like a series is its last checkpoint; otherwise models of
    one architecture, corpus and seed are a series.
    """
    named = {r.model: parse_checkpoint(r.model) for r in results}
    kinds = [found.tokens for found in named.values() if found]
    tokens = kinds.count(True) >= len(kinds) / 2
    series = {found.series for found in named.values() if found}
    found = []
    for result in results:
        own = named[result.model] or _of_card(result, series, tokens=tokens)
        if own is not None and own.tokens == tokens:
            found.append((result, own))
    return found


def _of_card(result: Result, series: Collection[str], *, tokens: bool) -> Checkpoint | None:
    card = read_card(result.about)
    amount = 0 if card is None else card.tokens_seen if tokens else card.steps
    if card is None or not amount:
        return None
    name = result.model.strip(SIGNS)
    if name in series:
        return Checkpoint(name, float(amount), tokens)
    trained = f"{card.architecture or 'model'}, corpus {card.corpus.size}"
    return Checkpoint(f"{trained}, seed {card.seed}", float(amount), tokens)


def is_series(marked: Sequence[tuple[Result, Checkpoint]]) -> bool:
    """Whether some model has enough checkpoints for a curve."""
    return bool(_long_series(marked))


def _long_series(marked: Sequence[tuple[Result, Checkpoint]]) -> set[str]:
    counts: dict[str, set[float]] = {}
    for _, found in marked:
        counts.setdefault(found.series, set()).add(found.amount)
    return {series for series, amounts in counts.items() if len(amounts) >= FEWEST}


class CheckpointScore(Struct, frozen=True):
    """One checkpoint's score on a class, or overall."""

    model: str
    series: str
    amount: float
    name: str
    accuracy: float
    ci: Interval


class CheckpointCurves(AnalysisResult, frozen=True):
    """Scores of all checkpoints on one data set, and people's where they are known."""

    data: str
    tokens: bool
    scores: tuple[CheckpointScore, ...]
    people: Mapping[str, float]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """A panel for each class, overall first."""
        series = list(dict.fromkeys(s.series or "model" for s in self.scores))
        rows = [
            {
                "model": s.series or "model",
                "checkpoint": s.model,
                "data": self.data,
                "amount": s.amount,
                "name": s.name if s.name == OVERALL else words(s.name),
                "accuracy": s.accuracy,
                "low": s.ci[0],
                "high": s.ci[1],
            }
            for s in self.scores
        ]
        what = "training tokens" if self.tokens else "training steps"
        domain = share_domain([row["low"] for row in rows])
        people = {name if name == OVERALL else words(name): a for name, a in self.people.items()}
        names = [OVERALL, *sorted({str(row["name"]) for row in rows} - {OVERALL})]
        panels = [
            _panel([r for r in rows if r["name"] == n], n, series, what, domain, people.get(n))
            for n in names
        ]
        count = len({row["checkpoint"] for row in rows})
        caption = (
            f"Accuracy of {count} checkpoints on {self.data} by {what}, read from their names or "
            "cards. Bands are 95 % intervals of each checkpoint."
        )
        if people:
            caption += " Dashes are people's accuracy on BLiMP's own sentences."
        chart: Chart = {"columns": COLUMNS, "concat": panels}
        return (figure("checkpoints", f"Learning curves, {self.data}", caption, chart, rows),)


def checkpoint_curves(results: Sequence[Result]) -> CheckpointCurves:
    """Learning curves of results on one data set; a DataError if there is no series."""
    marked = find_checkpoints(results)
    kept = _long_series(marked)
    if not kept:
        raise DataError(f"fewer than {FEWEST} checkpoints of one model; name them step1000 or so")
    scores = []
    for result, found in sorted(marked, key=lambda pair: (pair[1].series, pair[1].amount)):
        if found.series not in kept:
            continue
        classes = {OVERALL: result.summary.headline, **result.summary.by_class()}
        scores += [
            CheckpointScore(result.model, found.series, found.amount, name, s.accuracy, s.ci)
            for name, s in classes.items()
        ]
    tokens = marked[0][1].tokens
    return CheckpointCurves(results[0].data, tokens, tuple(scores), _people(results[0]))


def _people(result: Result) -> dict[str, float]:
    """People's accuracy by phenomenon on BLiMP's own sentences, where it is known."""
    if result.kind not in FORCED_CHOICE or "phenomenon" not in result.levels:
        return {}
    table = tables([result], "phenomenon")
    place = next((k for k, c in enumerate(table.columns) if c.name == PEOPLE), None)
    if place is None:
        return {}
    cells = {row.name: row.cells[place] for row in table.rows}
    return {name: cell.accuracy for name, cell in cells.items() if cell is not None}


def _panel(
    rows: list[dict[str, Any]],
    name: str,
    series: list[str],
    what: str,
    domain: list[float],
    people: float | None,
) -> Chart:
    amounts = sorted({float(row["amount"]) for row in rows})
    wide = amounts[0] > 0 and amounts[-1] / amounts[0] >= 20
    x = {
        "field": "amount",
        "type": "quantitative",
        "title": what,
        "scale": {"type": "log", "nice": False} if wide else {"zero": False},
        "axis": {"format": "~s", "tickCount": 4, "grid": False, "labelOverlap": True},
    }
    y = share("accuracy", None, domain)
    tooltip = tips(
        "checkpoint", "amount:,", "accuracy:.1%", "low:.1%", "high:.1%", called={"amount": what}
    )
    shared = {"x": x, "color": colour(series), "tooltip": tooltip}
    layers: list[Chart] = [
        {
            "mark": {"type": "area", "opacity": 0.18},
            "encoding": {**shared, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "line", "strokeWidth": 1.8},
            "encoding": {**shared, "y": y, "strokeDash": dash(series)},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 16, "opacity": 1},
            "encoding": {**shared, "y": y},
        },
    ]
    if people is not None:
        layers.append(people_level([{"human": people}], y, tips("human:.1%")))
    return {"title": name, "width": 140, "height": 110, "data": inline(rows), "layer": layers}
