"""oneDNN computes float32 products on CPUs of AMD, if a trial finds that they are exact."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

torch = pytest.importorskip("torch")

from priscian.models import cpu as cpu_module  # noqa: E402
from priscian.models.cpu import (  # noqa: E402
    PRODUCTS_TRIAL,
    faster_and_exact,
    products_kept,
    use_exact_products,
)
from priscian.training.machine import Machine, settings_kept  # noqa: E402
from priscian.training.recipe import MachinePart  # noqa: E402

PASSES = "import sys; sys.exit(0)"
ROUNDS = "import sys; sys.exit('an error of 4.0e-03')"
DIES = "import os, signal; os.kill(os.getpid(), signal.SIGILL)"


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    faster_and_exact.cache_clear()
    with products_kept():
        torch.set_float32_matmul_precision("highest")
        yield
    faster_and_exact.cache_clear()


def cpu(monkeypatch: pytest.MonkeyPatch, vendor: str, script: str) -> None:
    monkeypatch.setattr(cpu_module, "cpu_facts", lambda: {"vendor_id": vendor})
    monkeypatch.setattr(cpu_module, "PRODUCTS_TRIAL", script)


def test_products_that_a_trial_finds_exact_are_left_to_onednn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cpu(monkeypatch, "AuthenticAMD", PASSES)
    use_exact_products()
    assert torch.get_float32_matmul_precision() == "medium"


@pytest.mark.parametrize("script", [ROUNDS, DIES])
def test_a_cpu_that_would_round_or_crash_keeps_its_products(
    script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpu(monkeypatch, "AuthenticAMD", script)
    use_exact_products()
    assert torch.get_float32_matmul_precision() == "highest"


def test_other_cpus_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu(monkeypatch, "GenuineIntel", PASSES)
    monkeypatch.setattr(cpu_module, "find_problem_of", lambda *_: pytest.fail("tried"))
    use_exact_products()
    assert torch.get_float32_matmul_precision() == "highest"


def test_the_trial_refuses_products_that_are_rounded_to_bfloat16() -> None:
    rounded = PRODUCTS_TRIAL.replace("(a @ b, a, b)", "((a.bfloat16().float() @ b), a, b)")
    assert rounded != PRODUCTS_TRIAL
    done = subprocess.run(
        [sys.executable, "-c", rounded.replace('"medium"', '"highest"')],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("an error of ")


def test_a_training_leaves_products_as_it_found_them(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu(monkeypatch, "AuthenticAMD", PASSES)
    with settings_kept():
        Machine(MachinePart(threads=1, device="cpu"), 1)
        assert torch.get_float32_matmul_precision() == "medium"
    assert torch.get_float32_matmul_precision() == "highest"
