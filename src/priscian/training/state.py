"""The state of a training on disk, from which it goes on bit for bit."""

from __future__ import annotations

import math
import warnings
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from priscian.errors import ModelError, PriscianWarning, UsageError, counted
from priscian.files import replacing
from priscian.training.recipe import digest_of

if TYPE_CHECKING:
    from priscian.training.loop import Loop

STATE = "state.pt"


@dataclass(slots=True)
class Progress:
    """How far a training has come; all that changes from step to step but the weights."""

    step: int = 0
    tokens: int = 0
    passes: int = 0
    position: int = 0
    """Batches of this pass that have been read."""
    factor: float = 1.0
    """What annealing has left of the rate."""
    dev: list[float] = field(default_factory=list)
    """Nats per token on dev after each pass."""
    loss: float = math.nan
    unlogged: list[float] = field(default_factory=list)
    """Losses since the last line of the log."""
    seconds: float = 0.0
    stopped: bool = False
    """Ended by patience."""


def save_state(loop: Loop) -> None:
    """Write it, whole or not at all; the last good one stays if the disk is full."""
    machine = loop.machine
    own = machine.gather({"random": _random(machine.device), "memory": _to(loop.memory, "cpu")})
    if machine.rank:
        return
    state = {
        "network": loop.network.state_dict(),
        "optimiser": loop.optimiser.state_dict(),
        "progress": {name: getattr(loop.progress, name) for name in Progress.__slots__},
        "processes": own,
        "average": loop.average,
        "averaged": loop.averaged,
        "best": loop.best,
        "products": machine.products,
        "data": loop.data.digest,
        "recipe": digest_of(loop.recipe),
    }
    with replacing(loop.folder / STATE) as temporary:
        try:
            torch.save(state, temporary)
        except RuntimeError as error:  # torch's name for a full disk
            raise OSError(28, f"no room for the training's state ({error})") from None


def resume_state(loop: Loop) -> bool:
    """Take up the saved state, if there is one."""
    path = loop.folder / STATE
    if not path.is_file():
        return False
    device = loop.machine.device
    try:
        with zipfile.ZipFile(path) as parts:  # torch does not look at the checksums
            if changed := parts.testzip():
                raise ValueError(f"the checksum of {changed} is wrong")
        state = torch.load(path, weights_only=True, map_location="cpu")
        for what, digest in (("data", loop.data.digest), ("recipe", digest_of(loop.recipe))):
            if state.get(what, digest) != digest:  # states of older versions have neither
                raise UsageError(
                    f"the {'corpus' if what == 'data' else what} of the training in "
                    f"{loop.folder.parent} has changed since; restore what it was, or name a new "
                    "`out=`"
                )
        loop.network.load_state_dict(state["network"])
        loop.optimiser.load_state_dict(state["optimiser"])
        loop.progress = Progress(**state["progress"])
        loop.average, loop.averaged = _to(state["average"], device), state["averaged"]
        loop.best = _to(state.get("best"), device)
        processes = state.get("processes") or [state]  # of 0.1: one process, with its own keys
        if len(processes) != loop.machine.world:
            before = counted(len(processes), "process", "processes")
            raise UsageError(
                f"the training in {loop.folder.parent} was started with {before}, not "
                f"{loop.machine.world}; go on with {len(processes)}"
            )
        own = processes[loop.machine.rank]
        _set_random(own["random"], device)
        loop.memory = _to(own["memory"], device)
    except UsageError:
        raise
    except Exception as error:  # unpickling damaged bytes may raise anything
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(
            f"{path} cannot be read ({reason}); delete it to begin the training again"
        ) from None
    if state.get("products", loop.machine.products) != loop.machine.products:
        warnings.warn(
            f"the training in {loop.folder.parent} began with another library for products of "
            "matrices (another CPU, or one too busy for a trial): it goes on, with other last bits",
            PriscianWarning,
            stacklevel=2,
        )
    return True


def _random(device: str) -> list[torch.Tensor]:
    """Where the random numbers of this process stand: the CPU's, and the GPU's if it has one."""
    found = [torch.get_rng_state()]
    return [*found, torch.cuda.get_rng_state(device)] if device.startswith("cuda") else found


def _set_random(found: torch.Tensor | list[torch.Tensor], device: str) -> None:
    first, *others = found if isinstance(found, list) else [found]
    torch.set_rng_state(first)
    for other in others:
        torch.cuda.set_rng_state(other, device)


def _to(value: Any, device: str) -> Any:
    """Tensors, and what holds them, on a device."""
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {key: _to(part, device) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_to(part, device) for part in value)
    return value
