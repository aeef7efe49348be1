"""What this CPU can do, tested in a child process, once per machine and torch version.

Some virtual machines advertise CPU instructions (AMX) that they cannot run: the first product that
uses them ends the process with an illegal instruction, which no `except` can catch.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from priscian.errors import OutputError
from priscian.files import regular, write_json
from priscian.models.fingerprint import cache_folder

LIMIT = 180.0
"""Seconds; most of a test is the import of torch."""
SETTINGS = ("ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY")
"""Environment variables that select the CPU instructions that torch uses."""
NO_CORE_FILE = """
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash leaves no file behind
except ImportError:
    pass
"""


def find_problem_of(name: str, script: str) -> str:
    """Why a script fails on this machine, or ""; `name` is its argument, and its name in the cache.

    The problem is the signal that ended it, or the last line that it wrote to standard error.
    """
    entry = f"{name} {_machine()}"
    path = cache_folder() / "dtypes.json"
    known = _read(path)
    if entry in known:
        return str(known[entry])
    try:
        problem = _try(name, script)
    except subprocess.TimeoutExpired:
        return f"a trial was not done after {LIMIT:g} s"  # possibly a busy machine: not cached
    with contextlib.suppress(OutputError):  # it will be tried again
        write_json(path, _read(path) | {entry: problem})
    return problem


def cpu_facts() -> dict[str, str]:
    """What the system says of its first CPU: `vendor_id`, `model name`, `flags`; {} if unknown."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return {}
    lines = text.partition("\n\n")[0].splitlines()
    return {line.partition(":")[0].strip(): line.partition(":")[2].strip() for line in lines}


def _try(name: str, script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", NO_CORE_FILE + script, name],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    if done.returncode == 0:
        return ""
    if done.returncode < 0:
        return f"a trial ended with {_signal(-done.returncode)}"
    said = [line for line in done.stderr.splitlines() if line.strip()]
    return f"a trial ended with {said[-1].strip() if said else f'code {done.returncode}'}"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _machine() -> str:
    """What the result of a test depends on: CPU, system, torch and its settings."""
    told = cpu_facts()
    facts = [
        told.get("model name", platform.processor()),
        told.get("flags", ""),
        platform.machine(),
        platform.release(),
        version("torch"),
        *(os.environ.get(name, "") for name in SETTINGS),
    ]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:16]


def _read(path: Path) -> dict[str, Any]:
    try:
        known = json.loads(regular(path).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}
