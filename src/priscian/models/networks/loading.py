"""A network of ours from its folder: sizes, then weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from priscian.errors import ModelError
from priscian.models.folder import PROVIDERS, read_config
from priscian.models.safetensors_file import read_safetensors

if TYPE_CHECKING:
    from torch import nn

N = TypeVar("N", bound="nn.Module")


def load_network(folder: Path, architecture: str, build: Callable[[Mapping[str, Any]], N]) -> N:
    """What `build` makes of the sizes in `config.json`, with the folder's weights, ready to score.

    `build` imports the network's module, so that a missing PyTorch is told of here.
    """
    config = read_config(folder, (architecture,))
    weights = read_safetensors(folder / "model.safetensors")
    try:
        import torch

        network = build({name: value for name, value in config.items() if name != "architecture"})
        network.load_state_dict({n: torch.from_numpy(w) for n, w in weights.items()})
    except ImportError:
        raise ModelError(
            f"{PROVIDERS.get(architecture, architecture)}: models need PyTorch: "
            "pip install torch==2.13.0 -c constraints.txt"
        ) from None
    except (TypeError, KeyError, RuntimeError, ValueError, ArithmeticError) as error:
        reason = str(error).splitlines()[0]
        raise ModelError(f"{folder}: weights do not fit the network ({reason})") from None
    return network.eval()
