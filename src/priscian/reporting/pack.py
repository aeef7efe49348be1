"""Compact items: columns, quantised and compressed, that the page unpacks when needed.

A blob is gzip in base64: the length of a head, the head as JSON, then columns of bytes. Numbers of
several bytes lie as all low bytes, then the next, which compresses better. `page/unpack.js` is the
reverse.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priscian.reporting.items import ABSENT, RIGHT, TIE, WRONG, Answers, Items
from priscian.reporting.pieces import Pieces, cut
from priscian.reporting.words import Ints, Words
from priscian.runs import TokenTable

STEP = 0.01
"""Step of surprisals, in bits: what the page shows is what is stored."""
UNSCORED = 0xFFFFFF
FINE = 0.001
"""Step of differences, where 24 bits are enough for it."""
MOST = 8_000_000
"""Largest stored difference, in steps."""
NOISE = 0.02
"""Bits by which the same beginning may differ between two batches."""


def compress(data: bytes) -> str:
    """Compressed bytes, as the page contains them."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")


def pack_json(data: object) -> str:
    """Compress any plain value."""
    return compress(_json(data))


def pack_texts(items: Items, words: Words) -> str:
    """Ids and sentences as word codes; for the second of a pair only the words that differ."""
    head: dict[str, Any] = {
        "words": words.names,
        "ids": _ids(items),
        "items": len(items.ids),
        "paired": items.bad is not None,
    }
    if items.bad is None:
        return compress(with_head(head, planes(words.counts, 2), planes(words.codes, 3)))
    codes, offsets = words.codes.tolist(), words.offsets.tolist()
    begins, ends, middles, good = [], [], [], []
    for i in range(0, len(offsets) - 1, 2):
        one, two = codes[offsets[i] : offsets[i + 1]], codes[offsets[i + 1] : offsets[i + 2]]
        begin, end = _shared(one, two)
        begins.append(begin)
        ends.append(end)
        good.append(one)
        middles.append(two[begin : len(two) - end])
    columns = (
        planes(_lengths(good), 2),
        planes(_flat(good), 3),
        planes(np.array(begins, np.int64), 2),
        planes(np.array(ends, np.int64), 2),
        planes(_lengths(middles), 2),
        planes(_flat(middles), 3),
    )
    return compress(with_head(head, *columns))


def _ids(items: Items) -> list[str] | None:
    """Ids without the name of their set, which the page knows; None if they count from 0."""
    names = [name for name, size in items.sets for _ in range(size)]
    short = [i.removeprefix(name).lstrip("/-_") for name, i in zip(names, items.ids, strict=True)]
    counted = chain.from_iterable(map(str, range(size)) for _, size in items.sets)
    return None if all(a == b for a, b in zip(short, counted, strict=True)) else short


def _shared(one: list[int], two: list[int]) -> tuple[int, int]:
    """How many words two texts share at the beginning, and at the end of the rest."""
    most = min(len(one), len(two))
    begin = 0
    while begin < most and one[begin] == two[begin]:
        begin += 1
    end = 0
    while end < most - begin and one[-1 - end] == two[-1 - end]:
        end += 1
    return begin, end


def pack_answers(answers: Sequence[Answers]) -> str:
    """Right or wrong of every item, model by model, then the differences, in one blob."""
    steps, states, differences = [], [], []
    for own in answers:
        step, delta = _differences(own)
        steps.append(step)
        states.append(own.state.tobytes())
        differences.append(planes(delta & 0xFFFFFF, 3))
    return compress(with_head({"steps": steps}, *states, *differences))


def _differences(answers: Answers) -> tuple[float, Ints]:
    """A model's differences in steps; none has the wrong sign."""
    there = (answers.state != ABSENT) & np.isfinite(answers.delta)
    known = np.where(there, answers.delta, 0.0)
    step = max(FINE, float(np.abs(known).max(initial=0.0)) / MOST)
    delta = np.round(known / step).astype(np.int64)
    delta = np.where((delta == 0) & (answers.state != TIE), np.sign(known), delta)
    return step, delta.astype(np.int64)


def pack_tokens(
    items: Items, words: Words, table: TokenTable, state: NDArray[np.uint8] | None = None
) -> str:
    """Surprisals of every token, and how words are split into tokens.

    Where sums of surprisals decide (`state` is given), those on the page give the same verdict.
    """
    pieces = cut(items.texts, words, table)
    counts, causal = pieces.counts, False
    keep = np.ones(len(pieces.bits), bool)
    shared = np.zeros(len(items.ids), np.int64)
    if items.bad is not None:
        counts = pieces.counts[0::2] + pieces.counts[1::2]
        alike = pieces.shared_tokens()
        once = _kept(pieces, alike)
        if once is not None:
            keep, shared, causal = once, alike, True
            counts = counts - shared
    level = _levels(pieces, keep)
    if items.bad is not None and state is not None:
        _agree(level, pieces, shared, state)
    level = np.where(np.isnan(pieces.bits), UNSCORED, level)[keep]
    patterns: dict[tuple[int, ...], int] = {(0,): 0, (): 1}
    later = np.array([0 if name else 1 for name in words.names], np.int64)
    for code, places in pieces.later.items():
        later[code] = patterns.setdefault(tuple(places), len(patterns))
    head = {
        "step": STEP,
        "causal": causal,
        "first": pieces.first,
        "odd": pieces.odd,
        "patterns": list(patterns),
    }
    return compress(with_head(head, planes(later, 2), planes(counts, 2), planes(level, 3)))


def _levels(pieces: Pieces, keep: NDArray[np.bool_]) -> Ints:
    """Surprisals in steps; rounding errors are carried on, so that they do not add up.

    The sum of a sentence's levels is its rounded sum, and each is within a step of its own value.
    """
    steps = np.where(keep, np.maximum(np.nan_to_num(pieces.bits), 0.0), 0.0) / STEP
    total = np.cumsum(steps)
    before = np.concatenate(([0.0], total))[np.repeat(pieces.offsets[:-1], pieces.counts)]
    upto = np.round(total - before).astype(np.int64)
    level: Ints = np.diff(upto, prepend=0)
    first = pieces.inner == 0
    level[first] = upto[first]
    return np.minimum(np.maximum(level, 0), UNSCORED - 1)


def _agree(level: Ints, pieces: Pieces, shared: Ints, state: NDArray[np.uint8]) -> None:
    """Move the last tokens of close pairs by a step or two, where rounding hid who wins."""
    offsets, bits = pieces.offsets, np.nan_to_num(pieces.bits).astype(np.float64)
    at = offsets[:-1]
    ends = offsets[1:]
    totals = np.concatenate(([0], np.cumsum(level)))
    exact = np.concatenate(([0.0], np.cumsum(bits)))
    good, bad = at[0::2] + shared, at[1::2] + shared
    gap = (totals[ends[1::2]] - totals[bad]) - (totals[ends[0::2]] - totals[good])
    true = (exact[ends[1::2]] - exact[bad]) - (exact[ends[0::2]] - exact[good])
    close = (ends[0::2] > good) & (ends[1::2] > bad) & (np.abs(true) < 3 * STEP)
    wanted = np.select(
        [state == RIGHT, state == WRONG, state == TIE],
        [np.maximum(gap, 1), np.minimum(gap, -1), np.zeros_like(gap)],
        gap,
    )
    for i in np.flatnonzero(close & (wanted != gap)):
        move = int(wanted[i] - gap[i])
        side = 1 if move > 0 else 0
        last = slice(int((good, bad)[side][i]), int(ends[2 * i + side]))
        scored = np.where(np.isnan(pieces.bits[last]), -1, level[last])
        level[last.start + int(scored.argmax())] += abs(move)


def _kept(pieces: Pieces, shared: Ints) -> NDArray[np.bool_] | None:
    """Which tokens are stored: a causal model's scores of a pair's shared beginning only once.

    None if a model's scores differ there, as those of a masked model do.
    """
    inner = pieces.inner
    second = np.repeat(np.arange(len(pieces.counts)) % 2 == 1, pieces.counts)
    again = second & (np.repeat(np.repeat(shared, 2), pieces.counts) > inner)
    before = np.repeat(np.roll(pieces.counts, 1), pieces.counts)  # tokens of the good sentence
    apart = np.abs(pieces.bits[again] - pieces.bits[np.flatnonzero(again) - before[again]])
    if len(apart) and np.nanmax(apart, initial=0.0) > NOISE:
        return None
    return ~again


def _lengths(lists: list[list[int]]) -> Ints:
    return np.fromiter(map(len, lists), np.int64, len(lists))


def _flat(lists: list[list[int]]) -> Ints:
    return np.fromiter(chain.from_iterable(lists), np.int64)


def planes(numbers: Ints, size: int) -> bytes:
    """Numbers of `size` bytes: all low bytes, then all of the next."""
    return np.stack([(numbers >> 8 * k) & 0xFF for k in range(size)]).astype(np.uint8).tobytes()


def _json(data: object) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def with_head(head: dict[str, Any], *columns: bytes) -> bytes:
    """What `unpack.js` opens: the head's length, the head, the columns."""
    text = _json(head)
    return len(text).to_bytes(4, "little") + text + b"".join(columns)
