"""What a classifier is trained with, checked before anything is read or written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from priscian.errors import UnknownNameError, UsageError
from priscian.models.classifier.encoder import POOLINGS
from priscian.models.classifier.folder import (
    BASELINES,
    LORA,
    MAJORITY,
    METHODS,
    MLP,
    NGRAMS,
    PROBE,
    THRESHOLDS,
    TUNED,
)

RESTARTS = 10
LARGEST_SEED = 2**32 - 1
SELECTIONS = ("dev", "paper")
DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "finetune": {"rate": 5e-5, "epochs": 4, "batch": 32},
    LORA: {"rate": 1e-4, "epochs": 3, "batch": 16},
    MLP: {"rate": 3e-4, "epochs": 10, "batch": 64},
}
FIXED = (PROBE, MAJORITY, NGRAMS, *THRESHOLDS)
"""Methods with one solution, so that restarts would all be equal."""


@dataclass(frozen=True, slots=True)
class ClassifierSettings:
    """How a classifier is trained, and how one of its restarts is chosen.

    `select`: `dev` takes the restart with the highest correlation on in-domain dev, `paper` the one
    with the highest on the out-of-domain test set, as Vázquez Martínez (2021) did.
    `layer` and `pooling` fix the states of a probe, which are otherwise chosen by cross-validation.
    """

    encoder: str = ""
    method: str = PROBE
    restarts: int | None = None
    seed: int = 1
    select: str = "dev"
    without_sources: tuple[str, ...] = ()
    rate: float | None = None
    epochs: int | None = None
    batch: int | None = None
    layer: int | None = None
    pooling: str = ""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UnknownNameError("method", self.method, METHODS)
        if self.select not in SELECTIONS:
            raise UnknownNameError("way to select a restart", self.select, SELECTIONS)
        if self.pooling and self.pooling not in POOLINGS:
            raise UnknownNameError("pooling", self.pooling, POOLINGS)
        needs = self.method not in (MAJORITY, NGRAMS)
        if needs and not self.encoder:
            raise UsageError(
                f"`method={self.method}` needs a model: `encoder=minilm`, smollm2, hf:ID, a folder"
            )
        if not needs and self.encoder:
            raise UsageError(f"`method={self.method}` has no encoder; leave `encoder=` out")
        if self.restarts is not None and self.restarts < 1:
            raise UsageError(f"`restarts={self.restarts}`: train at least one")
        if self.method in FIXED and self.restarts not in (None, 1):
            raise UsageError(
                f"`method={self.method}` has one solution, so its restarts would be equal; leave "
                "`restarts=` out"
            )
        if not 0 <= self.seed <= LARGEST_SEED:
            raise UsageError(f"`seed={self.seed}`: give a whole number from 0 to {LARGEST_SEED}")
        self._check_sizes()

    def _check_sizes(self) -> None:
        for name in ("rate", "epochs", "batch"):
            value = getattr(self, name)
            if value is None:
                continue
            if self.method not in DEFAULTS:
                raise UsageError(f"`method={self.method}` has no `{name}=`; leave it out")
            if not value > 0:
                raise UsageError(f"`{name}={value:g}`: it must be above 0")
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

    def value(self, name: str) -> Any:
        """A rate, number of epochs or batch size: the given one, else the method's own."""
        given = getattr(self, name)
        return DEFAULTS[self.method][name] if given is None else given

    def recorded(self) -> dict[str, object]:
        """What changes a restart, as `classifier.json` records it."""
        found = {k: v for k, v in asdict(self).items() if k in ("layer", "pooling")}
        if self.method in DEFAULTS:
            found |= {name: self.value(name) for name in ("rate", "epochs", "batch")}
        return {k: v for k, v in found.items() if v not in (None, "")}
