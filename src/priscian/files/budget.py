"""How large a table may be that is read into memory, whatever its format."""

from __future__ import annotations

from pathlib import Path

from priscian.errors import DataError

MOST_ROWS = 2_000_000
"""An item of two sentences takes about a kilobyte."""
MOST_CELLS = 20_000_000
"""A cell takes about a hundred bytes, however short it is."""
MOST_BYTES = 1 << 30


def refuse_large(
    file: Path, *, rows: int = 0, cells: int = 0, size: int = 0, most_rows: int | None = None
) -> None:
    """Refuse a table before, or while, it fills the memory; a small file may stand for much."""
    for found, most, what in (
        (rows, MOST_ROWS if most_rows is None else most_rows, "rows"),
        (cells, MOST_CELLS, "cells"),
        (size, MOST_BYTES, "bytes"),
    ):
        if found > most:
            packed = " when unpacked" if file.suffix.lower() == ".parquet" else ""
            raise DataError(
                f"{file}: {found:,} {what}{packed}, and a table may have {most:,}; split the file"
            )
