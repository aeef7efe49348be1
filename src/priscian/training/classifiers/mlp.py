"""A head with one hidden layer on frozen states; its start and order of examples are random."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from priscian.errors import TrainingError
from priscian.models.classifier.encoder import Floats32
from priscian.models.classifier.heads import MlpHead, spread, standardise


@dataclass(frozen=True, slots=True)
class MlpSettings:
    """Size of the hidden layer, and how it is trained."""

    hidden: int = 256
    epochs: int = 10
    rate: float = 3e-4
    batch: int = 64
    decay: float = 0.1
    dropout: float = 0.3


DEFAULTS = MlpSettings()


def fit_mlp(
    states: Floats32, labels: Sequence[bool], seed: int, settings: MlpSettings = DEFAULTS
) -> MlpHead:
    """The head after training on standardised vectors; the same seed gives the same weights."""
    mean, scale = spread(states)
    x = torch.from_numpy(standardise(states, mean, scale).astype(np.float32))
    y = torch.tensor([float(label) for label in labels])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        inner = nn.Linear(x.shape[1], settings.hidden)
        outer = nn.Linear(settings.hidden, 1)
        net = nn.Sequential(inner, nn.ReLU(), nn.Dropout(settings.dropout), outer)
        optimiser = torch.optim.AdamW(
            net.parameters(), lr=settings.rate, weight_decay=settings.decay
        )
        for epoch in range(1, settings.epochs + 1):
            total = 0.0
            for part in torch.split(torch.randperm(len(x)), settings.batch):
                loss = nn.functional.binary_cross_entropy_with_logits(net(x[part])[:, 0], y[part])
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                total += float(loss.detach()) * len(part)
            if not math.isfinite(total):
                raise TrainingError(
                    f"the loss is {total / len(x)} after epoch {epoch}; lower the rate: "
                    f"`rate={min(settings.rate / 2, DEFAULTS.rate):g}`"
                )
    return MlpHead(
        mean,
        scale,
        inner.weight.detach().numpy().copy(),
        inner.bias.detach().numpy().copy(),
        outer.weight.detach().numpy()[0].copy(),
        float(outer.bias.detach()),
    )
