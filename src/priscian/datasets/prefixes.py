"""BLiMP's prefix fields as spans: the text before the critical word, and that word."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from priscian.datasets.repairs import Repairs
from priscian.errors import DataError
from priscian.files import Row
from priscian.records import Comparison, Contrast, Span, Value

Method = Literal["one_prefix", "two_prefix"]

# for each method the fields of (prefix, word), for the good sentence and the bad one
FIELDS: dict[Method, dict[str, tuple[str, str]]] = {
    "one_prefix": {
        "good": ("one_prefix_prefix", "one_prefix_word_good"),
        "bad": ("one_prefix_prefix", "one_prefix_word_bad"),
    },
    "two_prefix": {
        "good": ("two_prefix_prefix_good", "two_prefix_word"),
        "bad": ("two_prefix_prefix_bad", "two_prefix_word"),
    },
}
PREFIX_KEYS = frozenset(key for sides in FIELDS.values() for pair in sides.values() for key in pair)


def lower(name: str, span: str) -> Contrast:
    """The contrast that the good sentence's span is less surprising than the bad one's."""
    return Contrast(name, Comparison("<", Value("good", span), Value("bad", span)))


FULL = lower("full", "*")
CONTRASTS: dict[Method | None, tuple[Contrast, ...]] = {
    None: (FULL,),
    "one_prefix": (FULL, lower("one_prefix", "critical")),
    "two_prefix": (FULL, lower("two_prefix", "critical")),
}


def method_of(row: Row) -> Method | None:
    """The prefix method whose fields a row has; flags alone are unreliable (the Hub's files)."""
    for key in row:
        if key in PREFIX_KEYS and row[key] is not None:
            return "one_prefix" if key.startswith("one_") else "two_prefix"
    return None


def prefix_spans(
    row: Row, method: Method, texts: dict[str, str], repairs: Repairs, line: int
) -> dict[str, tuple[Span, Span]]:
    """The spans `prefix` and `critical` of both sentences."""
    clean: dict[str, str] = {}
    for pair in FIELDS[method].values():
        for key in pair:
            if key not in clean:
                clean[key] = repairs.strip(key, _text(row, key, repairs.file, line))
    spans = {}
    for side, (prefix_key, word_key) in FIELDS[method].items():
        prefix, word, text = clean[prefix_key], clean[word_key], texts[side]
        if not word:
            raise DataError(
                f"{repairs.file}:{line}: {word_key!r} is empty; write the critical word "
                "or delete the prefix fields"
            )
        begin = f"{prefix} {word}" if prefix else word
        if not text.startswith(begin):
            if text[: len(begin)].lower() != begin.lower():
                raise DataError(
                    f"{repairs.file}:{line}: {prefix_key} and {word_key} give {begin!r}, but "
                    f"sentence_{side} is {text!r}; correct the fields or delete them"
                )
            repairs.capitals[prefix_key] += 1
        start = len(begin) - len(word)
        spans[side] = (Span("prefix", 0, len(prefix)), Span("critical", start, len(begin)))
    return spans


def _text(row: Row, key: str, file: Path, line: int) -> str:
    value = row.get(key)
    if isinstance(value, str):
        return value
    what = f"no {key!r}" if value is None else f"{key!r} is {value!r}, not a text"
    raise DataError(
        f"{file}:{line}: {what} (found: {', '.join(row)}); "
        "every row of a paradigm needs the same prefix fields"
    )


def with_spans(listed: Sequence[Span], computed: Sequence[Span]) -> tuple[Span, ...]:
    """The listed spans, replaced by computed ones of the same name."""
    by_name = {span.name: span for span in computed}
    merged = [by_name.pop(span.name, span) for span in listed]
    return (*merged, *by_name.values())
