"""Compares a fast way of batching with plain scoring on texts of the run, before it is used."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from priscian.errors import ModelError
from priscian.models import BoundaryModel, Encoding, TokenBatch, TorchModel
from priscian.scoring.batches import Batch, Batching

TOLERANCE = 1e-4
LOOSE = 0.25
"""For bfloat16 and float16, whose rounding depends on the shape of a batch."""
SAMPLE = 3
REFUSALS = (
    ModelError,
    RuntimeError,
    ValueError,
    TypeError,
    IndexError,
    AttributeError,
    KeyError,
)


def tolerance(model: TorchModel) -> float:
    """How much fast batching may differ from plain scoring, in nats per token."""
    return TOLERANCE if "float32" in model.notes.get("dtype", "float32") else LOOSE


def measure_error(
    model: TorchModel,
    way: Batching,
    encodings: Sequence[Encoding],
    groups: Sequence[Sequence[int]],
    boundary: bool = False,
) -> float:
    """Largest difference from one text at a time, in the largest batch and the longest path.

    With `boundary` the masses of new words are compared too. Infinite where the model
    refuses this way of reading altogether.
    """
    worst = 0.0
    for number in _telling(encodings, groups):
        members = [encodings[i] for i in groups[number]]
        batch = way.build(members)
        try:
            answers = _answers(model, batch, boundary)
        except REFUSALS:
            return math.inf
        for i in _sample(members):
            plain = _plain(model, members[i], boundary)
            worst = max(worst, *map(_difference, answers[i], plain))
    return worst


def measure_masked_error(
    model: TorchModel, way: Batching, encodings: Sequence[Encoding], groups: Sequence[Sequence[int]]
) -> float:
    """Largest difference between two rows of a text scored together and each alone.

    Rows do not see each other, so those of one text represent a batch of any size.
    """
    tokens = way.build([encodings[max(groups, key=len)[-1]]]).tokens
    try:
        answers = model.logprobs(tokens)
    except REFUSALS:
        return math.inf
    worst = 0.0
    for number in sorted({0, len(tokens.queries) - 1}):  # each needs its own forward pass
        row, column, target = tokens.queries[number]
        alone = TokenBatch(
            ids=tokens.ids[row : row + 1],
            lengths=tokens.lengths[row : row + 1],
            queries=np.array([[0, column, target]]),
        )
        worst = max(worst, _difference(answers[number], model.logprobs(alone)[0]))
    return worst


def _difference(got: float, wanted: float) -> float:
    if math.isnan(got) and math.isnan(wanted):  # a token without predecessor
        return 0.0
    return math.inf if math.isnan(got - wanted) else abs(got - wanted)


def _answers(model: TorchModel, batch: Batch, boundary: bool) -> list[list[float]]:
    """All values of each text by fast batching: log-probabilities, then masses if requested."""
    if not boundary or not isinstance(model, BoundaryModel):
        return batch.collect(model.logprobs(batch.tokens))
    logps, masses = (batch.collect(values) for values in model.boundaries(batch.tokens))
    return [[*a, *b] for a, b in zip(logps, masses, strict=True)]


def _plain(model: TorchModel, encoding: Encoding, boundary: bool) -> list[float]:
    """The same values of one text, scored plainly."""
    found = model.reference(encoding)
    if boundary and isinstance(model, BoundaryModel):
        return [*found, *model.reference_boundaries(encoding)]
    return found


def _telling(encodings: Sequence[Encoding], groups: Sequence[Sequence[int]]) -> list[int]:
    """The batch with the most tokens, and the one with the longest text."""
    if not groups:
        return []
    largest = max(range(len(groups)), key=lambda g: sum(len(encodings[i].ids) for i in groups[g]))
    longest = max(range(len(groups)), key=lambda g: max(len(encodings[i].ids) for i in groups[g]))
    return sorted({largest, longest})


def _sample(members: Sequence[Encoding]) -> list[int]:
    """The longest text, the last one and some between: late rows and deep paths fail first."""
    longest = max(range(len(members)), key=lambda i: len(members[i].ids))
    spread = [len(members) * k // SAMPLE for k in range(SAMPLE)]
    return sorted({longest, len(members) - 1, *spread})
