"""Before a fast way of batching is used, it is compared with the plain way on this very run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from priscian.errors import ModelError
from priscian.models import BoundaryModel, Encoding, TorchModel
from priscian.scoring.batches import Batch, Batching

TOLERANCE = 1e-4
LOOSE = 0.25
"""For bfloat16 and float16, whose rounding depends on the shape of a batch."""
SAMPLE = 3
FEW = 4
"""Texts of a masked model that stand for their batch."""


def tolerance(model: TorchModel) -> float:
    """How far a fast way may be from the plain one, in nats a token."""
    return TOLERANCE if "float32" in model.notes.get("dtype", "float32") else LOOSE


def measure_error(
    model: TorchModel,
    way: Batching,
    encodings: Sequence[Encoding],
    groups: Sequence[Sequence[int]],
    boundary: bool = False,
) -> float:
    """Largest difference from one text at a time, in the largest batch and in the longest path.

    With `boundary` the masses of new words are compared too. Infinite where the model
    refuses this way of reading altogether.
    """
    worst = 0.0
    masked = model.kind == "masked"
    for number in _telling(encodings, groups):
        # rows of a masked model do not see each other, so a few stand for a batch of any size
        group = groups[number][-FEW:] if masked else groups[number]
        members = [encodings[i] for i in group]
        batch = way.build(members)
        try:
            answers = _answers(model, batch, boundary)
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
        # a masked model's plain way takes a pass for each token: one text of a batch has to do
        for i in [len(members) - 1] if masked else _sample(members):
            for got, wanted in zip(answers[i], _plain(model, members[i], boundary), strict=True):
                if math.isnan(got) and math.isnan(wanted):
                    continue
                worst = max(worst, abs(got - wanted)) if not math.isnan(got - wanted) else math.inf
    return worst


def _answers(model: TorchModel, batch: Batch, boundary: bool) -> list[list[float]]:
    """All that the fast way says of each text: log-probabilities, then masses if wanted."""
    if not boundary or not isinstance(model, BoundaryModel):
        return batch.collect(model.logprobs(batch.tokens))
    logps, masses = (batch.collect(values) for values in model.boundaries(batch.tokens))
    return [[*a, *b] for a, b in zip(logps, masses, strict=True)]


def _plain(model: TorchModel, encoding: Encoding, boundary: bool) -> list[float]:
    """The same of one text, the plain way."""
    found = model.reference(encoding)
    if boundary and isinstance(model, BoundaryModel):
        return [*found, *model.reference_boundaries(encoding)]
    return found


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
