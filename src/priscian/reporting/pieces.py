"""How texts are split into tokens, stored by word: a word is nearly always split alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priscian.reporting.words import Ints, Words
from priscian.runs import TokenTable

SPACE = 32
SPACES = np.array([9, 10, 11, 12, 13, SPACE, 0x85, 0xA0, 0x2028, 0x2029, 0x202F, 0x3000])
FAR = np.iinfo(np.int64).max


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


def cut(texts: Sequence[str], words: Words, table: TokenTable) -> Pieces:
    """Pieces of texts; tokens that begin at one character, or at spaces before it, are one."""
    letters = np.frombuffer("\0".join((*texts, "")).encode("utf-32-le", "surrogatepass"), "<u4")
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    places = np.concatenate(([0], np.cumsum(lengths + 1)))  # (texts + 1,)
    text, begins, bits = _merge(letters, lengths, places, table)
    counts = np.bincount(text, minlength=len(texts)).astype(np.int64)
    first, later, odd = _explain(letters, words, places, text, begins, counts)
    return Pieces(counts, begins, bits, first, later, odd, _alike(letters, lengths, places))


def _alike(letters: NDArray[np.uint32], lengths: Ints, places: Ints) -> Ints:
    """How many characters the texts of each pair share at the beginning."""
    most = np.minimum(lengths[0:-1:2], lengths[1::2])
    pair = np.repeat(np.arange(len(most)), most)
    k = np.arange(len(pair)) - np.repeat(np.cumsum(most) - most, most)
    other = letters[places[2 * pair] + k] != letters[places[2 * pair + 1] + k]
    found = most.copy()
    np.minimum.at(found, pair[other], k[other])
    return found


def _merge(
    letters: NDArray[np.uint32], lengths: Ints, places: Ints, table: TokenTable
) -> tuple[Ints, Ints, NDArray[np.float64]]:
    """Text, beginning and bits of each piece."""
    index = np.where(np.isin(letters, SPACES), FAR, np.arange(len(letters)))
    visible = np.minimum.accumulate(index[::-1])[::-1]  # the next character that is not a space
    text = np.repeat(np.arange(len(lengths)), np.diff(table.offsets))
    at = np.minimum(places[text] + table.starts, places[text + 1] - 1)
    begins = visible[at] - places[text]
    new = np.ones(len(text), bool)
    same_text = text[1:] == text[:-1]
    new[1:] = ~same_text | (begins[1:] != begins[:-1])
    new[1:] &= ~same_text | (begins[1:] < lengths[text[1:]])  # not after the text
    group = np.cumsum(new) - 1
    total = np.bincount(group, weights=table.bits, minlength=int(new.sum()))
    bits: NDArray[np.float64] = total.astype(np.float64)
    home: Ints = text[new].astype(np.int64)
    places_of: Ints = np.minimum(begins[new], lengths[home]).astype(np.int64)
    return home, places_of, bits


def _explain(
    letters: NDArray[np.uint32], words: Words, places: Ints, text: Ints, begins: Ints, counts: Ints
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
    table = polars.DataFrame(
        {
            "code": words.codes,
            "first": word_at == places[home],
            "pattern": _patterns(inside, bounds),
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


def _patterns(inside: Ints, bounds: Ints) -> NDArray[np.uint64]:
    """A number for the set of places at which the pieces of each word begin."""
    mixed = (inside.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    total = np.concatenate((np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)))
    return total[bounds[1:]] - total[bounds[:-1]]
