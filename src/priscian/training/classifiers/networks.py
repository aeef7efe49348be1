"""Classifiers that are trained by gradient: a head with one hidden layer, or an encoder."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from priscian.errors import TrainingError
from priscian.models.classifier.encoder import Floats32, load_encoder
from priscian.models.classifier.folder import MLP
from priscian.models.classifier.heads import MlpHead, spread, standardise
from priscian.models.classifier.tuned import TunedEncoder
from priscian.training.classifiers.data import Labelled
from priscian.training.classifiers.settings import STEPS, Steps
from priscian.workers import Say

HIDDEN, DROPOUT = 256, 0.3
"""Of a head: the width of its hidden layer, and the share of it that is set to zero in training."""
HEAD_DECAY, ENCODER_DECAY = 0.1, 0.01
CLIP = 1.0
WARM_UP = 0.1
"""Share of the steps in which the learning rate rises; then it falls in a straight line to 0."""
POOL = 16
"""Batches among which sentences of similar length are put together."""
TOLD = 10
"""How often in an epoch its progress is told."""


def fit_mlp(
    states: Floats32,
    labels: Sequence[bool],
    seed: int,
    steps: Steps = STEPS[MLP],
    dropout: float = DROPOUT,
) -> MlpHead:
    """The head after training on standardised vectors; the same seed gives the same weights."""
    mean, scale = spread(states)
    x = torch.from_numpy(standardise(states, mean, scale).astype(np.float32))
    y = torch.tensor([float(label) for label in labels])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        inner = nn.Linear(x.shape[1], HIDDEN)
        outer = nn.Linear(HIDDEN, 1)
        net = nn.Sequential(inner, nn.ReLU(), nn.Dropout(dropout), outer)
        optimiser = torch.optim.AdamW(net.parameters(), lr=steps.rate, weight_decay=HEAD_DECAY)
        for epoch in range(1, steps.epochs + 1):
            total = 0.0
            for part in torch.split(torch.randperm(len(x)), steps.batch):
                loss = nn.functional.binary_cross_entropy_with_logits(net(x[part])[:, 0], y[part])
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                total += float(loss.detach()) * len(part)
            if not math.isfinite(total):
                raise TrainingError(
                    f"the loss is {total / len(x)} after epoch {epoch}; lower the rate: "
                    f"`rate={min(steps.rate / 2, STEPS[MLP].rate):g}`"
                )
    return MlpHead(
        mean,
        scale,
        inner.weight.detach().numpy().copy(),
        inner.bias.detach().numpy().copy(),
        outer.weight.detach().numpy()[0].copy(),
        float(outer.bias.detach()),
    )


def tune(
    encoder: str,
    data: Labelled,
    seed: int,
    steps: Steps,
    *,
    pooling: str = "",
    lora: bool = False,
    say: Say = lambda line: None,
    digest: str = "",
) -> tuple[TunedEncoder, list[float]]:
    """The tuned encoder and its mean loss in each epoch; the same seed gives the same weights.

    Where a digest is given, the encoder must have this key.
    """
    torch.manual_seed(seed)
    base = load_encoder(encoder, digest)
    net = TunedEncoder(base, pooling or base.poolings[0], lora=lora)
    rows = base.encode(data.texts)
    truth = torch.tensor([int(label) for label in data.labels], device=base.device)
    weights = [p for p in net.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=steps.rate, weight_decay=ENCODER_DECAY, fused=True)
    updates = steps.epochs * math.ceil(len(rows) / steps.batch)
    warm = max(1, round(WARM_UP * updates))

    def rate(step: int) -> float:
        """The share of the highest rate at a step."""
        if step < warm:
            return (step + 1) / warm
        return max(0.0, (updates - step) / max(1, updates - warm))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, rate)
    order = np.random.default_rng(seed)
    losses: list[float] = []
    began = time.monotonic()
    for epoch in range(steps.epochs):
        net.train()
        total = 0.0
        plan = batches([len(r.ids) for r in rows], steps.batch, order)
        told = {len(plan) * tenth // TOLD for tenth in range(1, TOLD)}
        for number, part in enumerate(plan, start=1):
            logits = net(*net.batch([rows[i] for i in part]))
            loss = nn.functional.cross_entropy(logits, truth[part])
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(weights, CLIP)
            optimiser.step()
            schedule.step()
            total += float(loss.detach()) * len(part)
            if number in told:
                done = (epoch * len(plan) + number) / (steps.epochs * len(plan))
                minutes = math.ceil((time.monotonic() - began) * (1 / done - 1) / 60)
                say(
                    f"epoch {epoch + 1} of {steps.epochs}: {number:,} of {len(plan):,} batches, "
                    f"about {minutes:,} min left of this restart"
                )
        losses.append(total / len(rows))
        if not math.isfinite(losses[-1]):
            raise TrainingError(
                f"the loss is {losses[-1]} after epoch {epoch + 1}; lower the rate: "
                f"`rate={steps.rate / 2:g}`"
            )
        say(f"epoch {epoch + 1} of {steps.epochs}: loss {losses[-1]:.4f}")
    return net, losses


def batches(lengths: Sequence[int], size: int, rng: np.random.Generator) -> list[list[int]]:
    """Examples in random order, those of similar length together, so that little is padding."""
    order = rng.permutation(len(lengths)).tolist()
    found: list[list[int]] = []
    for at in range(0, len(order), size * POOL):
        pool = sorted(order[at : at + size * POOL], key=lambda i: lengths[i])
        found += [pool[k : k + size] for k in range(0, len(pool), size)]
    return [found[i] for i in rng.permutation(len(found))]
