"""How many cores there are, and how many threads NumPy and torch may use."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

_NAMES = (
    "scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads",
    "openblas_{}_num_threads64_", "openblas_{}_num_threads",
)  # fmt: skip


@cache
def _controls() -> list[tuple[Callable[[], int], Callable[[int], None]]]:
    """Functions that get and set OpenBLAS's threads: NumPy and SciPy may have one each."""
    package = Path(np.__file__).parent
    site = package.parent
    folders = (
        site / "numpy.libs", package / ".dylibs",
        site / "scipy.libs", site / "scipy" / ".dylibs",
    )  # fmt: skip
    found = []
    for path in (p for folder in folders if folder.is_dir() for p in folder.glob("*openblas*")):
        try:
            library = ctypes.CDLL(str(path))
        except OSError:
            continue
        for name in _NAMES:
            get = getattr(library, name.format("get"), None)
            change = getattr(library, name.format("set"), None)
            if get is not None and change is not None:
                found.append((get, change))
                break
    return found


@contextmanager
def one_thread_each() -> Iterator[int]:
    """Products use one thread inside; yields how many may run in parallel (1 if unknown).

    OpenBLAS threads wait for each other by spinning; on a busy machine that made small products
    six times slower than one thread does them.
    """
    controls = _controls()
    before = [get() for get, _ in controls]
    for _, change in controls:
        change(1)
    try:
        yield cores() if controls else 1
    finally:
        for (_, change), count in zip(controls, before, strict=True):
            change(count)


@contextmanager
def threads_kept() -> Iterator[None]:
    """Torch, if it is used at all, has afterwards as many threads as before."""
    before = sys.modules["torch"].get_num_threads() if "torch" in sys.modules else None
    try:
        yield
    finally:
        if before is not None:
            sys.modules["torch"].set_num_threads(before)


SHORT = 5 * 10**9
"""Multiplications, about half a second of one core, below which one thread does the work.

Threads that wait for each other cost seconds on a busy machine, whatever they have to do.
"""


@contextmanager
def threads_for(multiplications: float) -> Iterator[None]:
    """Torch uses one thread meanwhile if the work is short.

    Nothing changes in a thread beside the main one: the setting may hold for all of them.
    """
    with threads_kept():
        if multiplications < SHORT and threading.current_thread() is threading.main_thread():
            sys.modules["torch"].set_num_threads(1)
        yield


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
