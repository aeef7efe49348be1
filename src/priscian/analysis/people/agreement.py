"""How well people agree with the labels of pairs: one by one and by majority, as in BLiMP."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from priscian.analysis.vega import Figure, HasFigures
from priscian.datasets.choices import Choices
from priscian.errors import DataError, UsageError
from priscian.files import plain, shown
from priscian.records import Judgement
from priscian.stats.agreement import RaterAgreement, measure_agreement
from priscian.stats.bootstrap import DRAWS, credit_mean_interval
from priscian.stats.interval import Interval
from priscian.stats.proportions import wilson

RULE = "4/5"
SHOWN = 12
"""Sets that a sentence names; of more it gives the number."""


@dataclass(frozen=True, slots=True)
class Inclusion:
    """A set counts if most people agree with the label of K pairs or more, a share of K/N at least.

    BLiMP had five pairs of each paradigm judged and kept those with four or more.
    """

    least: int
    share: Fraction
    name: str

    @classmethod
    def parse(cls, text: str) -> Inclusion:
        """Read `4/5`, or `none` for all sets."""
        if text == "none":
            return cls(0, Fraction(0), text)
        found = re.fullmatch("([1-9][0-9]{0,8})/([1-9][0-9]{0,8})", text)
        if not found or int(found[1]) > int(found[2]):
            raise UsageError(f"--rule {shown(text)} is neither K/N, such as 4/5, nor none")
        return cls(int(found[1]), Fraction(int(found[1]), int(found[2])), text)

    def admits(self, agreed: int, pairs: int) -> bool:
        """Whether a set counts, given how many of its pairs people agree with."""
        return agreed >= self.least and Fraction(agreed, pairs) >= self.share


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """People on the pairs of one set."""

    name: str
    phenomenon: str
    means: tuple[float, ...]
    """Share of people who chose the good sentence, of each pair."""
    judgements: int
    included: bool
    targets: tuple[str, ...] = ()
    """Which pairs these are, in the order of `means`."""

    @property
    def individual(self) -> float:
        """Mean over pairs of the share of people who agree with the label."""
        return math.fsum(self.means) / len(self.means)

    @property
    def agreed(self) -> int:
        """Pairs for which more than half of the people chose the good sentence."""
        return sum(mean > 0.5 for mean in self.means)

    @property
    def ties(self) -> int:
        """Pairs with half of the people on either side."""
        return sum(mean == 0.5 for mean in self.means)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "phenomenon": self.phenomenon,
            "individual": self.individual,
            "majority": self.agreed / len(self.means),
            "majority_pairs": self.agreed,
            "pairs": len(self.means),
            "ties": self.ties,
            "judgements": self.judgements,
            "included": self.included,
        }


@dataclass(frozen=True, slots=True)
class Shares:
    """Agreement with the labels of some sets: one by one and by majority, with 95 % intervals.

    One by one: the unweighted mean over sets of the mean over pairs, with a bootstrap over pairs
    within sets. By majority: the share of all pairs, with Wilson's interval.
    """

    individual: float
    individual_ci: Interval
    majority: float
    majority_ci: Interval
    pairs: int


def shares_of(sets: Sequence[JudgedSet], seed: int = 0, draws: int = DRAWS) -> Shares:
    """The agreement of people with the labels of some sets."""
    import numpy as np

    pairs = sum(len(s.means) for s in sets)
    majority = sum(s.agreed for s in sets) / pairs
    drawn = credit_mean_interval([np.array(s.means) for s in sets], "items", seed, draws)
    mean = math.fsum(s.individual for s in sets) / len(sets)
    return Shares(mean, drawn.ci, majority, wilson(majority, pairs), pairs)


@dataclass(frozen=True, slots=True)
class Attention:
    """Attention checks: how many, how many passed, who failed, and what was left out."""

    checks: int
    passed: int
    failed: tuple[str, ...]
    dropped: int
    """Judgements that were not counted because their rater failed."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "checks": self.checks,
            "passed": self.passed,
            "failed_raters": list(self.failed),
            "judgements_dropped": self.dropped,
        }


@dataclass(frozen=True, slots=True)
class HumanAgreement(HasFigures):
    """Agreement of people with labels; overall figures are of the sets that the rule admits."""

    sets: tuple[JudgedSet, ...]
    rule: Inclusion
    attention: Attention
    raters: int
    left_out: Mapping[str, int]
    between: RaterAgreement
    """Agreement of people with each other, on all sets."""
    shares: Shares
    """Agreement on the sets that count."""
    draws: int
    seed: int = 0

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Agreement by phenomenon."""
        from priscian.analysis.people.agreement_figure import human_figure

        return (human_figure(self),)

    @property
    def included(self) -> tuple[JudgedSet, ...]:
        """The sets that count."""
        return tuple(s for s in self.sets if s.included)

    @property
    def individual(self) -> float:
        """Unweighted mean over sets of the mean over pairs: 88.56 % for BLiMP."""
        return self.shares.individual

    @property
    def ci(self) -> Interval:
        """Its 95 % interval."""
        return self.shares.individual_ci

    @property
    def pairs(self) -> int:
        """Pairs of the sets that count."""
        return self.shares.pairs

    @property
    def majority_pairs(self) -> int:
        """Of these, those that more than half of the people agree with: 323 for BLiMP."""
        return sum(s.agreed for s in self.included)

    @property
    def majority(self) -> float:
        """Their share: 96.42 % for BLiMP."""
        return self.shares.majority

    @property
    def excluded(self) -> tuple[JudgedSet, ...]:
        """The sets that the rule leaves out."""
        return tuple(s for s in self.sets if not s.included)

    @property
    def exclusion(self) -> str:
        """Which sets are left out, why, and what the figures are with them; empty if none is."""
        if not self.excluded:
            return ""
        names = [f"{s.name} ({s.agreed} of {len(s.means)})" for s in self.excluded]
        listed = ", ".join(names[:SHOWN])
        if len(names) > SHOWN:
            listed += f" and {len(names) - SHOWN} more"
        every = shares_of(self.sets, self.seed, self.draws)
        share = f"{100 * float(self.rule.share):.0f} %"
        return (
            f"The rule {self.rule.name} leaves out sets where most people agree with the label of "
            f"fewer than {self.rule.least} pairs or {share} of them, in all "
            f"{every.pairs - self.pairs:,} of {every.pairs:,} pairs: {listed}. With them, "
            f"individual agreement is {100 * every.individual:.2f} % and majority agreement "
            f"{100 * every.majority:.2f} %."
        )

    def phenomena(self) -> dict[str, tuple[JudgedSet, ...]]:
        """The sets that count, by phenomenon."""
        names = sorted({s.phenomenon for s in self.included if s.phenomenon})
        return {n: tuple(s for s in self.included if s.phenomenon == n) for n in names}

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        groups = self.phenomena()
        return {
            "individual": self.individual,
            "individual_ci": list(self.ci),
            "majority": self.majority,
            "majority_ci": list(self.shares.majority_ci),
            "majority_pairs": self.majority_pairs,
            "pairs": self.pairs,
            "ties": sum(s.ties for s in self.included),
            "phenomena": {
                n: math.fsum(s.individual for s in g) / len(g) for n, g in groups.items()
            },
            "phenomena_majority": {
                n: sum(s.agreed for s in g) / sum(len(s.means) for s in g)
                for n, g in groups.items()
            },
            "paradigms": {s.name: s.individual for s in self.included},
            "sets": {s.name: s.as_dict() for s in self.sets},
            "rule": self.rule.name,
            "excluded": [s.name for s in self.excluded],
            "raters": self.raters,
            "judgements": sum(s.judgements for s in self.included),
            "attention": self.attention.as_dict(),
            "between_people": plain(self.between),
            "left_out": dict(self.left_out),
        }


def human_agreement(
    choices: Choices,
    *,
    rule: str = RULE,
    keep_failed: bool = False,
    seed: int = 0,
    draws: int = DRAWS,
) -> HumanAgreement:
    """Agreement of people with the labels of pairs, by pair, set, phenomenon and overall.

    A pair's mean, then the mean of a set's pairs, then the unweighted mean of sets. Everything said
    by a rater who failed an attention check is left out unless `keep_failed`.
    """
    admission = Inclusion.parse(rule)
    checks = [j for j in choices.judgements if j.attention_check]
    failed = sorted({j.rater for j in checks if j.response != 1.0})
    real = [j for j in choices.judgements if not j.attention_check]
    kept = real if keep_failed else [j for j in real if j.rater not in failed]
    if not kept:
        raise DataError("no judgement is left: every rater failed a check; see --keep-failed")
    pairs: dict[str, dict[str, list[float]]] = {}
    for judgement in kept:
        of_set = pairs.setdefault(choices.sets[judgement.target], {})
        of_set.setdefault(judgement.target, []).append(float(judgement.response))
    sets = tuple(_judged(name, found, choices, admission) for name, found in sorted(pairs.items()))
    counted = [s for s in sets if s.included]
    if not counted:
        most = max(len(s.means) for s in sets)
        raise DataError(
            f"no set has people's agreement on {rule} of its pairs (the largest has {most} pairs); "
            "give another --rule, or --rule none for all sets"
        )
    return HumanAgreement(
        sets=sets,
        rule=admission,
        attention=Attention(
            len(checks),
            sum(j.response == 1.0 for j in checks),
            tuple(failed),
            len(real) - len(kept),
        ),
        raters=len({j.rater for j in kept}),
        left_out=choices.left_out,
        between=measure_agreement(_by_rater(kept), "choices", draws=20),
        shares=shares_of(counted, seed, draws),
        draws=draws,
        seed=seed,
    )


def _by_rater(judgements: Sequence[Judgement]) -> dict[str, dict[str, float]]:
    units: dict[str, dict[str, float]] = {}
    for j in judgements:
        units.setdefault(j.target, {})[j.rater] = float(j.response)
    return units


def _judged(
    name: str, found: Mapping[str, Sequence[float]], choices: Choices, rule: Inclusion
) -> JudgedSet:
    means = tuple(math.fsum(said) / len(said) for said in found.values())
    return JudgedSet(
        name=name,
        phenomenon=choices.phenomena.get(name, ""),
        means=means,
        judgements=sum(map(len, found.values())),
        included=rule.admits(sum(mean > 0.5 for mean in means), len(means)),
        targets=tuple(found),
    )
