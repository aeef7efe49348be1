"""Finding data files and reading their rows, with the place of everything that is wrong."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from priscian.errors import DataError

PathLike = str | os.PathLike[str]
Row = dict[str, Any]
NumberedRows = list[tuple[int, Row]]

JSONL_SUFFIXES = (".jsonl", ".ndjson")
PARQUET_SUFFIXES = (".parquet",)

_BOM = b"\xef\xbb\xbf"


@contextmanager
def collector_paused() -> Iterator[None]:
    """Hold the cyclic collector still: records have no cycles, and it would halve the speed."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def data_files(path: PathLike, suffixes: Iterable[str]) -> list[Path]:
    """The file itself, or a folder's data files by name; if it has none, its subfolders'."""
    path = Path(path)
    wanted = tuple(suffixes)
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise DataError(f"no file or folder {str(path)!r}; check the path")
    for candidates in (path.iterdir(), path.rglob("*")):
        found = [f for f in candidates if f.suffix.lower() in wanted and _visible(f, path)]
        if found:
            return sorted(found)
    raise DataError(f"{path}: no data files in this folder; it needs {', '.join(wanted)}")


def _visible(file: Path, root: Path) -> bool:
    parts = file.relative_to(root).parts
    return not any(part.startswith(".") for part in parts) and file.is_file()


def label(file: Path, root: PathLike) -> str:
    """A file's name without suffix; inside a folder also the subfolders that lead to it."""
    root = Path(root)
    return (file.relative_to(root) if root.is_dir() else Path(file.name)).with_suffix("").as_posix()


def read_text(file: Path) -> str:
    """The text of a UTF-8 file, with or without a byte-order mark."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise DataError(f"{file}: cannot be read ({error.strerror}); check the path") from error
    data = data.removeprefix(_BOM)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{file}:{line}: byte 0x{data[error.start]:02x} is not valid UTF-8; "
            "save the file as UTF-8"
        ) from None
    if not text.strip():
        raise DataError(f"{file}: the file is empty; it needs at least one row")
    return text


def read_rows(file: Path) -> NumberedRows:
    """Rows of a JSONL or parquet file with their line (in parquet: row) numbers from 1."""
    return read_parquet(file) if file.suffix.lower() in PARQUET_SUFFIXES else read_jsonl(file)


def read_jsonl(file: Path) -> NumberedRows:
    """One JSON object a line; blank lines are passed over."""
    decode = msgspec.json.Decoder(Row).decode
    rows: NumberedRows = []
    # not splitlines(): U+2028 and the like may stand inside a JSON string
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        try:
            rows.append((number, decode(line)))
        except msgspec.ValidationError:
            raise DataError(
                f'{file}:{number}: not a JSON object; each line must be {{"key": value, …}}'
            ) from None
        except msgspec.DecodeError as error:
            if line.strip():
                raise DataError(
                    f"{file}:{number}: broken JSON ({error}); fix or delete the line"
                ) from None
    return rows


def read_parquet(file: Path) -> NumberedRows:
    """Rows of a parquet file."""
    import polars as pl  # heavy: only where a parquet file is really read

    try:
        frame = pl.read_parquet(file)
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(
            f"{file}: not a readable parquet file ({reason}); write or download it again"
        ) from error
    if frame.is_empty():
        raise DataError(f"{file}: the file is empty; it needs at least one row")
    return list(enumerate(frame.iter_rows(named=True), start=1))


def sentence_at(row: Row, key: str, file: Path, line: int, remedy: str) -> str:
    """The sentence under a key, exactly as it stands; never missing, never blank."""
    value = row.get(key)
    if isinstance(value, str):
        if not value or value.isspace():
            raise DataError(
                f"{file}:{line}: {key!r} is empty; write the sentence or delete the row"
            )
        return value
    if value is None:
        found = ", ".join(map(str, row)) or "nothing"
        raise DataError(f"{file}:{line}: no {key!r} (found: {found}); {remedy}")
    raise DataError(
        f"{file}:{line}: {key!r} is {value!r}, not a text; write the sentence as a string"
    )
