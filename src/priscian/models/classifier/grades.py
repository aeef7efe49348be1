"""What a classifier's logit becomes: a confidence, the logit itself, a calibrated probability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.errors import UnknownNameError

Floats = npt.NDArray[np.float64]

CONFIDENCE, LOGIT, CALIBRATED = "confidence", "logit", "calibrated"
KINDS = (CONFIDENCE, LOGIT, CALIBRATED)


def probabilities(logits: Sequence[float] | npt.NDArray[Any], temperature: float = 1.0) -> Floats:
    """The probability of `acceptable`: 1 / (1 + exp(−logit / temperature))."""
    x = np.asarray(logits, np.float64) / temperature
    return np.where(x >= 0, 1.0, np.exp(np.minimum(x, 0.0))) / (1.0 + np.exp(-np.abs(x)))


def confidences(logits: Sequence[float] | npt.NDArray[Any]) -> Floats:
    """The likelier label, −1 or +1, times its probability (Vázquez Martínez 2021, Equation 5).

    An even split counts as −1, as in `priscian.metrics.adc.label_confidence`.

    >>> [round(float(c), 3) for c in confidences([2.0, -2.0, 0.0])]
    [0.881, -0.881, -0.5]
    """
    x = np.asarray(logits, np.float64)
    return np.where(x > 0, 1.0, -1.0) * probabilities(np.abs(x))


def grade(logits: npt.NDArray[Any], kind: str, temperature: float = 1.0) -> Floats:
    """One number for each text: higher is better."""
    if kind == CONFIDENCE:
        return confidences(logits)
    if kind == LOGIT:
        return np.asarray(logits, np.float64)
    if kind == CALIBRATED:
        return probabilities(logits, temperature)
    raise UnknownNameError("score of a classifier", kind, KINDS)
