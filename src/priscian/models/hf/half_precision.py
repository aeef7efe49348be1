"""Whether this machine can compute in bfloat16 or float16, tested in a child process."""

from __future__ import annotations

from priscian.errors import ModelError
from priscian.models.hf.cpu_trials import find_problem_of

HALF = frozenset({"bfloat16", "float16"})
TRIAL = """
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
    return find_problem_of(dtype, TRIAL)
