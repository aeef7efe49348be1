"""Optimisers and learning-rate schedules; a schedule counts tokens."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, cast

import torch
from torch import Tensor, nn

from priscian.training.recipe import TrainingPart


def make_optimiser(network: nn.Module, training: TrainingPart) -> torch.optim.Optimizer:
    """The optimiser that a recipe names; decay is for matrices alone."""
    parameters = [p for p in network.parameters() if p.requires_grad]
    if training.optimiser in ("sgd", "asgd"):  # the loop averages the weights for `asgd`
        return torch.optim.SGD(
            parameters, lr=training.learning_rate, weight_decay=training.weight_decay
        )
    if training.optimiser == "muon":
        return Muon(network.named_parameters(), training)
    matrices = [p for p in parameters if p.dim() > 1]
    others = [p for p in parameters if p.dim() <= 1]
    groups = [
        {"params": matrices, "weight_decay": training.weight_decay},
        {"params": others, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=training.learning_rate, betas=training.betas, fused=True)


def rate_at(training: TrainingPart, share: float) -> float:
    """The learning rate when a share of all tokens, from 0 to 1, has been seen."""
    if share < training.warmup:
        return training.learning_rate * max(share / training.warmup, 1e-3)
    if training.schedule in ("constant", "anneal", "geometric"):
        return training.learning_rate
    done = (share - training.warmup) / (1 - training.warmup)
    left = 1 - done if training.schedule == "linear" else 0.5 * (1 + math.cos(math.pi * done))
    return training.learning_rate * (
        training.final_learning_rate + (1 - training.final_learning_rate) * left
    )


OUTER = frozenset(
    {
        "wte", "wpe", "tables", "labels", "actions",  # embeddings
        "own", "characters", "suffixes", "shapes", "edges",  # those of a parser
        "decoder", "bands", "act",  # output heads
        "u", "v",  # biases of a Transformer-XL, one row for each head
    }
)  # fmt: skip
"""Parts of names whose matrices are no maps between layers: each row stands for itself."""


class Muon(torch.optim.Optimizer):
    """Momentum made orthogonal by Newton–Schulz steps (Jordan et al. 2024), in float32.

    Matrices inside the network are updated this way; embeddings, output heads, biases and norms by
    Adam without decay. PyTorch's own version works in bfloat16, which some CPUs cannot run.
    """

    def __init__(self, named: Iterable[tuple[str, Tensor]], training: TrainingPart) -> None:
        inner: list[Tensor] = []
        outer: list[Tensor] = []
        for name, parameter in named:
            rows = not OUTER.isdisjoint(name.split("."))
            (outer if parameter.dim() != 2 or rows else inner).append(parameter)
        self.adam = torch.optim.AdamW(
            outer, lr=training.learning_rate, betas=training.betas, weight_decay=0.0, fused=True
        )
        defaults = {
            "lr": training.learning_rate,
            "momentum": 0.95,
            "weight_decay": training.weight_decay,
        }
        super().__init__(inner, defaults)
        self.param_groups[0]["scale"] = 1.0

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """One step of both parts."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                if "momentum" not in state:
                    state["momentum"] = torch.zeros_like(parameter)
                momentum = state["momentum"].mul_(group["momentum"]).add_(parameter.grad)
                update = orthogonal(parameter.grad.add(momentum, alpha=group["momentum"]))
                scale = 0.2 * math.sqrt(max(parameter.shape))  # as large as an Adam step
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                parameter.add_(update, alpha=-group["lr"] * scale)
        for group in self.adam.param_groups:
            group["lr"] = self.param_groups[0]["lr"]
        self.adam.step()

    def state_dict(self) -> dict[str, Any]:
        """Both parts."""
        return {"muon": super().state_dict(), "adam": self.adam.state_dict()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Both parts."""
        super().load_state_dict(state_dict["muon"])
        self.adam.load_state_dict(state_dict["adam"])

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Both parts."""
        super().zero_grad(set_to_none)
        self.adam.zero_grad(set_to_none)


def orthogonal(matrix: Tensor, steps: int = 5) -> Tensor:
    """Roughly U·Vᵀ of the singular value decomposition, by a quintic iteration."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = matrix / (matrix.norm() + 1e-7)
    wide = x.shape[0] > x.shape[1]
    x = x.t() if wide else x
    for _ in range(steps):
        square = x @ x.t()
        x = a * x + (b * square + c * square @ square) @ x
    return cast(Tensor, x.t() if wide else x)
