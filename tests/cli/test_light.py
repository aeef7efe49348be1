"""Asking for help, importing and reading a store cost no heavy library."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = (
    "torch",
    "transformers",
    "scipy",
    "polars",
    "numpy",
    "starlette",
    "altair",
    "tokenizers",
    "httpx",
)


def loaded(code: str) -> set[str]:
    """Which heavy libraries a piece of code has loaded, in a process of its own."""
    script = f"import sys\n{code}\nprint(*(set(sys.modules) & set({HEAVY!r})), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "code",
    [
        "import priscian",
        "import priscian.cli",
        "from priscian.cli import run; assert run(['--help']) == 0",
        "from priscian.cli import run; assert run(['--version']) == 0",
        "from priscian.cli import run; assert run(['train', '--help']) == 0",
        "from priscian.cli import run; assert run(['train', 'lstm', '--help']) == 0",
        "import priscian.models",
        "from priscian import Item, Sentence, PriscianError",
        "import priscian; dir(priscian)",
    ],
)
def test_nothing_heavy_is_loaded(code: str) -> None:
    assert loaded(code) == set()


@pytest.mark.parametrize(
    "code",
    [
        "from priscian import read_blimp, read_pairs",
        "from priscian import load_model, score, ScoreStore",
        "from priscian.cli import run; assert run(['score', '--help']) == 0",
        "from priscian.cli import run; assert run(['cache', 'list', '--json']) == 0",
        "from priscian.cli import run; assert run(['show', 'adjunct_island']) == 0",
        "from priscian.cli import run; assert run(['list', 'models']) == 0",
    ],
)
def test_no_torch_where_no_model_is_run(code: str) -> None:
    unwanted = {"torch", "transformers", "scipy", "starlette", "tokenizers", "httpx"}
    assert not loaded(code) & unwanted


def test_the_test_can_tell() -> None:
    assert loaded("import numpy") == {"numpy"}
