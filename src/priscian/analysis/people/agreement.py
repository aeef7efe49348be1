"""How well people agree with the labels of pairs: one by one and by majority, as in BLiMP."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from msgspec import Struct, field

from priscian.analysis.charts import lanes
from priscian.analysis.registry import analysis
from priscian.analysis.result import OVERALL, AnalysisResult, Table
from priscian.analysis.vega import Figure
from priscian.datasets.choices import Choices, Raters, read_choices
from priscian.errors import DataError, UsageError, counted
from priscian.files import HIDDEN, by, shown
from priscian.stats.agreement import RaterAgreement, measure_agreement
from priscian.stats.bootstrap import DRAWS, credit_mean_interval
from priscian.stats.interval import Interval
from priscian.stats.proportions import wilson

RULE = "4/5"
ONE_BY_ONE, BY_MAJORITY = "individual", "majority"
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
            raise UsageError(f"`rule={shown(text)}` is neither K/N, such as 4/5, nor none")
        return cls(int(found[1]), Fraction(int(found[1]), int(found[2])), text)

    def admits(self, agreed: int, pairs: int) -> bool:
        """Whether a set counts, given how many of its pairs people agree with."""
        return agreed >= self.least and Fraction(agreed, pairs) >= self.share


class JudgedSet(Struct, frozen=True):
    """People on the pairs of one set."""

    name: str
    phenomenon: str
    individual: float
    """Mean over pairs of the share of people who agree with the label."""
    majority: float
    agreed: int = field(name="majority_pairs")
    """Pairs for which more than half of the people chose the good sentence."""
    pairs: int
    ties: int
    """Pairs with half of the people on either side."""
    judgements: int
    included: bool
    means: Annotated[tuple[float, ...], HIDDEN]
    """Share of people who chose the good sentence, of each pair."""
    targets: Annotated[tuple[str, ...], HIDDEN]
    """Which pairs these are, in the order of `means`."""


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

    pairs = sum(s.pairs for s in sets)
    majority = sum(s.agreed for s in sets) / pairs
    drawn = credit_mean_interval([np.array(s.means) for s in sets], "items", seed, draws)
    mean = math.fsum(s.individual for s in sets) / len(sets)
    return Shares(mean, drawn.ci, majority, wilson(majority, pairs), pairs)


class Attention(Struct, frozen=True):
    """Attention checks: how many, how many passed, who failed, and what was left out."""

    checks: int
    passed: int
    failed: tuple[str, ...] = field(name="failed_raters")
    dropped: int = field(name="judgements_dropped")
    """Judgements that were not counted because their rater failed."""


class HumanAgreement(AnalysisResult, frozen=True, kw_only=True):
    """Agreement of people with labels; overall figures are of the sets that the rule admits."""

    individual: float
    """Unweighted mean over sets of the mean over pairs: 88.56 % for BLiMP."""
    individual_ci: Interval
    majority: float
    """Share of pairs that more than half of the people agree with: 96.42 % for BLiMP."""
    majority_ci: Interval
    majority_pairs: int
    """How many these are: 323 for BLiMP."""
    pairs: int
    ties: int
    phenomena: Mapping[str, float]
    """Individual agreement, as a mean over sets."""
    phenomena_majority: Mapping[str, float]
    paradigms: Mapping[str, float]
    sets: Annotated[tuple[JudgedSet, ...], by("name")]
    rule: str
    excluded: tuple[str, ...]
    """The sets that the rule leaves out."""
    raters: int
    judgements: int
    attention: Attention
    between: RaterAgreement = field(name="between_people")
    """Agreement of people with each other, on all sets."""
    left_out: Mapping[str, int]
    exclusion: Annotated[str, HIDDEN]
    """Which sets are left out, why, and what the figures are with them; empty if none is."""
    draws: Annotated[int, HIDDEN]

    @property
    def included(self) -> tuple[JudgedSet, ...]:
        """The sets that count."""
        return tuple(s for s in self.sets if s.included)

    def tables(self, *, paradigms: bool = False) -> list[Table]:
        """Agreement by phenomenon, or by paradigm."""
        groups = {} if paradigms else of_phenomena(self.included)
        groups = groups or {s.name: [s] for s in self.included}
        rows: list[tuple[str, ...] | None] = []
        for name, sets in groups.items():
            pairs = sum(s.pairs for s in sets)
            rows.append(
                (
                    name,
                    str(len(sets)),
                    str(pairs),
                    f"{100 * sum(s.individual for s in sets) / len(sets):.1f}",
                    f"{100 * sum(s.agreed for s in sets) / pairs:.1f}",
                )
            )
        shares = (f"{100 * self.individual:.1f}", f"{100 * self.majority:.1f}")
        rows += [None, (OVERALL, str(len(self.included)), str(self.pairs), *shares)]
        what = "paradigm" if paradigms else "phenomenon"
        head = (what, "sets", "pairs", "individual", "majority")
        return [Table("Agreement of people with the labels, %", head, tuple(rows))]

    @property
    def findings(self) -> list[str]:
        """The shares with their intervals, who was counted, and how far people agree."""
        low, high = (100 * limit for limit in self.individual_ci)
        said = [
            f"individual {100 * self.individual:.2f} % ({low:.2f}–{high:.2f}): mean of pairs, then "
            f"of sets; 95 % bootstrap over pairs within sets, {self.draws:,} draws"
        ]
        low, high = (100 * limit for limit in self.majority_ci)
        said.append(
            f"majority   {100 * self.majority:.2f} % ({low:.2f}–{high:.2f}): {self.majority_pairs} "
            f"of {self.pairs} pairs, {self.ties} ties against; 95 % by Wilson"
        )
        people = counted(self.raters, "person").replace("persons", "people")
        judged = counted(self.judgements, "judgement")
        said.append(f"{judged} of {people} in {counted(len(self.included), 'set')}")
        if self.exclusion:
            said.append(self.exclusion)
        checks = self.attention
        said.append(
            f"attention checks: {checks.passed:,} of {checks.checks:,} passed; "
            f"{len(checks.failed)} people failed, {checks.dropped:,} of their judgements left out"
            if checks.checks
            else "no attention checks in the file"
        )
        between = self.between
        if not math.isnan(between.raw):
            said.append(
                f"people with each other: two agree in {100 * between.raw:.1f} %, Fleiss’ κ "
                f"{between.fleiss_kappa:.3f}, Krippendorff’s α {between.krippendorff_alpha:.3f}. "
                f"{between.note}"
            )
        return [*said, *(f"{why}: {n:,}, left out" for why, n in self.left_out.items() if n)]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Agreement by phenomenon."""
        rows: list[dict[str, object]] = []
        for name, sets in {**of_phenomena(self.included), OVERALL: self.included}.items():
            shares = shares_of(sets, draws=self.draws)
            for kind, value, (low, high) in (
                (ONE_BY_ONE, shares.individual, shares.individual_ci),
                (BY_MAJORITY, shares.majority, shares.majority_ci),
            ):
                rows.append(
                    {
                        "phenomenon": name,
                        "agreement": kind,
                        "per_cent": round(100 * value, 2),
                        "low": round(100 * low, 2),
                        "high": round(100 * high, 2),
                        "sets": len(sets),
                        "pairs": shares.pairs,
                    }
                )
        caption = (
            "Share of people who choose the acceptable sentence (individual) and of pairs where "
            "more than half do (majority), by phenomenon: "
            f"{counted(len(self.included), 'set')}, {self.pairs:,} pairs, {self.judgements:,} "
            f"judgements of {self.raters:,} people. Lines are 95 % intervals: a bootstrap over "
            "pairs within sets, and Wilson's."
        )
        if self.exclusion:
            caption += f" {self.exclusion}"
        chart = lanes(
            rows,
            "phenomenon",
            "agreement",
            "agreement with the labels, per cent",
            ("phenomenon", "agreement", "sets", "pairs"),
            step=14,
            point=55,
            scale={"zero": False, "nice": True},
            legend={"orient": "top"},
        )
        return (Figure("people", "How well people agree with the labels", caption, chart, rows),)


@analysis("human", "people's agreement with the labels of pairs")
def human(
    file: Path | str,
    *,
    rule: str = RULE,
    keep_failed: bool = False,
    raters: Raters = "people",
) -> HumanAgreement:
    """People's forced choices: individual and majority agreement with the labels.

    The file is the MTurk export that BLiMP's authors released, or a table with one row per choice:
    set, item, rater, response (good or bad), and optionally attention_check, phenomenon and
    kind (person or model), as priscian judge export writes it.

    Examples:
      priscian analyse human blimp/human_responses.csv
      priscian analyse human judgements.csv --rule none --json

    >>> import tempfile
    >>> from pathlib import Path
    >>> import priscian
    >>> file = Path(tempfile.mkdtemp()) / "choices.csv"
    >>> rows = ["set,item,rater,response", "wh_island,1,ann,good", "wh_island,1,bob,bad"]
    >>> _ = file.write_text("\\n".join(rows))
    >>> priscian.analyse.human(file, rule="none").individual
    0.5

    Parameters
    ----------
    file
        CSV or TSV of forced choices.
    rule
        Sets that count: at least K of N pairs with a majority for the label, e.g. 4/5; none: all.
    keep_failed
        Include people who failed an attention check.
    paradigms
        Print every paradigm, not only phenomena.
    raters
        Whose answers count: people, models (rows with kind model) or all.
    """
    return human_agreement(read_choices(Path(file), raters), rule=rule, keep_failed=keep_failed)


def of_phenomena(sets: Sequence[JudgedSet]) -> dict[str, list[JudgedSet]]:
    """Sets by phenomenon, in alphabetical order."""
    names = sorted({s.phenomenon for s in sets if s.phenomenon})
    return {name: [s for s in sets if s.phenomenon == name] for name in names}


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
        raise DataError("no judgement is left: every rater failed a check; see `keep_failed=True`")
    pairs: dict[str, dict[str, list[float]]] = {}
    for judgement in kept:
        of_set = pairs.setdefault(choices.sets[judgement.target], {})
        of_set.setdefault(judgement.target, []).append(float(judgement.response))
    sets = tuple(_judged(name, found, choices, admission) for name, found in sorted(pairs.items()))
    counts = [s for s in sets if s.included]
    if not counts:
        most = max(s.pairs for s in sets)
        raise DataError(
            f"no set has people's agreement on {rule} of its pairs (the largest has {most} pairs); "
            "give another `rule=`, or `rule=none` for all sets"
        )
    units: dict[str, dict[str, float]] = {}
    for j in kept:
        units.setdefault(j.target, {})[j.rater] = float(j.response)
    shares = shares_of(counts, seed, draws)
    groups = of_phenomena(counts)
    excluded = [s for s in sets if not s.included]
    return HumanAgreement(
        individual=shares.individual,
        individual_ci=shares.individual_ci,
        majority=shares.majority,
        majority_ci=shares.majority_ci,
        majority_pairs=sum(s.agreed for s in counts),
        pairs=shares.pairs,
        ties=sum(s.ties for s in counts),
        phenomena={n: math.fsum(s.individual for s in g) / len(g) for n, g in groups.items()},
        phenomena_majority={
            n: sum(s.agreed for s in g) / sum(s.pairs for s in g) for n, g in groups.items()
        },
        paradigms={s.name: s.individual for s in counts},
        sets=sets,
        rule=admission.name,
        excluded=tuple(s.name for s in excluded),
        raters=len({j.rater for j in kept}),
        judgements=sum(s.judgements for s in counts),
        attention=Attention(
            len(checks),
            sum(j.response == 1.0 for j in checks),
            tuple(failed),
            len(real) - len(kept),
        ),
        between=measure_agreement(units, "choices", draws=20),
        left_out=choices.left_out,
        exclusion=_exclusion(admission, sets) if excluded else "",
        draws=draws,
    )


def _exclusion(rule: Inclusion, sets: Sequence[JudgedSet]) -> str:
    left = [s for s in sets if not s.included]
    names = [f"{s.name} ({s.agreed} of {s.pairs})" for s in left]
    listed = ", ".join(names[:SHOWN])
    if len(names) > SHOWN:
        listed += f" and {len(names) - SHOWN} more"
    pairs = sum(s.pairs for s in sets)
    individual = math.fsum(s.individual for s in sets) / len(sets)
    majority = sum(s.agreed for s in sets) / pairs
    return (
        f"The rule {rule.name} leaves out sets where most people agree with the label of fewer "
        f"than {rule.least} pairs or {100 * float(rule.share):.0f} % of them, in all "
        f"{sum(s.pairs for s in left):,} of {pairs:,} pairs: {listed}. With them, individual "
        f"agreement is {100 * individual:.2f} % and majority agreement {100 * majority:.2f} %."
    )


def _judged(
    name: str, found: Mapping[str, Sequence[float]], choices: Choices, rule: Inclusion
) -> JudgedSet:
    means = tuple(math.fsum(said) / len(said) for said in found.values())
    agreed = sum(mean > 0.5 for mean in means)
    return JudgedSet(
        name=name,
        phenomenon=choices.phenomena.get(name, ""),
        individual=math.fsum(means) / len(means),
        majority=agreed / len(means),
        agreed=agreed,
        pairs=len(means),
        ties=sum(mean == 0.5 for mean in means),
        judgements=sum(map(len, found.values())),
        included=rule.admits(agreed, len(means)),
        means=means,
        targets=tuple(found),
    )
