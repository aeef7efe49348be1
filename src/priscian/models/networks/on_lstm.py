"""The ordered-neurons LSTM (Shen et al. 2019): gates that keep long and short memories apart.

With cumax = cumsum ∘ softmax over chunks, the master gates are f̃ = cumax(z₁), ĩ = 1 − cumax(z₂);
ω = f̃ ∘ ĩ, f̂ = f ∘ ω + f̃ − ω, î = i ∘ ω + ĩ − ω, c = f̂ ∘ c₋ + î ∘ g, h = o ∘ tanh c.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn

from priscian.models.networks.on_lstm_recurrence import recur
from priscian.models.networks.word_tables import WordTables, bands_for

State = tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class OnLstmShape:
    """Sizes of a network; hidden sizes must be multiples of `chunk`."""

    vocabulary: int
    embedding: int = 256
    hidden: int = 384
    layers: int = 3
    """The last layer is as wide as the embedding."""
    chunk: int = 8
    """Neurons that share a master gate."""
    dropout: float = 0.0
    drop_connect: float = 0.0
    softmax: str = "full"


class OnLstmLayer(nn.Module):
    """One layer; gates come in the order z₁, z₂, o, g, i, f."""

    def __init__(self, inputs: int, hidden: int, chunk: int, drop_connect: float) -> None:
        super().__init__()
        self.hidden, self.chunk, self.chunks = hidden, chunk, hidden // chunk
        self.drop_connect = drop_connect
        gates = 4 * hidden + 2 * self.chunks
        bound = hidden**-0.5
        self.input_weight = nn.Parameter(torch.empty(gates, inputs).uniform_(-bound, bound))
        self.hidden_weight = nn.Parameter(torch.empty(gates, hidden).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(gates))

    def forward(self, given: Tensor, state: State | None) -> tuple[Tensor, State, Tensor]:
        """(time, batch, inputs) → hidden states, the last state, distances (time, batch).

        The distance of a word is 1 − mean f̃: how much of the memory it forgets.
        """
        batch = given.shape[1]
        # one product for all steps; only the recurrent part goes step by step
        drive = nn.functional.linear(given, self.input_weight, self.bias)
        weight: Tensor = self.hidden_weight
        if self.training and self.drop_connect:
            # weights are dropped without rescaling, as in the original; testing scales instead
            weight = weight * torch.empty_like(weight).bernoulli_(1 - self.drop_connect)
        elif self.drop_connect:
            weight = weight * (1 - self.drop_connect)
        if state is None:
            zero = given.new_zeros(batch, self.hidden)
            state = (zero, zero)
        states, h, c, distances = recur(drive, weight, state, self.chunks)
        return states, (h, c), distances


class OnLstm(nn.Module):
    """A stack of ordered-neurons layers with one table for input and output."""

    def __init__(self, shape: OnLstmShape) -> None:
        super().__init__()
        self.shape = shape
        self.words = WordTables(bands_for(shape.vocabulary, shape.embedding, shape.softmax))
        widths = [shape.embedding, *[shape.hidden] * (shape.layers - 1), shape.embedding]
        self.layers = nn.ModuleList(
            OnLstmLayer(inputs, hidden, shape.chunk, shape.drop_connect)
            for inputs, hidden in pairwise(widths)
        )

    def forward(
        self, rows: Tensor, memory: list[State] | None = None
    ) -> tuple[Tensor, list[State]]:
        """Mean surprisal of tokens 1… of each row, and the state after them: (batch, time) → ()."""
        states, after, _ = self.read(rows[:, :-1], memory)
        flat = states.reshape(-1, self.shape.embedding)
        loss = self.words.loss(flat, rows[:, 1:].t().reshape(-1))
        return loss, [(h.detach(), c.detach()) for h, c in after]

    def read(
        self, ids: Tensor, memory: list[State] | None = None
    ) -> tuple[Tensor, list[State], list[Tensor]]:
        """Top states (time, batch, width), last states, and each layer's distances."""
        given = self._drop(self.words.embed(ids.t()))
        after: list[State] = []
        distances: list[Tensor] = []
        for number, layer in enumerate(self.layers):
            given, state, distance = layer(given, memory[number] if memory else None)
            given = self._drop(given)
            after.append(state)
            distances.append(distance)
        return given, after, distances

    def _drop(self, x: Tensor) -> Tensor:
        """Locked dropout: one mask for all words of a row."""
        rate = self.shape.dropout
        if not self.training or not rate:
            return x
        mask = x.new_empty(1, *x.shape[1:]).bernoulli_(1 - rate) / (1 - rate)
        return x * mask

    def config(self) -> dict[str, object]:
        """`config.json`: the architecture and its sizes."""
        return {"architecture": "on-lstm", **asdict(self.shape)}
