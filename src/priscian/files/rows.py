"""Find data files, and take sentences from their rows."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from priscian.errors import DataError
from priscian.files.delimited import Row
from priscian.files.names import is_unicode
from priscian.files.reading import PathLike, shown


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
