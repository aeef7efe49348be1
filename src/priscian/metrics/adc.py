"""The BLiMP criterion and the Acceptability Delta Criterion on graded data.

Vázquez Martínez (2021), BlackboxNLP, Equations 1 and 2: a model meets the ADC on a pair if its
difference Δlm of z-scores has the sign of people's difference Δh, and |Δh − Δlm| < δ.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from priscian.errors import DataError, UnknownNameError, UsageError
from priscian.stats.proportions import Accuracy, accuracy_of

Population = Literal["sentences", "pairs"]
Sign = Literal["positive", "sign"]

DELTAS = (0.5, 1.0, 5.0)  # the paper's


@dataclass(frozen=True, slots=True)
class AdcRule:
    """How the criterion is applied.

    `population`: z-scores are computed over all sentences, or over those of the pairs, each once.
    `ddof`: 0 for the population's standard deviation, 1 for the sample's.
    `sign`: `positive` requires both differences to be above 0 or neither, as the paper's
    figures do, so a model's 0 agrees with a negative human difference; `sign` requires equal signs,
    Equation 1.
    """

    population: Population = "sentences"
    ddof: int = 0
    sign: Sign = "positive"

    def __post_init__(self) -> None:
        if self.ddof not in (0, 1):
            raise UsageError(f"ddof is 0 or 1, not {self.ddof}")
        if self.population not in ("sentences", "pairs"):
            raise UnknownNameError("population", self.population, ("sentences", "pairs"))
        if self.sign not in ("positive", "sign"):
            raise UnknownNameError("sign rule", self.sign, ("positive", "sign"))


PAPER = AdcRule()
STRICT = AdcRule(sign="sign")
RULES = {"paper": PAPER, "strict": STRICT}


def z_scores(
    scores: Mapping[str, float],
    over: Iterable[str] | None = None,
    *,
    ddof: int = 0,
    name: str = "scores",
) -> dict[str, float]:
    """Every score in standard deviations from the mean; both are computed over some ids, or all."""
    values = [scores[i] for i in over] if over is not None else list(scores.values())
    if len(values) <= ddof:
        raise DataError(f"{name}: {len(values)} scores give no standard deviation; score more")
    mean = math.fsum(values) / len(values)
    spread = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - ddof))
    if not math.isfinite(spread):
        raise DataError(f"{name}: a score is NaN or infinite; z-scores need finite numbers")
    if max(values) == min(values):
        raise DataError(
            f"{name}: all {len(values)} scores are {values[0]:g}, so z-scores are undefined; "
            "check what was scored"
        )
    return {i: (v - mean) / spread for i, v in scores.items()}


def differences(pairs: Iterable[tuple[str, str]], scores: Mapping[str, float]) -> list[float]:
    """Score of the first minus score of the second, for every pair of ids."""
    return [scores[good] - scores[bad] for good, bad in pairs]


def meets_blimp(deltas: Iterable[float]) -> list[bool]:
    """BLiMP's criterion: the acceptable sentence has the higher score; a tie is wrong."""
    return [d > 0 for d in deltas]


def meets_adc(
    human: Sequence[float], model: Sequence[float], delta: float, sign: Sign = "positive"
) -> list[bool]:
    """Whether each pair meets the ADC.

    >>> meets_adc([2.0, 2.0, -0.1], [1.8, 0.9, 0.0], 0.5)
    [True, False, True]
    >>> meets_adc([2.0, 2.0, -0.1], [1.8, 0.9, 0.0], 0.5, sign="sign")
    [True, False, False]
    """
    check_delta(delta)
    agree = [
        (h > 0) == (m > 0) and (sign == "positive" or (h < 0) == (m < 0))
        for h, m in zip(human, model, strict=True)
    ]
    return [a and abs(h - m) < delta for a, h, m in zip(agree, human, model, strict=True)]


def check_delta(delta: float) -> float:
    """Check a δ: above 0 and finite."""
    if not delta > 0 or math.isinf(delta):
        raise UsageError(
            f"δ = {delta:g}: the allowed deviation must be above 0 and finite, e.g. 0.5"
        )
    return delta


def share(met: Sequence[bool], ties: int = 0) -> Accuracy:
    """The share of pairs that meet a criterion, with its interval."""
    if not met:
        raise DataError("no pairs to count; give at least one")
    return accuracy_of([float(m) for m in met], ties)


def adc_curve(
    human: Sequence[float],
    model: Sequence[float],
    deltas: Iterable[float],
    sign: Sign = "positive",
) -> list[tuple[float, float]]:
    """ADC as a function of δ: (δ, share of pairs); at δ = 0 no pair meets it."""
    return [(d, sum(meets_adc(human, model, d, sign)) / len(human) if d else 0.0) for d in deltas]


def label_confidence(acceptable: float) -> float:
    """A classifier's probability of `acceptable` as a graded score: Equation 5.

    The more likely label, −1 or +1, times its probability; an even split counts as −1.

    >>> label_confidence(0.9), label_confidence(0.25)
    (0.9, -0.75)
    """
    if not 0 <= acceptable <= 1:
        raise DataError(f"{acceptable} is not a probability; it must be from 0 to 1")
    return acceptable if acceptable > 0.5 else -(1 - acceptable)
