"""How far the raters of a study agree, and how many of them are needed."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from priscian.judge.exclusion import float_of
from priscian.judge.frozen import Frozen
from priscian.judge.records import Given
from priscian.stats.agreement import Level, fleiss_kappa, icc2k, krippendorff_alpha, split_half


@dataclass(frozen=True, slots=True)
class Agreement:
    """Measures of agreement; NaN where the answers do not give one."""

    raters: int
    units: int
    fleiss_kappa: float
    krippendorff_alpha: float
    level: str
    icc2k: float
    split_half: float

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    def rows(self) -> list[tuple[str, str]]:
        """Names and values as people read them; a dash where the answers do not give a value."""
        numbers = {
            "Fleiss’ κ": self.fleiss_kappa,
            f"Krippendorff’s α ({self.level})": self.krippendorff_alpha,
            "ICC(2,k)": self.icc2k,
            "Split-half reliability": self.split_half,
        }
        shown = [(name, "–" if math.isnan(v) else f"{v:.3f}") for name, v in numbers.items()]
        return [("People", str(self.raters)), ("Sentences or pairs", str(self.units)), *shown]


def units_of(frozen: Frozen, answers: Sequence[Given]) -> dict[str, dict[str, float]]:
    """Ratings of items by unit and rater: 1 for the good sentence of a pair; sentences by id."""
    choice = frozen.study.task == "choice"
    units: dict[str, dict[str, float]] = {}
    for a in answers:
        if a.role not in ("item", "filler"):
            continue
        if choice:
            unit, value = a.item, float(a.response == a.side)
        else:
            unit = frozen.materials[a.item].sentence_id(a.condition)
            value = float_of(a.response)
            if frozen.study.task == "magnitude":
                value = math.log(value / frozen.study.scale.modulus)
        units.setdefault(unit, {})[a.person] = value
    return units


def agreement_of(frozen: Frozen, answers: Sequence[Given], draws: int = 200) -> Agreement:
    """Every measure; ICC from the units that the largest group of raters shares."""
    units = units_of(frozen, answers)
    level: Level = "nominal" if frozen.study.task in ("choice", "binary") else "interval"
    if frozen.study.task == "likert":
        level = "ordinal"
    counts: list[Counter[Hashable]] = [Counter(r.values()) for r in units.values()]
    magnitude = frozen.study.task == "magnitude"
    return Agreement(
        raters=len({r for ratings in units.values() for r in ratings}),
        units=len(units),
        fleiss_kappa=math.nan if magnitude else fleiss_kappa(counts),
        krippendorff_alpha=krippendorff_alpha(units, level),
        level=level,
        icc2k=icc2k(_complete(units)),
        split_half=split_half(units, draws),
    )


def _complete(units: dict[str, dict[str, float]]) -> list[list[float]]:
    """A full table: the raters of the most common group (a list), and the units they all rated."""
    groups = Counter(frozenset(r) for r in units.values())
    if not groups:
        return []
    raters, _ = max(groups.items(), key=lambda g: (g[1] * len(g[0]), sorted(g[0])))
    return [[r[x] for x in sorted(raters)] for r in units.values() if raters <= r.keys()]


def people_needed(
    frozen: Frozen, answers: Sequence[Given], power: float = 0.8, draws: int = 200, seed: int = 1
) -> dict[int, float]:
    """For numbers of people: in what share of resamples most items have the majority of all.

    People are drawn with replacement for each pair; the share is the mean over pairs of how often
    more than half of them choose the good sentence. The smallest number above `power` is enough.
    """
    units = units_of(frozen, answers)
    rng = random.Random(seed)
    found: dict[int, float] = {}
    for size in (1, 3, 5, 7, 10, 15, 20, 25, 30, 35, 40):
        shares = []
        for ratings in units.values():
            values = list(ratings.values())
            agree = [sum(rng.choices(values, k=size)) > size / 2 for _ in range(draws)]
            shares.append(sum(agree) / draws)
        found[size] = math.fsum(shares) / len(shares) if shares else math.nan
        if found[size] >= power:
            break
    return found
