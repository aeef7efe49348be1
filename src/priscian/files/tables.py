"""Data files: found in folders, read as tables (JSONL, CSV, TSV or parquet by their suffix)."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from priscian.errors import DataError
from priscian.files.delimited import DELIMITED_SUFFIXES, NumberedRows, Row, Suits, read_delimited
from priscian.files.names import is_unicode
from priscian.files.parquet import read_parquet
from priscian.files.reading import DEEPEST, PathLike, decode_json, read_text, refuse_large, shown

JSONL_SUFFIXES = (".jsonl", ".ndjson")
PARQUET_SUFFIXES = (".parquet",)
ROW_SUFFIXES = (*JSONL_SUFFIXES, *PARQUET_SUFFIXES)
TABLE_SUFFIXES = (*DELIMITED_SUFFIXES, *ROW_SUFFIXES)


def read_table(
    file: PathLike,
    suits: Suits | None = None,
    *,
    needs: Sequence[str] = (),
    delimiter: str | None = None,
    suffixes: Sequence[str] = TABLE_SUFFIXES,
) -> NumberedRows:
    """The rows of a table, at least one, each with its line (in parquet: row) from 1.

    >>> read_table("pairs.csv", needs=("good", "bad"))                    # doctest: +SKIP
    [(2, {'good': 'It rains.', 'bad': 'It rain.'})]

    `needs` names columns that must be there. `suits` says whether a header is the right one, which
    settles the delimiter of a CSV or TSV file; by default it has the columns that are needed.
    """

    def has_needed(header: Sequence[str]) -> bool:
        return bool(needs) and set(needs) <= set(header)

    file = Path(file)
    suffix = file.suffix.lower()
    if suffix not in suffixes:
        if not file.exists():
            raise DataError(f"no file {str(file)!r}; check the path")
        raise DataError(
            f"{file}: unknown kind of file {suffix!r}; tables are read from {', '.join(suffixes)}"
        )
    if suffix in DELIMITED_SUFFIXES:
        rows = read_delimited(file, suits or has_needed, delimiter)
    elif suffix in PARQUET_SUFFIXES:
        rows = read_parquet(file)
    else:
        rows = read_jsonl(file)
    for line, row in rows if suffix in JSONL_SUFFIXES else rows[:1]:
        missing = [name for name in needs if name not in row]
        if missing:
            found = ", ".join(map(str, row)) or "nothing"
            at = line if suffix in JSONL_SUFFIXES else 1
            raise DataError(
                f"{file}:{at}: no column {', '.join(missing)} (found: {found}); "
                f"it needs {', '.join(needs)}"
            )
    return rows


def columns_of(rows: NumberedRows) -> list[str]:
    """The names that the rows have: those of JSONL may have different ones."""
    return list(dict.fromkeys(name for _, row in rows for name in row))


def read_jsonl(file: Path) -> NumberedRows:
    """One JSON object per line; blank lines are skipped."""
    decoder = msgspec.json.Decoder(Row)
    decode = decoder.decode
    text = read_text(file)
    # not splitlines(): U+2028 and similar characters may occur inside a JSON string
    refuse_large(file, rows=text.count("\n"), cells=text.count(":"))
    lines = text.split("\n")
    nested = text.count("[") + text.count("{") - len(lines) > DEEPEST // 2
    suspect = nested or "\\u0000" in text
    rows: NumberedRows = []
    for number, line in enumerate(lines, start=1):
        if not suspect:
            try:
                rows.append((number, decode(line)))
                continue
            except msgspec.MsgspecError:
                pass
        if line.strip():
            rows.append((number, _careful(file, number, line, decoder)))
    return rows


def _careful(file: Path, number: int, line: str, decoder: msgspec.json.Decoder[Row]) -> Row:
    """The row of a line that is unusual or wrong; the error names its line."""
    where = f"{file}:{number}"
    if line.lstrip()[:1] != "{":
        raise DataError(f'{where}: not a JSON object; each line must be {{"key": value, …}}')
    try:
        return decode_json(line, where, decoder)
    except DataError as error:
        # the line number within a one-line text is useless
        raise DataError(str(error).replace(f"{where}:1:", f"{where}:", 1)) from None


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector: records have no cycles, and it would halve the speed."""
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
        found = [f for f in found if not f.is_dir()]
        for file in found:
            if not file.is_file():
                raise DataError(
                    f"{path}: {file.name!r} is no file but a link that leads nowhere, a pipe or a "
                    "device; replace or remove it"
                )
            name = str(file.relative_to(path))
            if not is_unicode(name):
                raise DataError(f"{path}: the name {name!r} is not UTF-8; rename the file")
        if found:
            return sorted(found)
    raise DataError(f"{path}: no data files in this folder; it needs {', '.join(wanted)}")


def _visible(file: Path, root: Path) -> bool:
    parts = file.relative_to(root).parts
    return not any(part.startswith(".") for part in parts)


def label(file: Path, root: PathLike) -> str:
    """A file's name without suffix; inside a folder also the subfolders that lead to it."""
    root = Path(root)
    return (file.relative_to(root) if root.is_dir() else Path(file.name)).with_suffix("").as_posix()


def sentence_at(row: Row, key: str, file: Path, line: int, remedy: str) -> str:
    """The sentence under a key, unchanged; missing and blank ones are errors."""
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
        f"{file}:{line}: {key!r} is {shown(value)}, not a text; write the sentence as a string"
    )


def optional_text(row: Row, key: str | None, file: Path, line: int) -> str:
    """The text under a key, empty if there is none; a list or a number is an error."""
    value = row.get(key) if key else None
    if isinstance(value, str | None):
        return value or ""
    raise DataError(f"{file}:{line}: {key} is {shown(value)}, not a text; write it as a string")
