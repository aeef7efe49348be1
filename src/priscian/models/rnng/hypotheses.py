"""Trees that are being built, many at once; a hypothesis is the cell on top of its stack.

Every action puts one cell on the stack. A cell knows the one below it, so hypotheses that begin
alike share their stacks, and nothing is copied when one of them goes several ways. Vectors stand in
a table of their own: a constituent that several hypotheses close at once is composed once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from priscian.models.networks.actions import OPENING, REDUCING, SHIFTING, valid_kinds
from priscian.models.networks.rnng import Rnng

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
FACTS = ("below", "vector", "label", "opened", "run", "trace")
"""Of each cell: the one below it, its vector, its label if it is open (else −1), constituents that
are open, NT actions just before, and its place in the record of actions."""
BEGINNING = -1
"""The trace of a hypothesis that has done nothing."""


class _Table:
    """Rows of numbers that become more and fewer."""

    def __init__(self, width: int, like: Tensor) -> None:
        self.rows = like.new_zeros(1024, width)
        self.used = 0

    def add(self, values: Tensor) -> Ints:
        """The places of new rows: (n, width) → (n,)."""
        first, self.used = self.used, self.used + len(values)
        if self.used > len(self.rows):
            wanted = max(self.used, 2 * len(self.rows)) - len(self.rows)
            self.rows = torch.cat([self.rows, self.rows.new_zeros(wanted, self.rows.shape[1])])
        self.rows[first : self.used] = values
        return np.arange(first, self.used)

    def keep(self, kept: Ints) -> Ints:
        """Forget all other rows: the new places of all rows, 0 of those forgotten."""
        number = np.zeros(self.used, np.int64)
        number[kept] = np.arange(len(kept))
        self.rows[: len(kept)] = self.rows[torch.from_numpy(kept)]
        self.used = len(kept)
        return number


class Hypotheses:
    """Cells with their states, vectors, and a record of all actions."""

    def __init__(self, network: Rnng) -> None:
        self.network = network
        shape = network.shape
        full = shape.history == "full"
        past = [network.past_actions.size, network.past_words.size] if full else [0, 0]
        ends = np.cumsum([network.stack.size, *past]).tolist()
        self._parts = [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]
        self.vectors = _Table(shape.embedding, network.guard)
        self.cells = _Table(ends[-1], network.guard)
        self.facts: dict[str, Ints] = {name: np.zeros(1024, np.int64) for name in FACTS}
        guard = network.guard[None]
        self.vectors.add(torch.cat([guard, network.labels]))  # the guard is 0, label l is 1 + l
        start = network.stack.step(guard, network.stack.start(1))
        self.cells.add(torch.cat([start, start.new_zeros(1, sum(past))], 1))
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
        new = self._push(cells, cells, labels + 1, labels + OPENING)
        self.facts["label"][new] = labels
        self.facts["opened"][new] = self.facts["opened"][cells] + 1
        self.facts["run"][new] = self.facts["run"][cells] + 1
        return new

    def shift(self, cells: Ints, words: Ints) -> Ints:
        """SHIFT of a word each: the hypotheses after it."""
        different, which = np.unique(words, return_inverse=True)
        vectors = self.vectors.add(self.network.words.embed(torch.from_numpy(different)))
        new = self._push(cells, cells, vectors[which], np.full(len(cells), SHIFTING))
        self.facts["opened"][new] = self.facts["opened"][cells]
        return new

    def reduce(self, cells: Ints) -> Ints:
        """REDUCE: the hypotheses after it."""
        children, counts, opens = self._children(cells)
        parts = np.where(children > 0, self.facts["vector"][children], 0)
        known = np.column_stack([-counts, self.facts["label"][opens], parts])
        different, which = np.unique(known, axis=0, return_inverse=True)  # most children first
        counts, labels, parts = -different[:, 0], different[:, 1], different[:, 2:]
        vectors = self.vectors.rows[torch.from_numpy(parts.reshape(-1))]
        made = self.network.compose(
            self.network.labels[torch.from_numpy(labels)],
            vectors.view(*parts.shape, -1),  # (n, most, width)
            torch.from_numpy(counts),
        )
        below = self.facts["below"][opens]
        vector = self.vectors.add(made)[which.reshape(-1)]
        new = self._push(cells, below, vector, np.full(len(cells), REDUCING))
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

    def _push(self, cells: Ints, below: Ints, vectors: Ints, kinds: Ints) -> Ints:
        network, count = self.network, len(cells)
        (some, of_vector), (under, of_below) = map(_different, (vectors, below))
        states = [
            network.stack.step_shared(
                self.vectors.rows[some], of_vector, self._get("stack", under), of_below
            )
        ]
        if network.shape.history == "full" and count:
            index = torch.from_numpy(cells)
            acted = network.actions[torch.from_numpy(kinds)]
            spoken = self._get("words", index)
            if kinds[0] == SHIFTING:  # all actions of a call are of one kind
                heard = self.vectors.rows[torch.from_numpy(vectors)]
                spoken = network.past_words.step(heard, spoken)
            states += [network.past_actions.step(acted, self._get("actions", index)), spoken]
        new = self.cells.add(torch.cat(states, 1))
        room = len(self.cells.rows) - len(self.facts["below"])
        if room:
            for name in FACTS:
                self.facts[name] = np.concatenate([self.facts[name], np.zeros(room, np.int64)])
        self.facts["below"][new] = below
        self.facts["vector"][new] = vectors
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
        alive = np.zeros(self.cells.used, np.bool_)
        alive[0] = True
        ahead = np.unique(cells)
        while len(ahead := ahead[~alive[ahead]]):
            alive[ahead] = True
            ahead = np.unique(self.facts["below"][ahead])
        kept = np.flatnonzero(alive)
        number = self.cells.keep(kept)
        lasting = np.arange(1 + len(self.network.shape.labels))
        vectors = self.vectors.keep(np.union1d(lasting, self.facts["vector"][kept]))
        renumbered = {"below": number, "vector": vectors}
        for name in FACTS:
            values = self.facts[name][kept]
            self.facts[name][: len(kept)] = (
                renumbered[name][values] if name in renumbered else values
            )
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

    def _get(self, name: str, index: Tensor) -> Tensor:
        part = self._parts[("stack", "actions", "words").index(name)]
        return self.cells.rows[:, part].index_select(0, index)


def _different(numbers: Ints) -> tuple[Tensor, Tensor]:
    """Different numbers, and where each number stands among them."""
    found, which = np.unique(numbers, return_inverse=True)
    return torch.from_numpy(found), torch.from_numpy(which)
