"""Token scores of a run's texts, read back from the score store in bulk."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from priscian.errors import DataError, ModelError, StoreError
from priscian.models import PrecomputedScores, cache_folder, load, recorded_traits
from priscian.records import Text
from priscian.runs.facts import ModelFacts
from priscian.scoring.store import ScoreStore, pack

HEAD = 2  # words of four bytes before a row's offsets: checksum, number of tokens


@dataclass(frozen=True, slots=True)
class TokenTable:
    """The tokens of n texts, end to end: text i has those from `offsets[i]` to `offsets[i + 1]`.

    `starts` are character offsets in the text; `bits` is surprisal, NaN for a token that could not
    be scored; `found` tells a text that was never scored from one without tokens.
    """

    offsets: NDArray[np.int64]  # (texts + 1,)
    starts: NDArray[np.int32]  # (tokens,)
    bits: NDArray[np.float32]  # (tokens,)
    found: NDArray[np.bool_]  # (texts,)

    @property
    def missing(self) -> int:
        """How many texts have no scores."""
        return int((~self.found).sum())


def read_tokens(
    about: ModelFacts, texts: Sequence[str], store: ScoreStore | None = None
) -> TokenTable | None:
    """The tokens of some texts by a model of a run; None where none are kept.

    A text that is not in the store (it was pruned, or is on another machine) is marked missing.
    """
    rows: dict[bytes, bytes] = {}
    hashes = _hashes(tuple(texts))
    unique = sorted(set(hashes))  # in the order of the store's pages
    if about.string and recorded_traits(about.string).precomputed:
        rows = _from_table(about.string, texts, hashes)
    elif store is not None:
        rows = dict(store.packed(about.digest, unique))
    elif (cache_folder() / "scores.sqlite").is_file():
        with ScoreStore.default() as kept:
            rows = dict(kept.packed(about.digest, unique))
    if not rows:
        return None
    return _decode([rows.get(h, b"") for h in hashes])


@lru_cache(maxsize=1)
def _hashes(texts: tuple[str, ...]) -> list[bytes]:
    """The same for every model of a data set, so they are kept from one to the next."""
    return [Text(text).hash for text in texts]


def _from_table(model: str, texts: Sequence[str], hashes: Sequence[bytes]) -> dict[bytes, bytes]:
    """Rows of a table that was made elsewhere, if it is still there."""
    rows = {}
    try:
        table = load(model)
    except (ModelError, DataError):
        return {}
    assert isinstance(table, PrecomputedScores)
    for text, digest in zip(texts, hashes, strict=True):
        try:
            rows[digest] = pack(table.look_up(Text(text)))
        except DataError:
            continue
    return rows


def _decode(rows: Sequence[bytes]) -> TokenTable:
    """Columns of all rows at once: each is a checksum, n, then n starts, n ends, n doubles."""
    for row in rows:
        if row and zlib.crc32(row[4:]) != int.from_bytes(row[:4], "little"):
            raise StoreError(
                "a row of the score store is damaged; move the file away to start afresh"
            )
    sizes = np.fromiter(map(len, rows), np.int64, len(rows)) // 4
    words = np.frombuffer(b"".join(rows), "<i4")
    at = np.concatenate(([0], np.cumsum(sizes)[:-1]))  # (texts,) where a row begins
    counts = np.maximum(sizes - HEAD, 0) // 4  # two words of offsets and two of a double
    offsets = np.concatenate(([0], np.cumsum(counts)))
    inner = np.arange(offsets[-1]) - np.repeat(offsets[:-1], counts)  # (tokens,) 0, 1, … in a row
    base = np.repeat(at + HEAD, counts)
    starts = words[base + inner]
    double = base + 2 * np.repeat(counts, counts) + 2 * inner
    logps = np.stack((words[double], words[double + 1]), axis=1).view("<f8").ravel()
    bits: NDArray[np.float32] = (-logps / math.log(2)).astype(np.float32)
    return TokenTable(offsets, starts.astype(np.int32), bits, sizes > 0)
