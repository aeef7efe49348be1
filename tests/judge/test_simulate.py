"""Simulated raters at an address that serves something else: one line, no traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from priscian.cli import run
from priscian.errors import DataError
from priscian.judge import simulate
from priscian.judge.simulate import wait_for
from tests.hostile import RESET, Pieces, answer, hostile
from tests.judge.studies import make

DEEP = b"[" * 100_000
BLOCKS = {
    "nothing": b"",
    "HTML": b"<html></html>",
    "null": b"null",
    "nested": b'{"trials": ' + DEEP,
    "no trials": b'{"trials": []}',
    "trials of text": b'{"trials": ["a"]}',
    "a position of 5,000 digits": b'{"trials": [{"position": ' + b"1" * 5000 + b"}]}",
    "one sentence of two": b'{"trials": [{"position": 1, "sentences": ["a"]}]}',
    "not UTF-8": b'{"trials": [{"position": 1, "sentences": ["\xff", "b"]}]}',
    "endless": b" " * (1 << 24) + b"{}",
}


@pytest.fixture
def asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[Callable[[bytes], Pieces]], str]:
    """Simulate one person; returns the only line of the error."""
    folder = make(tmp_path / "study")
    habits = simulate.Habits

    def impatient(*given: Any, **named: Any) -> simulate.Habits:
        return habits(*given, **{**named, "patience": 0.0})

    monkeypatch.setattr("priscian.cli.judge.simulate.Habits", impatient)

    def ask(reply: Callable[[bytes], Pieces]) -> str:
        with hostile(reply) as server:
            code = run(["judge", "simulate", str(folder), "--url", server.url, "--raters", "1"])
        shown = capsys.readouterr()
        assert code == 1, shown
        (line,) = shown.err.splitlines()
        assert "unexpected" not in line
        assert line.isprintable()
        return line

    return ask


def served(block: bytes) -> Callable[[bytes], Pieces]:
    """A server that is a study's but for its block of trials."""

    def reply(asked: bytes) -> Pieces:
        path = asked.split(b" ")[1]
        if path == b"/start":
            return [answer(b"", "Location: /s/token", status="303 See Other")]
        return [answer(block if path.endswith(b"/block") else b"{}")]

    return reply


@pytest.mark.parametrize("block", BLOCKS)
def test_trials_that_are_none(asked: Callable[..., str], block: str) -> None:
    line = asked(served(BLOCKS[block]))
    assert "does not serve this study" in line or "is the study served there?" in line


WRONG = {
    "SSH": b"SSH-2.0-OpenSSH\r\n",
    "reset": RESET,
    "closed": b"",
    "a length in letters": answer(b"", "Content-Length: abc"),
    "a large head": b"HTTP/1.1 200\n" * 99_999,
}


@pytest.mark.parametrize("wrong", WRONG)
def test_no_web_server_after_a_while(asked: Callable[..., str], wrong: str) -> None:
    line = asked(lambda request: [answer(b"ok") if b"/health" in request else WRONG[wrong]])
    assert "/start: " in line
    assert "is the study served there?" in line


def test_sentences_of_another_study_are_answered(asked: Callable[..., str]) -> None:
    trial = {"position": 1, "sentences": ["Of another study.", "Of another study, too."]}
    line = asked(served(json.dumps({"trials": [trial]}).encode()))
    assert "1 acknowledged answer not in the database" in line


def test_nobody_goes_to_where_a_redirect_leads_off_the_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    away = answer(b"", "Location: @127.0.0.2:9/s/token", status="303 See Other")
    folder = make(tmp_path / "study")
    with hostile(lambda request: [answer(b"ok") if b"/health" in request else away]) as server:
        assert run(["judge", "simulate", str(folder), "--url", server.url, "--raters", "1"]) == 0
    assert capsys.readouterr().out.startswith("0 sittings completed, 1 refused")


@pytest.mark.parametrize(
    ("reply", "said"),
    [(answer(b"", status="404 Not Found"), "404 Not Found"), (b"SSH-2.0\r\n", "disconnected")],
)
def test_waiting_for_something_else_ends_with_what_it_said(reply: bytes, said: str) -> None:
    with hostile(lambda asked: [reply]) as server, pytest.raises(DataError, match=said):
        wait_for(server.url, 0.1)
