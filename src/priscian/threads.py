"""How many cores there are, and how many threads NumPy and torch may use."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


@cache
def _blas() -> ThreadpoolController:
    """Controls the BLAS libraries of NumPy and SciPy that are loaded."""
    from threadpoolctl import ThreadpoolController  # only where products are made in parallel

    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_thread_each() -> Iterator[int]:
    """Products use one thread inside; yields how many may run in parallel (1 if unknown).

    OpenBLAS threads wait for each other by spinning; on a busy machine that made small products
    six times slower than one thread does them.
    """
    blas = _blas()
    with blas.limit(limits=1):
        yield cores() if len(blas) else 1


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
