"""Actions of a grammar as numbers, and a batch of known action sequences laid out for training.

A row holds action ids: 0 is REDUCE, 1 + l is NT of label l, L + v is SHIFT of the word with id v
of the vocabulary (from 1), where L is the number of labels; −1 pads. A network decides between
*kinds*: 0 REDUCE, 1 SHIFT, 2 + l NT of label l.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Protocol

import torch
from torch import Tensor

PADDING = -1
REDUCING, SHIFTING, OPENING = 0, 1, 2
KINDS = 2
"""Kinds of actions that have no label."""


class GrammarLimits(Protocol):
    """What decides which actions are valid."""

    @property
    def labels(self) -> tuple[str, ...]: ...
    @property
    def most_open(self) -> int: ...
    @property
    def most_opening(self) -> int: ...


def valid_kinds(opened: Tensor, run: Tensor, limits: GrammarLimits) -> Tensor:
    """Which kinds may follow: (n,), (n,) → (n, kinds).

    `opened` counts open constituents, `run` the NT actions just before. A sentence begins with NT,
    and a constituent is not closed before it has a child.
    """
    reduce = (opened > 0) & (run == 0)
    shift = opened > 0
    opens = (opened < limits.most_open) & (run < limits.most_opening)
    return torch.cat(
        [reduce[:, None], shift[:, None], opens[:, None].expand(-1, len(limits.labels))], 1
    )


@dataclass(frozen=True, slots=True)
class Closing:
    """Closed constituents of the same height, those with most children first."""

    labels: Tensor  # (n,)
    children: Tensor  # (n, most) places of vectors, 0 beyond the last child
    counts: Tensor  # (n,)

    @classmethod
    def of(cls, found: list[tuple[int, list[int]]], vectors: Tensor) -> Closing:
        """From labels and children, and the place of every vector."""
        labels, lists = zip(*found, strict=True)
        counts = [len(children) for children in lists]
        children = [[*some, *[0] * (counts[0] - len(some))] for some in lists]
        new = partial(torch.tensor, device=vectors.device)
        return cls(new(labels), vectors[new(children)], new(counts))


@dataclass(frozen=True, slots=True)
class Oracle:
    """A batch of action sequences, laid out so that as much as possible is computed at once.

    Every action but the last of a row pushes a vector. A composed vector depends on those of its
    children alone, so all constituents of a height are composed together; the state of a cell
    depends on the cell below it alone, so all cells of a depth are computed together. Actions are
    in the order of rows. Vectors are those of words, then of opened labels, then of closed
    constituents, lowest first; cells begin with the guard (0) at the bottom of every stack.
    """

    active: Tensor  # (batch, time), False behind the end of a row
    kinds: Tensor  # (batch, time)
    choices: Tensor  # (actions,)
    valid: Tensor  # (actions, kinds)
    words: Tensor  # (words,) from 0
    labels: Tensor  # (openings,)
    closings: tuple[Closing, ...]
    pushed: Tensor  # (cells - 1,) the vector of each cell but the guard
    below: tuple[Tensor, ...]  # for each depth the cells under its cells
    tops: Tensor  # (actions,) the cell on top before each action
    tokens: int
    """Words and sentence ends."""

    @classmethod
    def read(cls, rows: Tensor, limits: GrammarLimits) -> Oracle:
        """From rows of action ids: (batch, time)."""
        labels = len(limits.labels)
        active = rows != PADDING
        kinds = torch.where(rows > labels, SHIFTING, rows + OPENING - 1)
        kinds = torch.where((rows == 0) | ~active, REDUCING, kinds)
        ids = rows[active]
        stacks = _Stacks(rows.tolist(), labels)
        opened, run, vectors, tops = (
            torch.tensor(v, device=rows.device)
            for v in (stacks.opened, stacks.run, stacks.vectors(), stacks.tops)
        )
        depth = torch.tensor(stacks.depth, device=rows.device)
        order = depth.argsort(stable=True)
        cells = torch.empty_like(order)
        cells[order] = torch.arange(len(order), device=rows.device)
        below = cells[torch.tensor(stacks.below, device=rows.device)][order]
        return cls(
            active, kinds, kinds[active], valid_kinds(opened, run, limits),
            ids[ids > labels] - labels - 1, ids[(ids > 0) & (ids <= labels)] - 1,
            tuple(Closing.of(found, vectors) for found in stacks.heights()),
            vectors[order[1:]], torch.split(below, depth.bincount().tolist())[1:], cells[tops],
            int((ids > labels).sum()) + len(rows),
        )  # fmt: skip


class _Stacks:
    """The stacks of all rows; what is pushed is numbered from 1, the guard is 0."""

    def __init__(self, rows: list[list[int]], labels: int) -> None:
        self.below, self.depth = [0], [0]
        self.height = [0]
        self.opened: list[int] = []
        self.run: list[int] = []
        self.tops: list[int] = []
        self.words: list[int] = []
        self.openings: list[int] = []
        self.closed: dict[int, tuple[int, list[int]]] = {}
        for ids in rows:
            self._follow(ids, labels)

    def _follow(self, ids: list[int], labels: int) -> None:
        stack = [0]
        opens: list[tuple[int, int]] = []  # place in the stack, label
        run = 0
        for action in ids:
            if action == PADDING:
                break
            self.opened.append(len(opens))
            self.run.append(run)
            self.tops.append(stack[-1])
            run = run + 1 if 0 < action <= labels else 0
            new, height = len(self.below), 0
            if action == 0:
                place, label = opens.pop()
                if not opens:
                    break
                children = stack[place + 1 :]
                del stack[place:]
                self.closed[new] = label, children
                height = 1 + max(self.height[child] for child in children)
            elif action <= labels:
                opens.append((len(stack), action - 1))
                self.openings.append(new)
            else:
                self.words.append(new)
            self.below.append(stack[-1])
            self.depth.append(len(stack))
            self.height.append(height)
            stack.append(new)

    def heights(self) -> list[list[tuple[int, list[int]]]]:
        """Labels and children of closed constituents, lowest first."""
        return [[self.closed[number] for number in level] for level in self._levels()]

    def vectors(self) -> list[int]:
        """Where the vector of everything that is pushed has its place."""
        order = [*self.words, *self.openings, *chain(*self._levels())]
        places = [0] * len(self.below)
        for place, number in enumerate(order):
            places[number] = place
        return places

    def _levels(self) -> list[list[int]]:
        levels: list[list[int]] = [[] for _ in range(max(self.height))]
        for number in self.closed:
            levels[self.height[number] - 1].append(number)
        for level in levels:
            level.sort(key=lambda number: -len(self.closed[number][1]))
        return levels
