"""The recurrent neural network grammar (Dyer et al. 2016): words and their tree, left to right.

A stack holds words, open constituents and closed ones, each as a vector, and an LSTM reads it from
the bottom. Its top decides on the next action: NT(label) opens a constituent, SHIFT brings the next
word, REDUCE takes the children of the constituent opened last off the stack and puts one composed
vector in their place. So every action puts exactly one vector on the stack.

    u = ReLU(W · h_top),  p(action | u) over the valid actions,  p(word | SHIFT, u)

With `history = "full"` (Dyer's) u also sees LSTMs over all actions and over all words so far.
No action sees how long the sentence is going to be.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from priscian.errors import UsageError
from priscian.files.convert import Count, Share
from priscian.models.networks.actions import KINDS, SHIFTING, Oracle
from priscian.models.networks.cells import Cells, Memory
from priscian.models.networks.word_tables import WordTables, bands_for

HISTORIES = ("stack", "full")


@dataclass(frozen=True, slots=True)
class RnngShape:
    """Sizes of a network."""

    vocabulary: int
    """Ids of the vocabulary, the boundary included, which a grammar never shifts."""
    labels: tuple[str, ...] = ()
    embedding: Count = 256
    hidden: Count = 256
    layers: Count = 2
    dropout: Share = 0.3
    history: Literal["stack", "full"] = "stack"
    softmax: str = "adaptive"
    most_open: Count = 100
    """Constituents that may be open at once."""
    most_opening: Count = 8
    """NT actions that may follow one another."""


class Composition(nn.Module):
    """A closed constituent as one vector: LSTMs over its label and children, both ways."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.forward_cells = Cells(width, width, 1)
        self.backward_cells = Cells(width, width, 1)
        self.out = nn.Linear(2 * width, width)

    def forward(self, label: Tensor, children: Tensor, counts: Tensor) -> Tensor:
        """(n, width), (n, most, width), (n,) → (n, width); rows are sorted, most children first."""
        most = children.shape[1]
        places = torch.arange(most, device=counts.device)
        # the backward LSTM reads each row from its last child to its first
        turned = (counts[:, None] - 1 - places).clamp(min=0)
        reverse = children.gather(1, turned[:, :, None].expand_as(children))
        ends = []
        for cells, given in ((self.forward_cells, children), (self.backward_cells, reverse)):
            state = cells.step(label, cells.start(len(label)))
            done = []
            alive = len(label)
            for at in range(most):
                going = int((counts > at).sum())
                if going < alive:
                    done.append(state[going:alive])
                    alive = going
                state = cells.step(given[:alive, at], state[:alive])
            done.append(state)
            ends.append(cells.top(torch.cat(done[::-1])))
        return torch.relu(self.out(torch.cat(ends, 1)))


class Rnng(nn.Module):
    """Generates words and their tree."""

    def __init__(self, shape: RnngShape) -> None:
        super().__init__()
        if shape.history not in HISTORIES:
            raise UsageError(f"network.history = {shape.history!r}; it takes stack or full")
        if not shape.labels:
            raise UsageError("a grammar needs labels of constituents; train it on trees")
        self.shape = shape
        width, hidden = shape.embedding, shape.hidden
        self.words = WordTables(bands_for(shape.vocabulary - 1, width, shape.softmax))
        self.labels = nn.Parameter(torch.randn(len(shape.labels), width) * 0.5)
        self.guard = nn.Parameter(torch.randn(width) * 0.5)
        self.stack = Cells(width, hidden, shape.layers, shape.dropout)
        self.compose = Composition(width)
        seen = hidden
        if shape.history == "full":
            self.actions = nn.Parameter(torch.randn(KINDS + len(shape.labels), width) * 0.5)
            self.past_actions = Cells(width, hidden, shape.layers, shape.dropout)
            self.past_words = Cells(width, hidden, shape.layers, shape.dropout)
            seen = 3 * hidden
        self.decide = nn.Linear(seen, width)
        self.act = nn.Linear(width, KINDS + len(shape.labels))
        self.say = nn.Linear(width, width)
        self.drop = nn.Dropout(shape.dropout)

    # ------------------------------------------------------------ training

    def forward(self, rows: Tensor, memory: None = None) -> tuple[Tensor, None]:
        """Nats of trees and words for each word and sentence end: (batch, actions) → ().

        A row has action ids (`networks/actions.py`), padded at the end.
        """
        oracle = Oracle.read(rows, self.shape)
        with ExitStack() as together:
            for cells in self.modules():
                if isinstance(cells, Cells):
                    together.enter_context(cells.together())
            actions, words = self.losses(oracle)
        return (actions.sum() + words) / oracle.tokens, None

    def losses(self, oracle: Oracle) -> tuple[Tensor, Tensor]:
        """Surprisal of every action, and the summed surprisal of all words."""
        u = self.features(self.states(oracle))  # (actions, width)
        logits = self.act(u).masked_fill(~oracle.valid, -torch.inf)
        actions = functional.cross_entropy(logits, oracle.choices, reduction="none")
        shifts = (oracle.choices == SHIFTING).nonzero()[:, 0]
        words = self.words.loss(self.say(u[shifts]), oracle.words) * len(shifts)
        return actions, words

    def states(self, oracle: Oracle) -> Tensor:
        """What decides on each action: (actions, hidden), or three times as wide."""
        spoken = self.words.embed(oracle.words)
        given = self.drop(self.vectors(oracle, spoken)).split([len(b) for b in oracle.below])
        cells = Memory(1 + len(oracle.pushed), self.stack.size, spoken)
        found = [self.stack.step(self.drop(self.guard[None]), self.stack.start(1))]
        cells.write(0, found[0])
        first = 1
        for below, x in zip(oracle.below, given, strict=True):
            found.append(self.stack.step(x, cells.read(below)))
            cells.write(first, found[-1])
            first += len(below)
        tops = torch.cat([self.stack.top(state) for state in found])[oracle.tops]
        if self.shape.history == "stack":
            return tops
        return torch.cat([tops, *self._past(oracle, spoken)], 1)

    def vectors(self, oracle: Oracle, spoken: Tensor) -> Tensor:
        """What is pushed on stacks, in the order of cells: (cells - 1, width)."""
        memory = Memory(len(oracle.pushed), self.shape.embedding, spoken)
        memory.write(0, torch.cat([spoken, self.labels[oracle.labels]]))
        first = len(oracle.words) + len(oracle.labels)
        for closing in oracle.closings:
            children = memory.read(closing.children.reshape(-1))
            children = children.view(*closing.children.shape, -1)  # (closing, most, width)
            made = self.compose(self.labels[closing.labels], children, closing.counts)
            memory.write(first, made)
            first += len(made)
        return memory.read(oracle.pushed)

    def _past(self, oracle: Oracle, spoken: Tensor) -> list[Tensor]:
        """LSTMs over all actions and over all words before each action: (actions, hidden) each."""
        batch, time = oracle.kinds.shape
        shifts = oracle.kinds == SHIFTING
        words = spoken.new_zeros(batch * time, spoken.shape[1])
        words = words.index_copy(0, shifts.reshape(-1).nonzero()[:, 0], spoken)
        given = self.drop(words).view(batch, time, -1).unbind(1)
        actions = self.drop(self.actions[oracle.kinds]).unbind(1)  # each (batch, width)
        acted, heard = self.past_actions.start(batch), self.past_words.start(batch)
        tops: list[tuple[Tensor, Tensor]] = []
        for at in range(time):
            tops.append((self.past_actions.top(acted), self.past_words.top(heard)))
            acted = self.past_actions.step(actions[at], acted)
            after = self.past_words.step(given[at], heard)
            heard = torch.where(shifts[:, at, None], after, heard)
        return [torch.stack(past, 1)[oracle.active] for past in zip(*tops, strict=True)]

    # ------------------------------------------------------------ decisions

    def features(self, states: Tensor) -> Tensor:
        """u of each state: (n, hidden or three times that) → (n, width)."""
        return self.drop(torch.relu(self.decide(states)))  # type: ignore[no-any-return]

    def action_logprobs(self, u: Tensor, valid: Tensor) -> Tensor:
        """Log-probabilities of REDUCE, SHIFT and each NT; −∞ where one is invalid."""
        return torch.log_softmax(self.act(u).masked_fill(~valid, -torch.inf), 1)

    def word_logprobs(self, u: Tensor, words: Tensor) -> Tensor:
        """Log-probability of a word of each row, given that it shifts: (n, width), (n,) → (n,)."""
        return self.words.logprobs(self.say(u), words)

    def config(self) -> dict[str, object]:
        """`config.json`: the architecture and its sizes."""
        return {"architecture": "rnng", **asdict(self.shape), "labels": list(self.shape.labels)}
