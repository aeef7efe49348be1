"""Rows of a parquet file, read only if what it unpacks to is within limits."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from priscian.errors import DataError, DataWarning
from priscian.files import budget
from priscian.files.budget import refuse_large
from priscian.files.delimited import NumberedRows
from priscian.files.parquet_footer import ParquetColumn, read_footer, unreadable
from priscian.files.reading import DEEPEST, shown
from priscian.files.unchanged import note

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
    kept = _affordable(file, columns)
    if not rows:
        raise DataError(f"{file}: the file is empty; it needs at least one row")
    frame = _read(file, columns, kept)
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
    return _read(file, columns, columns)


def _affordable(file: Path, columns: Sequence[ParquetColumn]) -> list[ParquetColumn]:
    """Flat columns, and of the nested ones those for which there is room."""
    flat = [column for column in columns if not column.nested]
    cells, size = sum(c.values for c in flat), sum(c.size for c in flat)
    refuse_large(file, cells=cells, size=size)
    kept = {column.name for column in flat}
    for column in columns:
        if not column.nested:
            continue
        if cells + column.values > budget.MOST_CELLS or size + column.size > budget.MOST_BYTES:
            warnings.warn(
                f"{file}: the column {shown(column.name)} has {column.values:,} values in lists "
                "or records, which is too much to be read; left out",
                DataWarning,
                stacklevel=4,
            )
        else:
            cells, size = cells + column.values, size + column.size
            kept.add(column.name)
    return [column for column in columns if column.name in kept]


def _read(
    file: Path, columns: Sequence[ParquetColumn], kept: Sequence[ParquetColumn]
) -> pl.DataFrame:
    import polars as pl  # heavy: imported only when a parquet file is read

    note(file)
    some = None if len(kept) == len(columns) else [column.name for column in kept]
    try:
        with _quiet():
            frame = pl.read_parquet(file, columns=some)
        _check(file, frame)
    except (pl.exceptions.PolarsError, OSError, ValueError, MemoryError) as error:
        raise unreadable(file, _reason(error)) from None
    except (
        BaseException
    ) as error:  # a damaged file can make Polars panic, which is not an Exception
        if type(error).__name__ != "PanicException":
            raise
        raise unreadable(file, _reason(error)) from None
    return frame


def _reason(error: BaseException) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)


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
