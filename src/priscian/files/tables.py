"""Data files: found in folders, read as tables (JSONL, CSV, TSV or parquet by their suffix)."""

from __future__ import annotations

import csv
import gc
import io
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec

from priscian.errors import DataError, DataWarning
from priscian.files.names import is_unicode
from priscian.files.parquet import read_parquet
from priscian.files.reading import (
    DEEPEST,
    NumberedRows,
    PathLike,
    Row,
    decode_json,
    read_text,
    refuse_large,
    shown,
)

DELIMITED_SUFFIXES = (".csv", ".tsv", ".tab")
DELIMITERS = (",", ";", "\t")

Suits = Callable[[Sequence[str]], bool]

_Lines = list[tuple[int, list[str]]]
_BARE_RETURN = re.compile(r"\r(?!\n)")


def parse_delimited(
    file: Path, text: str, suits: Suits, delimiter: str | None = None, first: int = 1
) -> NumberedRows:
    """Rows of CSV or TSV under their header's names, with the line each begins on.

    `suits` says whether a header has the required columns; it decides which delimiter is used
    if a header contains several. `first` is the number of the text's first line.
    """
    if bare := _BARE_RETURN.search(text):
        line = first + text.count("\n", 0, bare.start())
        raise DataError(
            f"{file}:{line}: a carriage return without a line feed; save the file with LF "
            "or CRLF line endings"
        )
    delimiter = delimiter or _sniff(text, suits, tab=file.suffix.lower() != ".csv")
    lines = text.count("\n")
    refuse_large(file, rows=lines, cells=lines + text.count(delimiter))
    try:
        table = _parse(text, delimiter, csv.QUOTE_MINIMAL, first)
    except csv.Error as error:
        if delimiter != "\t":
            raise _broken(file, text, delimiter, first, error) from None
        # sentences with bare quotation marks are common in TSV, where nothing needs quoting
        warnings.warn(
            f"{file}: quotation marks do not enclose cells; read as part of the sentences",
            DataWarning,
            stacklevel=4,
        )
        try:
            table = _parse(text, delimiter, csv.QUOTE_NONE, first)
        except csv.Error as second:
            raise _broken(file, text, delimiter, first, second) from None
    rows = _with_names(file, table)
    _watch_line_breaks(file, table, delimiter)
    return rows


def _parse(text: str, delimiter: str, quoting: Literal[0, 3], first: int) -> _Lines:
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, strict=True
    )
    table, line = [], first
    for cells in reader:
        if cells:
            table.append((line, cells))
        line = first + reader.line_num
    return table


def _broken(file: Path, text: str, delimiter: str, first: int, error: csv.Error) -> DataError:
    """The error for a table that cannot be parsed, with the line on which the bad cell begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = first
    try:
        for _ in reader:
            line = first + reader.line_num
    except csv.Error:
        pass
    if "field limit" in str(error):
        return DataError(
            f"{file}:{line}: a cell of more than {csv.field_size_limit():,} characters; shorten "
            "it, or close the quotation mark that opens it"
        )
    return DataError(
        f"{file}:{line}: broken quoting ({error}); "
        'quote whole cells and double the quotation marks inside: "He said ""no""."'
    )


def _sniff(text: str, suits: Suits, *, tab: bool) -> str:
    first = next((line for line in text.split("\n") if line.strip()), "").rstrip("\r")
    order = sorted(DELIMITERS, key=lambda d: (d == "\t") != tab)
    headers: dict[str, list[str]] = {}
    for delimiter in order:
        try:
            headers[delimiter] = next(csv.reader([first], delimiter=delimiter), [])
        except csv.Error:  # not a header; the table will be refused with its line
            headers[delimiter] = []
    for delimiter, header in headers.items():
        if suits([name.strip() for name in header]):
            return delimiter
    return max(order, key=lambda d: len(headers[d]))


def _with_names(file: Path, table: _Lines) -> NumberedRows:
    (at, header), *body = table or [(1, [])]
    header = [name.strip() for name in header]
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if twice:
        raise DataError(f"{file}:{at}: two columns are called {shown(twice[0])}; rename one")
    if not body:
        raise DataError(f"{file}: a header but no rows; it needs at least one row")
    for line, cells in body:
        if len(cells) != len(header):
            raise DataError(
                f"{file}:{line}: {len(cells)} cells where the header has {len(header)}; "
                "quote cells that contain the delimiter"
            )
    return [(line, dict(zip(header, cells, strict=True))) for line, cells in body]


def _watch_line_breaks(file: Path, table: _Lines, delimiter: str) -> None:
    """Detect a quotation mark that was opened by mistake, so that one cell contains several rows.

    Such a cell has as many delimiters as the rows that it joined. That gives a warning, since a
    text of several lines can have them too; whole rows inside the cell are an error. A cell with
    quotation marks inside was quoted on purpose: they are doubled.
    """
    width = len(table[0][1])
    for line, cells in table:
        for cell in cells:
            breaks = cell.count("\n")
            if not breaks or '"' in cell or cell.count(delimiter) != breaks * (width - 1):
                continue
            inner = cell.split("\n")[1:-1]
            problem = f"{file}:{line}: a cell that begins here ends {breaks} lines further on"
            if width > 2 and inner and all(row.count(delimiter) == width - 1 for row in inner):
                raise DataError(f"{problem}, with whole rows in it; close its quotation mark")
            warnings.warn(
                f"{problem}; if that is a mistake, close its quotation mark",
                DataWarning,
                stacklevel=5,
            )


# ---------------------------------------------------------------- tables of the package


def read_tsv(
    path: Path,
    columns: Sequence[str] = (),
    optional: Sequence[str] = (),
    error: type[DataError] = DataError,
) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows below the header line with their line numbers; every cell is stripped.

    Blank lines and lines that begin with # are skipped; short rows are padded with empty cells.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise error(f"{path.name} is missing from {path.parent}; install Priscian again") from None
    except UnicodeDecodeError as problem:
        raise error(f"{path.name}: not UTF-8 at byte {problem.start}; save it as UTF-8") from None
    except OSError as problem:
        raise error(f"{path} cannot be read ({problem.strerror}); check the path") from None
    header: list[str] | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if header is None:
            header = cells
            missing = [column for column in columns if column not in header]
            if missing:
                raise error(
                    f"{path.name}:{number}: no column {', '.join(missing)}; "
                    f"expected {' · '.join((*columns, *optional))}"
                )
            continue
        if len(cells) > len(header):
            raise error(
                f"{path.name}:{number}: {len(cells)} fields; expected {len(header)}: "
                f"{' · '.join(header)}"
            )
        cells += [""] * (len(header) - len(cells))
        if not cells[0]:
            raise error(f"{path.name}:{number}: field {header[0]!r}: empty; expected a word")
        yield number, dict.fromkeys(optional, "") | dict(zip(header, cells, strict=True))


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
        rows = parse_delimited(file, read_text(file), suits or has_needed, delimiter)
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
        if not line.strip():
            continue
        where = f"{file}:{number}"  # the line is unusual or wrong
        if line.lstrip()[:1] != "{":
            raise DataError(f'{where}: not a JSON object; each line must be {{"key": value, …}}')
        try:
            rows.append((number, decode_json(line, where, decoder)))
        except DataError as error:
            # the line number within a one-line text is useless
            raise DataError(str(error).replace(f"{where}:1:", f"{where}:", 1)) from None
    return rows


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
        found = [
            file
            for file in candidates
            if file.suffix.lower() in wanted
            and not any(part.startswith(".") for part in file.relative_to(path).parts)
            and not file.is_dir()
        ]
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
