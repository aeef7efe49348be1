"""What a transfer analysis is made with, checked before anything is generated."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from priscian.datasets.split_pairs import SplitPlan
from priscian.errors import UsageError
from priscian.training.classifiers.reading import read_probe
from priscian.training.classifiers.states import View, encoder_spec

SIZES = (10, 25, 50, 100)
DEFAULT_C = 0.01
NO_MODEL = "none"


@dataclass(frozen=True, slots=True)
class TransferSettings:
    """How many pairs, from which seeds, and which states of the encoder.

    The states, and the penalty `c`, are those of a probe that was trained on CoLA (`probe`, its
    folder), or `layer` and `pooling` give them. `model` is the language model whose own choices
    are shown: by default the encoder, if it is one; "none" for none.
    """

    encoder: str = ""
    probe: str | Path = ""
    layer: int | None = None
    pooling: str = ""
    c: float | None = None
    pairs: int = 200
    test_pairs: int = 100
    seed: int = 1
    test_seed: int = 2
    draws: int = 5
    sizes: tuple[int, ...] = SIZES
    only: tuple[str, ...] = ()
    model: str = ""

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise UsageError(f"--draws {self.draws}: draw at least once")
        if self.c is not None and not self.c > 0:
            raise UsageError(f"--c {self.c:g}: the inverse penalty must be above 0")
        if any(size < 1 for size in self.sizes):
            raise UsageError(f"--sizes {min(self.sizes)}: train on at least one pair")
        if self.probe and (self.layer is not None or self.pooling):
            raise UsageError("--probe has a layer and a pooling; leave --layer and --pooling out")

    @property
    def plan(self) -> SplitPlan:
        """The pairs to generate."""
        return SplitPlan(self.pairs, self.test_pairs, self.seed, self.test_seed)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The encoder, its states, the inverse penalty, and the name of the probe they come from."""

    encoder: str
    view: View
    c: float
    chosen_by: str = ""


def choose(settings: TransferSettings) -> Chosen:
    """The states to use; a probe of another encoder is refused."""
    if settings.probe:
        found = read_probe(Path(settings.probe))
        if settings.encoder and settings.encoder != found.encoder:
            raise UsageError(
                f"{settings.probe} is a probe of {found.encoder}, not of {settings.encoder}; leave "
                "--encoder out, or give --layer and --pooling"
            )
        c = found.c if settings.c is None else settings.c
        return Chosen(found.encoder, found.view, c, Path(settings.probe).name)
    if not settings.encoder:
        raise UsageError(
            "no encoder; give --probe DIR, a probe that priscian train classifier has trained on "
            "CoLA, or --encoder with --layer and --pooling"
        )
    if settings.layer is None or not settings.pooling:
        raise UsageError(
            f"which states of {settings.encoder}? Give --probe DIR, a probe that was trained on "
            "CoLA, or --layer and --pooling (cls, last, mean or max)"
        )
    encoder_spec(settings.encoder)  # a model without hidden states is refused here
    view = View.parse(f"{settings.layer}-{settings.pooling}")
    return Chosen(settings.encoder, view, DEFAULT_C if settings.c is None else settings.c)
