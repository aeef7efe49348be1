"""LSTM cells that are stepped one at a time, and a memory of states that is read by index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn


class Cells(nn.Module):
    """Layers of an LSTM; a state is one row: h and c of each layer, gates in the order i f g o."""

    def __init__(self, inputs: int, hidden: int, layers: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.hidden, self.layers, self.dropout = hidden, layers, dropout
        self.size = 2 * layers * hidden
        self._tape: Tape | None = None
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
        if not torch.is_grad_enabled():
            return _forward(self, x, state)[0]
        tape = self._tape if self._tape is not None else Tape(self)
        return _Step.apply(self, tape.pairs, x, state, *tape.weights)  # type: ignore[no-any-return,no-untyped-call]

    def step_shared(self, x: Tensor, of_x: Tensor, state: Tensor, of_state: Tensor) -> Tensor:
        """`step(x[of_x], state[of_state])` without gradients; products of a row are made once."""
        n = self.hidden
        after = state.new_empty(len(of_x), self.size)
        for number, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            h, c = self.layer(state, number)
            gates = torch.addmm(bias, h, weight[:, -n:].t())[of_state]
            made = x @ weight[:, :-n].t()
            gates += made if number else made[of_x]
            new = torch.tanh(gates[:, 2 * n : 3 * n])
            gates.sigmoid_()
            x, cell = self.layer(after, number)
            torch.mul(gates[:, n : 2 * n], c[of_state], out=cell)
            cell.addcmul_(gates[:, :n], new)
            torch.mul(gates[:, 3 * n :], torch.tanh(cell), out=x)
        return after

    @contextmanager
    def together(self) -> Iterator[None]:
        """Inside, the gradient of the weights is one product for all steps, not one for each."""
        self._tape = Tape(self) if torch.is_grad_enabled() else None
        try:
            yield
        finally:
            self._tape = None

    def top(self, state: Tensor) -> Tensor:
        """The last layer's output: (…, size) → (…, hidden)."""
        return self.layer(state, self.layers - 1)[0]

    def layer(self, state: Tensor, number: int) -> tuple[Tensor, Tensor]:
        """Parts of a state: h and c of one layer, each (…, hidden)."""
        begin = 2 * number * self.hidden
        return (
            state[..., begin : begin + self.hidden],
            state[..., begin + self.hidden : begin + 2 * self.hidden],
        )


Pairs = list[list[tuple[Tensor, Tensor]]]
"""What the steps of each layer read, and the gradients of their gates."""


class Tape:
    """Collects the pairs of all steps, until autograd has been through every one.

    Nothing that autograd keeps points back at the tape: a circle would stay in memory until the
    garbage collector comes by, and it does not know how large tensors are.
    """

    def __init__(self, cells: Cells) -> None:
        self.pairs: Pairs = [[] for _ in range(cells.layers)]
        both = zip(cells.weights, cells.biases, strict=True)
        self.weights = _Weights.apply(self.pairs, *(value for pair in both for value in pair))  # type: ignore[no-untyped-call]


class _Weights(torch.autograd.Function):
    """Autograd comes here when it has been through every step."""

    @staticmethod
    def forward(ctx: Any, pairs: Pairs, *weights: Tensor) -> tuple[Tensor, ...]:
        ctx.pairs = pairs
        ctx.set_materialize_grads(False)
        return tuple(weight.view_as(weight) for weight in weights)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Tensor | None, ...]:
        found: list[Tensor | None] = [None]
        for pairs in ctx.pairs:
            given, gates = (torch.cat(part) for part in zip(*pairs, strict=True))
            found += [gates.t() @ given, gates.sum(0)]
            pairs.clear()
        return tuple(found)


class _Step(torch.autograd.Function):
    """One step of all layers, with its gradient written out."""

    @staticmethod
    def forward(
        ctx: Any, cells: Cells, pairs: Pairs, x: Tensor, state: Tensor, *weights: Tensor
    ) -> Tensor:
        after, ctx.saved = _forward(cells, x, state)
        ctx.cells, ctx.pairs, ctx.weights = cells, pairs, weights[::2]
        return after

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Tensor | None, ...]:
        cells, n = ctx.cells, ctx.cells.hidden
        below: Tensor | None = None  # gradient of what the layer above has read
        before = torch.empty_like(grads[0])
        for number in reversed(range(cells.layers)):
            given, soft, new, c, shown, mask = ctx.saved[number]
            i, f, o = soft[:, :n], soft[:, n : 2 * n], soft[:, 3 * n :]
            grad_h, grad_c = cells.layer(grads[0], number)
            grad_h = grad_h if below is None else grad_h + below
            grad_c = grad_c + grad_h * o * (1 - shown * shown)
            slope = soft * (1 - soft)
            gates = torch.empty_like(soft)
            torch.mul(grad_c * new, slope[:, :n], out=gates[:, :n])
            torch.mul(grad_c * c, slope[:, n : 2 * n], out=gates[:, n : 2 * n])
            torch.mul(grad_c * i, 1 - new * new, out=gates[:, 2 * n : 3 * n])
            torch.mul(grad_h * shown, slope[:, 3 * n :], out=gates[:, 3 * n :])
            ctx.pairs[number].append((given, gates))
            read = gates @ ctx.weights[number]
            below = read[:, :-n] if mask is None else read[:, :-n] * mask
            into_h, into_c = cells.layer(before, number)
            into_h.copy_(read[:, -n:])
            torch.mul(grad_c, f, out=into_c)
        return (None, None, below, before, *[None] * (2 * cells.layers))


Saved = list[tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor | None]]


def _forward(cells: Cells, x: Tensor, state: Tensor) -> tuple[Tensor, Saved]:
    """States after one more input, and of each layer what its gradient needs."""
    n = cells.hidden
    after = torch.empty_like(state)
    saved: Saved = []
    for number, (weight, bias) in enumerate(zip(cells.weights, cells.biases, strict=True)):
        h, c = cells.layer(state, number)
        mask = None
        if number and cells.training and cells.dropout:
            keep = 1 - cells.dropout
            mask = torch.empty_like(x).bernoulli_(keep) / keep
            x = x * mask
        given = torch.cat([x, h], 1)
        gates = torch.addmm(bias, given, weight.t())
        new = torch.tanh(gates[:, 2 * n : 3 * n])
        soft = gates.sigmoid_()
        x, cell = cells.layer(after, number)
        torch.mul(soft[:, n : 2 * n], c, out=cell)
        cell.addcmul_(soft[:, :n], new)
        shown = torch.tanh(cell)
        torch.mul(soft[:, 3 * n :], shown, out=x)
        saved.append((given, soft, new, c, shown, mask))
    return after, saved


class Memory:
    """Rows that are written once and read by index, any number of times.

    Gradients of what is read are added up in one array, and given back where the row was written.
    Plain indexing would make a gradient as large as the memory at every step. A token that goes
    from each write to the reads after it tells autograd the order.
    """

    def __init__(self, rows: int, width: int, like: Tensor) -> None:
        self._rows = _Rows(like.new_zeros(rows, width))
        self._token = like.new_zeros(())

    def write(self, first: int, value: Tensor) -> None:
        """Fill rows from `first` on: (n, width)."""
        self._token = _Write.apply(self._token, value, self._rows, first)  # type: ignore[no-untyped-call]

    def read(self, index: Tensor) -> Tensor:
        """Rows: (n,) → (n, width)."""
        return _Read.apply(self._token, self._rows, index)  # type: ignore[no-any-return,no-untyped-call]


class _Rows:
    """The rows themselves; autograd keeps these, and they know nothing of the token."""

    def __init__(self, values: Tensor) -> None:
        self.values = values
        self.grads: Tensor | None = None

    def gradients(self) -> Tensor:
        """What has been added up so far."""
        if self.grads is None:
            self.grads = torch.zeros_like(self.values)
        return self.grads


class _Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, token: Tensor, value: Tensor, rows: _Rows, first: int) -> Tensor:
        rows.values[first : first + len(value)] = value
        ctx.rows, ctx.first, ctx.count = rows, first, len(value)
        return token.clone()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Tensor | None, ...]:
        mine = ctx.rows.gradients()[ctx.first : ctx.first + ctx.count]
        return grads[0], mine.clone(), None, None


class _Read(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, token: Tensor, rows: _Rows, index: Tensor) -> Tensor:
        ctx.rows, ctx.index = rows, index
        return rows.values.index_select(0, index)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Tensor | None, ...]:
        ctx.rows.gradients().index_add_(0, ctx.index, grads[0])
        return grads[0].new_zeros(()), None, None
