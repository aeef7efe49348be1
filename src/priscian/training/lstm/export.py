"""From a checkpoint to a model file that needs no torch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch

from priscian.models.lstm.model_file import Stored, read_model, write_model
from priscian.models.lstm.pieces import Pieces
from priscian.training.lstm.network import Network, Shape


def export(path: Path, network: Network, pieces: Pieces, card: Mapping[str, str]) -> str:
    """Write a network and its pieces; the file's checksum."""
    weights = {
        name: value.detach().numpy().astype(np.float32)
        for name, value in network.state_dict().items()
    }
    return write_model(path, Stored(pieces, weights, card))


def restore(path: Path) -> Network:
    """The network of a model file in torch, its weights as they are stored."""
    weights = read_model(path).weights
    tables = [weights[f"tables.{n}"] for n in range(sum(k.startswith("tables.") for k in weights))]
    shape = Shape(
        cutoffs=tuple(int(end) for end in np.cumsum([len(table) for table in tables])),
        widths=tuple(table.shape[1] for table in tables),
        hidden=weights["out.weight"].shape[1],
        layers=sum(name.startswith("lstm.weight_ih_l") for name in weights),
    )
    network = Network(shape)
    network.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()})
    return network.eval()
