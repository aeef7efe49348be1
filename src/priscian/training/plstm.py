"""An LSTM as one `.plstm` file, the form of the embedded model, and back into torch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch

from priscian.models.networks.lstm import Lstm, LstmShape
from priscian.models.plstm import Stored, WordPieces, read_model, write_model

_TABLES = "words."


def export(path: Path, network: Lstm, pieces: WordPieces, card: Mapping[str, str]) -> str:
    """Write a network and its pieces, weights in float16; the file's checksum."""
    weights = {
        name.removeprefix(_TABLES): value.detach().numpy().astype(np.float32)
        for name, value in network.state_dict().items()
    }
    return write_model(path, Stored(pieces, weights, card))


def restore(path: Path) -> Lstm:
    """The network of a model file in torch, its weights as they are stored."""
    weights = read_model(path).weights
    tables = [weights[f"tables.{n}"] for n in range(sum(k.startswith("tables.") for k in weights))]
    ends = np.cumsum([len(table) for table in tables]).tolist()
    widths = [table.shape[1] for table in tables]
    shape = LstmShape(
        vocabulary=ends[-1],
        embedding=widths[0],
        hidden=weights["out.weight"].shape[1],
        layers=sum(name.startswith("lstm.weight_ih_l") for name in weights),
    )
    network = Lstm(shape, tuple(zip(ends, widths, strict=True)))
    inner = ("lstm.", "out.")
    named = {n if n.startswith(inner) else _TABLES + n: w for n, w in weights.items()}
    network.load_state_dict({name: torch.from_numpy(value) for name, value in named.items()})
    return network.eval()
