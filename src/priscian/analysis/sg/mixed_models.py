"""The regressions of Hu et al. (2020, §4): does the architecture matter more than the corpus?

Suite scores of the controlled models are regressed on log corpus size and architecture, with
correlated random effects of both by suite, `(1 + size + architecture | suite)`, and a random
intercept of the trained instance, `(1 | instance)`. Fixed effects are left out one at a time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from priscian.analysis.sg.released import Instance, SuiteScore
from priscian.errors import DataError
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


@dataclass(frozen=True, slots=True)
class MixedModels:
    """The regressions by their names, and the tests between them."""

    fits: Mapping[str, Fit]
    note: str = ""
    """What a reader should know of the scores."""

    @property
    def tests(self) -> dict[str, RatioTest]:
        """Likelihood-ratio tests of the effects."""
        return ratio_tests(dict(self.fits))

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "models": {
                name: {
                    **criteria(fit),
                    "coefficients": dict(fit.coefficients),
                    "standard_errors": dict(fit.standard_errors),
                }
                for name, fit in self.fits.items()
            },
            "tests": {
                name: {"chi2": test.chi2, "df": test.df, "p": test.p}
                for name, test in self.tests.items()
            },
        }


def mixed_models(
    scores: Sequence[SuiteScore], names: Sequence[str] = tuple(FIXED)
) -> dict[str, Fit]:
    """The six regressions, or some of them, fitted to the scores of the controlled models."""
    rows = [
        Observation(
            s.suite, s.circuit, s.score, s.instance.model, million_words(s.instance),
            _name(s.instance),
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
    effects = _effects(rows)
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
        if names is None and name not in MAIN and _collinear(fixed):
            continue
        fits[name] = fit_mixed(y, fixed, random, f"regression {name}")
    return fits


def _collinear(fixed: Effect) -> bool:
    return int(np.linalg.matrix_rank(np.column_stack(list(fixed.values())))) < len(fixed)


def _effects(rows: Sequence[Observation]) -> dict[str, Effect]:
    """The columns of every effect; none for one that does not vary."""
    sizes = np.array([math.log(r.size) for r in rows])
    values = [r.perplexity for r in rows]
    logs = np.array([math.log(v) for v in values if v is not None])
    varies = len(logs) == len(rows) and len(np.unique(logs)) > 1
    return {
        "size": {"log size": sizes} if len(np.unique(sizes)) > 1 else {},
        "architecture": treatment([r.architecture for r in rows]),
        "circuit": treatment([r.circuit for r in rows]),
        "perplexity": {"log perplexity": logs} if varies else {},
    }


def ratio_tests(fits: Mapping[str, Fit]) -> dict[str, RatioTest]:
    """Likelihood-ratio tests of the effects whose models were fitted and differ."""
    return {
        effect: likelihood_ratio(fits[smaller], fits[larger])
        for effect, (smaller, larger) in (TESTS | PERPLEXITY_TEST).items()
        if smaller in fits and larger in fits and fits[larger].df > fits[smaller].df
    }


def criteria(fit: Fit) -> dict[str, float]:
    """What model comparison looks at."""
    return {
        "deviance": round(fit.deviance, DIGITS),
        "logLik": round(fit.log_likelihood, DIGITS),
        "AIC": round(fit.aic, DIGITS),
        "BIC": round(fit.bic, DIGITS),
        "df": fit.df,
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


def _name(instance: Instance) -> str:
    return f"{instance.model}_{instance.corpus}_{instance.seed}"
