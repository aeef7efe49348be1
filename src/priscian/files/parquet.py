"""Rows of a parquet file, read only if its declared size is within limits."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.errors import DataError
from priscian.files.delimited import NumberedRows
from priscian.files.reading import DEEPEST, shown
from priscian.files.unchanged import note

if TYPE_CHECKING:
    import polars as pl

MOST_ROWS = 5_000_000
MOST_BYTES = 1 << 30
"""Limits of a table that is read into memory: a small file can unpack to far more."""

_MAGIC = b"PAR1"
_ROWS, _GROUPS, _GROUP_BYTES = 3, 4, 2  # field numbers in the footer (parquet.thrift)


def read_parquet(file: Path) -> NumberedRows:
    """Rows of a parquet file with their numbers from 1."""
    frame = read_frame(file)
    if frame.is_empty():
        raise DataError(f"{file}: the file is empty; it needs at least one row")
    return list(enumerate(frame.iter_rows(named=True), start=1))


def read_frame(file: Path) -> pl.DataFrame:
    """The table in a parquet file; a damaged or too large one is refused."""
    import polars as pl  # heavy: imported only when a parquet file is read

    note(file)
    _refuse_large(file, *declared_size(file))
    try:
        with _quiet():
            frame = pl.read_parquet(file)
        _check(file, frame)
    except (pl.exceptions.PolarsError, OSError, ValueError, MemoryError) as error:
        raise unreadable(file, error) from None
    except (
        BaseException
    ) as error:  # a damaged file can make Polars panic, which is not an Exception
        if type(error).__name__ != "PanicException":
            raise
        raise unreadable(file, error) from None
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
    import polars as pl

    if len(set(frame.columns)) != len(frame.columns):
        raise DataError(f"{file}: two columns have the same name; rename one")
    size = 0
    for name, dtype in frame.schema.items():
        column = frame[name]
        if dtype == pl.String:
            size += int(column.str.len_bytes().sum() or 0)
            _refuse_large(file, frame.height, size)
            zero = column.str.contains("\0", literal=True)
            if zero.any():
                row = int(zero.fill_null(False).arg_max() or 0) + 1
                raise DataError(
                    f"{file}:{row}: the column {shown(name)} contains a zero byte; remove it"
                )
        elif dtype.is_nested() and str(dtype).count("(") > DEEPEST:
            raise DataError(f"{file}: the column {shown(name)} is nested too deeply; write it flat")


def unreadable(file: Path, error: BaseException) -> DataError:
    """The error for a parquet file that cannot be read."""
    reason = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return DataError(
        f"{file}: not a readable parquet file ({reason[:120]}); write or download it again"
    )


def _refuse_large(file: Path, rows: int, size: int) -> None:
    if rows > MOST_ROWS or size > MOST_BYTES:
        what = f"{rows:,} rows" if rows > MOST_ROWS else f"{size:,} bytes"
        raise DataError(
            f"{file}: {what} when unpacked, and a table may have {MOST_ROWS:,} rows and "
            f"{MOST_BYTES:,} bytes; split the file"
        )


def declared_size(file: Path) -> tuple[int, int]:
    """Rows and unpacked bytes of a parquet file, as its footer gives them."""
    try:
        with file.open("rb") as data:
            size = data.seek(0, 2)
            data.seek(max(0, size - 8))
            tail = data.read(8)
            length = int.from_bytes(tail[:4], "little")
            if tail[4:] != _MAGIC or length > size - 12:
                raise unreadable(file, ValueError("its end is missing or damaged"))
            data.seek(size - 8 - length)
            footer = data.read(length)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(f"{file}: cannot be read ({reason}); check the path") from None
    try:
        facts = _struct(iter(footer))
        groups = facts.get(_GROUPS, [])
        return int(facts.get(_ROWS, 0)), sum(int(group.get(_GROUP_BYTES, 0)) for group in groups)
    except (ValueError, TypeError, AttributeError, StopIteration, RecursionError):
        raise unreadable(file, ValueError("its footer is damaged")) from None


# The footer is Thrift in its compact protocol: a sequence of fields with a type and a number.


def _struct(data: Iterator[int]) -> dict[int, Any]:
    found: dict[int, Any] = {}
    number = 0
    while head := next(data):
        number = number + (head >> 4) if head >> 4 else _zigzag(_varint(data))
        found[number] = _value(data, head & 15, in_list=False)
    return found


def _value(data: Iterator[int], kind: int, *, in_list: bool) -> Any:
    if kind in (1, 2):  # true, false; in a list a byte of its own
        return next(data) == 1 if in_list else kind == 1
    if kind == 3:
        return next(data)
    if kind in (4, 5, 6):
        return _zigzag(_varint(data))
    if kind == 7:
        return bytes(islice(data, 8))
    if kind == 8:
        return bytes(islice(data, _varint(data)))
    if kind in (9, 10):
        head = next(data)
        count = head >> 4 if head >> 4 < 15 else _varint(data)
        return [_value(data, head & 15, in_list=True) for _ in range(count)]
    if kind == 12:
        return _struct(data)
    raise ValueError(f"unknown type {kind}")


def _varint(data: Iterator[int]) -> int:
    value = shift = 0
    while shift < 70:
        byte = next(data)
        value |= (byte & 127) << shift
        if byte < 128:
            return value
        shift += 7
    raise ValueError("a number without end")


def _zigzag(value: int) -> int:
    return (value >> 1) ^ -(value & 1)
