"""Passages: lines that belong together, each with its number in the file."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import DataError
from priscian.files.reading import refuse_large

STDIN = Path("-")
_NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Line:
    """A text and its number: its line in a file, or its position in a list, from 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """Consecutive lines; each is conditioned on those before it.

    >>> passage = Passage((Line(1, "It rained."), Line(2, "We stayed.")))
    >>> passage.text
    'It rained. We stayed.'
    >>> passage.find(11)
    1
    """

    lines: tuple[Line, ...]
    joint: str = " "

    @property
    def text(self) -> str:
        """All lines, joined."""
        return self.joint.join(line.text for line in self.lines)

    @property
    def starts(self) -> list[int]:
        """Where each line begins in the text."""
        found, at = [], 0
        for line in self.lines:
            found.append(at)
            at += len(line.text) + len(self.joint)
        return found

    def find(self, place: int) -> int:
        """The index of the line that a character of the text belongs to."""
        return bisect_right(self.starts, place) - 1


def make_passages(texts: str | Iterable[str | Sequence[str] | Passage]) -> list[Passage]:
    """A text is a passage of its own; a list of texts is one passage.

    >>> [len(p.lines) for p in make_passages(["Alone.", ["First.", "Second."]])]
    [1, 2]
    """
    made: list[Passage] = []
    number = 0
    for given in [texts] if isinstance(texts, str) else texts:
        if isinstance(given, Passage):
            made.append(given)
            number = given.lines[-1].number
            continue
        lines = []
        for text in [given] if isinstance(given, str) else given:
            number += 1
            if not text.strip():
                raise DataError(f"text {number} is empty; give at least one word")
            lines.append(Line(number, text))
        if not lines:
            raise DataError(f"passage {len(made) + 1} has no lines; leave it out")
        made.append(Passage(tuple(lines)))
    return made


def read_passages(file: Path, *, together: bool = False, joint: str = " ") -> list[Passage]:
    """The lines of a UTF-8 text file; `-` is standard input.

    Every line is a passage of its own or, if `together`, the lines up to a blank one are. Blank
    lines are left out but counted, so that a line's number is its number in the file.
    """
    passages: list[Passage] = []
    lines: list[Line] = []
    for number, text in enumerate(_NEWLINE.split(_read(file)), 1):
        if text.strip():
            lines.append(Line(number, text))
        if lines and (not together or not text.strip()):
            passages.append(Passage(tuple(lines), joint))
            lines = []
    if lines:
        passages.append(Passage(tuple(lines), joint))
    if not passages:
        raise DataError(f"{_name(file)} contains no text; give at least one line of words")
    return passages


def _read(file: Path) -> str:
    if file == STDIN and sys.stdin is None:
        raise DataError("standard input is closed; name a file, or send the text through a pipe")
    try:
        data = sys.stdin.buffer.read() if file == STDIN else file.read_bytes()
        refuse_large(Path(_name(file)), rows=data.count(b"\n") + data.count(b"\r"))
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise DataError(f"no file {file}") from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"{_name(file)} is not UTF-8 (byte {error.start}); convert it: iconv -f latin1 -t utf-8"
        ) from None
    except OSError as error:
        raise DataError(
            f"cannot read {_name(file)}: {error.strerror}; check the path and its permissions"
        ) from None


def _name(file: Path) -> str:
    return "standard input" if file == STDIN else str(file)
