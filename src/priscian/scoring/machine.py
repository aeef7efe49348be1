"""What a machine is, as far as it can change the last bits of a score."""

from __future__ import annotations

import platform
import sys
import warnings
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from priscian.errors import PriscianWarning, counted

LIBRARIES = ("torch", "transformers", "tokenizers", "numpy")
CPUS = Path("/proc/cpuinfo")


def this_machine(threads: int, device: str = "cpu") -> str:
    """Processor or GPU, threads and libraries of this process, in one line."""
    where = processor() if device == "cpu" else _gpu(device)
    parts = [where, counted(threads, "thread")] if device == "cpu" else [where]
    for name in LIBRARIES:
        try:
            parts.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(parts)


def processor() -> str:
    """The processor's name."""
    try:
        lines = CPUS.read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _gpu(device: str) -> str:
    torch = sys.modules.get("torch")
    if torch is not None and device.startswith("cuda"):
        return str(torch.cuda.get_device_name(device))
    return device


def describe_machines(model: str, machines: Mapping[str, int]) -> dict[str, str]:
    """A note about the machines that computed batches; a warning if they differ."""
    if not machines:
        return {}
    if len(machines) == 1:
        return {"machines": next(iter(machines))}
    warn_of_mixture(model, list(machines))
    told = [f"{name} ({counted(n, 'batch', 'batches')})" for name, n in sorted(machines.items())]
    return {"machines": "; ".join(told)}


def warn_of_mixture(what: str, machines: list[str]) -> None:
    """Scores of unlike machines may differ in their last digits."""
    warnings.warn(
        f"{what} was scored on machines that differ ({'; '.join(sorted(machines))}): its scores "
        "may differ from those of one machine by up to 1e-4 nats per token",
        PriscianWarning,
        stacklevel=3,
    )
