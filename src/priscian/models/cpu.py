"""PyTorch on CPUs: memory that is kept, and whether half precision and faster products work.

Some virtual machines advertise CPU instructions (AMX) that they cannot run: the first product that
uses them ends the process with an illegal instruction, which no `except` can catch. So they are
tried in a child process, once per machine and version of torch.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from priscian.errors import ModelError, OutputError
from priscian.files import regular, write_json
from priscian.models.fingerprint import cache_folder

TRIM, TOP_PAD, MMAP = -1, -2, -3  # numbers of glibc's options
MALLOC = {MMAP: 32 << 20, TRIM: (1 << 31) - 1, TOP_PAD: 64 << 20}

PATIENCE = 180.0
"""Seconds; most of a test is the import of torch."""
INSTRUCTIONS = ("ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY")
"""Environment variables that select the CPU instructions that torch uses."""
NO_CORE_FILE = """
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash leaves no file behind
except ImportError:
    pass
"""

HALF = frozenset({"bfloat16", "float16"})
HALF_TRIAL = """
import sys, torch
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

PRODUCTS_TRIAL = """
import sys, torch
torch.set_num_threads(1)
torch.set_float32_matmul_precision("medium")
torch.manual_seed(0)
for rows, inner, columns in ((1, 64, 64), (64, 320, 1280), (1000, 256, 1024)):
    a, b = torch.randn(rows, inner), torch.randn(inner, columns)
    c = torch.randn(8, rows, 32), torch.randn(8, 32, rows)
    for found, x, y in ((a @ b, a, b), (torch.addmm(b[0], a, b) - b[0], a, b), (c[0] @ c[1], *c)):
        exact = x.double() @ y.double()
        error = float((found - exact).abs().max() / exact.abs().max())
        if error > 1e-5:
            sys.exit(f"an error of {error:.1e}")
"""


def keep_memory() -> bool:
    """Tell the C library, and PyTorch before its import, to keep memory; returns success.

    Every layer writes some megabytes and frees them again. If they go back to the system each time,
    page faults and zeroing cost a model several percent of its time.
    """
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # a C library other than glibc
        return False
    return all(mallopt(option, value) == 1 for option, value in MALLOC.items())


def find_problem_of(name: str, script: str) -> str:
    """Why a script fails on this machine, or ""; `name` is its argument, and its name in the cache.

    The problem is the signal that ended it, or the last line that it wrote to standard error.
    """
    told = cpu_facts()
    facts = [  # what the result depends on: CPU, system, torch and its settings
        told.get("model name", platform.processor()),
        told.get("flags", ""),
        platform.machine(),
        platform.release(),
        version("torch"),
        *(os.environ.get(variable, "") for variable in INSTRUCTIONS),
    ]
    machine = hashlib.sha256("\n".join(facts).encode()).hexdigest()[:16]
    entry = f"{name} {machine}"
    path = cache_folder() / "dtypes.json"
    known = _read(path)
    if entry in known:
        return str(known[entry])
    try:
        done = subprocess.run(
            [sys.executable, "-c", NO_CORE_FILE + script, name],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"a trial was not done after {PATIENCE:g} s"  # possibly a busy machine: not cached
    ended = ""
    if done.returncode < 0:
        try:
            ended = signal.Signals(-done.returncode).name
        except ValueError:
            ended = f"signal {-done.returncode}"
    elif done.returncode:
        said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        ended = said[-1] if said else f"code {done.returncode}"
    problem = ended and f"a trial ended with {ended}"
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


def _read(path: Path) -> dict[str, Any]:
    try:
        known = json.loads(regular(path).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}


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
    return find_problem_of(dtype, HALF_TRIAL)


def use_exact_products() -> None:
    """Leave float32 products to oneDNN, if that is faster here and loses nothing.

    PyTorch's builds compute float32 products with MKL, which on AMD's CPUs uses half the width of
    their registers. oneDNN uses all of it and is about twice as fast, but PyTorch asks it only
    where products may be less precise (`set_float32_matmul_precision("medium")`). Without AMX
    instructions oneDNN then computes in float32 all the same; with them it would round to bfloat16.
    So a trial must show that the products are exact.
    """
    import torch

    if faster_and_exact():
        torch.set_float32_matmul_precision("medium")


@cache
def faster_and_exact() -> bool:
    """Whether this CPU is AMD's, and oneDNN's products have the precision of float32."""
    return cpu_facts().get("vendor_id") == "AuthenticAMD" and not find_problem_of(
        "products", PRODUCTS_TRIAL
    )


@contextlib.contextmanager
def products_kept() -> Iterator[None]:
    """Products are afterwards computed as before."""
    import torch

    before = torch.get_float32_matmul_precision()
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
