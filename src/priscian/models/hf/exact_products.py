"""float32 products by oneDNN on CPUs of AMD, where they are about twice as fast.

PyTorch's builds compute float32 products with MKL, which on AMD's CPUs uses half the width of their
registers. oneDNN uses all of it, but PyTorch asks it only where products may be less precise
(`set_float32_matmul_precision("medium")`). Without AMX instructions oneDNN then computes in float32
all the same; with them it would round to bfloat16. So a trial in a child process must show that the
products are exact.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cache

import torch

from priscian.models.hf.cpu_trials import cpu_facts, find_problem_of

TRIAL = """
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


def use_exact_products() -> None:
    """Leave float32 products to oneDNN, if that is faster here and loses nothing."""
    if faster_and_exact():
        torch.set_float32_matmul_precision("medium")


@cache
def faster_and_exact() -> bool:
    """Whether this CPU is AMD's, and oneDNN's products have the precision of float32."""
    return cpu_facts().get("vendor_id") == "AuthenticAMD" and not find_problem_of("products", TRIAL)


@contextlib.contextmanager
def products_kept() -> Iterator[None]:
    """Products are afterwards computed as before."""
    before = torch.get_float32_matmul_precision()
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
