"""What a damaged file says, read in another way than ours: with the standard library alone.

Where these readings fail, nothing is said of the truth; where both succeed they must agree.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from priscian.records import ItemSet

REFUSED = "refused"
Truth = Callable[[Path], list[str] | None]


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig")


def delimited(path: Path, delimiter: str) -> list[dict[str, str]]:
    """Rows of a table; a file whose header names a column twice has no single truth."""
    reader = csv.DictReader(io.StringIO(text_of(path), newline=""), delimiter=delimiter)
    names = [name.strip() for name in reader.fieldnames or ()]
    assert len(set(names)) == len(names)
    reader.fieldnames = names
    return list(reader)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text_of(path).split("\n") if line.strip()]


def texts_of(sets: Iterable[ItemSet]) -> list[str]:
    """Every sentence of every item, sorted: rows may be divided into sets by a column."""
    return sorted(
        f"{side}: {sentence.text}"
        for one in sets
        for item in one.items
        for side, sentence in item.conditions.items()
    )


def pairs(file: str, good: str, bad: str, rows: Callable[[Path], list[dict[str, Any]]]) -> Truth:
    """The sentences of two columns."""

    def truth(folder: Path) -> list[str]:
        found = []
        for row in rows(folder / file):
            assert isinstance(row[good], str)
            assert isinstance(row[bad], str)
            found += [f"good: {row[good]}", f"bad: {row[bad]}"]
        return sorted(found)

    return truth


def arpa(path: Path) -> list[str]:
    """Each word with its probability and back-off; special words that are missing have ours."""
    found = {"<unk>": (-100.0, 0.0), "<s>": (0.0, 0.0), "</s>": (-100.0, 0.0)}
    inside = False
    for line in text_of(path).replace("\r\n", "\n").split("\n"):
        if line.startswith("\\"):
            inside = line.strip() == "\\1-grams:"
        elif inside and line:
            prob, word, *more = line.split("\t")
            found[word] = (float(prob), float(more[0]) if more else 0.0)
    return sorted(f"{word} {np.float32(p)} {np.float32(b)}" for word, (p, b) in found.items())


def arrays(path: Path) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """The arrays of a safetensors file."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    kinds = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4"}
    for name, facts in json.loads(data[8 : 8 + length]).items():
        if name != "__metadata__":
            begin, end = facts["data_offsets"]
            part = data[8 + length :][begin:end]
            yield name, np.frombuffer(part, kinds[facts["dtype"]]).reshape(facts["shape"])


def hashes(found: Iterable[tuple[str, np.ndarray[Any, Any]]]) -> list[str]:
    """Arrays as float32, each as its name, shape and hash."""
    return sorted(
        f"{name} {array.shape} {hashlib.sha256(array.astype('<f4').tobytes()).hexdigest()}"
        for name, array in found
    )


def surprisals(rows: Iterable[dict[str, str]], sentence: str) -> dict[str, float]:
    """The summed surprisal of each sentence, in nats."""
    found: dict[str, float] = {}
    for row in rows:
        found[row[sentence]] = found.get(row[sentence], 0.0) + float(row["surprisal"])
    return {name: bits * math.log(2) for name, bits in found.items()}


def numbers(values: Iterable[float]) -> list[str]:
    """Numbers as text; `alike` compares them."""
    return [repr(float(value)) for value in values]


def alike(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two readings agree; numbers that were computed in another order differ a little.

    Of what one of them refuses, nothing is said.
    """
    return len(one) == len(other) and all(
        a == b or REFUSED in (a, b) or _close(a, b) for a, b in zip(one, other, strict=True)
    )


def _close(one: str, other: str) -> bool:
    try:
        return math.isclose(float(one), float(other), rel_tol=1e-3, abs_tol=1e-3)
    except ValueError:
        return False
