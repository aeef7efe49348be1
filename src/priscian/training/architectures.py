"""The architectures that can be trained: a network's shape, and the network itself."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol

from priscian.errors import ModelError, UnknownNameError, install
from priscian.models import ModelSpec, find_provider
from priscian.models.folder import NETWORKS, PARSER, PROVIDERS, NetworkPlace
from priscian.models.registry import OWN

TREES = frozenset({"rnng"})
"""Architectures that are trained on trees."""


class Network(Protocol):
    """What the training loop asks of a network."""

    def __call__(self, rows: Any, memory: Any = None) -> tuple[Any, Any]:
        """Mean surprisal of tokens 1… of each row, and what to remember."""
        ...

    def config(self) -> dict[str, object]:
        """What `config.json` says."""
        ...


def architectures() -> tuple[str, ...]:
    """Their names."""
    return tuple(name for name in NETWORKS if name != PARSER)


def shape_of(architecture: str) -> type:
    """The dataclass of an architecture's sizes."""
    module, place = _import(architecture)
    return getattr(module, place.shape)  # type: ignore[no-any-return]


def build(
    architecture: str,
    vocabulary: int,
    network: Mapping[str, Any],
    learnt: Mapping[str, Any] | None = None,
) -> Any:
    """A network with fresh weights, drawn from torch's generator.

    `learnt` has the keys of its shape that the corpus decides.
    """
    module, place = _import(architecture)
    shape = getattr(module, place.shape)(vocabulary=vocabulary, **network, **(learnt or {}))
    return getattr(module, place.network)(shape)


def _import(architecture: str) -> tuple[Any, NetworkPlace]:
    if architecture not in architectures():
        raise UnknownNameError("architecture", architecture, architectures())
    place = NETWORKS[architecture]
    try:
        return import_module(f"priscian.models.networks.{place.module}"), place
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
    name = PROVIDERS.get(architecture, architecture if architecture in OWN else "hf")
    provider: Any = find_provider(name)
    provider.check(ModelSpec.parse(f"{name}:{architecture}?name=model&{options}"))
