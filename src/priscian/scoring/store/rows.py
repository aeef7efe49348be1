"""How a row of the store is written, and how one row or very many are read.

A row has token offsets, values, and a checksum over both.

The offsets of a text are kept once for all models that tokenize it the same way: pairs (gap,
length) in the fewest bytes that hold them all. Values are float32 if that is exact, else float64.
The checksum covers the model's key, the channel, the text, the offsets and the values, so that a
row that was stored under another key counts as damaged and is never read.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, compress, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priscian.records import TokenScores

CHANNELS = ("logp", "boundary", "eos", "entropy", "score")
"""A channel's number in the store is its position here: add at the end, never reorder."""

CODES = {1: "b", 2: "h", 4: "i", 8: "q"}  # bytes of an integer: its code in `struct`
CHECKSUM = 4
SOUND = 0x2144DF1C
"""The CRC-32 of any data that ends with its own CRC-32."""


Row = tuple[bytes, bytes | None, bytes]
"""A text's hash, its offsets and its data, as stored."""


class DamagedRow(Exception):
    """A row does not match its checksum; the store adds the model's name."""


def pack_offsets(rows: Sequence[TokenScores]) -> list[bytes]:
    """Offsets of each text as gaps and lengths, after one byte for the width of a number."""
    places = [0, *accumulate(map(len, rows))]
    starts = np.fromiter(chain.from_iterable([row.starts for row in rows]), np.int64, places[-1])
    ends = np.fromiter(chain.from_iterable([row.ends for row in rows]), np.int64, places[-1])
    pairs = np.empty((places[-1], 2), np.int64)
    pairs[1:, 0] = starts[1:] - ends[:-1]
    first = [a for a, b in pairwise(places) if a < b]  # tokens with which a text begins
    pairs[first, 0] = starts[first]
    pairs[:, 1] = ends - starts
    narrow = pairs.astype(np.int8)
    wide = _any_in(narrow != pairs, places)
    short = narrow.tobytes()
    return [
        _pack_wide(pairs[a:b]) if wide[i] else b"\1" + short[2 * a : 2 * b]
        for i, (a, b) in enumerate(pairwise(places))
    ]


def _any_in(bad: NDArray[np.bool_], places: Sequence[int]) -> Sequence[bool]:
    """For each text, whether one of its tokens is bad; texts begin at `places`."""
    if not bad.any():
        return [False] * (len(places) - 1)
    per_token = bad.reshape(len(bad), -1).any(1)
    upto = np.concatenate(([0], np.cumsum(per_token)))[places]
    return list(np.diff(upto) > 0)


def _pack_wide(pairs: NDArray[np.int64]) -> bytes:
    """The same for a text with a gap or a token that does not fit in one byte."""
    width = next(w for w in CODES if (pairs.astype(f"<i{w}") == pairs).all())
    return bytes([width]) + pairs.astype(f"<i{width}").tobytes()


def unpack_offsets(data: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Starts and ends: the reverse of `pack_offsets`."""
    width = data[0]
    numbers = struct.unpack_from(f"<{(len(data) - 1) // width}{CODES[width]}", data, 1)
    places = tuple(accumulate(numbers))  # a start, an end, a start, an end …
    return places[::2], places[1::2]


def pack_values(rows: Sequence[TokenScores]) -> list[bytes]:
    """The values of each text, in 4 bytes per number if that is exact for all, else in 8."""
    places = [0, *accumulate(map(len, rows))]
    wide = np.fromiter(chain.from_iterable([row.logps for row in rows]), "<f8", places[-1])
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = wide.astype("<f4")
        lost = _any_in(narrow.astype("<f8").view("<i8") != wide.view("<i8"), places)
    short, long = narrow.tobytes(), wide.tobytes()
    return [
        long[8 * a : 8 * b] if lost[i] else short[4 * a : 4 * b]
        for i, (a, b) in enumerate(pairwise(places))
    ]


def owner(digest: str, channel: int) -> int:
    """The start value of the checksums of a model's rows."""
    return zlib.crc32(f"{digest}/{channel}".encode())


def seal(owner: int, text: bytes, offsets: bytes, values: bytes) -> bytes:
    """A row's data: its values, then the checksum."""
    return values + zlib.crc32(text + offsets + values, owner).to_bytes(CHECKSUM, "little")


def check_row(owner: int, row: Row) -> int:
    """The number of tokens of an intact row; an error if the row has changed."""
    text, offsets, data = row
    if offsets is None or zlib.crc32(text + offsets + data, owner) != SOUND:
        raise DamagedRow
    return (len(offsets) - 1) // (2 * offsets[0])


def unpack(owner: int, row: Row) -> TokenScores:
    """Token scores of a row, checked."""
    count = check_row(owner, row)
    _, offsets, data = row
    code = "d" if len(data) - CHECKSUM == 8 * count else "f"
    return TokenScores(*unpack_offsets(offsets or b""), struct.unpack_from(f"<{count}{code}", data))


Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TokenColumns:
    """The tokens of n texts, end to end: text i has those from `offsets[i]` to `offsets[i + 1]`.

    `found` is False for a text that is not in the store.
    """

    offsets: Ints  # (texts + 1,)
    starts: Ints  # (tokens,)
    ends: Ints  # (tokens,)
    logps: Floats  # (tokens,)
    found: NDArray[np.bool_]  # (texts,)


def columns_of(scores: Sequence[TokenScores | None]) -> TokenColumns:
    """The same from token scores in memory; None is a text that was not scored."""
    known = [s for s in scores if s is not None]
    return TokenColumns(
        _ends(np.array([len(s) if s is not None else 0 for s in scores], np.int64)),
        np.array([x for s in known for x in s.starts], np.int64),
        np.array([x for s in known for x in s.ends], np.int64),
        np.array([x for s in known for x in s.logps], np.float64),
        np.array([s is not None for s in scores], np.bool_),
    )


def decode(owner: int, hashes: Sequence[bytes], rows: Sequence[Row]) -> TokenColumns:
    """Rows of the store, which may be in any order, in the order of the hashes."""
    counts = np.array([check_row(owner, row) for row in rows], np.int64)  # (rows,)
    packed = [offsets or b"" for _, offsets, _ in rows]
    widths = np.array([offsets[0] for offsets in packed], np.int64)
    pairs = _join([offsets[1:] for offsets in packed], widths, 2 * counts, "i").reshape(-1, 2)
    values = [data[:-CHECKSUM] for _, _, data in rows]
    widths = np.array([len(v) for v in values], np.int64) // np.maximum(counts, 1)
    logps = _join(values, widths, counts, "f")
    place = {text: i for i, (text, _, _) in enumerate(rows)}
    which = np.array([place.get(text, -1) for text in hashes], np.int64)  # (texts,)
    asked = np.append(counts, 0)[which]  # a missing text has no tokens
    offsets = _ends(asked)
    inner = np.arange(offsets[-1]) - np.repeat(offsets[:-1], asked)  # (tokens,) 0, 1, … in a text
    tokens = np.repeat(_ends(counts)[which], asked) + inner
    reach = _ends(pairs[tokens].ravel())  # starts and ends, all texts in one line
    starts, ends = reach[1:].reshape(-1, 2).T - np.repeat(reach[2 * offsets[:-1]], asked)
    return TokenColumns(offsets, starts, ends, logps[tokens], which >= 0)


def _join(parts: Sequence[bytes], widths: Ints, counts: Ints, letter: str) -> NDArray[Any]:
    """The numbers of all rows, concatenated; rows differ in bytes per number."""
    out = np.empty(counts.sum(), f"{letter}8")
    for width in np.unique(widths[counts > 0]):
        chosen = widths == width
        flat = np.frombuffer(b"".join(compress(parts, chosen)), f"<{letter}{width}")
        out[np.repeat(chosen, counts)] = flat
    return out


def _ends(counts: Ints) -> Ints:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
