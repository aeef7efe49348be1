"""The regressions of Hu et al. (2020, §4): does the architecture matter more than the corpus?

Suite scores of the controlled models are regressed on log corpus size and architecture, with
correlated random effects of both by suite, `(1 + size + architecture | suite)`, and a random
intercept of the trained instance, `(1 | instance)`. Fixed effects are left out one at a time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Struct, field
from msgspec.structs import asdict

from priscian.analysis.result import Table
from priscian.analysis.sg.released import Instance, InstanceScore
from priscian.errors import DataError
from priscian.files import HIDDEN
from priscian.stats.mixed_effects import (
    Effect,
    Fit,
    RandomTerm,
    RatioTest,
    columns,
    fit_mixed,
    likelihood_ratio,
    treatment,
)

DIGITS = 4
MILLION_WORDS = {"bllip-xs": 1.0, "bllip-sm": 4.8, "bllip-md": 14.0, "bllip-lg": 42.0}

FIXED = {
    "full": ("size", "architecture"),
    "no_size": ("architecture",),
    "no_arch": ("size",),
    "circuit_full": ("size", "architecture", "circuit", "size:circuit", "architecture:circuit"),
    "circuit_no_size_int": ("size", "architecture", "circuit", "architecture:circuit"),
    "circuit_no_arch_int": ("size", "architecture", "circuit", "size:circuit"),
}
"""Fixed effects of every model besides the intercept; `a:b` is an interaction."""

TESTS = {
    "size": ("no_size", "full"),
    "architecture": ("no_arch", "full"),
    "size × circuit": ("circuit_no_size_int", "circuit_full"),
    "architecture × circuit": ("circuit_no_arch_int", "circuit_full"),
}
"""Which smaller model is compared with which larger one to test an effect."""

MAIN = ("full", "no_size", "no_arch")
PERPLEXITY = {"perplexity": ("size", "architecture", "perplexity")}
"""Our own addition: does perplexity say anything beyond size and architecture?"""
PERPLEXITY_TEST = {"perplexity": ("full", "perplexity")}


@dataclass(frozen=True, slots=True)
class Observation:
    """The score of one trained model on one suite, and what may explain it."""

    suite: str
    circuit: str
    score: float
    architecture: str
    size: float
    """Size of the corpus, in any unit."""
    instance: str
    perplexity: float | None = None


class Criteria(Struct, frozen=True):
    """What model comparison looks at."""

    deviance: float
    log_likelihood: float = field(name="logLik")
    aic: float = field(name="AIC")
    bic: float = field(name="BIC")
    df: int


class Regression(Criteria, frozen=True):
    """A fitted model: criteria and fixed effects."""

    coefficients: Mapping[str, float]
    standard_errors: Mapping[str, float]


class MixedModels(Struct, frozen=True):
    """The regressions by their names, and likelihood-ratio tests of the effects."""

    models: Mapping[str, Regression]
    tests: Mapping[str, RatioTest]
    fits: Annotated[Mapping[str, Fit], HIDDEN]
    note: Annotated[str, HIDDEN] = ""
    """What a reader should know of the scores."""

    def tables(self) -> list[Table]:
        """Criteria, tests, and fixed effects of the model with architecture and size."""
        full = self.fits["full"]
        rows = tuple(
            (
                name,
                f"{100 * value:+.1f}",
                f"{100 * full.standard_errors[name]:.1f}",
                f"{value / full.standard_errors[name]:.2f}",
            )
            for name, value in full.coefficients.items()
        )
        head = ("effect", "estimate", "standard error", "t")
        effects = Table("Fixed effects of the full model, in points", head, rows)
        return [*regression_tables(self.fits, self.tests), effects]

    @property
    def findings(self) -> list[str]:
        """How to read the effects."""
        said = [
            "Effects are of the natural logarithm of the size, and of architectures against the "
            "one that is not listed"
        ]
        return [*said, f"Regressions: {self.note}"] if self.note else said


def regression_tables(fits: Mapping[str, Fit], tests: Mapping[str, RatioTest]) -> list[Table]:
    """The regressions, and the tests between them."""
    fitted = tuple(
        (name, f"{fit.aic:.2f}", f"{fit.bic:.2f}", f"{fit.log_likelihood:.2f}", str(fit.df))
        for name, fit in fits.items()
    )
    tested = tuple((name, f"{t.chi2:.2f}", str(t.df), f"{t.p:.2g}") for name, t in tests.items())
    head = ("", "AIC", "BIC", "log L", "df")
    return [
        Table("Linear mixed models, maximum likelihood", head, fitted),
        Table("Likelihood-ratio tests", ("effect", "χ²", "df", "p"), tested),
    ]


def criteria(fit: Fit) -> Criteria:
    """The criteria of a fit, to four decimals."""
    return Criteria(
        round(fit.deviance, DIGITS),
        round(fit.log_likelihood, DIGITS),
        round(fit.aic, DIGITS),
        round(fit.bic, DIGITS),
        fit.df,
    )


def mixed_result(fits: Mapping[str, Fit], note: str = "") -> MixedModels:
    """The regressions, and the tests between them."""
    models = {
        name: Regression(
            **asdict(criteria(fit)),
            coefficients=fit.coefficients,
            standard_errors=fit.standard_errors,
        )
        for name, fit in fits.items()
    }
    return MixedModels(models, ratio_tests(fits), fits, note)


def mixed_models(
    scores: Sequence[InstanceScore], names: Sequence[str] = tuple(FIXED)
) -> dict[str, Fit]:
    """The six regressions, or some of them, fitted to the scores of the controlled models."""
    rows = [
        Observation(
            s.suite, s.circuit, s.score, s.instance.model, million_words(s.instance),
            "_".join((s.instance.model, s.instance.corpus, s.instance.seed)),
        )
        for s in scores
        if s.instance.controlled
    ]  # fmt: skip
    if not rows:
        raise DataError(
            "no results of models trained on a corpus of known size, which the regression needs; "
            "add files of the BLLIP models"
        )
    return fit_models(rows, names)


def fit_models(rows: Sequence[Observation], names: Sequence[str] | None = None) -> dict[str, Fit]:
    """The regressions, or some of them; effects that do not vary in the data are left out.

    Perplexity is tested too where it is known for every row. Unless they are asked for by name,
    regressions on circuits and perplexity are left out if the data cannot tell their effects apart.
    """
    y = np.array([row.score for row in rows])
    sizes = np.array([math.log(r.size) for r in rows])
    values = [r.perplexity for r in rows]
    logs = np.array([math.log(v) for v in values if v is not None])
    known_perplexity = len(logs) == len(rows) and len(np.unique(logs)) > 1
    effects: dict[str, Effect] = {  # an effect that does not vary has no columns
        "size": {"log size": sizes} if len(np.unique(sizes)) > 1 else {},
        "architecture": treatment([r.architecture for r in rows]),
        "circuit": treatment([r.circuit for r in rows]),
        "perplexity": {"log perplexity": logs} if known_perplexity else {},
    }
    if not effects.get("size") and not effects.get("architecture"):
        raise DataError(
            "all models have one architecture and one corpus size, so that nothing can explain "
            "their scores; score models of other sizes or architectures"
        )
    known = FIXED | (PERPLEXITY if effects.get("perplexity") else {})
    intercept = {"intercept": np.ones(len(rows))}
    slopes = intercept | effects["size"] | effects["architecture"]
    random = [
        RandomTerm("suite", [r.suite for r in rows], np.column_stack(list(slopes.values()))),
        RandomTerm("instance", [r.instance for r in rows], np.ones((len(rows), 1))),
    ]
    fits = {}
    for name in known if names is None else names:
        fixed: Effect = dict(intercept)
        for effect in known[name]:
            fixed |= columns(effect, effects)
        if (
            names is None
            and name not in MAIN
            and np.linalg.matrix_rank(np.column_stack(list(fixed.values()))) < len(fixed)
        ):
            continue
        fits[name] = fit_mixed(y, fixed, random, f"regression {name}")
    return fits


def ratio_tests(fits: Mapping[str, Fit]) -> dict[str, RatioTest]:
    """Likelihood-ratio tests of the effects whose models were fitted and differ."""
    return {
        effect: likelihood_ratio(fits[smaller], fits[larger])
        for effect, (smaller, larger) in (TESTS | PERPLEXITY_TEST).items()
        if smaller in fits and larger in fits and fits[larger].df > fits[smaller].df
    }


def million_words(instance: Instance) -> float:
    """Size of the corpus that an instance was trained on, whatever its tokenizer.

    >>> million_words(Instance("gpt-2", "bllip-sm-gptbpe", "1"))
    4.8
    """
    size = "-".join(instance.corpus.split("-")[:2])
    if size not in MILLION_WORDS:
        raise DataError(
            f"the size of corpus {instance.corpus!r} ({instance.model}, seed {instance.seed}) is "
            f"not known; the regression knows {', '.join(MILLION_WORDS)}"
        )
    return MILLION_WORDS[size]
