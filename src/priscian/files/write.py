"""Write files atomically: a reader sees the old file or the new one, never half of one."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.errors import OutputError
from priscian.files.lock import lock_folder

if TYPE_CHECKING:
    import polars as pl

_LEFTOVER = re.compile(r"\..+\.[0-9a-f]{8}", re.DOTALL)
UNFINISHED = "unfinished"
"""What a folder is called while its files are made, after a dot."""


@contextlib.contextmanager
def _reported(path: Path) -> Iterator[None]:
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
        with _reported(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield temporary
            temporary.replace(path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """A new folder beside `path` that takes its place if the block succeeds.

    The old one is removed only then. What a killed process left behind is cleared away, and an old
    folder that it had already moved aside is put back.
    """
    temporary, old = path.with_name(f".{path.name}"), path.with_name(f".{path.name}.old")
    try:
        with _reported(path):
            if old.exists() and not path.exists():
                old.rename(path)
            for left in (temporary, old):
                shutil.rmtree(left, ignore_errors=True)
            temporary.mkdir(parents=True)
            yield temporary
            if path.exists():
                path.rename(old)
            try:
                temporary.rename(path)
            except OSError:
                old.rename(path)
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)


def is_leftover(name: str) -> bool:
    """Whether a name is that of what a killed process was writing: a file, or a folder of files.

    >>> is_leftover(".run.json.1234abcd"), is_leftover("run.json"), is_leftover(".gitignore")
    (True, False, False)
    """
    return name == f".{UNFINISHED}" or _LEFTOVER.fullmatch(name) is not None


def is_free(folder: Path, beside: Collection[str] = ()) -> bool:
    """Whether a folder is new, or empty but for what a killed process left unfinished.

    `beside` has names of what may be in it.
    """
    if not folder.is_dir():
        return not os.path.lexists(folder)
    return all(is_leftover(path.name) or path.name in beside for path in folder.iterdir())


@contextlib.contextmanager
def filling(folder: Path, last: str) -> Iterator[Path]:
    """A temporary folder whose files move into `folder` if the block succeeds, `last` at the end.

    It is inside `folder`, which may be the current one or a mounted disk and cannot be replaced.
    """
    is_new = not folder.exists()
    with lock_folder(folder, "process"):
        try:
            _refuse_unless_free(folder)
            with replacing_folder(folder / UNFINISHED) as made:
                yield made
                _refuse_unless_free(folder)  # some jobs lock a file of their own: their files stay
                for path in sorted(made.iterdir(), key=lambda path: path.name == last):
                    path.rename(folder / path.name)
            (folder / UNFINISHED).rmdir()
        except BaseException:
            if is_new:
                with contextlib.suppress(OSError):
                    folder.rmdir()
            raise


def _refuse_unless_free(folder: Path) -> None:
    if not is_free(folder):  # another process has been here since
        raise OutputError(f"{folder} is not empty any more; name another `out=`")


def check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be made or written to, before there is anything to write."""
    there = next(p for p in (folder, *folder.absolute().parents) if os.path.lexists(p))
    if not there.is_dir():
        reason = f"{there} is a file" if there.is_file() else f"{there} is not a folder"
    elif not os.access(there, os.W_OK | os.X_OK):
        reason = f"no permission to write in {there}"
    else:
        return
    raise OutputError(f"cannot write to the folder {folder}: {reason}; choose another place")


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
