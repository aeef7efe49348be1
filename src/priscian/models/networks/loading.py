"""A network of ours from its folder: sizes, then weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from priscian.errors import ModelError, install
from priscian.files import shown
from priscian.models.folder import ARCHITECTURES, read_config
from priscian.models.safetensors_file import Floats32, read_safetensors

if TYPE_CHECKING:
    from torch import nn

N = TypeVar("N", bound="nn.Module")
S = TypeVar("S")


def load_network(folder: Path, architecture: str, build: Callable[[Mapping[str, Any]], N]) -> N:
    """What `build` makes of the sizes in `config.json`, with the folder's weights, ready to score.

    `build` imports the network's module, so that a missing PyTorch is reported here. It builds
    without memory, on the meta device: only a network of just the arrays in the file gets some.
    """
    config = read_config(folder, (architecture,))
    weights = read_safetensors(folder / "model.safetensors")
    sizes = {name: value for name, value in config.items() if name != "architecture"}
    try:
        import torch

        _refuse_layers(sizes, weights)
        with torch.device("meta"):
            network = build(sizes)
        _compare(network, weights)
        network.to_empty(device="cpu")
        network.load_state_dict({n: torch.from_numpy(w) for n, w in weights.items()})
    except ImportError:
        known = ARCHITECTURES.get(architecture)
        name = architecture if known is None else known.provider
        raise ModelError(f"{name}: models need PyTorch: {install('hf')}") from None
    except (TypeError, LookupError, RuntimeError, ValueError, ArithmeticError) as error:
        reason = str(error).splitlines()[0]
        raise ModelError(
            f"{folder}: weights do not fit the network ({reason}); copy it again"
        ) from None
    return network.eval()


def read_shape(kind: type[S], sizes: Mapping[str, Any]) -> S:
    """The sizes of a network, each of its own type; a ValueError says which is not."""
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    for name, value in sizes.items():
        if name not in known:
            raise ValueError(f"unknown size {shown(name)}")
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name} is {value}")
    return msgspec.convert(sizes, kind)


def _refuse_layers(sizes: Mapping[str, Any], weights: Mapping[str, Floats32]) -> None:
    """A layer has an array at least; a million of them would take minutes to build."""
    for name, value in sizes.items():
        if "layers" in name and isinstance(value, int) and value > len(weights):
            raise ValueError(f"{name} is {shown(value)} for {len(weights)} arrays")


def _compare(network: nn.Module, weights: Mapping[str, Floats32]) -> None:
    wanted = {name: tuple(value.shape) for name, value in network.state_dict().items()}
    for name in sorted(wanted.keys() | weights.keys()):
        found = weights[name].shape if name in weights else None
        if wanted.get(name) != found:
            raise ValueError(f"{name} has the shape {found}, not {wanted.get(name)}")
