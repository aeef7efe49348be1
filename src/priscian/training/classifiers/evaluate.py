"""How good a classifier is: Matthews' correlation, restarts together, calibration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.errors import DataError
from priscian.stats.matthews import matthews

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

COOLEST, HOTTEST = 0.05, 20.0


def labels_of(logits: Sequence[float] | npt.NDArray[Any]) -> Bools:
    """The labels that logits give: above 0 is acceptable."""
    return np.asarray(logits, np.float64) > 0


def mcc(labels: Sequence[bool], logits: Sequence[float] | npt.NDArray[Any]) -> float:
    """Matthews' correlation of labels with those that the logits give.

    >>> round(mcc([True, True, False, False], [2.0, -1.0, -0.5, -3.0]), 4)
    0.5774
    """
    return matthews(list(map(bool, labels)), labels_of(logits).tolist())


def accuracy(labels: Sequence[bool], logits: Sequence[float] | npt.NDArray[Any]) -> float:
    """The share of right labels."""
    return float((labels_of(logits) == np.asarray(labels, bool)).mean())


def is_collapsed(logits: Sequence[float] | npt.NDArray[Any]) -> bool:
    """Whether all sentences get one label."""
    return len(set(labels_of(logits).tolist())) < 2


def ensemble(logits: Sequence[npt.NDArray[Any]]) -> Bools:
    """The majority label of several restarts; an even split is settled by the mean logit.

    >>> votes = [np.array([1.0, -1.0, 3.0]), np.array([2.0, -1.0, -1.0])]
    >>> ensemble(votes).tolist()
    [True, False, True]
    """
    if not logits:
        raise DataError("no restarts to put together; train at least one")
    stacked = np.stack([np.asarray(one, np.float64) for one in logits])  # (restarts, texts)
    votes = 2 * (stacked > 0).sum(0) - len(stacked)
    return np.asarray(np.where(votes == 0, stacked.mean(0) > 0, votes > 0), np.bool_)


def fit_temperature(labels: Sequence[bool], logits: Sequence[float] | npt.NDArray[Any]) -> float:
    """The temperature T under which σ(logit / T) predicts labels best (Guo et al. 2017).

    Where a restart separates the labels completely, or has nothing to say, T is at a limit.
    """
    from scipy.optimize import minimize_scalar

    x = np.asarray(logits, np.float64)
    signs = np.where(np.asarray(labels, bool), 1.0, -1.0)
    found = minimize_scalar(
        lambda log_t: float(np.logaddexp(0.0, -signs * x / np.exp(log_t)).mean()),
        bounds=(np.log(COOLEST), np.log(HOTTEST)),
        method="bounded",
    )
    return float(np.exp(found.x))
