"""The steps of an ordered-neurons layer, forwards and backwards, in as few operations as it takes.

The equations are those of `on_lstm.py`. Their gradients are written out: what autograd would keep
for each of forty small operations a word is kept here once, and the gradient of the recurrent
weights is one product over all words instead of a sum over them.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

_sigmoid_backward = torch.ops.aten.sigmoid_backward
_tanh_backward = torch.ops.aten.tanh_backward


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
