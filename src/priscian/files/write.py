"""Write files atomically: a reader sees the old file or the new one, never half of one."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.errors import OutputError, UsageError

if TYPE_CHECKING:
    import polars as pl


@contextlib.contextmanager
def reported(path: Path) -> Iterator[None]:
    """Say what could not be written, and what to do."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(
            f"cannot write {path}: {reason}; free some space or choose another place"
        ) from error


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path in the same folder, renamed to `path` if the block succeeds.

    If the block fails, or the disk is full, the temporary file is removed and the old file stays.
    """
    temporary = path.with_name(f".{path.name[:80]}.{secrets.token_hex(4)}")
    try:
        with reported(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield temporary
            temporary.replace(path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def refuse_replacing(
    out: Path, inputs: Iterable[Path], what: str = "the file", parameter: str = "out"
) -> None:
    """Refuse an output that would take the place of a file that is read or has to be kept."""
    for path in inputs:
        same = out.exists() and path.exists() and out.samefile(path)
        if same or out.resolve() == path.resolve():
            raise UsageError(f"`{parameter}={out}` would replace {what} {path}; name another file")


def make_private(path: Path) -> None:
    """An empty new file that only its owner can read and write."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))


def write_bytes(path: Path, data: bytes, *, private: bool = False) -> None:
    """Write a file atomically; a private one can be read by its owner only."""
    with replacing(path) as temporary:
        if private:
            make_private(temporary)
        temporary.write_bytes(data)


def write_text(path: Path, text: str, *, private: bool = False) -> None:
    """Write a UTF-8 text atomically."""
    write_bytes(path, text.encode("utf-8", "surrogatepass"), private=private)


def as_json(data: Any) -> str:
    """The text of a JSON file, indented."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def write_json(path: Path, data: Any) -> str:
    """Write indented JSON atomically; returns its SHA-256."""
    made = as_json(data).encode("utf-8", "surrogatepass")
    write_bytes(path, made)
    return hashlib.sha256(made).hexdigest()


def write_delimited(
    path: Path,
    rows: Iterable[Mapping[str, object]],
    columns: Sequence[str] = (),
    *,
    private: bool = False,
) -> None:
    """Write rows as CSV, or as TSV if the name ends in .tsv, atomically."""
    delimiter = "\t" if path.suffix.lower() in (".tsv", ".tab") else ","
    write_text(path, delimited_text(rows, columns, delimiter), private=private)


def delimited_text(
    rows: Iterable[Mapping[str, object]], columns: Sequence[str] = (), delimiter: str = ","
) -> str:
    """Rows as CSV or TSV with a header, quoted so that any program reads the same cells.

    The columns are those given, or all that the rows have; a row may lack some.

    >>> delimited_text([{"word": "so, no", "bits": 1.5}])
    'word,bits\\n"so, no",1.5\\n'
    """
    rows = list(rows)
    columns = list(columns) or list(dict.fromkeys(name for row in rows for name in row))
    if not columns:
        return ""
    lines = _Lines()
    out = csv.DictWriter(lines, columns, delimiter=delimiter, lineterminator="\r\n")
    out.writeheader()
    out.writerows(rows)
    return "".join(line.removesuffix("\r\n") + "\n" for line in lines)


class _Lines(list[str]):
    """Collects lines; csv quotes a bare carriage return only if that is its line ending."""

    def write(self, line: str) -> None:
        self.append(line)


def write_parquet(path: Path, frame: pl.DataFrame) -> None:
    """Write a Polars table atomically."""
    import polars as pl

    try:
        with replacing(path) as temporary:
            frame.write_parquet(temporary)
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise OutputError(
            f"cannot write {path}: {reason}; free some space or choose another place"
        ) from error
