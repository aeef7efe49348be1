"""A network of ours from its folder: sizes, then weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from priscian.errors import ModelError, install
from priscian.models.folder import PROVIDERS, read_config
from priscian.models.safetensors_file import read_safetensors

if TYPE_CHECKING:
    from torch import nn

N = TypeVar("N", bound="nn.Module")


def load_network(
    folder: Path,
    architecture: str,
    build: Callable[[Mapping[str, Any]], N],
    *,
    assign: bool = False,
) -> N:
    """What `build` makes of the sizes in `config.json`, with the folder's weights, ready to score.

    `build` imports the network's module, so that a missing PyTorch is told of here. With `assign`
    it builds on the meta device, so that wrong sizes take no memory, and the weights are put in.
    """
    config = read_config(folder, (architecture,))
    weights = read_safetensors(folder / "model.safetensors")
    try:
        import torch

        network = build({name: value for name, value in config.items() if name != "architecture"})
        tensors = {n: torch.from_numpy(w) for n, w in weights.items()}
        network.load_state_dict(tensors, assign=assign)
    except ImportError:
        raise ModelError(
            f"{PROVIDERS.get(architecture, architecture)}: models need PyTorch: {install('hf')}"
        ) from None
    except (TypeError, LookupError, RuntimeError, ValueError, ArithmeticError) as error:
        reason = str(error).splitlines()[0]
        raise ModelError(
            f"{folder}: weights do not fit the network ({reason}); copy it again"
        ) from None
    return network.eval()
