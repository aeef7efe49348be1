"""The test run itself: a crashed, stuck or endless test is a failure, never a wait."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
PLANTED = """
import ctypes, os, signal

def test_that_passes(): pass

def test_that_kills_itself(): os.kill(os.getpid(), signal.SIGKILL)

def test_that_hangs_in_c_code_and_holds_the_interpreter(): ctypes.PyDLL(None).sleep(1000)

def test_that_comes_last(): pass
"""


def test_a_killed_or_stuck_worker_is_a_failure_and_the_run_goes_on(tmp_path: Path) -> None:
    (tmp_path / "test_planted.py").write_text(PLANTED)
    found = re.search(r"^WORKERS := (.+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert found
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", *found[1].split()),
            *("-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), str(tmp_path)),
            *(
                "-p",
                "no:cacheprovider",
                "-p",
                "no:hypothesispytest",
                "-o",
                "faulthandler_timeout=2",
            ),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    for name in ("kills_itself", "hangs_in_c_code_and_holds_the_interpreter"):
        assert re.search(rf"crashed while running '.*test_that_{name}'", done.stdout)
    assert re.search(r"2 failed, 2 passed", done.stdout)


def test_a_command_that_never_ends_is_ended_with_all_that_it_started() -> None:
    child = "import time; time.sleep(1000)"
    endless = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    done = subprocess.run(
        [sys.executable, ROOT / ".ci/limit", "1", sys.executable, "-c", endless],
        capture_output=True,  # waits until no one can write any more
        text=True,
        check=False,
    )
    assert done.returncode == 124
    assert "not done after 1 s" in done.stderr


def test_the_limit_gives_the_commands_own_exit_code() -> None:
    command = [sys.executable, ROOT / ".ci/limit", "60", sys.executable, "-c", "exit(3)"]
    assert subprocess.run(command, check=False).returncode == 3


def test_property_tests_do_not_depend_on_the_clock() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check


def test_a_missing_tool_is_named_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from scripts import test_tools

    monkeypatch.setattr(test_tools, "get_chromium", lambda: False)
    monkeypatch.setattr(test_tools, "get_axe", lambda: True)
    assert test_tools.main() == 1
    said = capsys.readouterr().out
    assert "skipped without Chromium: apt install chromium" in said
    assert "axe-core" not in said
