"""The first hour of a new user: README's commands, word for word, in an empty folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("first_hour.sh")


@pytest.mark.slow
def test_every_command_of_the_readme_works(tmp_path: Path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("needs bash")
    command = tmp_path / "priscian"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m priscian.cli "$@"\n')
    command.chmod(0o755)
    done = subprocess.run(
        ["bash", str(SCRIPT)],
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ok " in done.stdout
