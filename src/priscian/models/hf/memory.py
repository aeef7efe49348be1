"""Reuse the memory that one layer frees for the next, in large pages.

Every layer writes some megabytes and frees them again. If they go back to the system each time,
page faults and zeroing cost a model on a CPU several percent of its time.
"""

from __future__ import annotations

import ctypes
import os
import sys

TRIM, TOP_PAD, MMAP = -1, -2, -3  # numbers of glibc's options
SETTINGS = {MMAP: 32 << 20, TRIM: (1 << 31) - 1, TOP_PAD: 64 << 20}


def keep_memory() -> bool:
    """Tell the C library, and PyTorch before its import, to keep memory; returns success."""
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # a C library other than glibc
        return False
    return all(mallopt(option, value) == 1 for option, value in SETTINGS.items())
