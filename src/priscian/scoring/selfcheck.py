"""Before a fast way of batching is used, it is compared with the plain way on this very run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from priscian.errors import ModelError
from priscian.models import Encoding, TorchModel
from priscian.scoring.batches import Batching

TOLERANCE = 1e-4
LOOSE = 0.25
"""For bfloat16 and float16, whose rounding depends on the shape of a batch."""
SAMPLE = 3


def tolerance(model: TorchModel) -> float:
    """How far a fast way may be from the plain one, in nats a token."""
    return TOLERANCE if "float32" in model.notes.get("dtype", "float32") else LOOSE


def measure_error(
    model: TorchModel, way: Batching, encodings: Sequence[Encoding], groups: Sequence[Sequence[int]]
) -> float:
    """Largest difference from one text at a time, in the largest batch and in the longest path.

    Infinite where the model refuses this way of reading altogether.
    """
    worst = 0.0
    for number in _telling(encodings, groups):
        group = groups[number]
        members = [encodings[i] for i in group]
        batch = way.build(members)
        try:
            answers = batch.collect(model.logprobs(batch.tokens))
        except (
            ModelError,
            RuntimeError,
            ValueError,
            TypeError,
            IndexError,
            AttributeError,
            KeyError,
        ):
            return math.inf
        for i in _sample(members):
            for got, wanted in zip(answers[i], model.reference(members[i]), strict=True):
                if math.isnan(got) and math.isnan(wanted):
                    continue
                worst = max(worst, abs(got - wanted)) if not math.isnan(got - wanted) else math.inf
    return worst


def _telling(encodings: Sequence[Encoding], groups: Sequence[Sequence[int]]) -> list[int]:
    """The batch with most tokens, and the one that holds the longest text."""
    if not groups:
        return []
    largest = max(range(len(groups)), key=lambda g: sum(len(encodings[i].ids) for i in groups[g]))
    longest = max(range(len(groups)), key=lambda g: max(len(encodings[i].ids) for i in groups[g]))
    return sorted({largest, longest})


def _sample(members: Sequence[Encoding]) -> list[int]:
    """The longest text, the last one and some between: late rows and deep paths go wrong first."""
    longest = max(range(len(members)), key=lambda i: len(members[i].ids))
    spread = [len(members) * k // SAMPLE for k in range(SAMPLE)]
    return sorted({longest, len(members) - 1, *spread})
