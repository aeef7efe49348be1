"""Whether this machine can compute in bfloat16 or float16, tested in a child process.

Some virtual machines advertise CPU instructions (AMX) that they cannot run: the first bfloat16
product then ends the process with an illegal instruction, which no `except` can catch.
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

from priscian.errors import ModelError, OutputError
from priscian.files import write_json
from priscian.models.fingerprint import cache_folder

HALF = frozenset({"bfloat16", "float16"})
LIMIT = 180.0
"""Seconds; most of a test is the import of torch."""
SETTINGS = ("ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY")
"""Environment variables that select the CPU instructions that torch uses."""
TRIAL = """
import sys, torch
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash leaves no file behind
except ImportError:
    pass
from torch.nn import functional as F
torch.set_num_threads(1)
dtype = getattr(torch, sys.argv[1])
with torch.inference_mode():
    for rows in (1, 7, 64):
        x = torch.ones(2, 4, rows, 64, dtype=dtype)
        x = F.scaled_dot_product_attention(x, x, x)
        w, b = torch.ones(256, 64, dtype=dtype), torch.ones(256, dtype=dtype)
        y = F.layer_norm(F.gelu(F.linear(x.flatten(0, 2), w, b)), (256,))
        y @ torch.ones(256, 100, dtype=dtype)
        torch.bmm(x[0], x[0].transpose(1, 2)).float().log_softmax(-1)
"""


def check_dtype(model: str, dtype: str, device: str) -> None:
    """Refuse a half-precision dtype that would crash this process."""
    problem = find_problem(dtype) if device == "cpu" and dtype in HALF else ""
    if problem:
        raise ModelError(
            f"{model}: {dtype} does not work on this CPU ({problem}); use dtype=float32, or set "
            f"ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 in the environment before Python starts"
        )


def find_problem(dtype: str) -> str:
    """Why a dtype cannot be used on this CPU, or ""; tested once per machine and torch version."""
    name = f"{dtype} {_machine()}"
    path = cache_folder() / "dtypes.json"
    known = _read(path)
    if name in known:
        return str(known[name])
    try:
        problem = _try(dtype)
    except subprocess.TimeoutExpired:
        return f"a trial was not done after {LIMIT:g} s"  # possibly a busy machine: not cached
    with contextlib.suppress(OutputError):  # it will be tried again
        write_json(path, _read(path) | {name: problem})
    return problem


def _try(dtype: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", TRIAL, dtype],
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
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    told = {line.partition(":")[0].strip(): line.partition(":")[2].strip() for line in lines}
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
        known = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}
