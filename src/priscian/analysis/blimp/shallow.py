"""Shallow predictors: accuracy by length, perplexity, log-probability and confidence.

Warstadt et al. (2020), § 5.2 and Figure 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from priscian.analysis.charts import (
    colour,
    dash,
    dots,
    figure,
    scatter,
    shape,
    share,
    share_domain,
    tips,
)
from priscian.analysis.named_results import pair_results
from priscian.analysis.registry import Section, analysis
from priscian.analysis.result import AnalysisResult, Runs, Table, percent
from priscian.analysis.vega import Chart, Figure
from priscian.errors import DataError, UsageError, counted
from priscian.files import by
from priscian.runs.choose import gather_results
from priscian.stats.interval import Interval
from priscian.stats.logistic import FEW_CLUSTERS, LogisticFit, fit_logistic
from priscian.stats.proportions import accuracy_of

if TYPE_CHECKING:
    import polars

Array = NDArray[np.float64]

BINS = 10
PREDICTORS = {
    "length": "words in the acceptable sentence",
    "perplexity": "perplexity per word of the acceptable sentence",
    "log_probability": "log-probability of the acceptable sentence (nats)",
    "confidence": "confidence |Δ log P| (nats)",
}


LOGARITHMIC = frozenset({"perplexity"})


class Bin(Struct, frozen=True):
    """Pairs whose predictor lies between two quantiles, both limits included."""

    low: float
    high: float
    median: float
    n: int
    ties: int
    accuracy: float
    ci: Interval


class ShallowModel(Struct, frozen=True):
    """One model's accuracy in bins of each predictor, and the regression on all four."""

    name: str
    n: int
    bins: Mapping[str, tuple[Bin, ...]]
    regression: LogisticFit


class Shallow(AnalysisResult, frozen=True):
    """How accuracy depends on surface properties of sentences, by model."""

    models: Annotated[tuple[ShallowModel, ...], by("name")]
    notes: tuple[str, ...]

    def tables(self) -> list[Table]:
        """Accuracy by each predictor, and the regressions."""
        rows: list[tuple[str, ...] | None] = []
        for model in self.models:
            rows += [
                (
                    model.name,
                    c.name.replace("_", " "),
                    f"{c.estimate:+.3f}",
                    f"{c.ci[0]:+.3f} to {c.ci[1]:+.3f}",
                    f"{c.p:.2g}",
                )
                for c in model.regression.coefficients
            ]
            rows.append(None)
        return [
            *(_bins(self, key, what) for key, what in PREDICTORS.items()),
            Table(
                "Logistic regression: change in log-odds with one standard deviation",
                ("model", "predictor", "estimate", "95 % interval", "p"),
                tuple(rows),
                names=2,
            ),
        ]

    @property
    def findings(self) -> list[str]:
        """What the regressions rest on, and what was left out."""
        said = []
        for model in self.models:
            fit = model.regression
            if fit.problem:
                said.append(f"{model.name}: no regression: {fit.problem}")
            for name in fit.left_out:
                said.append(f"{model.name}: {name} is left out of the regression: it does not vary")
            if fit.clusters:
                said.append(
                    f"{model.name}: errors are clustered by paradigm ({fit.clusters} clusters)"
                )
        return [*said, *self.notes]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Accuracy by bin, and the regressions' coefficients."""
        return (_bins_figure(self), _regression_figure(self))


def _bins(found: Shallow, key: str, what: str) -> Table:
    rows: list[tuple[str, ...] | None] = []
    for model in found.models:
        rows += [
            (model.name, f"{b.low:,.4g}", f"{b.high:,.4g}", f"{b.n:,}", percent(b))
            for b in model.bins[key]
        ]
        rows.append(None)
    head = ("model", "from", "to", "n", "accuracy")
    return Table(f"Accuracy by {what}", head, tuple(rows))


@analysis(
    "shallow",
    "accuracy by length, probability, confidence",
    section=Section("shallow predictors", place=60, kinds=frozenset({"pairs"})),
)
def shallow(runs: Runs, bins: int = BINS) -> Shallow:
    """Accuracy by sentence length, perplexity, log-probability and confidence.

    Pairs are divided into quantile bins of each predictor, and a logistic regression uses all four
    at once, standardised.

    Examples:
      priscian analyse shallow runs/two
      priscian analyse shallow runs/two --bins 5 --figures pictures

    >>> import priscian
    >>> run = priscian.score("builtin:ngram", "generated:7,20,wh_island,causative")
    >>> found = priscian.analyse.shallow(run, bins=2)
    >>> sorted(found.models[0].bins)
    ['confidence', 'length', 'log_probability', 'perplexity']

    Parameters
    ----------
    runs
        Run folders.
    bins
        Number of quantile bins of each predictor.
    """
    if bins < 2:
        raise UsageError(f"{bins} bins show nothing; give 2 or more")
    models, notes = [], []
    for result in pair_results(gather_results(runs)):
        measure = result.summary.measure
        if measure != "surprisal":
            notes.append(f"{result.label} is left out: its scores are {measure}, no log P")
            continue
        rows = result.choices("full")
        kept = rows.filter(
            rows["score_good"].is_finite() & rows["score_bad"].is_finite()
            if rows.height
            else rows["tie"]
        )
        if kept.height < rows.height:
            lost = counted(rows.height - kept.height, "pair")
            notes.append(f"{result.label}: {lost} without a finite score")
        if not kept.height:
            notes.append(f"{result.label} is left out: no pair was judged by full sentences")
            continue
        models.append(_model(result.label, kept, bins))
    if not models:
        raise DataError(f"nothing to show: {notes[0]}; score the models with `measure=surprisal`")
    return Shallow(tuple(models), tuple(notes))


def _model(name: str, rows: polars.DataFrame, bins: int) -> ShallowModel:
    words = rows.select(rows["text_good"].str.extract_all(r"\S+").list.len())
    length = np.maximum(words["text_good"].to_numpy().astype(np.float64), 1.0)
    good = rows["score_good"].to_numpy()
    values: dict[str, Array] = {
        "length": length,
        "perplexity": np.exp(np.minimum(-good / length, 700.0)),
        "log_probability": good,
        "confidence": np.abs(good - rows["score_bad"].to_numpy()),
    }
    credit = rows["correct"].to_numpy().astype(np.float64)
    tie = rows["tie"].to_numpy()
    made = {key: quantile_bins(x, credit, tie, bins) for key, x in values.items()}
    # perplexities are skewed by a few odd sentences, so the regression uses their logarithm
    columns = {**values, "perplexity": np.log(values["perplexity"])}
    fit = fit_logistic(credit, columns, rows["set"].to_list())
    return ShallowModel(name, rows.height, made, fit)


def quantile_bins(x: Array, credit: Array, tie: NDArray[np.bool_], bins: int) -> tuple[Bin, ...]:
    """Bins of about equal size; equal values are always in the same bin.

    >>> found = quantile_bins(np.array([1.0, 2, 2, 2, 3, 4]), np.ones(6), np.zeros(6, bool), 3)
    >>> [(b.low, b.high, b.n) for b in found]
    [(1.0, 2.0, 4), (3.0, 4.0, 2)]
    """
    limits = np.unique(np.quantile(x, np.linspace(0, 1, bins + 1)[1:-1], method="lower"))
    place = np.searchsorted(limits, x, side="left")  # a value on a limit is in the bin below
    made = []
    for number in np.unique(place):
        inside = place == number
        found = accuracy_of(credit[inside].tolist(), int(tie[inside].sum()))
        made.append(
            Bin(
                float(x[inside].min()),
                float(x[inside].max()),
                float(np.median(x[inside])),
                found.n,
                found.ties,
                found.accuracy,
                found.ci,
            )
        )
    return tuple(made)


def _bins_figure(found: Shallow) -> Figure:
    """Accuracy in quantile bins of each predictor, one line for each model."""
    names = [m.name for m in found.models]
    rows = [
        {
            "model": m.name,
            "predictor": key,
            "from": round(b.low, 4),
            "to": round(b.high, 4),
            "median": round(b.median, 4),
            "accuracy": b.accuracy,
            "low": b.ci[0],
            "high": b.ci[1],
            "n": b.n,
            "ties": b.ties,
        }
        for m in found.models
        for key, bins in m.bins.items()
        for b in bins
    ]
    domain = share_domain([row["low"] for row in rows])
    panels = [
        _bins_panel([r for r in rows if r["predictor"] == key], key, names, domain)
        for key in PREDICTORS
    ]
    caption = (
        "Share of pairs judged right in quantile bins of each predictor, at the bin's median; "
        f"{_counts(found)}. Bars are Wilson's 95 % intervals, pairs counted as independent. "
        "Perplexity is exp(−log P / words), so that models with different tokens can be compared."
    )
    chart: Chart = {"columns": 2, "concat": panels}
    return figure("shallow-predictors", "Shallow predictors of accuracy", caption, chart, rows)


def _bins_panel(
    rows: list[dict[str, object]], key: str, names: list[str], domain: list[float]
) -> Chart:
    y = share("accuracy", "accuracy", domain)
    x = {
        "field": "median",
        "type": "quantitative",
        "title": PREDICTORS[key],
        "scale": {"type": "log"} if key in LOGARITHMIC else {"zero": False},
        "axis": {"tickCount": 5, "grid": False, "format": "~s"},
    }
    tooltip = tips("model", "from:,.2~f", "to:,.2~f", "accuracy:.1%", "low:.1%", "high:.1%", "n:,")
    shared = {"x": x, "color": colour(names), "tooltip": tooltip}
    size = (270, 190)
    return scatter(
        rows, y, shared, size=size, point=36, line="chance", path=dash(names), shape=shape(names)
    )


def _regression_figure(found: Shallow) -> Figure:
    """Standardised coefficients of every model's regression, with intervals."""
    rows = [
        {
            "model": m.name,
            "predictor": c.name.replace("_", " "),
            "estimate": c.estimate,
            "low": c.ci[0],
            "high": c.ci[1],
            "p": c.p,
            "n": m.regression.n,
        }
        for m in found.models
        for c in m.regression.coefficients
    ]
    x = {
        "field": "estimate",
        "type": "quantitative",
        "title": "change in log-odds of a right choice with one standard deviation",
        "scale": {"zero": True},
    }
    chart = dots(
        rows,
        [m.name for m in found.models],
        [key.replace("_", " ") for key in PREDICTORS],
        x,
        tips("predictor", "model", "estimate:+.3f", "low:+.3f", "high:+.3f", "p:.2g", "n:,"),
        label="predictor",
        line=(0.0, "no effect"),
    )
    clusters = max((m.regression.clusters for m in found.models), default=0)
    how = (
        f"from errors clustered by paradigm ({clusters} clusters)"
        if clusters
        else f"pairs counted as independent (fewer than {FEW_CLUSTERS} paradigms)"
    )
    caption = (
        "Logistic regression of right choices on all four predictors at once, standardised, "
        f"perplexity as its logarithm; {_counts(found)}. Bars are Wald's 95 % intervals, {how}."
    )
    for m in found.models:
        if m.regression.problem:
            caption += f" {m.name} has no estimates: {m.regression.problem}."
    return figure("shallow-regression", "Shallow predictors together", caption, chart, rows)


def _counts(found: Shallow) -> str:
    counts = {m.n for m in found.models}
    if len(counts) == 1:
        return f"n = {counts.pop():,} pairs"
    return "n = " + ", ".join(f"{m.n:,} ({m.name})" for m in found.models) + " pairs"
