"""Agreement at a distance, across attractors, and with irregular nouns.

Warstadt et al. (2020), § 6.1 and § 6.2, Figures 3 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from priscian.analysis.blimp.published_rows import starred
from priscian.analysis.named_results import pair_results, set_accuracies
from priscian.analysis.vega import Figure, HasFigures
from priscian.datasets.published import published
from priscian.errors import DataError
from priscian.files import plain, read_tsv
from priscian.runs import Result
from priscian.stats.differences import Difference, independent_difference
from priscian.stats.proportions import Accuracy, mean_accuracy

Contrasts = dict[str, dict[str, tuple[str, ...]]]


@cache
def contrasts() -> Contrasts:
    """Paradigms by comparison and condition; the first condition is the baseline.

    The paper does not say which paradigms have no attractor. Of five choices that were tried on the
    published accuracies (all four paradigms, the regular ones, those whose verb varies, those whose
    noun varies, the first regular one) only the last gives its 20 points for the LSTM and 5 for
    Transformer-XL, so it is used here; with all four they are 16 and 11.

    >>> contrasts()["subject and verb"]["relational noun"]
    ('distractor_agreement_relational_noun',)
    """
    found: dict[str, dict[str, list[str]]] = {}
    for _, row in read_tsv(Path(__file__).parent / "data" / "agreement_contrasts.tsv"):
        members = found.setdefault(row["comparison"], {})
        members.setdefault(row["condition"], []).append(row["paradigm"])
    return {c: {k: tuple(v) for k, v in members.items()} for c, members in found.items()}


@dataclass(frozen=True, slots=True)
class Condition:
    """Accuracy in one condition, and how it differs from the comparison's first."""

    comparison: str
    condition: str
    model: str
    published: bool
    accuracy: Accuracy
    """For a published system only the accuracy is meaningful: its items are unknown."""
    change: Difference | None
    paradigms: int
    missing: tuple[str, ...] = ()
    """Paradigms of the condition that were not scored."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        found: dict[str, Any] = {"model": self.model, "published": self.published}
        found["accuracy"] = self.accuracy.accuracy
        if not self.published:
            found |= plain(self.accuracy)
        if self.change is not None:
            found["change"] = self.change.difference
            if not self.published:
                found["change_ci"] = list(self.change.ci)
        return found | {"paradigms": self.paradigms, "missing": list(self.missing)}


@dataclass(frozen=True, slots=True)
class Distance(HasFigures):
    """Every comparison, condition by condition and model by model."""

    conditions: tuple[Condition, ...]
    n: Mapping[str, int]
    """Pairs that were compared, by model, each counted once."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Accuracy in every condition."""
        from priscian.analysis.blimp.distance_figure import distance_figure

        return (distance_figure(self),)

    def as_dict(self) -> dict[str, Any]:
        """By comparison, then by condition."""
        found: dict[str, dict[str, list[dict[str, Any]]]] = {}
        for c in self.conditions:
            found.setdefault(c.comparison, {}).setdefault(c.condition, []).append(c.as_dict())
        return found


def analyse_distance(results: Sequence[Result], baselines: Sequence[str] = ()) -> Distance:
    """Compare the conditions that were scored; `baselines` names published systems."""
    made: list[Condition] = []
    n: dict[str, int] = {}
    for result in pair_results(results):
        sets = set_accuracies(result)
        mine = _conditions(result.label, sets, known=False)
        used = {p for c in mine for p in contrasts()[c.comparison][c.condition]} & sets.keys()
        if used:
            n[result.label] = sum(sets[p].n for p in used)
        made += mine
    if not made:
        raise DataError(
            "no paradigm of determiner–noun or subject–verb agreement was scored; "
            "score all of BLiMP: --on blimp:DIR"
        )
    here = {c.comparison for c in made}
    for system in baselines:
        rows = {
            name: Accuracy(value, 0, 0, (value, value))
            for name, value in published()[system].items()
        }
        found = _conditions(starred(system), rows, known=True)
        made += [c for c in found if c.comparison in here]
    return Distance(tuple(made), n)


def _conditions(model: str, sets: Mapping[str, Accuracy], *, known: bool) -> list[Condition]:
    made = []
    for comparison, conditions in contrasts().items():
        parts = {
            condition: [sets[p] for p in paradigms if p in sets]
            for condition, paradigms in conditions.items()
        }
        if sum(map(bool, parts.values())) < 2:
            continue
        first = next(iter(conditions))
        base = mean_accuracy(parts[first]) if parts[first] else None
        for condition, paradigms in conditions.items():
            if not parts[condition]:
                continue
            mean = mean_accuracy(parts[condition])
            change = independent_difference(mean, base) if base and condition != first else None
            lacking = tuple(p for p in paradigms if p not in sets)
            size = len(parts[condition])
            made.append(Condition(comparison, condition, model, known, mean, change, size, lacking))
    return made
