"""Names from outside cannot make the terminal do anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from priscian.cli import run
from priscian.cli.edge import complain

ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b1m\u202etxt"


def test_what_a_terminal_obeys_is_spelled_out(capsys: pytest.CaptureFixture[str]) -> None:
    complain(f"a{ESCAPES} ü 漢 👩‍👧\tb")
    assert capsys.readouterr().err == (
        "priscian: a\\u001b[2J\\u001b]0;owned\\u0007\\u009b1m\\u202etxt ü 漢 👩‍👧\tb\n"
    )


def test_a_file_name_is_printed_without_its_escapes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / f"a{ESCAPES}"
    folder.mkdir()
    assert run(["report", str(folder)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.isprintable()
    assert "\\u001b[2J" in line
