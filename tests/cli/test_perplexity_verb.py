"""`priscian perplexity` for every model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from priscian import perplexity

Command = Callable[..., Any]


@pytest.fixture
def text(in_folder: Path) -> Path:
    path = in_folder / "text.txt"
    path.write_text("Go now. Rain again.\n\nShe has admired qwrtzx!\n", "utf-8")
    return path


def test_the_command_prints_what_the_function_finds(
    priscian: Command, model: str, text: Path
) -> None:
    done = priscian("perplexity", model, text, "--json")
    assert (done.code, done.complaints) == (0, [])
    assert json.loads(done.out) == perplexity(model, text).as_dict()
    shown = priscian("perplexity", model, text).out.splitlines()
    assert shown[0].startswith("8 words (")
    assert [line.split("  ")[0] for line in shown[1:]] == [
        "perplexity per token", "perplexity per word", "bits per character", "bits per byte",
    ]  # fmt: skip


def test_what_limits_a_figure_is_said(priscian: Command, text: Path) -> None:
    shown = priscian("perplexity", "builtin:ngram", text).out
    assert "8 words (11 tokens) and 3 sentence ends in 3 texts" in shown
    assert "unknown words                      1  (9.09%)" in shown
    assert "ends of sentences are predicted too" in shown
    assert "an unknown word counts as its whole class" in shown


def test_ends_are_counted_on_request(priscian: Command, text: Path) -> None:
    shown = priscian("perplexity", "builtin:ngram", text, "--with-ends").out
    assert "11 words (11 tokens) and 3 sentence ends in 3 texts" in shown  # with punctuation marks
    assert "ends of sentences are predicted too and count as tokens and words" in shown


def test_wrong_usage_is_one_line(priscian: Command, text: Path) -> None:
    for arguments, code, told in (
        (("builtin:ngram",), 2, "name a text file"),
        (("builtin:ngram", text, "--lines", "--passages"), 2, "cannot be combined"),
        (("builtin:ngram", text, "--with-ends", "--lines"), 2, "leave out --lines and --passages"),
        (("builtin:ngram", "none.txt"), 1, "no file none.txt"),
    ):
        done = priscian("perplexity", *arguments)
        (line,) = done.complaints
        assert done.code == code
        assert told in line
