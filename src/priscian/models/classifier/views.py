"""Views: which layer of an encoder, and how the states of a text's tokens become one vector."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from priscian.errors import UsageError
from priscian.files import shown, whole_number

Floats32 = npt.NDArray[np.float32]

CLS, LAST, MEAN, MAX = "cls", "last", "mean", "max"
POOLINGS = (CLS, LAST, MEAN, MAX)


@dataclass(frozen=True, slots=True, order=True)
class View:
    """A layer and a pooling: one vector for each text.

    Layer 0 is the embeddings, as in Transformers' `output_hidden_states`. `cls` takes the state of
    the first position, `last` that of the text's last token; `mean` and `max` go over the text's
    own tokens, without those that the tokenizer adds.

    >>> str(View(6, "mean")), View.parse("6-mean") == View(6, "mean")
    ('6-mean', True)
    """

    layer: int
    pooling: str

    def __str__(self) -> str:
        return f"{self.layer}-{self.pooling}"

    @classmethod
    def parse(cls, text: str) -> View:
        """Read `layer-pooling`."""
        number, _, pooling = text.partition("-")
        layer = whole_number(number)
        if layer is None or pooling not in POOLINGS:
            raise UsageError(f"{shown(text)} is not a layer and a pooling, such as 6-mean")
        return cls(layer, pooling)


def pool(states: Floats32, first: int, count: int, pooling: str) -> Floats32:
    """One vector from a text's states; its own tokens are `states[first : first + count]`.

    >>> states = np.array([[9.0, 9.0], [1.0, 4.0], [3.0, 2.0], [9.0, 9.0]], np.float32)
    >>> pool(states, 1, 2, "mean").tolist(), pool(states, 1, 2, "max").tolist()
    ([2.0, 3.0], [3.0, 4.0])
    >>> pool(states, 1, 2, "cls").tolist(), pool(states, 1, 2, "last").tolist()
    ([9.0, 9.0], [3.0, 2.0])
    """
    own = states[first : first + count]  # (tokens, width)
    if pooling == CLS:
        return np.asarray(states[0], np.float32)
    if pooling == LAST:
        return np.asarray(own[-1], np.float32)
    pooled = own.mean(0, dtype=np.float64) if pooling == MEAN else own.max(0)
    return np.asarray(pooled, np.float32)
