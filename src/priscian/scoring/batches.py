"""From texts to token batches: packed trees, shared beginnings, plain rows, masked rows.

A way of batching (`Batching`) does two things: `group` divides the texts into batches, once, from
the full list; `build` turns one batch into arrays. Both are pure, so a plan is reproducible.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

import numpy as np

from priscian.models import Encoding, TokenBatch


@dataclass(frozen=True, slots=True)
class Batch:
    """Arrays for the model, and for each text the queries that score its own tokens.

    A query of -1 is a token that nothing precedes, which a model without BOS cannot score.
    """

    tokens: TokenBatch
    members: tuple[tuple[int, ...], ...]

    def collect(self, answers: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[list[float]]:
        """Log-probabilities of every text's own tokens, from the answers to the queries."""
        values = [*answers.tolist(), float("nan")]
        return [[values[q] for q in queries] for queries in self.members]


class Batching(Protocol):
    """A way to divide texts into batches."""

    @property
    def name(self) -> str:
        """Its name in the plan."""
        ...

    def group(self, encodings: Sequence[Encoding]) -> list[list[int]]:
        """Batches as lists of indices into the encodings; each index in exactly one."""
        ...

    def build(self, encodings: Sequence[Encoding]) -> Batch:
        """The arrays of one batch."""
        ...


class Queries:
    """Collects (row, column, target) without repeating any."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, int]] = []
        self.index: dict[tuple[int, int, int], int] = {}

    def ask(self, row: int, column: int, target: int) -> int:
        """The number of the query, new or old."""
        query = (row, column, target)
        number = self.index.setdefault(query, len(self.rows))
        if number == len(self.rows):
            self.rows.append(query)
        return number

    def array(self) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        """All queries, (n, 3)."""
        return np.array(self.rows, dtype=np.int64).reshape(-1, 3)


def pad(
    rows: Sequence[Sequence[int]], value: int = 0
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Rows of unequal length as one array."""
    width = max((len(row) for row in rows), default=0)
    out = np.full((len(rows), max(width, 1)), value, dtype=np.int64)
    for i, row in enumerate(rows):
        out[i, : len(row)] = row
    return out


def own(encoding: Encoding) -> range:
    """Positions of the text's own tokens in its ids."""
    return range(encoding.first, encoding.first + len(encoding.starts))


@dataclass(frozen=True, slots=True)
class Rows:
    """Plain rows of similar length, read from left to right."""

    batch_tokens: int
    name: str = "rows"

    def group(self, encodings: Sequence[Encoding]) -> list[list[int]]:
        """Texts by length, filled up to the budget of tokens."""
        order = sorted(
            range(len(encodings)), key=lambda i: (-len(encodings[i].ids), encodings[i].ids)
        )
        groups: list[list[int]] = []
        width = 0
        for i in order:
            if not groups or width * (len(groups[-1]) + 1) > self.batch_tokens:
                groups.append([])
                width = len(encodings[i].ids)
            groups[-1].append(i)
        return groups

    def build(self, encodings: Sequence[Encoding]) -> Batch:
        """One row per text; its last token is never read, only predicted."""
        queries = Queries()
        members = tuple(
            tuple(queries.ask(row, j - 1, e.ids[j]) if j else -1 for j in own(e))
            for row, e in enumerate(encodings)
        )
        read = [e.ids[:-1] or e.ids for e in encodings]
        lengths = np.array([len(ids) for ids in read], dtype=np.int64)
        return Batch(TokenBatch(pad(read), lengths, queries.array()), members)


@dataclass(frozen=True, slots=True)
class SharedBeginnings:
    """Reads the shared beginning of texts once and continues from its key–value cache."""

    batch_tokens: int
    name: str = "cache"

    def group(self, encodings: Sequence[Encoding]) -> list[list[int]]:
        """Runs of neighbours, in the order of their ids, with equally long shared beginnings."""
        by_length: dict[int, list[list[int]]] = {}
        for cluster, shared in self._clusters(encodings):
            by_length.setdefault(shared, []).append(cluster)
        groups: list[list[int]] = []
        for shared in sorted(by_length, reverse=True):
            room = 0
            for cluster in by_length[shared]:
                cost = shared + sum(len(encodings[i].ids) - shared for i in cluster)
                if room < cost:
                    groups.append([])
                    room = self.batch_tokens
                groups[-1].extend(cluster)
                room -= cost
        return groups

    def _clusters(self, encodings: Sequence[Encoding]) -> list[tuple[list[int], int]]:
        """Neighbours that share more than half of the shorter text, and how much they share."""
        clusters: list[tuple[list[int], int]] = []
        for i in sorted(range(len(encodings)), key=lambda i: encodings[i].ids):
            ids = encodings[i].ids
            if clusters:
                cluster, shared = clusters[-1]
                limit = shared if len(cluster) > 1 else len(ids)
                common = min(common_length(encodings[cluster[0]].ids, ids), limit, len(ids) - 1)
                least = min(len(encodings[j].ids) for j in (*cluster, i))
                if common >= 1 and common * 2 > least - 1 and common < least:
                    clusters[-1] = ([*cluster, i], common)
                    continue
            clusters.append(([i], max(len(ids) // 2, 1)))
        return clusters

    def build(self, encodings: Sequence[Encoding]) -> Batch:
        """Beginnings as prefix rows, the rest of every text as a row that continues one."""
        shared = min(s for _, s in self._clusters(encodings))
        beginnings: dict[tuple[int, ...], int] = {}
        owner = [beginnings.setdefault(e.ids[:shared], len(beginnings)) for e in encodings]
        read = [e.ids[shared:-1] or e.ids[-1:] for e in encodings]
        queries = Queries()
        members = tuple(
            tuple(queries.ask(row, j - 1, e.ids[j]) if j else -1 for j in own(e))
            for row, e in enumerate(encodings)
        )
        tokens = TokenBatch(
            ids=pad(read),
            lengths=np.array([len(ids) for ids in read], dtype=np.int64),
            queries=queries.array(),
            prefix=np.array(list(beginnings), dtype=np.int64),
            owner=np.array(owner, dtype=np.int64),
        )
        return Batch(tokens, members)


@dataclass(frozen=True, slots=True)
class MaskedRows:
    """Every text once for each of its tokens, with that token masked; equal inputs only once."""

    batch_tokens: int
    mask_id: int
    pll: str
    name: str = "masked"

    def group(self, encodings: Sequence[Encoding]) -> list[list[int]]:
        """Texts of one length together, so that nothing is padded, in batches of one size.

        They keep their order, so the two sentences of a pair are in the same batch, and
        the inputs in which the difference is masked are the same.
        """
        by_length: dict[int, list[int]] = {}
        for i, encoding in enumerate(encodings):
            by_length.setdefault(len(encoding.ids), []).append(i)
        groups: list[list[int]] = []
        for length in sorted(by_length, reverse=True):
            texts = by_length[length]
            cost = length * max(len(encodings[i].starts) or 1 for i in texts)
            parts = math.ceil(len(texts) / max(self.batch_tokens // cost, 1))
            ends = [len(texts) * k // parts for k in range(parts + 1)]
            groups += [texts[start:end] for start, end in pairwise(ends)]
        return groups

    def build(self, encodings: Sequence[Encoding]) -> Batch:
        """One row for each distinct masked input."""
        from priscian.models.hf.masked import hidden_with

        inputs: dict[tuple[int, ...], int] = {}
        queries = Queries()
        members = []
        for encoding in encodings:
            mine = []
            for token, place in enumerate(own(encoding)):
                ids = list(encoding.ids)
                for other in hidden_with(token, encoding.words, self.pll):
                    ids[encoding.first + other] = self.mask_id
                row = inputs.setdefault(tuple(ids), len(inputs))
                mine.append(queries.ask(row, place, encoding.ids[place]))
            members.append(tuple(mine))
        rows = list(inputs)
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        return Batch(TokenBatch(pad(rows), lengths, queries.array()), tuple(members))


def common_length(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens two texts share from their beginning."""
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count


@dataclass(slots=True)
class _Row:
    """One packed row while it is filled: tokens, parents, and the path to the last text."""

    ids: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    path: list[int] = field(default_factory=list)  # columns of the last text's tokens
    last: tuple[int, ...] = ()

    def cost(self, ids: tuple[int, ...]) -> int:
        """How many tokens a text would add."""
        return max(len(ids) - 1 - self._shared(ids), 0)

    def _shared(self, ids: tuple[int, ...]) -> int:
        return min(common_length(self.last, ids), len(self.path))

    def add(self, ids: tuple[int, ...]) -> list[int]:
        """Add a text without its last token, which is only predicted; return its columns."""
        keep = self._shared(ids)
        del self.path[keep:]
        for token in ids[keep:-1]:
            self.parents.append(self.path[-1] if self.path else -1)
            self.path.append(len(self.ids))
            self.ids.append(token)
        self.last = ids
        return self.path


@dataclass(frozen=True, slots=True)
class PackedTree:
    """The prefix tree of all texts, packed into rows, so that a shared beginning is read once.

    Texts are in the order of their ids, and rows have about `row_tokens` tokens.
    """

    row_tokens: int
    rows: int
    name: str = "tree"

    def group(self, encodings: Sequence[Encoding]) -> list[list[int]]:
        """A batch is `rows` rows; a text longer than a row has a batch of its own."""
        order = sorted(range(len(encodings)), key=lambda i: encodings[i].ids)
        groups: list[list[int]] = []
        room = 0
        for members in self._pack(order, encodings):
            long = len(encodings[members[0]].ids) - 1 > self.row_tokens
            if room == 0 or long:
                groups.append([])
                room = 1 if long else self.rows
            groups[-1].extend(members)
            room -= 1
        return groups

    def _pack(self, order: Sequence[int], encodings: Sequence[Encoding]) -> Iterator[list[int]]:
        row, members = _Row(), list[int]()
        for i in order:
            ids = encodings[i].ids
            if members and len(row.ids) + row.cost(ids) > self.row_tokens:
                yield members
                row, members = _Row(), []
            row.add(ids)
            members.append(i)
        if members:
            yield members

    def build(self, encodings: Sequence[Encoding]) -> Batch:
        """Rows with the parent of every token, and the queries of every text."""
        rows: list[_Row] = []
        queries = Queries()
        members = []
        for packed in self._pack(range(len(encodings)), encodings):
            row = _Row()
            for i in packed:
                encoding = encodings[i]
                path = row.add(encoding.ids)
                members.append(
                    tuple(
                        queries.ask(len(rows), path[j - 1], encoding.ids[j]) if j else -1
                        for j in own(encoding)
                    )
                )
            if not row.ids:  # texts of one token without BOS: nothing to read, nothing to score
                row.ids, row.parents = [0], [-1]
            rows.append(row)
        tokens = TokenBatch(
            ids=pad([row.ids for row in rows]),
            lengths=np.array([len(row.ids) for row in rows], dtype=np.int64),
            queries=queries.array(),
            parents=pad([row.parents for row in rows], -1),
        )
        return Batch(tokens, tuple(members))


def share_of_work(encodings: Sequence[Encoding]) -> float:
    """Tokens that a global prefix tree reads, as a share of those read one text at a time."""
    whole = sum(len(e.ids) - 1 for e in encodings)
    row = _Row()
    for encoding in sorted(encodings, key=lambda e: e.ids):
        row.add(encoding.ids)
    return len(row.ids) / whole if whole else 1.0
