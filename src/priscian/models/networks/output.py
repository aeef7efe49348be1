"""Linear layer and cross-entropy in one, a chunk of rows at a time.

The logits of a batch never exist at once: a chunk's logits are computed, turned into their own
gradient in place, and used up. This saves memory and, on a CPU, most of the time that a large
tensor of logits costs in page faults.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

CHUNK_CELLS = 1 << 20
"""Logits of a chunk: small enough to stay in the cache of most machines' last level."""


def linear_cross_entropy(
    states: Tensor, weight: Tensor, targets: Tensor, bias: Tensor | None = None
) -> Tensor:
    """Mean of −log softmax(states · weightᵀ + bias) at the targets.

    states (n, width), weight (vocabulary, width), targets (n,), bias (vocabulary,).
    """
    return _LinearCrossEntropy.apply(states, weight, targets, bias)  # type: ignore[no-any-return,no-untyped-call]


class _LinearCrossEntropy(torch.autograd.Function):
    """Gradients are computed with the loss, since both need the same logits."""

    @staticmethod
    def forward(
        ctx: Any, states: Tensor, weight: Tensor, targets: Tensor, bias: Tensor | None
    ) -> Tensor:
        rows, vocabulary = len(states), len(weight)
        chunk = max(1, min(rows, CHUNK_CELLS // vocabulary))
        wanted = any(ctx.needs_input_grad)
        logits = states.new_empty(chunk, vocabulary)
        grad_states = torch.empty_like(states) if wanted else None
        grad_weight = torch.zeros_like(weight) if wanted else None
        grad_bias = torch.zeros_like(bias) if wanted and bias is not None else None
        total = states.new_zeros((), dtype=torch.float64)
        for begin in range(0, rows, chunk):
            some, right = states[begin : begin + chunk], targets[begin : begin + chunk, None]
            cells = logits[: len(some)]
            torch.mm(some, weight.t(), out=cells)
            if bias is not None:
                cells += bias
            wanted_logits = cells.gather(1, right)
            most, at = cells.max(1, keepdim=True)
            torch.softmax(cells, 1, out=cells)
            # log Σ exp = max − log p(argmax): no second pass of exponentials
            total += (most - cells.gather(1, at).log() - wanted_logits).sum(dtype=torch.float64)
            if grad_states is None or grad_weight is None:
                continue
            cells.scatter_add_(1, right, cells.new_full((len(some), 1), -1.0))
            cells /= rows
            torch.mm(cells, weight, out=grad_states[begin : begin + chunk])
            grad_weight.addmm_(cells.t(), some)
            if grad_bias is not None:
                grad_bias += cells.sum(0)
        ctx.save_for_backward(grad_states, grad_weight, grad_bias)
        return (total / rows).to(states.dtype)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Tensor | None, ...]:
        (scale,) = grads
        grad_states, grad_weight, grad_bias = (
            None if grad is None else grad * scale for grad in ctx.saved_tensors
        )
        return grad_states, grad_weight, None, grad_bias
