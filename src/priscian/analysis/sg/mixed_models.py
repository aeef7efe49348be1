"""The regressions of Hu et al. (2020, §4): does the architecture matter more than the corpus?

Suite scores of the controlled models are regressed on log corpus size and architecture, with
correlated random effects of both by suite, `(1 + size + architecture | suite)`, and a random
intercept of the trained instance, `(1 | instance)`. Fixed effects are left out one at a time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from priscian.analysis.sg.released import Instance, SuiteScore
from priscian.errors import DataError
from priscian.stats.design import Effect, columns, treatment
from priscian.stats.mixed_effects import Fit, RandomTerm, RatioTest, fit_mixed, likelihood_ratio

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


def mixed_models(
    scores: Sequence[SuiteScore], names: Sequence[str] = tuple(FIXED)
) -> dict[str, Fit]:
    """The six regressions, or some of them, fitted to the scores of the controlled models."""
    rows = [s for s in scores if s.instance.controlled]
    if not rows:
        raise DataError(
            "no results of models trained on a corpus of known size, which the regression needs; "
            "add files of the BLLIP models"
        )
    y = np.array([s.score for s in rows])
    effects: dict[str, Effect] = {
        "size": {"log size": np.array([math.log(million_words(s.instance)) for s in rows])},
        "architecture": treatment([s.instance.model for s in rows]),
        "circuit": treatment([s.circuit for s in rows]),
    }
    intercept = {"intercept": np.ones(len(rows))}
    slopes = intercept | effects["size"] | effects["architecture"]
    random = [
        RandomTerm("suite", [s.suite for s in rows], np.column_stack(list(slopes.values()))),
        RandomTerm("instance", [_name(s.instance) for s in rows], np.ones((len(rows), 1))),
    ]
    fits = {}
    for name in names:
        fixed: Effect = dict(intercept)
        for effect in FIXED[name]:
            fixed |= columns(effect, effects)
        fits[name] = fit_mixed(y, fixed, random, f"regression {name}")
    return fits


def ratio_tests(fits: dict[str, Fit]) -> dict[str, RatioTest]:
    """Likelihood-ratio tests of the four effects."""
    return {
        effect: likelihood_ratio(fits[smaller], fits[larger])
        for effect, (smaller, larger) in TESTS.items()
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
