"""From counts to figures: accuracy on pairs and Matthews' correlation, each with its interval."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from priscian.analysis.transfer.record import OwnChoice, Tally
from priscian.errors import DataError
from priscian.stats.interval import Z95, Interval, student_t
from priscian.stats.matthews import counts_interval, matthews_of_counts
from priscian.stats.sets import WITHIN_SETS, effective_items, shares_interval


@dataclass(frozen=True, slots=True)
class Cell:
    """The accuracy on the test pairs of some paradigms, and the correlation on their sentences.

    The accuracy is the unweighted mean over paradigms; its interval covers other paradigms of the
    kind, or other pairs where there is one. `labels` has right labels of good and of bad sentences
    and wrong labels of bad and of good ones, as many as they are worth; a model's own choices have
    none, because they have no threshold.
    """

    accuracy: float
    ci: Interval
    pairs: int
    paradigms: int
    labels: tuple[float, float, float, float] | None = None

    @property
    def mcc(self) -> float | None:
        """Matthews' correlation over all sentences; every paradigm counts alike."""
        return None if self.labels is None else matthews_of_counts(*self.labels)

    @property
    def mcc_ci(self) -> Interval | None:
        """Its 95 % interval for other paradigms; None where all sentences get one label."""
        return None if self.labels is None else counts_interval(*self.labels)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        around = self.mcc_ci
        return {
            "accuracy": self.accuracy,
            "ci": list(self.ci),
            "mcc": self.mcc,
            "mcc_ci": None if around is None else list(around),
            "pairs": self.pairs,
            "paradigms": self.paradigms,
        }


def cell_of(tallies: Iterable[Tally]) -> Cell:
    """The cell of some counts; counts of one paradigm, from several sources, are pooled."""
    targets: dict[str, list[Tally]] = {}
    for tally in tallies:
        targets.setdefault(tally.target, []).append(tally)
    if not targets:
        raise DataError("no test pairs to average; the analysis was not made for this cell")
    own = list(targets.values())
    sizes = [group[0].pairs for group in own]
    means = [sum(t.right for t in group) / sum(t.pairs * t.draws for t in group) for group in own]
    mean = math.fsum(means) / len(means)
    ci = shares_interval(means, sizes)
    return Cell(mean, ci, sum(sizes), len(own), _labels(own, sizes))


def own_cell(choices: Sequence[OwnChoice]) -> Cell:
    """The accuracy of a model's own choices."""
    means = [choice.right / choice.pairs for choice in choices]
    sizes = [choice.pairs for choice in choices]
    ci = shares_interval(means, sizes)
    return Cell(math.fsum(means) / len(means), ci, sum(sizes), len(choices))


def _labels(
    groups: Sequence[Sequence[Tally]], sizes: Sequence[int]
) -> tuple[float, float, float, float]:
    """Right and wrong labels of all sentences, as many as independent ones would be.

    Sentences of one paradigm are alike, so they count as fewer: nₑ of `effective_items`, and less
    again by (z/t)², as Student's t allows for few paradigms.
    """
    # every paradigm counts alike: shares of its sentences, however many draws
    shares = [_shares(group) for group in groups]
    right = [share[0] + share[1] for share in shares]
    worth = effective_items(right, [2 * size for size in sizes])
    if len(groups) > 1:
        worth *= (Z95 / student_t(len(groups) - 1 + WITHIN_SETS)) ** 2
    tp, tn, fp, fn = (worth * math.fsum(p) / len(shares) for p in zip(*shares, strict=True))
    return tp, tn, fp, fn


def _shares(group: Sequence[Tally]) -> tuple[float, float, float, float]:
    """The shares of right and wrong labels among the sentences of one paradigm."""
    total = sum(2 * t.pairs * t.draws for t in group)
    return (
        sum(t.true_good for t in group) / total,
        sum(t.true_bad for t in group) / total,
        sum(t.false_good for t in group) / total,
        sum(t.false_bad for t in group) / total,
    )
