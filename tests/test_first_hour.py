"""The first hour of a new user: README's commands, word for word, in an empty folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("first_hour.sh")
TABLE = SCRIPT.with_suffix(".tsv")
README = SCRIPT.parents[1] / "README.md"


def test_the_table_has_every_command_of_the_readme_and_no_other() -> None:
    fences = re.split(r"^```(.*)\n", README.read_text("utf-8"), flags=re.MULTILINE)
    # text, the language of a block, the block, nothing, text …
    blocks = [fences[at + 1] for at in range(1, len(fences), 4) if fences[at] == ""]
    lines = [line for block in blocks for line in block.splitlines()]
    commands = [re.split("  +", line)[0] for line in lines]
    named = [row.split("\t")[0] for row in TABLE.read_text("utf-8").splitlines()[1:]]
    wanted = [c for c in commands if c.startswith(("priscian ", "make ", "pip "))]
    assert sorted(named) == sorted(wanted)


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
