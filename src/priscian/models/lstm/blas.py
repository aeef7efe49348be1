"""Single-threaded matrix products, while we run several of them in parallel.

OpenBLAS threads wait for each other by spinning; on a busy machine that made our small products
six times slower than one thread does them.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

_PREFIXES = ("scipy_openblas", "openblas")
_SUFFIXES = ("64_", "")


@cache
def _controls() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """Functions that get and set OpenBLAS's threads in NumPy's wheel, or None if it has none."""
    package = Path(np.__file__).parent
    folders = (package.parent / "numpy.libs", package / ".dylibs")
    for path in (p for folder in folders if folder.is_dir() for p in folder.glob("*openblas*")):
        try:
            library = ctypes.CDLL(str(path))
        except OSError:
            continue
        for prefix in _PREFIXES:
            for suffix in _SUFFIXES:
                get = getattr(library, f"{prefix}_get_num_threads{suffix}", None)
                change = getattr(library, f"{prefix}_set_num_threads{suffix}", None)
                if get is not None and change is not None:
                    return get, change
    return None


@contextmanager
def one_thread_each() -> Iterator[int]:
    """Products use one thread inside; yields how many may run in parallel (1 if unknown)."""
    controls = _controls()
    if controls is None:
        yield 1
        return
    get, change = controls
    before = get()
    change(1)
    try:
        yield cores()
    finally:
        change(before)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
