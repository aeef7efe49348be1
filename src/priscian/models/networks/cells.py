"""LSTM cells that are stepped one at a time, and a memory of states that is read by index."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


class Cells(nn.Module):
    """Layers of an LSTM; a state is one row: h and c of each layer, gates in the order i f g o."""

    def __init__(self, inputs: int, hidden: int, layers: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.hidden, self.layers, self.dropout = hidden, layers, dropout
        self.size = 2 * layers * hidden
        bound = hidden**-0.5
        widths = [inputs, *[hidden] * (layers - 1)]
        self.weights = nn.ParameterList(
            nn.Parameter(torch.empty(4 * hidden, width + hidden).uniform_(-bound, bound))
            for width in widths
        )
        self.biases = nn.ParameterList(nn.Parameter(torch.zeros(4 * hidden)) for _ in widths)
        with torch.no_grad():
            for bias in self.biases:  # remember at first: the forget gates stand open
                bias[hidden : 2 * hidden] = 1.0

    def start(self, rows: int) -> Tensor:
        """States that have read nothing: (rows, size)."""
        return self.biases[0].new_zeros(rows, self.size)  # type: ignore[no-any-return]

    def step(self, x: Tensor, state: Tensor) -> Tensor:
        """States after one more input: (n, inputs), (n, size) → (n, size)."""
        after: list[Tensor] = []
        for number, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            h, c = self._layer(state, number)
            if number:
                x = functional.dropout(x, self.dropout, self.training)
            gates = functional.linear(torch.cat([x, h], 1), weight, bias)
            x, c = _gate(gates, c)
            after += [x, c]
        return torch.cat(after, 1)

    def top(self, state: Tensor) -> Tensor:
        """The last layer's output: (…, size) → (…, hidden)."""
        return self._layer(state, self.layers - 1)[0]

    def _layer(self, state: Tensor, number: int) -> tuple[Tensor, Tensor]:
        begin = 2 * number * self.hidden
        return (
            state[..., begin : begin + self.hidden],
            state[..., begin + self.hidden : begin + 2 * self.hidden],
        )


def _gate(gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """Output and cell of one layer: (n, 4 · hidden), (n, hidden) → twice (n, hidden)."""
    i, f, g, o = gates.chunk(4, 1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


class Memory:
    """Rows that are written once and read by index, any number of times.

    Gradients of what is read are added up in one array, and given back where the row was written.
    Plain indexing would make a gradient as large as the memory at every step. A token that goes
    from each write to the reads after it tells autograd the order.
    """

    def __init__(self, rows: int, width: int, like: Tensor) -> None:
        self.values = like.new_zeros(rows, width)
        self.grads: Tensor | None = None
        self._token = like.new_zeros(())

    def write(self, first: int, value: Tensor) -> None:
        """Fill rows from `first` on: (n, width)."""
        self._token = _Write.apply(self._token, value, self, first)  # type: ignore[no-untyped-call]

    def read(self, index: Tensor) -> Tensor:
        """Rows: (n,) → (n, width)."""
        return _Read.apply(self._token, self, index)  # type: ignore[no-any-return,no-untyped-call]

    def gradients(self) -> Tensor:
        """What has been added up so far."""
        if self.grads is None:
            self.grads = torch.zeros_like(self.values)
        return self.grads


class _Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, token: Tensor, value: Tensor, memory: Memory, first: int) -> Tensor:
        memory.values[first : first + len(value)] = value
        ctx.memory, ctx.first, ctx.rows = memory, first, len(value)
        return token.clone()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Tensor | None, ...]:
        mine = ctx.memory.gradients()[ctx.first : ctx.first + ctx.rows]
        return grads[0], mine.clone(), None, None


class _Read(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, token: Tensor, memory: Memory, index: Tensor) -> Tensor:
        ctx.memory, ctx.index = memory, index
        return memory.values.index_select(0, index)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Tensor | None, ...]:
        ctx.memory.gradients().index_add_(0, ctx.index, grads[0])
        return grads[0].new_zeros(()), None, None
