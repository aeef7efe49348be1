"""Actions of a grammar as numbers, and a batch of known action sequences laid out step by step.

A row holds action ids: 0 is REDUCE, 1 + l is NT of label l, L + v is SHIFT of the word with id v
of the vocabulary (from 1), where L is the number of labels; −1 pads. A network decides between
*kinds*: 0 REDUCE, 1 SHIFT, 2 + l NT of label l.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

PADDING = -1
REDUCING, SHIFTING, OPENING = 0, 1, 2
KINDS = 2
"""Kinds of actions that have no label."""


class Limits(Protocol):
    """What decides which actions are valid."""

    @property
    def labels(self) -> tuple[str, ...]: ...
    @property
    def most_open(self) -> int: ...
    @property
    def most_opening(self) -> int: ...


def valid_kinds(opened: Tensor, run: Tensor, limits: Limits) -> Tensor:
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
    """The constituents that are closed at one step, those with most children first."""

    rows: Tensor  # (n,) places in the batch
    labels: Tensor  # (n,)
    children: Tensor  # (n, most) cells, 0 beyond the last child
    counts: Tensor  # (n,)


@dataclass(frozen=True, slots=True)
class Oracle:
    """A batch of action sequences; the action of row r at step t makes cell 1 + t · batch + r.

    Cell 0 is the guard at the bottom of every stack.
    """

    batch: int
    time: int
    kinds: Tensor  # (time, batch)
    active: Tensor  # (time, batch), False behind the end of a row
    choices: Tensor  # (actions,) the kinds of active steps
    valid: Tensor  # (actions, kinds)
    words: Tensor  # (words,) from 0
    word_places: Tensor  # (words,) in time · batch
    labels: Tensor  # (openings,)
    label_places: Tensor  # (openings,)
    below: Tensor  # (time, batch) the cell under the one that the action makes
    closings: tuple[Closing | None, ...]  # (time,)
    tokens: int
    """Words and sentence ends."""

    @classmethod
    def read(cls, rows: Tensor, limits: Limits) -> Oracle:
        """From rows of action ids: (batch, time)."""
        labels = len(limits.labels)
        ids = rows.t().contiguous()  # (time, batch)
        time, batch = ids.shape
        active = ids != PADDING
        kinds = torch.where(ids > labels, SHIFTING, ids + OPENING - 1)
        kinds = torch.where((ids == 0) | ~active, REDUCING, kinds)
        flat = ids.reshape(-1)
        word_places = (flat > labels).nonzero()[:, 0]
        label_places = ((flat > 0) & (flat <= labels)).nonzero()[:, 0]
        plan = _Plan(rows.cpu().numpy(), labels)
        opened, run = (torch.from_numpy(a).to(rows.device)[active] for a in (plan.opened, plan.run))
        return cls(
            batch, time, kinds, active, kinds[active], valid_kinds(opened, run, limits),
            flat[word_places] - labels - 1, word_places, flat[label_places] - 1, label_places,
            torch.from_numpy(plan.below).to(rows.device), plan.closings(rows.device),
            len(word_places) + batch,
        )  # fmt: skip


class _Plan:
    """The stacks of all rows, step by step."""

    def __init__(self, rows: np.ndarray[tuple[int, int], np.dtype[np.int64]], labels: int) -> None:
        batch, time = rows.shape
        self.below = np.zeros((time, batch), np.int64)
        self.opened = np.zeros((time, batch), np.int64)
        self.run = np.zeros((time, batch), np.int64)
        self.closed: list[list[tuple[int, int, list[int]]]] = [[] for _ in range(time)]
        for row in range(batch):
            self._follow(row, rows[row].tolist(), labels, batch)

    def _follow(self, row: int, ids: list[int], labels: int, batch: int) -> None:
        stack = [0]
        opens: list[tuple[int, int]] = []  # place in the stack, label
        run = 0
        for at, action in enumerate(ids):
            if action == PADDING:
                break
            self.opened[at, row], self.run[at, row] = len(opens), run
            run = run + 1 if 0 < action <= labels else 0
            if action == 0:
                place, label = opens.pop()
                self.closed[at].append((row, label, stack[place + 1 :]))
                del stack[place:]
            elif action <= labels:
                opens.append((len(stack), action - 1))
            self.below[at, row] = stack[-1]
            stack.append(1 + at * batch + row)

    def closings(self, device: torch.device) -> tuple[Closing | None, ...]:
        """For each step the constituents closed there."""
        return tuple(_closing(found, device) if found else None for found in self.closed)


def _closing(found: list[tuple[int, int, list[int]]], device: torch.device) -> Closing:
    found = sorted(found, key=lambda one: -len(one[2]))
    most = len(found[0][2])
    children = [[*cells, *[0] * (most - len(cells))] for _, _, cells in found]
    rows, labels, counts = zip(*((row, lab, len(c)) for row, lab, c in found), strict=True)
    return Closing(*(torch.tensor(v, device=device) for v in (rows, labels, children, counts)))
