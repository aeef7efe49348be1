"""`txl:` — Transformer-XL from a folder that `priscian train transformer-xl` has made."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.files import shown
from priscian.models.folder import (
    BOUNDARIES,
    BoundaryPolicy,
    FolderProvider,
    FolderScores,
    load_network,
    model_folder,
)
from priscian.models.spec import ModelSpec
from priscian.models.vocabulary import BOUNDARY_ID

if TYPE_CHECKING:
    from priscian.models.networks.transformer_xl import TransformerXl, TransformerXlShape

MOST_MEMORY = 20_000
"""States that are read before each text; the published models have 1,600."""
TOGETHER = 4096
"""Tokens that are read at once."""


class TransformerXlProvider(FolderProvider):
    """Transformer-XL models from a folder."""

    name = "txl"
    example = "txl:DIR"

    def load(self, spec: ModelSpec) -> TransformerXlModel:
        """The model, ready to score."""
        return TransformerXlModel(model_folder(spec), BoundaryPolicy.of(spec))


class TransformerXlModel(FolderScores):
    """A text is one segment after a sentence boundary, read with an empty memory."""

    def __init__(self, folder: Path, boundaries: BoundaryPolicy = BOUNDARIES) -> None:
        self.network: TransformerXl = load_network(folder, "transformer-xl", _check)
        super().__init__(folder, "transformer-xl", self.network.shape.vocabulary, boundaries)
        # a memory of zeros is read with every text
        shape = self.network.shape
        reach = 1 + shape.memory // 64 if shape.zero_memory else 1
        self._together = max(64, TOGETHER // reach)

    def logprobs(self, sequences: Sequence[Sequence[int]]) -> list[list[float]]:
        """log p of every token, sequences of one length together, so that nothing is padded."""
        import torch

        before = [BOUNDARY_ID] if self.boundaries.bos else []
        unscored = [] if self.boundaries.bos else [math.nan]
        results: list[list[float]] = [unscored if sequence else [] for sequence in sequences]
        with torch.inference_mode():
            for group in _same_length(sequences, 1 if before else 2, self._together):
                rows = torch.tensor([[*before, *sequences[n]] for n in group])
                states, _ = self.network.read(rows[:, :-1])
                found: Any = self.network.words.logprobs(
                    states.reshape(-1, states.shape[-1]), rows[:, 1:].reshape(-1)
                )
                values = found.view(len(group), -1).double().tolist()
                for number, row in zip(group, values, strict=True):
                    results[number] = [*unscored, *row]
        return results


def _check(shape: TransformerXlShape) -> None:
    if shape.zero_memory and shape.memory > MOST_MEMORY:
        raise ValueError(f"memory is {shown(shape.memory)}, and {MOST_MEMORY:,} is the most")


def _same_length(
    sequences: Sequence[Sequence[int]], shortest: int, together: int
) -> Iterator[list[int]]:
    """Numbers of sequences of one length, as many together as there is room for."""
    by_length: dict[int, list[int]] = defaultdict(list)
    for number, sequence in enumerate(sequences):
        by_length[len(sequence)].append(number)
    for length, numbers in sorted(by_length.items()):
        if length >= shortest:
            rows = max(1, together // (length + 1))
            yield from (numbers[at : at + rows] for at in range(0, len(numbers), rows))
