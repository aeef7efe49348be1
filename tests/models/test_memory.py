"""Memory is kept after use where the C library can be asked to."""

from __future__ import annotations

import subprocess
import sys

import pytest

LEFT = """
import ctypes, sys
from pathlib import Path
from priscian.models.cpu import keep_memory
if sys.argv[1] == "kept":
    assert keep_memory()
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
library.free.argtypes = [ctypes.c_void_p]
def pages():
    return int(Path("/proc/self/statm").read_text().split()[1])
before = pages()
block = library.malloc(24 << 20)
ctypes.memset(block, 1, 24 << 20)
library.free(block)
print((pages() - before) * 4096 >> 20)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="these are glibc's options")
def test_memory_that_was_freed_stays_with_the_process() -> None:
    kept, given_back = (
        int(subprocess.check_output([sys.executable, "-c", LEFT, how]))
        for how in ("kept", "given back")
    )
    assert kept >= 20 > 5 > given_back
