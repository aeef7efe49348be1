"""A recurrent model as one file: pieces, card and weights in float16, under one checksum.

A line `PRISCIAN-LSTM 1 <sha256 of all that follows>`, the packed header's length in 8 bytes, the
header (JSON, deflated), then the arrays end to end in the header's order, little-endian.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError
from priscian.models.lstm.pieces import Pieces

MAGIC = b"PRISCIAN-LSTM"
VERSION = b"1"
STORED = "<f2"

Floats32 = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Stored:
    """What a file holds; weights are float32 again."""

    pieces: Pieces
    weights: Mapping[str, Floats32]
    card: Mapping[str, str]  # corpus, steps, seed, perplexity …


def write_model(path: Path, stored: Stored) -> str:
    """Write a model file, complete or not at all; its checksum."""
    header = {
        "card": dict(stored.card),
        "tokens": list(stored.pieces.tokens),
        "merges": [" ".join(merge) for merge in stored.pieces.merges],
        "arrays": {name: list(value.shape) for name, value in stored.weights.items()},
    }
    packed = zlib.compress(json.dumps(header, ensure_ascii=False).encode(), 9)
    body = bytearray(len(packed).to_bytes(8, "little") + packed)
    for name, value in stored.weights.items():
        with np.errstate(over="ignore"):
            small = value.astype(STORED)
        if not np.isfinite(small).all():
            raise ModelError(f"weights {name!r} do not fit float16; train with a smaller rate")
        body += small.tobytes()
    digest = hashlib.sha256(body).hexdigest()
    partial = path.with_name(path.name + ".part")
    try:
        with partial.open("wb") as file:
            file.write(b" ".join([MAGIC, VERSION, digest.encode()]) + b"\n" + body)
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ModelError(
            f"cannot write {path}: {error.strerror}; free some space or name another file"
        ) from error
    return digest


def read_model(path: Path) -> Stored:
    """Read a model file and verify every byte of it."""
    data = _read(path)
    line, _, body = data.partition(b"\n")
    fields = line.split(b" ")
    if len(fields) != 3 or fields[0] != MAGIC:
        raise ModelError(f"{path} is not a recurrent model of ours; make one: priscian train lstm")
    if fields[1] != VERSION:
        raise ModelError(
            f"{path} has format {fields[1].decode(errors='replace')}, but this version reads "
            f"{VERSION.decode()}; update Priscian"
        )
    if hashlib.sha256(body).hexdigest() != fields[2].decode(errors="replace"):
        raise ModelError(
            f"{path} is damaged or cut short (its checksum is wrong); copy or download it again"
        )
    length = int.from_bytes(body[:8], "little")
    header = json.loads(zlib.decompress(body[8 : 8 + length]))
    at = 8 + length
    weights: dict[str, Floats32] = {}
    for name, shape in header["arrays"].items():
        array = np.frombuffer(body, STORED, prod(shape), at)
        weights[name] = array.astype(np.float32).reshape(shape)
        at += array.nbytes
    merges = [merge.partition(" ") for merge in header["merges"]]
    pieces = Pieces(tuple(header["tokens"]), tuple((a, b) for a, _, b in merges))
    return Stored(pieces, weights, header["card"])


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from None
