"""Trees that are being built, many at once; a hypothesis is the cell on top of its stack.

Every action puts one cell on the stack. A cell knows the one below it, so hypotheses that begin
alike share their stacks, and nothing is copied when one of them goes several ways.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from priscian.models.networks.actions import OPENING, REDUCING, SHIFTING, valid_kinds
from priscian.models.networks.rnng import Rnng

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
FACTS = ("below", "label", "opened", "run", "trace")
"""Of each cell: the one below it, its label if it is open (else −1), constituents that are open,
NT actions just before, and its place in the record of actions."""
BEGINNING = -1
"""The trace of a hypothesis that has done nothing."""


class Hypotheses:
    """Cells with their vectors and states, and a record of all actions."""

    def __init__(self, network: Rnng) -> None:
        self.network = network
        shape = network.shape
        full = shape.history == "full"
        past = [network.past_actions.size, network.past_words.size] if full else [0, 0]
        ends = np.cumsum([shape.embedding, network.stack.size, *past]).tolist()
        self._parts = [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]
        self.rows = network.guard.new_zeros(1024, ends[-1])
        self.facts: dict[str, Ints] = {name: np.zeros(1024, np.int64) for name in FACTS}
        self.used = 1
        guard = network.guard[None]
        self._put(0, "vector", guard)
        self._put(0, "stack", network.stack.step(guard, network.stack.start(1)))
        self.facts["label"][0], self.facts["trace"][0] = 0, BEGINNING  # a reduction stops here
        self.previous: list[Ints] = []
        self.acted: list[Ints] = []
        self.traces = 0

    # ------------------------------------------------------------ decisions

    def features(self, cells: Ints) -> Tensor:
        """u of hypotheses: (n, width)."""
        network, index = self.network, torch.from_numpy(cells)
        seen = [network.stack.top(self._get("stack", index))]
        if network.shape.history == "full":
            seen.append(network.past_actions.top(self._get("actions", index)))
            seen.append(network.past_words.top(self._get("words", index)))
        return network.features(torch.cat(seen, 1))

    def action_logprobs(self, cells: Ints, u: Tensor) -> Floats:
        """Of each valid kind; −∞ elsewhere: (n, kinds)."""
        opened, run = (torch.from_numpy(self.facts[name][cells]) for name in ("opened", "run"))
        valid = valid_kinds(opened, run, self.network.shape)
        found: Floats = self.network.action_logprobs(u, valid).double().numpy()
        return found

    # ------------------------------------------------------------ actions

    def open(self, cells: Ints, labels: Ints) -> Ints:
        """NT: the hypotheses after it."""
        vectors = self.network.labels[torch.from_numpy(labels)]
        new = self._push(cells, cells, vectors, labels + OPENING)
        self.facts["label"][new] = labels
        self.facts["opened"][new] = self.facts["opened"][cells] + 1
        self.facts["run"][new] = self.facts["run"][cells] + 1
        return new

    def shift(self, cells: Ints, words: Ints) -> Ints:
        """SHIFT of a word each: the hypotheses after it."""
        vectors = self.network.words.embed(torch.from_numpy(words))
        new = self._push(cells, cells, vectors, np.full(len(cells), SHIFTING))
        self.facts["opened"][new] = self.facts["opened"][cells]
        return new

    def reduce(self, cells: Ints) -> Ints:
        """REDUCE: the hypotheses after it."""
        children, counts, opens = self._children(cells)
        order = np.argsort(-counts, kind="stable")
        vectors = self._get("vector", torch.from_numpy(children[order].reshape(-1)))
        vectors = vectors.view(len(cells), children.shape[1], -1)  # (n, most, width)
        labels = torch.from_numpy(self.facts["label"][opens[order]])
        made = self.network.compose(
            self.network.labels[labels], vectors, torch.from_numpy(counts[order])
        )
        back = torch.from_numpy(np.argsort(order))
        below = self.facts["below"][opens]
        new = self._push(cells, below, made[back], np.full(len(cells), REDUCING))
        self.facts["opened"][new] = self.facts["opened"][cells] - 1
        return new

    def _children(self, cells: Ints) -> tuple[Ints, Ints, Ints]:
        """Children of what is open on top, from left to right; their number; the open cell."""
        label, below = self.facts["label"], self.facts["below"]
        columns: list[Ints] = []
        at = cells.copy()
        counts = np.zeros(len(cells), np.int64)
        while len(going := np.flatnonzero(label[at] < 0)):
            column = np.zeros(len(cells), np.int64)
            column[going] = at[going]
            columns.append(column)
            counts[going] += 1
            at[going] = below[at[going]]
        backwards = np.stack(columns, 1)  # (n, most), the last child first
        places = np.clip(counts[:, None] - 1 - np.arange(len(columns)), 0, None)
        return np.take_along_axis(backwards, places, 1), counts, at

    def _push(self, cells: Ints, below: Ints, vectors: Tensor, kinds: Ints) -> Ints:
        network, count = self.network, len(cells)
        new = self._reserve(count)
        self._put(new[0] if count else 0, "vector", vectors)
        states = self._get("stack", torch.from_numpy(below))
        self._put(new[0] if count else 0, "stack", network.stack.step(vectors, states))
        if network.shape.history == "full" and count:
            index = torch.from_numpy(cells)
            given = network.actions[torch.from_numpy(kinds)]
            acted = network.past_actions.step(given, self._get("actions", index))
            self._put(new[0], "actions", acted)
            spoken = self._get("words", index)
            if kinds[0] == SHIFTING:  # all actions of a call are of one kind
                spoken = network.past_words.step(vectors, spoken)
            self._put(new[0], "words", spoken)
        self.facts["below"][new] = below
        self.facts["label"][new] = -1
        self.facts["run"][new] = 0
        self.facts["trace"][new] = np.arange(self.traces, self.traces + count)
        self.previous.append(self.facts["trace"][cells])
        self.acted.append(kinds)
        self.traces += count
        return new

    # ------------------------------------------------------------ memory

    def keep(self, cells: Ints) -> Ints:
        """Forget all cells that these hypotheses do not stand on; their new numbers."""
        alive = np.zeros(self.used, np.bool_)
        alive[0] = True
        ahead = np.unique(cells)
        while len(ahead := ahead[~alive[ahead]]):
            alive[ahead] = True
            ahead = np.unique(self.facts["below"][ahead])
        kept = np.flatnonzero(alive)
        number = np.zeros(self.used, np.int64)
        number[kept] = np.arange(len(kept))
        self.rows[: len(kept)] = self.rows[torch.from_numpy(kept)]
        for name in FACTS:
            values = self.facts[name][kept]
            self.facts[name][: len(kept)] = number[values] if name == "below" else values
        self.used = len(kept)
        return number[cells]

    def actions_of(self, cell: int) -> list[int]:
        """The kinds of all actions of a hypothesis, from the first."""
        previous = np.concatenate([np.empty(0, np.int64), *self.previous])
        acted = np.concatenate([np.empty(0, np.int64), *self.acted])
        self.previous, self.acted = [previous], [acted]
        found: list[int] = []
        at = int(self.facts["trace"][cell])
        while at != BEGINNING:
            found.append(int(acted[at]))
            at = int(previous[at])
        return found[::-1]

    def _reserve(self, count: int) -> Ints:
        first, self.used = self.used, self.used + count
        room = len(self.rows)
        if self.used > room:
            wanted = max(self.used, 2 * room) - room
            self.rows = torch.cat([self.rows, self.rows.new_zeros(wanted, self.rows.shape[1])])
            for name in FACTS:
                self.facts[name] = np.concatenate([self.facts[name], np.zeros(wanted, np.int64)])
        return np.arange(first, self.used)

    def _part(self, name: str) -> slice:
        return self._parts[("vector", "stack", "actions", "words").index(name)]

    def _get(self, name: str, index: Tensor) -> Tensor:
        return self.rows[:, self._part(name)].index_select(0, index)

    def _put(self, first: Any, name: str, values: Tensor) -> None:
        self.rows[int(first) : int(first) + len(values), self._part(name)] = values
