"""The prefix tree of all texts, packed into rows, so that a shared beginning is read once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from priscian.models import Encoding, TokenBatch
from priscian.scoring.batches import Batch, Queries, common_length, own, pad


@dataclass(slots=True)
class Row:
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
class Tree:
    """Texts in the order of their ids, packed into rows of about `row_tokens` tokens."""

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
        row, members = Row(), list[int]()
        for i in order:
            ids = encodings[i].ids
            if members and len(row.ids) + row.cost(ids) > self.row_tokens:
                yield members
                row, members = Row(), []
            row.add(ids)
            members.append(i)
        if members:
            yield members

    def build(self, encodings: Sequence[Encoding]) -> Batch:
        """Rows with the parent of every token, and the queries of every text."""
        rows: list[Row] = []
        queries = Queries()
        members = []
        for packed in self._pack(range(len(encodings)), encodings):
            row = Row()
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
    row = Row()
    for encoding in sorted(encodings, key=lambda e: e.ids):
        row.add(encoding.ids)
    return len(row.ids) / whole if whole else 1.0
