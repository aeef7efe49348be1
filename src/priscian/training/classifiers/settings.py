"""What a classifier is trained with, checked before anything is read or written."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from priscian.errors import UsageError
from priscian.files.convert import Count, CountOrNone, check_parameters
from priscian.models.classifier.folder import (
    BASELINES,
    FINETUNE,
    LORA,
    MAJORITY,
    MLP,
    NGRAMS,
    PROBE,
    THRESHOLDS,
    TUNED,
)

RESTARTS = 10
FIXED = (PROBE, MAJORITY, NGRAMS, *THRESHOLDS)
"""Methods with one solution, so that restarts would all be equal."""
Rate = Annotated[float, Meta(gt=0, le=sys.float_info.max)]


@dataclass(frozen=True, slots=True)
class Steps:
    """How a method that learns by gradient is trained; the rate is the highest one."""

    rate: float
    epochs: int
    batch: int


STEPS: Mapping[str, Steps] = {
    FINETUNE: Steps(5e-5, 4, 32),
    LORA: Steps(1e-4, 3, 16),
    MLP: Steps(3e-4, 10, 64),
}


@dataclass(frozen=True, slots=True)
class ClassifierSettings:
    """How a classifier is trained, and how one of its restarts is chosen.

    `select=paper` looks at the out-of-domain test set, as Vázquez Martínez (2021) did.
    """

    encoder: str = ""
    """minilm, smollm2, hf:ID, mlm:ID or the folder of a Transformers model."""
    method: Literal["probe", "mlp", "finetune", "lora", "majority", "ngrams", "logp", "slor"] = (
        "probe"
    )
    """probe, mlp, finetune, lora, majority, ngrams, logp or slor."""
    restarts: Count | None = None
    """Restarts of mlp, finetune and lora, 10 by default; the others have one solution."""
    seed: Annotated[int, Meta(ge=0, le=2**32 - 1)] = 1
    """Seed of the first restart; the next ones count up."""
    select: Literal["dev", "paper"] = "dev"
    """Which restart is used: dev, the best on in-domain dev, or paper, the best on test."""
    without_sources: tuple[str, ...] = ()
    """Leave out the training sentences of a source, such as ad03; may be repeated."""
    rate: Rate | None = None
    """Highest learning rate of finetune, lora or mlp."""
    epochs: Count | None = None
    """Passes through the training sentences."""
    batch: Count | None = None
    """Sentences in a batch."""
    layer: CountOrNone | None = None
    """Only this layer, 0 for the embeddings; probe and mlp choose one by cross-validation."""
    pooling: Literal["", "cls", "last", "mean", "max"] = ""
    """cls or last (the state that has seen the whole text), mean or max."""

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.method in (MAJORITY, NGRAMS):
            if self.encoder:
                raise UsageError(f"`method={self.method}` has no encoder; leave `encoder=` out")
        elif not self.encoder:
            raise UsageError(
                f"`method={self.method}` needs a model: `encoder=minilm`, smollm2, hf:ID, a folder"
            )
        if self.method in FIXED and self.restarts not in (None, 1):
            raise UsageError(
                f"`method={self.method}` has one solution, so its restarts would be equal; leave "
                "`restarts=` out"
            )
        for name in ("rate", "epochs", "batch"):
            if getattr(self, name) is not None and self.method not in STEPS:
                raise UsageError(f"`method={self.method}` has no `{name}=`; leave it out")
        for name in ("layer", "pooling"):
            if getattr(self, name) not in (None, "") and self.method in BASELINES:
                raise UsageError(
                    f"`method={self.method}` reads no hidden states; leave `{name}=` out"
                )
        if self.layer is not None and self.method in TUNED:
            raise UsageError("a tuned encoder uses its last layer; leave `layer=` out")

    @property
    def count(self) -> int:
        """How many restarts are trained."""
        return 1 if self.method in FIXED else self.restarts or RESTARTS

    @property
    def steps(self) -> Steps:
        """Rate, epochs and batch size: those given, else the method's own."""
        own = STEPS[self.method]
        return Steps(
            own.rate if self.rate is None else self.rate,
            own.epochs if self.epochs is None else self.epochs,
            own.batch if self.batch is None else self.batch,
        )

    def recorded(self) -> dict[str, object]:
        """What changes a restart, as `classifier.json` records it."""
        found: dict[str, object] = {"layer": self.layer, "pooling": self.pooling}
        if self.method in STEPS:
            steps = self.steps
            found |= {"rate": steps.rate, "epochs": steps.epochs, "batch": steps.batch}
        return {name: value for name, value in found.items() if value not in (None, "")}
