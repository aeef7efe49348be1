"""The architectures that can be trained: a network's shape, and the network itself."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol

from priscian.errors import ModelError, UnknownNameError, install
from priscian.models import ModelSpec, find_provider
from priscian.models.folder import PROVIDERS
from priscian.models.registry import OWN

_PLACES: Mapping[str, tuple[str, str, str]] = {
    "gpt2": ("gpt2", "Gpt2", "Gpt2Shape"),
    "lstm": ("lstm", "Lstm", "LstmShape"),
    "on-lstm": ("on_lstm", "OnLstm", "OnLstmShape"),
    "rnng": ("rnng", "Rnng", "RnngShape"),
    "transformer-xl": ("transformer_xl", "TransformerXl", "TransformerXlShape"),
}


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
    return tuple(_PLACES)


def shape_of(architecture: str) -> type:
    """The dataclass of an architecture's sizes."""
    module, _, shape = _place(architecture)
    return getattr(_import(module), shape)  # type: ignore[no-any-return]


def build(
    architecture: str,
    vocabulary: int,
    network: Mapping[str, Any],
    learnt: Mapping[str, Any] | None = None,
) -> Any:
    """A network with fresh weights, drawn from torch's generator.

    `learnt` has the keys of its shape that the corpus decides.
    """
    module, name, shape = _place(architecture)
    found = _import(module)
    sizes = {**network, **(learnt or {})}
    return getattr(found, name)(getattr(found, shape)(vocabulary=vocabulary, **sizes))


def _place(architecture: str) -> tuple[str, str, str]:
    if architecture not in _PLACES:
        raise UnknownNameError("architecture", architecture, _PLACES)
    return _PLACES[architecture]


def _import(module: str) -> Any:
    try:
        return import_module(f"priscian.models.networks.{module}")
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
