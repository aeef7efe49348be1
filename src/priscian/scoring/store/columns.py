"""Tokens of very many texts in columns, for reading a whole run at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priscian.records import TokenScores
from priscian.scoring.store.rows import CHECKSUM, Row, check_row

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
