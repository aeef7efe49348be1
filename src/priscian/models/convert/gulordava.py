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
    width = table.shape[1]
    hidden = need(file, arrays, "rnn.weight_hh_l0", 0, 0).shape[1]
    rows = len(arrays["rnn.weight_hh_l0"])
    if rows != GATES * hidden:
        kind = {3 * hidden: "a GRU", hidden: "a plain RNN"}.get(rows, "another network")
        raise ModelError(f"{file} holds {kind}, not an LSTM; only LSTMs can be converted")
    if any("reverse" in name or "weight_hr" in name for name in arrays):
        raise ModelError(f"{file} holds a bidirectional or projected LSTM, which we cannot hold")
    layers: dict[str, Array] = {}
    depth = 0
    while f"rnn.weight_hh_l{depth}" in arrays:
        n, inward = depth, hidden if depth else width
        layers[f"lstm.weight_ih_l{n}"] = need(file, arrays, f"rnn.weight_ih_l{n}", rows, inward)
        layers[f"lstm.weight_hh_l{n}"] = need(file, arrays, f"rnn.weight_hh_l{n}", rows, hidden)
        for name in (f"bias_ih_l{n}", f"bias_hh_l{n}"):
            there = f"rnn.{name}" in arrays
            layers[f"lstm.{name}"] = (
                need(file, arrays, f"rnn.{name}", rows) if there else np.zeros(rows, "f4")
            )
        depth += 1
    decoder = need(file, arrays, "decoder.weight", count, hidden)
    bias = np.zeros(count, "f4")
    if "decoder.bias" in arrays:
        bias = need(file, arrays, "decoder.bias", count)
    order = listed.order
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
        "layers": depth,
        "dropout": 0.0,
        "tied": False,
        "softmax": "full",
    }
    return write_folder(out, config, weights, own, [file, vocabulary])
