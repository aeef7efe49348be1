"""Networks that can be trained, built by the names of their architectures."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from priscian.errors import ModelError, UnknownNameError, install
from priscian.models import ModelSpec, find_provider
from priscian.models.folder import ARCHITECTURES
from priscian.models.registry import OWN

TREES = frozenset(name for name, known in ARCHITECTURES.items() if known.trees)
"""Architectures that are trained on trees."""


def architectures() -> tuple[str, ...]:
    """Their names."""
    return tuple(ARCHITECTURES)


def shape_of(architecture: str) -> type:
    """The dataclass of an architecture's sizes."""
    return _find(architecture, "Shape")  # type: ignore[no-any-return]


def build(
    architecture: str,
    vocabulary: int,
    network: Mapping[str, Any],
    learnt: Mapping[str, Any] | None = None,
) -> Any:
    """A network with fresh weights, drawn from torch's generator.

    `learnt` has the keys of its shape that the corpus decides.
    """
    shape = shape_of(architecture)(vocabulary=vocabulary, **network, **(learnt or {}))
    return _find(architecture)(shape)


def _find(architecture: str, suffix: str = "") -> Any:
    """The class of a network, or of its sizes."""
    if architecture not in ARCHITECTURES:
        raise UnknownNameError("architecture", architecture, ARCHITECTURES)
    module, _, name = ARCHITECTURES[architecture].network.partition(".")
    try:
        return getattr(import_module(f"priscian.models.networks.{module}"), name + suffix)
    except ImportError as error:
        if error.name not in (None, "torch"):
            raise
        raise ModelError(f"training needs PyTorch: {install('hf')}") from None


def check_trained_options(architecture: str, options: str) -> None:
    """Refuse options that the provider of an architecture would refuse after the training.

    >>> check_trained_options("rnng", "beam=100,5,10")
    >>> check_trained_options("rnng", "beam=0,5,10")
    Traceback (most recent call last):
    priscian.errors.UsageError: beam=0,5,10: a beam of 0 finds nothing; give numbers from 1
    """
    name = architecture if architecture in OWN else ARCHITECTURES[architecture].provider
    provider: Any = find_provider(name)
    provider.check(ModelSpec.parse(f"{name}:{architecture}?name=model&{options}"))
