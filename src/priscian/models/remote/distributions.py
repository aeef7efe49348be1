"""From logits over a whole vocabulary to the answer that a row gets."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from priscian.models.remote.backend import TOP, Answer


def read_logits(ids: Sequence[int], logits: Sequence[npt.NDArray[np.float32]]) -> Answer:
    """The answer of a row of ids; `logits[i]` are those after ids 0 … i, in float32."""
    own, best, mass = [math.nan], [math.nan], [math.nan]
    for target, values in zip(ids[1:], logits, strict=True):
        wide = values.astype(np.float64)
        peak = float(wide.max())
        total = peak + math.log(float(np.exp(wide - peak).sum()))
        own.append(float(wide[target]) - total)
        best.append(peak - total)
        top = np.partition(wide, -min(TOP, len(wide)))[-TOP:]
        mass.append(float(np.exp(top - total).sum()))
    return Answer(tuple(own), tuple(best), tuple(mass))
