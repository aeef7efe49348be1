"""The word LSTM of Gulordava et al. (2018), and any other saved by PyTorch's word language model.

The file is a whole pickled module: `encoder` (embeddings), `rnn` (an LSTM), `decoder` (an affine
map to the vocabulary). BLiMP's LSTMs have the same form.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from priscian.errors import ModelError
from priscian.models.convert.folder import (
    Converted,
    check_out,
    need,
    read_arrays,
    read_words,
    write_folder,
)
from priscian.models.convert.torch_file import Array

GATES = 4


def convert_gulordava(file: Path, vocabulary: Path, out: Path, words: str = "ptb") -> Converted:
    """Turn a pickled LSTM and its list of words into a folder for `lstm:`."""
    check_out(out)
    arrays, _ = read_arrays(file)
    listed = read_words(vocabulary)
    own = listed.vocabulary(words)
    count = len(listed.words)
    table = need(file, arrays, "encoder.weight", 0, 0)
    if len(table) != count:
        raise ModelError(
            f"{vocabulary} has {count:,} words, and {file} has rows for {len(table):,}; give the "
            "vocabulary that the model was trained with"
        )
    layers = _layers(file, arrays, table.shape[1])
    hidden = layers["lstm.weight_hh_l0"].shape[1]
    decoder = need(file, arrays, "decoder.weight", count, hidden)
    bias = np.zeros(count, "f4")
    if "decoder.bias" in arrays:
        bias = need(file, arrays, "decoder.bias", count)
    order, width = listed.order, table.shape[1]
    weights: dict[str, Array] = {
        # our networks read their embeddings times √width
        "words.tables.0": (table[order].astype("f8") / width**0.5).astype("f4"),
        "words.biases.0": np.zeros(count, "f4"),
        "words.bands": np.zeros((0, width), "f4"),
        "words.band_bias": np.zeros(0, "f4"),
        **layers,
        "decoder.weight": decoder[order],
        "decoder.bias": bias[order],
    }
    config: dict[str, object] = {
        "architecture": "lstm",
        "vocabulary": count,
        "embedding": width,
        "hidden": hidden,
        "layers": len(layers) // 4,
        "dropout": 0.0,
        "tied": False,
        "softmax": "full",
    }
    return write_folder(out, config, weights, own, [file, vocabulary])


def _layers(file: Path, arrays: dict[str, Array], width: int) -> dict[str, Array]:
    """The arrays of the LSTM's layers, each checked against the others."""
    hidden = need(file, arrays, "rnn.weight_hh_l0", 0, 0).shape[1]
    rows = len(arrays["rnn.weight_hh_l0"])
    if rows != GATES * hidden:
        kind = {3 * hidden: "a GRU", hidden: "a plain RNN"}.get(rows, "another network")
        raise ModelError(f"{file} holds {kind}, not an LSTM; only LSTMs can be converted")
    if any("reverse" in name or "weight_hr" in name for name in arrays):
        raise ModelError(f"{file} holds a bidirectional or projected LSTM, which we cannot hold")
    found: dict[str, Array] = {}
    layer = 0
    while f"rnn.weight_hh_l{layer}" in arrays:
        inward = hidden if layer else width
        for name, shape in (
            ("weight_ih", (rows, inward)), ("weight_hh", (rows, hidden)),
            ("bias_ih", (rows,)), ("bias_hh", (rows,)),
        ):  # fmt: skip
            source = f"rnn.{name}_l{layer}"
            if "bias" in name and source not in arrays:
                found[f"lstm.{name}_l{layer}"] = np.zeros(rows, "f4")
            else:
                found[f"lstm.{name}_l{layer}"] = need(file, arrays, source, *shape)
        layer += 1
    return found
