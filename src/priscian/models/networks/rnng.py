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

import torch
from torch import Tensor, nn
from torch.nn import functional

from priscian.errors import UsageError
from priscian.models.networks.actions import KINDS, OPENING, PADDING, REDUCING, SHIFTING, Oracle
from priscian.models.networks.cells import Cells, Memory
from priscian.models.networks.word_tables import WordTables, bands_for

HISTORIES = ("stack", "full")


@dataclass(frozen=True, slots=True)
class RnngShape:
    """Sizes of a network."""

    vocabulary: int
    """Ids of the vocabulary, the boundary included, which a grammar never shifts."""
    labels: tuple[str, ...] = ()
    embedding: int = 256
    hidden: int = 256
    layers: int = 2
    dropout: float = 0.3
    history: str = "stack"
    softmax: str = "adaptive"
    most_open: int = 100
    """Constituents that may be open at once."""
    most_opening: int = 8
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
        states = self.tops(oracle)  # (time, batch, seen)
        u = self.features(states[oracle.active])  # (actions, width)
        logits = self.act(u).masked_fill(~oracle.valid, -torch.inf)
        actions = functional.cross_entropy(logits, oracle.choices, reduction="none")
        shifts = (oracle.choices == SHIFTING).nonzero()[:, 0]
        words = self.words.loss(self.say(u[shifts]), oracle.words) * len(shifts)
        return actions, words

    def tops(self, oracle: Oracle) -> Tensor:
        """What decides on each action: (time, batch, hidden), or three times as wide."""
        batch, time = oracle.batch, oracle.time
        given = self.inputs(oracle)  # (time, batch, width); zero where a constituent is closed
        cells = Memory(1 + time * batch, self.stack.size, given)
        vectors = Memory(1 + time * batch, self.shape.embedding, given)
        cells.write(0, self.stack.step(self.drop(self.guard[None]), self.stack.start(1)))
        states = [cells.read(oracle.below[0])]  # the guard of every row
        # taken apart at once: indexing step by step would fill a gradient of this size each time
        for at, x in enumerate(given.unbind(0)[:-1]):  # (batch, width)
            closing = oracle.closings[at]
            if closing is not None:
                children = vectors.read(closing.children.reshape(-1))
                children = children.view(*closing.children.shape, -1)  # (closing, most, width)
                made = self.compose(self.labels[closing.labels], children, closing.counts)
                x = x.index_copy(0, closing.rows, made)
            vectors.write(1 + at * batch, x)
            state = self.stack.step(self.drop(x), cells.read(oracle.below[at]))
            cells.write(1 + at * batch, state)
            states.append(state)
        found = self.stack.top(torch.stack(states))
        return found if self.shape.history == "stack" else self._with_past(oracle, found)

    def inputs(self, oracle: Oracle) -> Tensor:
        """Vectors of words and of labels that are opened: (time, batch, width)."""
        flat = self.labels.new_zeros(oracle.time * oracle.batch, self.shape.embedding)
        flat = flat.index_copy(0, oracle.word_places, self.words.embed(oracle.words))
        flat = flat.index_copy(0, oracle.label_places, self.labels[oracle.labels])
        return flat.view(oracle.time, oracle.batch, -1)

    def _with_past(self, oracle: Oracle, tops: Tensor) -> Tensor:
        acted = [self.past_actions.start(oracle.batch)]
        spoken = [self.past_words.start(oracle.batch)]
        given = self.drop(self.inputs(oracle)).unbind(0)
        actions = self.drop(self.actions[oracle.kinds]).unbind(0)  # each (batch, width)
        shifts = (oracle.kinds == SHIFTING)[:, :, None]
        for at in range(oracle.time - 1):
            acted.append(self.past_actions.step(actions[at], acted[-1]))
            after = self.past_words.step(given[at], spoken[-1])
            spoken.append(torch.where(shifts[at], after, spoken[-1]))
        past = [self.past_actions.top(torch.stack(acted)), self.past_words.top(torch.stack(spoken))]
        return torch.cat([tops, *past], -1)

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


__all__ = ["OPENING", "PADDING", "REDUCING", "SHIFTING", "Rnng", "RnngShape"]
