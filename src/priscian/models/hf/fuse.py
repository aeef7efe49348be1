"""Replace modules by faster ones, after checking that they compute the same function."""

from __future__ import annotations

from typing import Any

import torch

EQUAL = 1e-6


def fuse_gelu(model: Any) -> int:
    """Replace a spelled-out tanh-GELU by PyTorch's fused one; returns how many were replaced.

    0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))) costs GPT-2 a tenth of its time on a CPU when each
    operation makes its own pass over the activations.
    """
    fused = torch.nn.GELU(approximate="tanh")
    probe = torch.linspace(-12, 12, 4001, device=model.device)
    replaced = 0
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            spelt_out = type(child).__module__ == "transformers.activations"
            if not spelt_out or "GELU" not in type(child).__name__:
                continue
            if bool((child(probe) - fused(probe)).abs().max() <= EQUAL):
                setattr(parent, name, fused)
                replaced += 1
    return replaced
