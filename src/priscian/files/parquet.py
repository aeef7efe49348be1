"""Parquet files, read only if what they unpack to is within limits.

A file describes itself: how many values, in how many bytes. The footer is Thrift in its compact
protocol: a sequence of fields with a type and a number. So is the header of each page, and only
these headers bound what a reader makes of the pages: a column of a few hundred bytes may stand for
billions of values.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.errors import DataError, DataWarning
from priscian.files import reading
from priscian.files.reading import DEEPEST, NumberedRows, note, refuse_large, regular, shown

if TYPE_CHECKING:
    import polars as pl

MOST_ROWS = 5_000_000
MOST_VALUES = 100_000_000
"""Limits of a table that stays in columns; rows of Python objects have tighter ones."""


def read_parquet(file: Path) -> NumberedRows:
    """Rows of a parquet file with their numbers from 1.

    Lists and records that would take too much memory are left out, with a note.
    """
    rows, columns = read_footer(file)
    refuse_large(file, rows=rows)
    flat = [column for column in columns if not column.nested]
    cells, size = sum(c.values for c in flat), sum(c.size for c in flat)
    refuse_large(file, cells=cells, size=size)
    left_out = set()
    for column in columns:
        if not column.nested:
            continue
        if cells + column.values > reading.MOST_CELLS or size + column.size > reading.MOST_BYTES:
            warnings.warn(
                f"{file}: the column {shown(column.name)} has {column.values:,} values in lists "
                "or records, which is too much to be read; left out",
                DataWarning,
                stacklevel=3,
            )
            left_out.add(column.name)
        else:
            cells, size = cells + column.values, size + column.size
    if not rows:
        raise DataError(f"{file}: the file is empty; it needs at least one row")
    frame = _read(file, [c.name for c in columns if c.name not in left_out] if left_out else None)
    return list(enumerate(frame.iter_rows(named=True), start=1))


def read_frame(file: Path) -> pl.DataFrame:
    """The table in a parquet file; a damaged or too large one is refused."""
    rows, columns = read_footer(file)
    if rows > MOST_ROWS:
        raise DataError(f"{file}: {rows:,} rows, and a table may have {MOST_ROWS:,}; split it")
    values, size = (sum(getattr(c, what) for c in columns) for what in ("values", "size"))
    refuse_large(file, size=size)
    if values > MOST_VALUES:
        raise DataError(
            f"{file}: {values:,} values, and a table may have {MOST_VALUES:,}; split the file"
        )
    return _read(file)


def _read(file: Path, columns: list[str] | None = None) -> pl.DataFrame:
    import polars as pl  # heavy: imported only when a parquet file is read

    note(file)
    try:
        with _quiet():
            frame = pl.read_parquet(file, columns=columns)
        _check(file, frame)
    except BaseException as error:
        # a damaged file can make Polars panic, which is not an Exception
        known = (pl.exceptions.PolarsError, OSError, ValueError, MemoryError)
        if not isinstance(error, known) and type(error).__name__ != "PanicException":
            raise
        said = [line for line in str(error).splitlines() if line.strip()]
        raise unreadable(file, said[0] if said else type(error).__name__) from None
    return frame


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Suppress what Polars' threads print when they panic; we raise an error ourselves."""
    try:
        saved = os.dup(2)
    except OSError:  # there is no standard error
        yield
        return
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)


def _check(file: Path, frame: pl.DataFrame) -> None:
    if len(set(frame.columns)) != len(frame.columns):
        raise DataError(f"{file}: two columns have the same name; rename one")
    size = 0
    for name, dtype in frame.schema.items():
        if dtype.is_nested() and str(dtype).count("(") > DEEPEST:
            raise DataError(f"{file}: the column {shown(name)} is nested too deeply; write it flat")
        # a text that is stored once may stand in every row
        for texts in _texts(frame[name]):
            size += int(texts.str.len_bytes().sum() or 0)
            refuse_large(file, size=size)
            zero = texts.str.contains("\0", literal=True)
            if zero.any():
                row = f":{int(zero.fill_null(False).arg_max() or 0) + 1}"
                raise DataError(
                    f"{file}{'' if dtype.is_nested() else row}: the column {shown(name)} contains "
                    "a zero byte; remove it"
                )


def _texts(column: pl.Series) -> Iterator[pl.Series]:
    """The texts in a column, also those in lists and records and those stored as categories."""
    import polars as pl

    dtype = column.dtype
    if dtype == pl.String:
        yield column
    elif isinstance(dtype, pl.Categorical | pl.Enum):
        yield column.cast(pl.String)
    elif isinstance(dtype, pl.List | pl.Array):
        yield from _texts(column.explode())
    elif isinstance(dtype, pl.Struct):
        for field in dtype.fields:
            yield from _texts(column.struct.field(field.name))


# ---------------------------------------------------------------- what a file says of itself

_MAGIC = b"PAR1"
LONGEST_FOOTER = 4 << 20
MOST_PAGES = 200_000
FIXED_WIDTH = 7
"""The type of texts of one width, which may be any."""
PREFIXED = 7
"""The encoding of texts by the length of what they share with the one before."""

# numbers of fields (parquet.thrift)
_SCHEMA, _ROWS, _GROUPS = 2, 3, 4
_WIDTH, _CHILDREN = 2, 5
_COLUMNS, _GROUP_ROWS = 1, 3
_META = 3
_TYPE, _PATH, _VALUES, _PACKED, _DATA, _DICTIONARY = 1, 3, 5, 7, 9, 11
_PAGE_KIND, _PAGE_SIZE, _PAGE_PACKED = 1, 2, 3
_PAGES = {0: (5, 1, 2), 3: (8, 1, 4)}
"""Kinds of data pages: the field that describes one, its number of values, and their encoding."""


@dataclass(frozen=True, slots=True)
class ParquetColumn:
    """A column at the top of a table: the values in it, and the bytes that its pages unpack to."""

    name: str
    values: int
    size: int
    nested: bool


def read_footer(file: Path) -> tuple[int, list[ParquetColumn]]:
    """Rows and columns of a file, as its footer and its pages give them."""
    try:
        with regular(file).open("rb") as opened:
            if not opened.seek(0, 2):
                raise unreadable(file, "it is empty")
            with mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _footer(data)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(f"{file}: cannot be read ({reason}); check the path") from None
    except _FooterError as error:
        raise unreadable(file, str(error)) from None
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        raise unreadable(file, "its footer is damaged") from None


def unreadable(file: Path, reason: str) -> DataError:
    """The error for a parquet file that cannot be read."""
    return DataError(
        f"{file}: not a readable parquet file ({reason[:120]}); write or download it again"
    )


class _FooterError(Exception):
    """What is wrong with a file."""


def _footer(data: mmap.mmap) -> tuple[int, list[ParquetColumn]]:
    length = int.from_bytes(data[-8:-4], "little")
    if data[-4:] != _MAGIC or length > len(data) - 12:
        raise _FooterError("its end is missing or damaged")
    if length > LONGEST_FOOTER:
        raise _FooterError(f"its footer of {length:,} bytes is too long")
    facts = _Thrift(data, len(data) - 8 - length).struct()
    # of each column that has values, the width of texts that all have the same, else 0
    widths = [
        int(part.get(_WIDTH, 0)) if part.get(_TYPE) == FIXED_WIDTH else 0
        for part in facts[_SCHEMA][1:]
        if not part.get(_CHILDREN)
    ]
    found: dict[str, ParquetColumn] = {}
    pages, rows = 0, int(facts.get(_ROWS, 0))
    groups = facts.get(_GROUPS, [])
    if sum(group[_GROUP_ROWS] for group in groups) != rows:
        raise _FooterError(f"its groups do not have its {rows:,} rows")
    for group in groups:
        for width, chunk in zip(widths, group[_COLUMNS], strict=True):
            meta = chunk[_META]
            path = [part.decode() for part in meta[_PATH]]
            values, size, count = _measure(data, meta, width)
            pages += count
            if pages > MOST_PAGES:
                raise _FooterError(f"it has more than {MOST_PAGES:,} pages")
            if len(path) == 1 and values != group[_GROUP_ROWS]:
                raise _FooterError(f"{values:,} values of {path[0]!r} in {group[_GROUP_ROWS]} rows")
            before = found.get(path[0], ParquetColumn(path[0], 0, 0, len(path) > 1))
            found[path[0]] = ParquetColumn(
                path[0], before.values + values, before.size + size, before.nested
            )
    return rows, list(found.values())


def _measure(data: mmap.mmap, meta: dict[int, Any], width: int) -> tuple[int, int, int]:
    """Values, unpacked bytes and pages of a column in one group, from the headers of its pages."""
    at = min(meta[_DATA], meta.get(_DICTIONARY) or meta[_DATA])
    end = at + meta[_PACKED]
    if not 0 <= at <= end <= len(data):
        raise _FooterError("a column is not inside the file")
    values = size = pages = 0
    while at < end:
        header = _Thrift(data, at)
        page = header.struct()
        if min(page[_PAGE_SIZE], page[_PAGE_PACKED]) < 0:
            raise _FooterError("a page has a size below 0")
        at = header.at + page[_PAGE_PACKED]
        size += page[_PAGE_SIZE]
        pages += 1
        if page[_PAGE_KIND] in _PAGES:
            place, number, encoding = _PAGES[page[_PAGE_KIND]]
            values += page[place][number]
            if page[place][encoding] == PREFIXED and meta[_TYPE] != FIXED_WIDTH:
                raise _FooterError("texts in the encoding DELTA_BYTE_ARRAY; use another")
    if values != meta[_VALUES]:
        raise _FooterError(f"a column has {values:,} values, not {meta[_VALUES]:,}")
    return values, max(size, values * width), pages


class _Thrift:
    """Reads fields from a place in a file on."""

    def __init__(self, data: mmap.mmap, at: int) -> None:
        self.data, self.at = data, at

    def struct(self) -> dict[int, Any]:
        found: dict[int, Any] = {}
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else _zigzag(self.varint())
            found[number] = self.value(head & 15, in_list=False)
        return found

    def value(self, kind: int, *, in_list: bool) -> Any:
        if kind in (1, 2):  # true, false; in a list a byte of its own
            return self.byte() == 1 if in_list else kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):
            return _zigzag(self.varint())
        if kind == 7:
            return self.bytes(8)
        if kind == 8:
            return self.bytes(self.varint())
        if kind in (9, 10):
            head = self.byte()
            count = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15, in_list=True) for _ in range(count)]
        if kind == 12:
            return self.struct()
        raise ValueError(f"unknown type {kind}")

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def bytes(self, size: int) -> bytes:
        begin, self.at = self.at, self.at + size
        if self.at > len(self.data):
            raise ValueError("a text beyond the end")
        return self.data[begin : self.at]

    def varint(self) -> int:
        value = shift = 0
        while shift < 70:
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
        raise ValueError("a number without end")


def _zigzag(value: int) -> int:
    return (value >> 1) ^ -(value & 1)
