"""`txl:` — Transformer-XL from a folder that `priscian train transformer-xl` has made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.errors import ModelError
from priscian.files import shown
from priscian.models.folder import checkpoints, model_folder, trained_on_sentences
from priscian.models.folder_scores import Around, FolderScores
from priscian.models.key import ModelKey
from priscian.models.networks.loading import load_network, read_shape
from priscian.models.spec import ModelSpec
from priscian.models.traits import Traits
from priscian.models.vocabulary import BOUNDARY_ID, load_vocabulary

if TYPE_CHECKING:
    from priscian.models.networks.transformer_xl import TransformerXl

AROUND = Around()
MOST_MEMORY = 20_000
"""States that are read before each text; the published models have 1,600."""
TOGETHER = 4096
"""Tokens that are read at once."""


class TransformerXlProvider:
    """Transformer-XL models from a folder."""

    example = "txl:DIR"

    def key(self, spec: ModelSpec) -> ModelKey:
        """The contents: vocabulary and weights."""
        return Around.of(spec).key(model_folder(spec), "txl")

    def load(self, spec: ModelSpec) -> TransformerXlModel:
        """The model, ready to score."""
        return TransformerXlModel(model_folder(spec), Around.of(spec))

    def traits(self, spec: ModelSpec) -> Traits:
        """A folder with a list of whole words meets unknown ones; pieces never do."""
        return Around.of(spec).traits(model_folder(spec))

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """Checkpoint folders inside this one whose names match."""
        return checkpoints(spec, pattern)


class TransformerXlModel(FolderScores):
    """A text is one segment after a sentence boundary, read with an empty memory."""

    def __init__(self, folder: Path, around: Around = AROUND) -> None:
        self.reads_sentences = trained_on_sentences(folder)
        self.network = load_network(folder, "transformer-xl", _build)
        self.vocabulary = load_vocabulary(folder)
        if self.vocabulary.size != self.network.shape.vocabulary:
            raise ModelError(
                f"{folder}: {self.network.shape.vocabulary} rows of weights for a vocabulary of "
                f"{self.vocabulary.size}; copy it again"
            )
        self.notes = {
            "architecture": "transformer-xl",
            "dtype": "float32",
            "vocabulary": str(self.vocabulary.size),
            "bos": around.note,
        }
        self.around = around
        # a memory of zeros is read with every text
        shape = self.network.shape
        reach = 1 + shape.memory // 64 if shape.zero_memory else 1
        self._together = max(64, TOGETHER // reach)

    def logprobs(self, sequences: Sequence[Sequence[int]]) -> list[list[float]]:
        """log p of every token, sequences of one length together, so that nothing is padded."""
        import torch

        before = [BOUNDARY_ID] if self.around.bos else []
        unscored = [] if self.around.bos else [math.nan]
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


def _build(sizes: Mapping[str, Any]) -> TransformerXl:
    from priscian.models.networks.transformer_xl import TransformerXl, TransformerXlShape

    shape = read_shape(TransformerXlShape, sizes)
    if shape.zero_memory and shape.memory > MOST_MEMORY:
        raise ValueError(f"memory is {shown(shape.memory)}, and {MOST_MEMORY:,} is the most")
    return TransformerXl(shape)


def _same_length(
    sequences: Sequence[Sequence[int]], shortest: int, together: int
) -> Iterator[list[int]]:
    order = sorted(range(len(sequences)), key=lambda n: len(sequences[n]))
    group: list[int] = []
    for number in order:
        length = len(sequences[number])
        if length < shortest:
            continue
        full = group and (len(group) + 1) * (length + 1) > together
        if full or (group and len(sequences[group[0]]) != length):
            yield group
            group = []
        group.append(number)
    if group:
        yield group
