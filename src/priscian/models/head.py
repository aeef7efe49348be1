"""The output head, tiled over the vocabulary: no positions × vocabulary tensor ever exists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

TILE = 1024


@dataclass(frozen=True, slots=True)
class Head:
    """The last linear map, with the scaling or capping of logits that some models add."""

    weight: Tensor  # (vocab, width)
    bias: Tensor | None  # (vocab,)
    scale: float = 1.0
    cap: float | None = None

    def logits(self, hidden: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """Logits of some rows of the weight, in float32."""
        plain = hidden @ weight.T if bias is None else torch.addmm(bias, hidden, weight.T)
        return self._finish(plain.float())

    def _finish(self, logits: Tensor) -> Tensor:
        if self.scale != 1.0:
            logits = logits.mul_(self.scale)
        if self.cap is not None:
            logits = logits.div_(self.cap).tanh_().mul_(self.cap)
        return logits

    def logprobs(self, hidden: Tensor, which: Tensor, targets: Tensor) -> Tensor:
        """log p(targets[q] | hidden[which[q]]), by a running log-sum-exp over tiles.

        hidden: (positions, width); which, targets: (queries,) → (queries,) in float32.
        """
        top = torch.full((len(hidden),), -torch.inf, device=hidden.device)  # (positions,)
        total = torch.zeros_like(top)  # (positions,) sum of exp(logit - top)
        for at in range(0, len(self.weight), TILE):
            bias = None if self.bias is None else self.bias[at : at + TILE]
            tile = self.logits(hidden, self.weight[at : at + TILE], bias)  # (positions, TILE)
            higher = torch.maximum(top, tile.amax(1))
            total = total * (top - higher).exp_() + tile.sub_(higher[:, None]).exp_().sum(1)
            top = higher
        normaliser = top + total.log()
        chosen = (hidden[which] * self.weight[targets]).sum(1)  # (queries,)
        if self.bias is not None:
            chosen = chosen + self.bias[targets]
        return self._finish(chosen.float()) - normaliser[which]


def find_head(model: Any) -> list[Head]:
    """Heads worth trying on a causal model: as configured first, then plain."""
    output = model.get_output_embeddings()
    weight = getattr(output, "weight", None)
    if weight is None or weight.dim() != 2:
        return []
    config = model.config.get_text_config()
    bias = getattr(output, "bias", None)
    scale = 1.0
    if getattr(config, "logit_scale", None):  # Cohere multiplies
        scale = float(config.logit_scale)
    elif getattr(config, "logits_scaling", None):  # Granite divides
        scale = 1.0 / float(config.logits_scaling)
    cap = getattr(config, "final_logit_softcapping", None)  # Gemma-2
    plain = Head(weight, bias)
    dressed = Head(weight, bias, scale, float(cap) if cap else None)
    return [dressed, plain] if (scale, cap) != (1.0, None) else [plain]
