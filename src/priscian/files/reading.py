"""Read whole text and JSON files; every error names the file and, where it can, the line.

Files must not change while they are read: what they were before is compared with after. A file is
told by its number on the disk, its size and its times. Another one in its place, by renaming, has
another number; one that is written to gets another time.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, overload

import msgspec

from priscian.errors import ChangedError, DataError


class Stamp(NamedTuple):
    """What tells a file from another one in its place, or from itself after a change."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int

    @classmethod
    def of(cls, found: os.stat_result) -> Stamp:
        """The stamp of a file whose status is known."""
        times = (found.st_mtime_ns, found.st_ctime_ns)
        return cls(found.st_dev, found.st_ino, found.st_size, *times)


_Stamps = dict[Path, Stamp | None]

_read: ContextVar[_Stamps | None] = ContextVar("files that were read", default=None)


def stamp_of(file: Path) -> Stamp | None:
    """The stamp of a file; None if there is none, and for what is not a file, such as a pipe."""
    try:
        found = file.stat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return Stamp.of(found)


def note(file: Path) -> None:
    """Remember what a file is before it is read, for the block of `unchanged` around it."""
    files = _read.get()
    if files is not None:
        files.setdefault(file, stamp_of(file))


@contextlib.contextmanager
def unchanged() -> Iterator[None]:
    """All files that are read in the block are the same at its end, or a ChangedError names one.

    >>> from priscian.files import read_text
    >>> with unchanged():
    ...     text = read_text(__file__)
    """
    if _read.get() is not None:  # the block around this one checks
        yield
        return
    files: _Stamps = {}
    token = _read.set(files)
    try:
        yield
    finally:
        _read.reset(token)
    _check(files)


@contextlib.contextmanager
def steady(files: Iterable[Path]) -> Iterator[None]:
    """The same for files that are named, also while they are read little by little."""
    before = {file: stamp_of(file) for file in files}
    yield
    _check(before)


def _check(stamps: Mapping[Path, Stamp | None]) -> None:
    for file, before in stamps.items():
        if stamp_of(file) != before:
            raise ChangedError(
                f"{file} changed while it was read; run again when nothing writes to it"
            )


@contextlib.contextmanager
def unnoted() -> Iterator[None]:
    """Files that are read in the block may change, such as those that it makes itself."""
    token = _read.set(None)
    try:
        yield
    finally:
        _read.reset(token)


PathLike = str | os.PathLike[str]
Row = dict[str, Any]
NumberedRows = list[tuple[int, Row]]
Decoded = TypeVar("Decoded")

DEEPEST = 100
"""Lists and objects inside each other that JSON may have; more is a mistake or an attack."""

MOST_TOML, MOST_DOTS = 1_000_000, 1000
"""Characters of a TOML file, and dots in a line: keys of many parts take quadratic time."""

MOST_ROWS = 2_000_000
"""An item of two sentences takes about a kilobyte."""
MOST_CELLS = 20_000_000
"""A cell takes about a hundred bytes, however short it is."""
MOST_BYTES = 1 << 30
"""Bytes that a table may unpack to."""

DIGITS = 18
"""Digits of a whole number: more than any count needs; Python refuses to read thousands."""

_BOM = b"\xef\xbb\xbf"
_BYTE = re.compile(r" ?\(byte (\d+)\)")
_ZERO = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def regular(path: Path) -> Path:
    """The path, unless it is a pipe, a socket or a device: reading one might never end.

    Those in /dev and /proc may be read: the shell puts `<(…)` there.
    """
    if not str(path).startswith(("/dev/", "/proc/")):
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise OSError(errno.EINVAL, "a pipe, a socket or a device, not a file", str(path))
    return path


def read_bytes(file: PathLike) -> bytes:
    """The bytes of a file."""
    file = Path(file)
    note(file)
    try:
        return regular(file).read_bytes()
    except FileNotFoundError:
        raise DataError(f"no file {str(file)!r}; check the path") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{file}: cannot be read ({reason}); check the path") from None


def read_text(file: PathLike) -> str:
    """The text of a UTF-8 file, with or without a byte-order mark; never empty."""
    data = read_bytes(file).removeprefix(_BOM)
    zero = data.find(b"\0")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if 0 <= zero < error.start:
            raise _zero_byte(file, data, zero) from None
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{file}:{line}: byte 0x{data[error.start]:02x} is not valid UTF-8; "
            "save the file as UTF-8"
        ) from None
    if zero >= 0:
        raise _zero_byte(file, data, zero)
    if not text.strip():
        raise DataError(f"{file}: the file is empty; it needs at least one row")
    return text


def _zero_byte(file: PathLike, data: bytes, at: int) -> DataError:
    line = data.count(b"\n", 0, at) + 1
    return DataError(f"{file}:{line}: a zero byte; save the file as plain UTF-8 text")


@overload
def read_json(file: PathLike) -> Any: ...
@overload
def read_json(file: PathLike, form: type[Decoded]) -> Decoded: ...
def read_json(file: PathLike, form: Any = Any) -> Any:
    """The value in a JSON file, checked against a type where one is given."""
    text = read_text(file)
    return decode_json(text, str(file), msgspec.json.Decoder(form))


def decode_json(text: str, where: str, decoder: msgspec.json.Decoder[Decoded]) -> Decoded:
    """A value from JSON text; `where` is the file, to which the line of an error is added."""
    if "\\u0000" in text and (zero := _ZERO.search(text)):
        line = text.count("\n", 0, zero.start()) + 1
        raise DataError(f"{where}:{line}: the character \\u0000 in a text; remove it")
    try:
        found = decoder.decode(text)
    except RecursionError:
        raise _too_deep(where) from None
    except msgspec.ValidationError as error:
        raise DataError(f"{where}: {error}; correct the file") from None
    except (msgspec.DecodeError, UnicodeError) as error:
        if at := _BYTE.search(str(error)):
            before = text.encode("utf-8", "surrogatepass")[: int(at[1])]
            where += f":{before.count(10) + 1}"
        raise DataError(
            f"{where}: broken JSON ({_BYTE.sub('', str(error))}); "
            "correct the file, or download or make it again"
        ) from None
    if text.count("[") + text.count("{") > DEEPEST and _depth(found) > DEEPEST:
        raise _too_deep(where)
    return found


def decode_toml(text: str, where: str) -> dict[str, Any]:
    """The tables of a TOML text; one on which the parser would spend minutes is refused."""
    if len(text) > MOST_TOML:
        raise DataError(f"{where}: more than {MOST_TOML:,} characters; write a shorter file")
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MOST_DOTS:
            raise DataError(f"{where}:{number}: more than {MOST_DOTS:,} dots; break the line")
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is the former
        raise DataError(f"{where}: not valid TOML ({error}); fix the line") from None
    if any(abs(number) >> 63 for number in _integers(found)):  # too long to be printed, perhaps
        raise DataError(f"{where}: not valid TOML (an integer of more than 64 bits); fix the line")
    return found


def _integers(found: object) -> Iterator[int]:
    """Every integer in tables and lists."""
    left = [found]
    while left:
        value = left.pop()
        if isinstance(value, int):
            yield value
        elif isinstance(value, dict):
            left += value.values()
        elif isinstance(value, list):
            left += value


def _too_deep(where: str) -> DataError:
    return DataError(
        f"{where}: lists and objects are nested more than {DEEPEST} deep; write them flat"
    )


def _depth(value: object) -> int:
    """How deeply lists and objects are nested; counting stops one level past the limit."""
    level, depth = [value], 0
    while level and depth <= DEEPEST:
        inner: list[object] = []
        for one in level:
            if isinstance(one, dict):
                inner += one.values()
            elif isinstance(one, list):
                inner += one
        level = [one for one in inner if isinstance(one, dict | list)]
        depth += 1
    return depth


def shown(value: object, most: int = 60) -> str:
    """A value as error messages print it: short, whatever it is."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # infinitely nested, or a number with thousands of digits
        text = f"<{type(value).__name__}>"
    return text if len(text) <= most else f"{text[: most - 1]}…"


def whole_number(text: str, most: int = 10**DIGITS - 1) -> int | None:
    """A whole number from 0 to `most` in the digits 0 to 9; None for any other text.

    `str.isdigit` also accepts characters that `int` does not read, such as ².

    >>> whole_number("250"), whole_number("²"), whole_number("-1"), whole_number("12", most=10)
    (250, None, None, None)
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS):
        return None
    number = int(text)
    return number if number <= most else None


def hash_of(file: Path) -> str:
    """SHA-256 of a file."""
    note(file)
    with regular(file).open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


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
