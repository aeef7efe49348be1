"""Standard streams: always there, never failing, and free of what would command a terminal."""

from __future__ import annotations

import io
import os
import re
import sys
from typing import Any, TextIO, cast

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
    _fill_gaps()
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name) or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")
        setattr(sys, name, Printed(stream) if name == "stdout" else stream)


def as_it_is(stream: TextIO) -> TextIO:
    """A stream for data, which are written as they are."""
    return cast(TextIO, getattr(stream, "rich_proxied_file", stream))


def _fill_gaps() -> None:
    """Open what is closed of the three standard files, so that no other file takes its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
