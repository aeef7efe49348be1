"""Shallow predictors: accuracy by length, perplexity, log-probability and confidence.

Warstadt et al. (2020), § 5.2 and Figure 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from priscian.analysis.named_results import pair_results
from priscian.analysis.vega import Figure, HasFigures
from priscian.errors import DataError, UsageError
from priscian.files import plain
from priscian.runs import Result
from priscian.runs.show import counted
from priscian.stats.interval import Interval
from priscian.stats.logistic import LogisticFit, fit_logistic
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


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs whose predictor lies between two quantiles, both limits included."""

    low: float
    high: float
    median: float
    n: int
    ties: int
    accuracy: float
    ci: Interval

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "low": self.low,
            "high": self.high,
            "median": self.median,
            "n": self.n,
            "ties": self.ties,
            "accuracy": self.accuracy,
            "ci": list(self.ci),
        }


@dataclass(frozen=True, slots=True)
class ShallowModel:
    """One model's accuracy in bins of each predictor, and the regression on all four."""

    name: str
    n: int
    bins: dict[str, tuple[Bin, ...]]
    regression: LogisticFit


@dataclass(frozen=True, slots=True)
class Shallow(HasFigures):
    """How accuracy depends on surface properties of sentences, by model."""

    models: tuple[ShallowModel, ...]
    notes: tuple[str, ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Accuracy by bin, and the regression's coefficients."""
        from priscian.analysis.blimp.shallow_figure import regression_figure, shallow_figure

        return (shallow_figure(self), regression_figure(self))

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "models": {
                m.name: {
                    "n": m.n,
                    "bins": {k: [b.as_dict() for b in bins] for k, bins in m.bins.items()},
                    "regression": plain(m.regression),
                }
                for m in self.models
            },
            "notes": list(self.notes),
        }


def analyse_shallow(results: Sequence[Result], bins: int = BINS) -> Shallow:
    """Bins and regressions of every model whose scores are log-probabilities."""
    if bins < 2:
        raise UsageError(f"{bins} bins show nothing; give 2 or more")
    models, notes = [], []
    for result in pair_results(results):
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
        raise DataError(f"nothing to show: {notes[0]}; score the models with --measure surprisal")
    return Shallow(tuple(models), tuple(notes))


def _model(name: str, rows: polars.DataFrame, bins: int) -> ShallowModel:
    values = _predictors(rows)
    credit = rows["correct"].to_numpy().astype(np.float64)
    tie = rows["tie"].to_numpy()
    made = {key: quantile_bins(x, credit, tie, bins) for key, x in values.items()}
    # perplexities are skewed by a few odd sentences, so the regression uses their logarithm
    columns = {**values, "perplexity": np.log(values["perplexity"])}
    fit = fit_logistic(credit, columns, rows["set"].to_list())
    return ShallowModel(name, rows.height, made, fit)


def _predictors(rows: polars.DataFrame) -> dict[str, Array]:
    import polars

    text = rows.select(polars.col("text_good").str.extract_all(r"\S+").list.len())
    length = np.maximum(text["text_good"].to_numpy().astype(np.float64), 1.0)
    good = rows["score_good"].to_numpy()
    return {
        "length": length,
        "perplexity": np.exp(np.minimum(-good / length, 700.0)),
        "log_probability": good,
        "confidence": np.abs(good - rows["score_bad"].to_numpy()),
    }


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
