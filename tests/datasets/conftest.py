"""Small files of our own making."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]


@pytest.fixture
def write_jsonl(tmp_path: Path) -> Write:
    """Write rows as JSONL; a row that is a string is written as it is."""

    def write(name: str, *rows: dict[str, Any] | str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return write


@pytest.fixture
def write_text(tmp_path: Path) -> Write:
    """Write a file of text or bytes."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def full_row() -> Callable[..., dict[str, Any]]:
    """A row without prefix fields, in the official schema."""

    def make(number: int = 0, **changes: Any) -> dict[str, Any]:
        row = {
            "sentence_good": f"The {number} geese were grey.",
            "sentence_bad": f"The {number} geese was grey.",
            "field": "morphology",
            "linguistics_term": "subject_verb_agreement",
            "UID": "goose_agreement",
            "simple_LM_method": True,
            "one_prefix_method": False,
            "two_prefix_method": False,
            "lexically_identical": False,
            "pairID": str(number),
        }
        row |= changes
        return {key: value for key, value in row.items() if value is not None}

    return make


@pytest.fixture
def one_prefix_row(full_row: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """A row with the fields of the one-prefix method."""

    def make(number: int = 0, **changes: Any) -> dict[str, Any]:
        fields = {
            "one_prefix_prefix": f"The {number} geese",
            "one_prefix_word_good": "were",
            "one_prefix_word_bad": "was",
            "one_prefix_method": True,
        }
        return full_row(number, **(fields | changes))

    return make


@pytest.fixture
def two_prefix_row(full_row: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """A row with the fields of the two-prefix method."""

    def make(number: int = 0, **changes: Any) -> dict[str, Any]:
        fields = {
            "sentence_good": f"Ada sees these {number} kilns.",
            "sentence_bad": f"Ada sees this {number} kilns.",
            "UID": "kiln_agreement",
            "two_prefix_prefix_good": f"Ada sees these {number}",
            "two_prefix_prefix_bad": f"Ada sees this {number}",
            "two_prefix_word": "kilns",
            "two_prefix_method": True,
        }
        return full_row(number, **(fields | changes))

    return make
