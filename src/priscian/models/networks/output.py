"""Linear layer and cross-entropy in one, a chunk of rows at a time.

The logits of a batch never exist at once: a chunk's logits are computed, turned into their own
gradient in place, and used up. This saves memory and, on a CPU, most of the time that a large
tensor of logits costs in page faults.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

CHUNK_CELLS = 1 << 22
"""Logits of a chunk: little enough for the cache, enough for the products to be fast."""
TINY = 1e-30
"""Probabilities below this have lost their logarithm in float32."""


def linear_cross_entropy(
    states: Tensor, weight: Tensor, targets: Tensor, bias: Tensor | None = None, share: float = 1.0
) -> Tensor:
    """Mean of −log softmax(states · weightᵀ + bias) at the targets, times `share`.

    states (n, width), weight (vocabulary, width), targets (n,), bias (vocabulary,). A loss that is
    part of a mean has its share here, since multiplying large gradients by it later costs time.
    """
    return _LinearCrossEntropy.apply(states, weight, targets, bias, share)  # type: ignore[no-any-return,no-untyped-call]


class _LinearCrossEntropy(torch.autograd.Function):
    """Gradients are computed with the loss, since both need the same logits."""

    @staticmethod
    def forward(
        ctx: Any, states: Tensor, weight: Tensor, targets: Tensor, bias: Tensor | None, share: float
    ) -> Tensor:
        rows, vocabulary = len(states), len(weight)
        chunk = max(1, min(rows, CHUNK_CELLS // vocabulary))
        wanted = any(ctx.needs_input_grad)
        logits = states.new_empty(chunk, vocabulary)
        grad_states = torch.empty_like(states) if wanted else None
        grad_weight = torch.empty_like(weight) if wanted else None
        grad_bias = torch.zeros_like(bias) if wanted and bias is not None else None
        total = states.new_zeros((), dtype=torch.float64)
        for begin in range(0, rows, chunk):
            some, right = states[begin : begin + chunk], targets[begin : begin + chunk, None]
            cells = logits[: len(some)]
            torch.mm(some, weight.t(), out=cells)
            if bias is not None:
                cells += bias
            torch.softmax(cells, 1, out=cells)
            total += _surprisals(cells, right, some, weight, bias).sum(dtype=torch.float64)
            if grad_states is None or grad_weight is None:
                continue
            cells.scatter_add_(1, right, cells.new_full((len(some), 1), -1.0))
            cells *= share / rows
            torch.mm(cells, weight, out=grad_states[begin : begin + chunk])
            grad_weight.addmm_(cells.t(), some, beta=int(begin > 0))  # 0 ignores what was there
            if grad_bias is not None:
                grad_bias += cells.sum(0)
        ctx.save_for_backward(grad_states, grad_weight, grad_bias)
        return (total * (share / rows)).to(states.dtype)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Tensor | None, ...]:
        (scale,) = grads
        found = ctx.saved_tensors
        if scale.is_cuda or float(scale) != 1:
            found = tuple(None if grad is None else grad * scale for grad in found)
        grad_states, grad_weight, grad_bias = found
        return grad_states, grad_weight, None, grad_bias, None


def _surprisals(
    shares: Tensor, right: Tensor, states: Tensor, weight: Tensor, bias: Tensor | None
) -> Tensor:
    """−log of the softmax at the targets, also where it is too small for a number: (n,)."""
    picked = shares.gather(1, right)[:, 0]
    found = -picked.log()
    lost = ~(picked > TINY)  # true of NaN as well
    if lost.any():
        logits = torch.nn.functional.linear(states[lost], weight, bias)
        found[lost] = torch.nn.functional.cross_entropy(logits, right[lost, 0], reduction="none")
    return found
