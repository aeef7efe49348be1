"""The ordered-neurons LSTM (Shen et al. 2019): gates that keep long and short memories apart.

With cumax = cumsum ∘ softmax over chunks, the master gates are f̃ = cumax(z₁), ĩ = 1 − cumax(z₂);
ω = f̃ ∘ ĩ, f̂ = f ∘ ω + f̃ − ω, î = i ∘ ω + ĩ − ω, c = f̂ ∘ c₋ + î ∘ g, h = o ∘ tanh c.

The gradients of a layer's steps are written out: what autograd would keep for each of forty small
operations a word is kept here once, and the gradient of the recurrent weights is one product over
all words instead of a sum over them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from priscian.files.convert import Count, Finite, Share
from priscian.models.networks.word_tables import WordTables, bands_for

_sigmoid_backward = torch.ops.aten.sigmoid_backward
_tanh_backward = torch.ops.aten.tanh_backward

State = tuple[Tensor, Tensor]


def recur(
    drive: Tensor, weight: Tensor, state: tuple[Tensor, Tensor], chunks: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Hidden states of all words, the last hidden state and cell, and distances.

    drive (time, batch, gates) is the part of the gates that comes from below; weight (gates,
    hidden) leads from the hidden state before. Gates come in the order z₁, z₂, o, g, i, f.
    """
    return _Recurrence.apply(drive, weight, *state, chunks)  # type: ignore[no-any-return,no-untyped-call]


class _Recurrence(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, drive: Tensor, weight: Tensor, h: Tensor, c: Tensor, chunks: int
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        time, batch, _ = drive.shape
        hidden, n = h.shape[1], chunks
        onward = weight.t()
        gates = torch.empty_like(drive)  # after their squashing functions
        masters = drive.new_empty(time, 2, batch, n)  # f̃ and ĩ
        states, cells = (drive.new_empty(time + 1, batch, hidden) for _ in range(2))
        forgets, writes, shown = (drive.new_empty(time, batch, hidden) for _ in range(3))
        states[0], cells[0] = h, c
        for at in range(time):
            own = gates[at]
            torch.addmm(drive[at], states[at], onward, out=own)
            shares = own[:, : 2 * n].view(batch, 2, n).softmax(2)
            own[:, : 2 * n] = shares.view(batch, 2 * n)
            own[:, 2 * n : 2 * n + hidden].sigmoid_()
            own[:, 2 * n + hidden : 2 * n + 2 * hidden].tanh_()
            own[:, 2 * n + 2 * hidden :].sigmoid_()
            risen = shares.cumsum(2)
            torch.sub(1, risen[:, 1], out=masters[at, 1])
            forget, write = masters[at, 0].copy_(risen[:, 0]), masters[at, 1]
            o, g, i, f = own[:, 2 * n :].view(batch, 4, n, -1).unbind(1)  # (batch, chunks, size)
            overlap = forget * write
            alone = (forget - overlap)[:, :, None]
            wide = forgets[at].view(batch, n, -1)
            torch.addcmul(alone, f, overlap[:, :, None], out=wide)
            alone = (write - overlap)[:, :, None]
            opened = writes[at].view(batch, n, -1)
            torch.addcmul(alone, i, overlap[:, :, None], out=opened)
            cell = cells[at + 1].view(batch, n, -1)
            torch.mul(wide, cells[at].view(batch, n, -1), out=cell)
            cell.addcmul_(opened, g)
            torch.tanh(cells[at + 1], out=shown[at])
            torch.mul(o, shown[at].view(batch, n, -1), out=states[at + 1].view(batch, n, -1))
        ctx.save_for_backward(gates, masters, states, cells, forgets, writes, shown, weight)
        distances = 1 - masters[:, 0].mean(2)
        ctx.mark_non_differentiable(distances)
        return states[1:], states[-1].clone(), cells[-1].clone(), distances

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Tensor | None, ...]:
        d_states, d_last, d_cell, _ = grads
        gates, masters, states, cells, forgets, writes, shown, weight = ctx.saved_tensors
        time, batch, _ = gates.shape
        hidden, n = states.shape[2], masters.shape[3]
        back = torch.empty_like(gates)
        dh, dc = d_last, d_cell
        for at in range(time - 1, -1, -1):
            o, g, i, f = gates[at, :, 2 * n :].view(batch, 4, n, -1).unbind(1)
            to_o, to_g, to_i, to_f = back[at, :, 2 * n :].view(batch, 4, n, -1).unbind(1)
            forget, write = masters[at]
            overlap = (forget * write)[:, :, None]
            dh = (dh + d_states[at]).view(batch, n, -1)
            tanh = shown[at].view(batch, n, -1)
            dc = dc.view(batch, n, -1) + _tanh_backward(dh * o, tanh)
            _sigmoid_backward.grad_input(dh * tanh, o, grad_input=to_o)
            _tanh_backward.grad_input(dc * writes[at].view(batch, n, -1), g, grad_input=to_g)
            d_forget, d_write = dc * cells[at].view(batch, n, -1), dc * g
            _sigmoid_backward.grad_input(d_forget * overlap, f, grad_input=to_f)
            _sigmoid_backward.grad_input(d_write * overlap, i, grad_input=to_i)
            all_forget, all_write = d_forget.sum(2), d_write.sum(2)  # (batch, chunks)
            d_overlap = d_forget.mul_(f).sum(2) + d_write.mul_(i).sum(2) - all_forget - all_write
            masked = torch.stack([all_forget + d_overlap * write, -all_write - d_overlap * forget])
            # a share counts in all chunks from its own on
            risen = masked.flip(2).cumsum(2).flip(2).transpose(0, 1)  # (batch, 2, chunks)
            shares = gates[at, :, : 2 * n].view(batch, 2, n)
            inner = (risen * shares).sum(2, keepdim=True)
            back[at, :, : 2 * n].view(batch, 2, n).copy_((risen - inner) * shares)
            dc = (dc * forgets[at].view(batch, n, -1)).view(batch, hidden)
            dh = back[at] @ weight
        grad_weight = back.view(time * batch, -1).t() @ states[:-1].reshape(time * batch, hidden)
        return back, grad_weight, dh, dc, None


@dataclass(frozen=True, slots=True)
class OnLstmShape:
    """Sizes of a network; those of layers must be multiples of `chunk`."""

    vocabulary: int
    embedding: Count = 256
    hidden: Count = 384
    layers: Count = 3
    chunk: Count = 8
    """Neurons that share a master gate."""
    dropout: Share = 0.0
    input_dropout: Share = 0.0
    """Of embeddings; 0 is as `dropout`."""
    hidden_dropout: Share = 0.0
    """Between layers; 0 is as `dropout`."""
    word_dropout: Share = 0.0
    """Share of the vocabulary whose embeddings are zero in a batch."""
    drop_connect: Share = 0.0
    ar: Finite = 0.0
    """Weight of the mean square of the top states (Merity et al. 2017)."""
    tar: Finite = 0.0
    """Weight of the mean square of their changes from word to word."""
    softmax: str = "full"
    projected: bool = False
    """All layers are `hidden` wide, and an affine map leads to the embedding, as in our LSTM. If
    not, the last layer is as wide as the embedding and predicts words itself (Shen et al.)."""


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
        last = shape.hidden if shape.projected else shape.embedding
        widths = [shape.embedding, *[shape.hidden] * (shape.layers - 1), last]
        self.layers = nn.ModuleList(
            OnLstmLayer(inputs, hidden, shape.chunk, shape.drop_connect)
            for inputs, hidden in pairwise(widths)
        )
        # the last states lie between −1 and 1: alone they predict well only if embeddings are long,
        # which as inputs should be short
        self.out = nn.Linear(last, shape.embedding) if shape.projected else nn.Identity()

    def forward(
        self, rows: Tensor, memory: list[State] | None = None
    ) -> tuple[Tensor, list[State]]:
        """Mean surprisal of tokens 1… of each row, and the state after them: (batch, time) → ()."""
        tops, after, _ = self._layers(rows[:, :-1], memory)
        states = self._drop(tops, self.shape.dropout)
        flat = self.out(states).reshape(-1, self.shape.embedding)
        loss = self.words.loss(flat, rows[:, 1:].t().reshape(-1))
        if self.training:
            loss = loss + self._penalty(tops, states)
        return loss, [(h.detach(), c.detach()) for h, c in after]

    def read(
        self, ids: Tensor, memory: list[State] | None = None
    ) -> tuple[Tensor, list[State], list[Tensor]]:
        """States that predict (time, batch, width), last states, and each layer's distances."""
        tops, after, distances = self._layers(ids, memory)
        return self.out(self._drop(tops, self.shape.dropout)), after, distances

    def _layers(
        self, ids: Tensor, memory: list[State] | None
    ) -> tuple[Tensor, list[State], list[Tensor]]:
        """As `read`, with the states of the top layer before dropout."""
        shape = self.shape
        given = self._drop(self._embed(ids.t()), shape.input_dropout or shape.dropout)
        after: list[State] = []
        distances: list[Tensor] = []
        for number, layer in enumerate(self.layers):
            if number:
                given = self._drop(given, shape.hidden_dropout or shape.dropout)
            given, state, distance = layer(given, memory[number] if memory else None)
            after.append(state)
            distances.append(distance)
        return given, after, distances

    def _embed(self, ids: Tensor) -> Tensor:
        """Embeddings; in training some words have none, wherever they stand in the batch."""
        found, rate = self.words.embed(ids), self.shape.word_dropout
        if not self.training or not rate:
            return found
        kept = found.new_empty(self.shape.vocabulary).bernoulli_(1 - rate) / (1 - rate)
        return found * kept[ids][..., None]

    def _drop(self, x: Tensor, rate: float) -> Tensor:
        """Locked dropout: one mask for all words of a row."""
        if not self.training or not rate:
            return x
        mask = x.new_empty(1, *x.shape[1:]).bernoulli_(1 - rate) / (1 - rate)
        return x * mask

    def _penalty(self, tops: Tensor, dropped: Tensor) -> Tensor:
        """What large states, and states that change much, cost in training."""
        total = dropped.new_zeros(())
        if self.shape.ar:
            total = total + self.shape.ar * dropped.square().mean()
        if self.shape.tar and len(tops) > 1:
            total = total + self.shape.tar * (tops[1:] - tops[:-1]).square().mean()
        return total

    def config(self) -> dict[str, object]:
        """`config.json`: the architecture and its sizes."""
        return {"architecture": "on-lstm", **asdict(self.shape)}
