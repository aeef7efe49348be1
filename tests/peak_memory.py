"""The most memory that this process has used."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path


def peak_megabytes() -> float:
    """Of this program alone: where the kernel tells, not of the one that started it.

    `ru_maxrss` of a child begins at the size that its parent had when it was started.
    """
    status = Path("/proc/self/status")
    if status.exists() and (found := re.search(r"VmHWM:\s*(\d+) kB", status.read_text())):
        return int(found[1]) / 1024
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / (1 << 20 if sys.platform == "darwin" else 1 << 10)
