"""The edge of the command line: what goes out to the terminal, errors and notes among it.

Every error becomes one line and an exit code, warnings become notes, and nothing that is written
can command a terminal.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TextIO, cast

from priscian.errors import DataWarning, PriscianError, PriscianWarning, UsageError, flat
from priscian.files import is_unicode, shown

FAILED, USAGE, INTERRUPTED = 1, 2, 130
KEPT = {
    "score": "stopped; what was scored is kept: run the same command again with --resume",
    "surprisal": "stopped; what was scored is kept and not computed again",
    "perplexity": "stopped; what was scored is kept and not computed again",
    "curve": "stopped; what was trained and scored is kept: run the same command again",
    "parse": "stopped; what was parsed is kept: the same command continues (training: --resume)",
    "watch": "stopped; what was scored is kept: the same command continues",
    "train": "stopped; continue a neural training with the same command and --resume",
}
OUT_OF_MEMORY = (
    "out of memory; use a smaller model or less data, lower --batch-tokens, or close other programs"
)
TOO_DEEP = "the input is nested too deeply to be read; simplify the file, formula or expression"


def guard(verb: str, action: Callable[[], object]) -> int:
    """Run an action and return 0, or the exit code of its error.

    Our warnings become notes; those of other libraries are shown only while debugging.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", PriscianWarning)
            warnings.showwarning = _show_warning
            try:
                action()
                sys.stdout.flush()  # flush here, so that a closed pipe is noticed here
            finally:
                NOTES.flush()
    except BrokenPipeError:
        _discard_output()
        return FAILED
    except KeyboardInterrupt:
        complain(KEPT.get(verb, "stopped"))
        return INTERRUPTED
    except Exception as error:  # the edge of the command line
        if os.environ.get("PRISCIAN_DEBUG") and not isinstance(error, PriscianError):
            raise
        line, code = explain(verb, error)
        complain(line)
        return code
    return 0


def explain(verb: str, error: Exception) -> tuple[str, int]:
    """The line that is shown for an error, and the exit code."""
    if isinstance(error, PriscianError):
        return flat(error), error.exit_code
    if isinstance(error, MemoryError):
        return OUT_OF_MEMORY, FAILED
    if isinstance(error, RecursionError):
        return TOO_DEEP, FAILED
    if isinstance(error, OSError):
        return _os_error(error), FAILED
    if isinstance(error, RuntimeError) and str(error).startswith("Symlink loop"):
        return f"{flat(error)}; {REMEDIES[errno.ELOOP]}", FAILED  # Path.resolve() before 3.13
    if type(error).__module__.partition(".")[0] == "cyclopts":
        return f"{flat(error).rstrip('.')}; see priscian {verb} --help", USAGE
    return (
        f"unexpected {type(error).__name__}: {flat(error)}; "
        "set PRISCIAN_DEBUG=1 to see where, and please report it"
    ), FAILED


def refuse_bytes(what: str, value: str) -> None:
    """Refuse what is not text, as an argument or the name of a folder: no file of ours can hold it.

    It reaches Python with surrogates in place of the bytes that it could not read.
    """
    if is_unicode(value):
        return
    found = f"{what}, {shown(value, 200)},"
    try:
        os.fsencode(value).decode()
    except UnicodeError:
        raise UsageError(
            f"{found} is not UTF-8; rename the file or folder, or convert the text: "
            "iconv -f latin1 -t utf-8"
        ) from None
    raise UsageError(f"{found} is UTF-8, but the locale is not; set LANG=C.UTF-8 or PYTHONUTF8=1")


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, PriscianWarning):
        NOTES.add(str(message), category)
    elif os.environ.get("PRISCIAN_DEBUG"):
        complain(warnings.formatwarning(message, category, filename, lineno, line).strip())


def _discard_output() -> None:
    """Discard the rest of standard output, so that closing it cannot fail again."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


REMEDIES = {
    errno.EACCES: "check its permissions (ls -l) and those of the folders that it is in",
    errno.EPERM: "check its permissions (ls -l) and those of the folders that it is in",
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "check the path",
    errno.EISDIR: "give a file",
    errno.EINVAL: "give a file",
    errno.ELOOP: "check where its links lead",
    errno.EROFS: "choose another place",
    errno.EMFILE: "raise the limit of open files: ulimit -n 4096",
    errno.EIO: "check the disk",
}


def _os_error(error: OSError) -> str:
    named = error.filename2 or error.filename
    where = ""
    if isinstance(named, str):
        where = f": {named if len(named) <= 200 else named[:199] + '…'}"
    if error.errno == errno.ENOSPC:
        return f"the disk is full{where}; free some space and run again: what was scored is kept"
    if error.errno == errno.ENAMETOOLONG:
        return f"a name of {len(str(named)):,} characters is too long{where}; give a shorter one"
    remedy = REMEDIES.get(error.errno or 0)
    return f"{error.strerror or error}{where}{f'; {remedy}' if remedy else ''}"


# ---------------------------------------------------------------- streams


_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a terminal obeys, but for tabs and line ends; also what turns the direction of text."""


def printable(text: str) -> str:
    r"""A text whose control characters, but for tabs and line ends, are written as escapes.

    Names of models and columns, and sentences, come from files of others: an escape sequence in
    them could clear the screen or hide a line. The form is that of JSON, which stays what it is.

    >>> print(printable("gpt2\x1b[2J"))
    gpt2\u001b[2J
    """
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class Printed:
    """A stream on which only printable text can be written.

    The colours of rich pass: its consoles write to `rich_proxied_file`, and ours clean what they
    write (`screen.py`).
    """

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        """Write a text, cleaned."""
        self.rich_proxied_file.write(printable(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


def set_up_streams() -> None:
    """Make sure that standard output and error can be printed on, whatever was closed.

    A terminal keeps its encoding and shows unsupported characters as \\uXXXX. Files and pipes get
    UTF-8, so that no data are changed. On standard error other libraries draw progress bars: what
    we write there ourselves is cleaned where it is written.
    """
    for number in range(3):  # what is closed is opened, so that no other file takes its number
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name) or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")
        setattr(sys, name, Printed(stream) if name == "stdout" else stream)


def as_it_is(stream: TextIO) -> TextIO:
    """A stream for data, which are written as they are."""
    return cast(TextIO, getattr(stream, "rich_proxied_file", stream))


# ---------------------------------------------------------------- notes


SHOWN = 3
_PLACE = re.compile(r"(?P<before>skipped )?(?P<file>[^\n]+?)(?P<line>:\d+)?: (?P<rest>.+)")
_DETAILS = re.compile(r"\([^)]*\)|'[^']*'|\d[\d,.]*")
_PARAMETER = re.compile(r"`(?P<name>[a-z]\w*)=(?P<value>[^`]*)`")
"""How messages of the library name a parameter: `limit=`, `resume=True`, `tie=half`."""
_PLURALS = re.compile(r"\b(file|pair|region|row|sentence|value)s\b")


@dataclass(slots=True)
class _Group:
    """Similar notes."""

    first: str
    count: int = 0
    files: dict[str, None] = field(default_factory=dict)  # in the order they came

    def line(self) -> str:
        others = list(self.files)[1:]
        if others:
            shown = ", ".join(others[:SHOWN]) + (", …" if len(others) > SHOWN else "")
            files = "file" if len(others) == 1 else "files"
            return f"{self.first} (the same in {len(others)} more {files}: {shown})"
        return f"{self.first} ({self.count} times)" if self.count > 1 else self.first


class Notes:
    """Collects notes and prints each kind once.

    Notes about data files are alike if they differ only in file, line and numbers; other notes
    are alike if they are equal. They are kept until something else is shown.

    >>> notes = Notes(print)
    >>> for file in ("a.csv", "b.csv", "c.csv"):
    ...     notes.add(f"{file}: 1 pair has identical sentences", DataWarning)
    >>> notes.flush()
    note: a.csv: 1 pair has identical sentences (the same in 2 more files: b.csv, c.csv)
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._groups: dict[str, _Group] = {}

    def add(self, message: str, category: type[Warning]) -> None:
        """Keep a note."""
        message = " ".join(message.split())
        key, file = _kind(message) if issubclass(category, DataWarning) else (message, "")
        group = self._groups.setdefault(key, _Group(message))
        group.count += 1
        if file:
            group.files[file] = None

    def flush(self) -> None:
        """Print the notes that were kept."""
        groups, self._groups = self._groups, {}
        for group in groups.values():
            self._show(f"note: {group.line()}")


def _kind(message: str) -> tuple[str, str]:
    """What a note about a file says, without file, line and numbers; and the file."""
    found = _PLACE.fullmatch(message)
    if found is None:
        return message, ""
    rest = _DETAILS.sub("#", found["rest"]).replace(" have ", " has ")
    rest = _PLURALS.sub(r"\1", rest)
    return (found["before"] or "") + rest, found["file"]


def as_flags(message: str) -> str:
    """A message of the library with its parameters written as options of the command line.

    >>> as_flags("give `resume=True`, another `out=` or `batch_tokens=64`")
    'give --resume, another --out or --batch-tokens 64'
    """
    return _PARAMETER.sub(_flag, message)


def _flag(found: re.Match[str]) -> str:
    flag = "--" + found["name"].replace("_", "-")
    value = found["value"]
    return flag if value in ("", "True") else f"{flag} {value}"


def complain(line: str) -> None:
    """A line on standard error."""
    print(f"priscian: {as_flags(printable(line))}", file=sys.stderr, flush=True)


NOTES = Notes(complain)
"""The notes of this process; the last ones are printed when the command ends."""
