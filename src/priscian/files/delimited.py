"""CSV and TSV with a header line; the delimiter is found, the quoting respected."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from priscian.errors import DataError, DataWarning
from priscian.files.rows import NumberedRows, read_text

DELIMITED_SUFFIXES = (".csv", ".tsv", ".tab")
DELIMITERS = (",", ";", "\t")

Suits = Callable[[Sequence[str]], bool]


def read_delimited(file: Path, suits: Suits, delimiter: str | None = None) -> NumberedRows:
    """Rows under their header's names, with the line each begins on.

    `suits` says whether a header has the columns that are looked for; it settles which delimiter
    is meant where a header has several.
    """
    text = read_text(file)
    delimiter = delimiter or _sniff(text, suits, tab=file.suffix.lower() != ".csv")
    try:
        table = _parse(text, delimiter, quoting=csv.QUOTE_MINIMAL)
    except csv.Error as error:
        if delimiter != "\t":
            raise DataError(
                f"{file}:{_broken_line(text, delimiter)}: broken quoting ({error}); "
                'quote whole cells and double the quotation marks inside: "He said ""no""."'
            ) from None
        # sentences with bare quotation marks are common in TSV, where nothing needs quoting
        warnings.warn(
            f"{file}: quotation marks do not enclose cells; read as part of the sentences",
            DataWarning,
            stacklevel=5,
        )
        table = _parse(text, delimiter, quoting=csv.QUOTE_NONE)
    return _with_names(file, table)


def _parse(text: str, delimiter: str, quoting: Literal[0, 3]) -> list[tuple[int, list[str]]]:
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, strict=True
    )
    table, line = [], 1
    for cells in reader:
        if cells:
            table.append((line, cells))
        line = reader.line_num + 1
    return table


def _broken_line(text: str, delimiter: str) -> int:
    """The line on which the cell that cannot be parsed begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for _ in reader:
            line = reader.line_num + 1
    except csv.Error:
        pass
    return line


def _sniff(text: str, suits: Suits, *, tab: bool) -> str:
    first = next(line for line in text.split("\n") if line.strip())
    order = sorted(DELIMITERS, key=lambda d: (d == "\t") != tab)
    headers = {d: next(csv.reader([first], delimiter=d)) for d in order}
    for delimiter, header in headers.items():
        if suits(header):
            return delimiter
    return max(order, key=lambda d: len(headers[d]))


def _with_names(file: Path, table: list[tuple[int, list[str]]]) -> NumberedRows:
    (_, header), *body = table
    header = [name.strip() for name in header]
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if twice:
        raise DataError(f"{file}:1: two columns are called {twice[0]!r}; rename one")
    if not body:
        raise DataError(f"{file}: a header but no rows; it needs at least one row")
    for line, cells in body:
        if len(cells) != len(header):
            raise DataError(
                f"{file}:{line}: {len(cells)} cells where the header has {len(header)}; "
                "quote cells that contain the delimiter"
            )
    return [(line, dict(zip(header, cells, strict=True))) for line, cells in body]
