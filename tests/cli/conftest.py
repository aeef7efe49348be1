"""The command line in this process: exit code, standard output, lines of complaint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from priscian.cli import run


@dataclass(frozen=True, slots=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def complaints(self) -> list[str]:
        """Lines on standard error that are not mere notes."""
        return [x for x in self.err.splitlines() if not x.startswith("priscian: note:")]


Command = Callable[..., Done]


@pytest.fixture
def priscian(capsys: pytest.CaptureFixture[str], in_folder: Path) -> Command:
    """`priscian("list", "--json")` in an empty folder."""

    def command(*arguments: str | Path) -> Done:
        capsys.readouterr()
        code = run([str(a) for a in arguments])
        return Done(code, *capsys.readouterr())

    return command


@pytest.fixture
def model(causal: Callable[..., Path]) -> str:
    """A tiny model."""
    return f"hf:{causal('gpt2')}?name=tiny"


@pytest.fixture
def pairs(in_folder: Path) -> Path:
    """Two pairs in a table."""
    path = in_folder / "pairs.csv"
    path.write_text("good,bad\nShe has admired us!,Us she admired has!\nGo now.,Now the go.\n")
    return path
