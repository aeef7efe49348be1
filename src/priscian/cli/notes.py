"""Notes on standard error: one line each; similar notes share a line with a count."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from priscian.cli.streams import printable
from priscian.errors import DataWarning

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
