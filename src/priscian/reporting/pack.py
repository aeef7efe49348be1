"""Compact pairs: columns, quantised and compressed, that the page unpacks when needed.

A blob is gzip in base64: the length of a head, the head as JSON, then columns of bytes. Numbers of
several bytes lie as all low bytes, then the next, which compresses better. `page/unpack.js` is the
reverse. Sentences are stored as the numbers of their words; how a word is split into tokens is
stored once, since it is nearly always split alike.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priscian.reporting.items import ABSENT, RIGHT, TIE, WRONG, Answers, Items
from priscian.runs import TokenTable

Ints = NDArray[np.int64]
STEP = 0.01
"""Step of surprisals, in bits: what the page shows is what is stored."""
UNSCORED = 0xFFFFFF
FINE = 0.001
"""Step of differences, where 24 bits are enough for it."""
MOST = 8_000_000
"""Largest stored difference, in steps."""
NOISE = 0.02
"""Bits by which the same beginning may differ between two batches."""
SPACE = 32
SPACES = np.array([9, 10, 11, 12, 13, SPACE, 0x85, 0xA0, 0x2028, 0x2029, 0x202F, 0x3000])
FAR = np.iinfo(np.int64).max

# ---------------------------------------------------------------- blobs


def compress(data: bytes) -> str:
    """Compressed bytes, as the page contains them."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")


def pack_json(data: object) -> str:
    """Compress any plain value."""
    return compress(_json(data))


def pack_columns(head: dict[str, Any], *columns: bytes) -> str:
    """What `unpack.js` opens: the head's length, the head, the columns."""
    text = _json(head)
    return compress(len(text).to_bytes(4, "little") + text + b"".join(columns))


def _json(data: object) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def planes(numbers: Ints | list[int], size: int) -> bytes:
    """Numbers of `size` bytes: all low bytes, then all of the next."""
    column = np.asarray(numbers, np.int64)
    return np.stack([(column >> 8 * k) & 0xFF for k in range(size)]).astype(np.uint8).tobytes()


# ---------------------------------------------------------------- sentences and answers


@dataclass(frozen=True, slots=True)
class WordCodes:
    """The text between single spaces: `names[code]` is the word, texts are lists of codes."""

    names: list[str]
    codes: Ints  # (words of all texts,)
    counts: Ints  # (texts,)

    @property
    def offsets(self) -> Ints:
        """Where the words of each text begin."""
        return np.concatenate(([0], np.cumsum(self.counts)))


def index_words(texts: Sequence[str]) -> WordCodes:
    """Split texts at every space; joined by spaces, the words give the text again."""
    import polars

    cut = polars.Series("word", list(texts), dtype=polars.String).str.split(" ")
    counts = cut.list.len().to_numpy().astype(np.int64)
    every = cut.explode().to_frame()
    known = (
        every.group_by("word")
        .len()
        .sort("len", "word", descending=[True, False])
        .with_row_index("code")
    )
    codes = every.join(known, on="word", how="left", maintain_order="left")["code"]
    return WordCodes(known["word"].to_list(), codes.to_numpy().astype(np.int64), counts)


def pack_texts(items: Items, words: WordCodes) -> str:
    """Ids and sentences as word codes; for the second of a pair only the words that differ."""
    # ids without the name of their set, which the page knows; none if they count from 0
    sets = [name for name, size in items.sets for _ in range(size)]
    ids = [i.removeprefix(name).lstrip("/-_") for name, i in zip(sets, items.ids, strict=True)]
    numbers = chain.from_iterable(range(size) for _, size in items.sets)
    count_up = all(i == str(n) for i, n in zip(ids, numbers, strict=True))
    head: dict[str, Any] = {
        "words": words.names,
        "ids": None if count_up else ids,
        "items": len(items.ids),
        "paired": items.bad is not None,
    }
    if items.bad is None:
        return pack_columns(head, planes(words.counts, 2), planes(words.codes, 3))
    codes, offsets = words.codes.tolist(), words.offsets.tolist()
    begins, ends, middles, good = [], [], [], []
    for i in range(0, len(offsets) - 1, 2):
        one, two = codes[offsets[i] : offsets[i + 1]], codes[offsets[i + 1] : offsets[i + 2]]
        begin, end = _shared(one, two)
        begins.append(begin)
        ends.append(end)
        good.append(one)
        middles.append(two[begin : len(two) - end])
    return pack_columns(
        head,
        planes([len(own) for own in good], 2),
        planes(list(chain.from_iterable(good)), 3),
        planes(begins, 2),
        planes(ends, 2),
        planes([len(own) for own in middles], 2),
        planes(list(chain.from_iterable(middles)), 3),
    )


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
    """Right or wrong of every item, model by model, then the differences, in one blob.

    No difference that is rounded has the wrong sign.
    """
    steps, states, differences = [], [], []
    for own in answers:
        there = (own.state != ABSENT) & np.isfinite(own.delta)
        known = np.where(there, own.delta, 0.0)
        step = max(FINE, float(np.abs(known).max(initial=0.0)) / MOST)
        delta = np.round(known / step).astype(np.int64)
        lost = (delta == 0) & (own.state != TIE)
        delta = np.where(lost, np.sign(known), delta).astype(np.int64)
        steps.append(step)
        states.append(own.state.tobytes())
        differences.append(planes(delta & 0xFFFFFF, 3))
    return pack_columns({"steps": steps}, *states, *differences)


# ---------------------------------------------------------------- tokens


@dataclass(frozen=True, slots=True)
class Pieces:
    """Visible stretches of texts, one for each token, and the words that explain them.

    `first` and `later` give, for a word's code at the beginning of a text and elsewhere, where its
    pieces begin; a word that is not listed is one piece. `odd` lists the beginnings of texts
    that the words do not explain.
    """

    counts: Ints  # (texts,)
    begins: Ints  # (pieces,) characters in the text
    bits: NDArray[np.float64]  # (pieces,)
    first: dict[int, list[int]]
    later: dict[int, list[int]]
    odd: dict[int, list[int]]
    alike: Ints
    """How many characters texts 2i and 2i + 1 share at the beginning."""

    @property
    def offsets(self) -> Ints:
        """Where the pieces of each text begin."""
        return np.concatenate(([0], np.cumsum(self.counts)))

    @property
    def inner(self) -> Ints:
        """The number of each piece in its text."""
        return np.arange(len(self.begins)) - np.repeat(self.offsets[:-1], self.counts)

    def shared_tokens(self) -> Ints:
        """How many pieces the texts of each pair share at the beginning.

        A piece counts if it and the next one begin at the same place in both texts, and the texts
        are the same up to there.
        """
        good, bad = self.counts[0::2], self.counts[1::2]
        most = np.maximum(np.minimum(good, bad) - 1, 0)  # the last piece of a text has no next
        offsets = self.offsets
        pair = np.repeat(np.arange(len(most)), most)
        k = np.arange(int(most.sum())) - np.repeat(np.cumsum(most) - most, most)
        a, b = offsets[2 * pair] + k, offsets[2 * pair + 1] + k
        alike = (
            (self.begins[a] == self.begins[b])
            & (self.begins[a + 1] == self.begins[b + 1])
            & (self.begins[a + 1] <= self.alike[pair])
        )
        shared: Ints = most.copy()
        np.minimum.at(shared, pair[~alike], k[~alike])
        return shared


def cut(texts: Sequence[str], words: WordCodes, table: TokenTable) -> Pieces:
    """Pieces of texts; tokens that begin at one character, or at spaces before it, are one."""
    letters = np.frombuffer("\0".join((*texts, "")).encode("utf-32-le", "surrogatepass"), "<u4")
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    places = np.concatenate(([0], np.cumsum(lengths + 1)))  # (texts + 1,)

    # text, beginning and bits of each piece
    index = np.where(np.isin(letters, SPACES), FAR, np.arange(len(letters)))
    visible = np.minimum.accumulate(index[::-1])[::-1]  # the next character that is not a space
    text = np.repeat(np.arange(len(lengths)), np.diff(table.offsets))
    at = np.minimum(places[text] + table.starts, places[text + 1] - 1)
    begins = visible[at] - places[text]
    new = np.ones(len(text), bool)
    same_text = text[1:] == text[:-1]
    new[1:] = ~same_text | (begins[1:] != begins[:-1])
    new[1:] &= ~same_text | (begins[1:] < lengths[text[1:]])  # not after the text
    bits = np.bincount(np.cumsum(new) - 1, table.bits, int(new.sum())).astype(np.float64)
    text = text[new].astype(np.int64)
    begins = np.minimum(begins[new], lengths[text]).astype(np.int64)

    # how many characters the texts of each pair share at the beginning
    alike = np.minimum(lengths[0:-1:2], lengths[1::2])
    pair = np.repeat(np.arange(len(alike)), alike)
    k = np.arange(len(pair)) - np.repeat(np.cumsum(alike) - alike, alike)
    other = letters[places[2 * pair] + k] != letters[places[2 * pair + 1] + k]
    np.minimum.at(alike, pair[other], k[other])

    counts = np.bincount(text, minlength=len(texts)).astype(np.int64)
    explained = _explain(letters, words, places, text, begins, counts)
    return Pieces(counts, begins, bits, *explained, alike)


def _explain(
    letters: NDArray[np.uint32],
    words: WordCodes,
    places: Ints,
    text: Ints,
    begins: Ints,
    counts: Ints,
) -> tuple[dict[int, list[int]], dict[int, list[int]], dict[int, list[int]]]:
    """The usual pieces of each word, and the texts with a word that is split differently."""
    import polars

    starts = np.zeros(len(letters), bool)
    starts[1:] = letters[:-1] == SPACE
    starts[places[:-1]] = True
    word_at = np.flatnonzero(starts)  # (words,)
    home = np.searchsorted(places, word_at, side="right") - 1
    word = np.searchsorted(word_at, places[text] + begins, side="right") - 1  # (pieces,)
    inside = places[text] + begins - word_at[word]
    bounds = np.searchsorted(word, np.arange(len(word_at) + 1))
    # a number for the set of places at which the pieces of each word begin
    mixed = (inside.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    total = np.concatenate((np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)))
    table = polars.DataFrame(
        {
            "code": words.codes,
            "first": word_at == places[home],
            "pattern": total[bounds[1:]] - total[bounds[:-1]],
            "number": np.arange(len(word_at)),
        }
    ).filter(polars.Series(counts[home] > 0))
    usual = (
        table.group_by("code", "first", "pattern")
        .agg(times=polars.len(), number=polars.col("number").min())
        .sort("times", "number", descending=[True, False])
        .unique(["code", "first"], keep="first", maintain_order=True)
    )
    dictionaries: tuple[dict[int, list[int]], dict[int, list[int]]] = ({}, {})
    for code, first, number in usual.select("code", "first", "number").sort("code").iter_rows():
        own = inside[bounds[number] : bounds[number + 1]].tolist()
        if own != ([0] if words.names[code] else []):
            dictionaries[0 if first else 1][code] = own
    odd = table.join(usual, on=["code", "first", "pattern"], how="anti", maintain_order="left")
    offsets = np.concatenate(([0], np.cumsum(counts)))
    strange = np.unique(home[odd["number"].to_numpy()])
    exceptions = {int(t): begins[offsets[t] : offsets[t + 1]].tolist() for t in strange}
    return (*dictionaries, exceptions)


def pack_tokens(
    items: Items, words: WordCodes, table: TokenTable, state: NDArray[np.uint8] | None = None
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
    return pack_columns(head, planes(later, 2), planes(counts, 2), planes(level, 3))


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
