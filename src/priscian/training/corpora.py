"""Corpora as blocks of whole lines, and the sentences of a line."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from priscian.errors import DataError
from priscian.files import open_unpacked, steady
from priscian.workers import Progress

BLOCK = 1 << 22
LONGEST_LINE = 1 << 26
"""Bytes of one line, for a packed file can hold one that fills the memory."""

_BOM = b"\xef\xbb\xbf"
_BREAK = re.compile(r"(?<=[.!?])([\"'”’)\]]*)\s+(?=[\"'“‘(\[]*[A-Z])")
_NO_BREAK = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Mme|Dr|Prof|Rev|Hon|Gen|Col|Capt|Lt|Sgt|Maj|Gov|St|Jr|Sr|Messrs|No|vs)"
    r"|\b[A-Z])\.$"
)
_LONGEST_NO_BREAK = len("Messrs.")


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text file as it was read, with a hash of what was read."""

    path: Path
    sha256: str
    """Of the text itself, the same for a plain and a packed file."""
    lines: tuple[str, ...]
    """Without spaces around them."""

    @property
    def mark(self) -> tuple[str, str]:
        """Name and hash."""
        return self.path.name, self.sha256

    def numbered(self) -> Iterator[tuple[int, str]]:
        """The lines that are not empty, with their numbers."""
        return ((number, line) for number, line in enumerate(self.lines, 1) if line)


def split_sentences(paragraph: str) -> list[str]:
    """Sentences of a paragraph: cut after . ! ? and closing marks before a capital letter.

    >>> split_sentences('"Wait!" he said. Mr. Gray did not. "Why?" They left.')
    ['"Wait!" he said.', 'Mr. Gray did not.', '"Why?"', 'They left.']
    """
    found, begun = [], 0
    for gap in _BREAK.finditer(paragraph):
        end = gap.start()
        if _NO_BREAK.search(paragraph, max(begun, end - _LONGEST_NO_BREAK), end):
            continue
        found.append(paragraph[begun : gap.end(1)])
        begun = gap.end()
    found.append(paragraph[begun:])
    return [sentence for sentence in (s.strip() for s in found) if sentence]


def read_blocks(
    files: Sequence[Path], progress: Progress = lambda done, total: None
) -> Iterator[tuple[Path, int, bytes]]:
    """Whole lines of every file, a block at a time, with the number of the block's first line.

    Text, gzip or xz. The bytes are valid UTF-8 and every line ends with a newline. A file that
    changes before all are read is an error.
    """
    with steady(files):
        sizes = [_size(file) for file in files]
        for number, path in enumerate(files):
            with open_unpacked(path) as (stream, raw):
                for line, block in _whole_lines(path, stream):
                    yield path, line, block
                    progress(sum(sizes[:number]) + min(raw.tell(), sizes[number]), sum(sizes))


def read_texts(
    files: Sequence[Path], progress: Progress = lambda done, total: None
) -> list[TextFile]:
    """Files in memory; each is read once, so that the hash is that of the lines."""
    with steady(files):
        sizes = [_size(file) for file in files]
        return [
            _read_text(path, sum(sizes[:number]), sum(sizes), progress)
            for number, path in enumerate(files)
        ]


def _read_text(path: Path, before: int, total: int, progress: Progress) -> TextFile:
    digest = hashlib.sha256()
    lines: list[str] = []
    for _, _, block in read_blocks([path], lambda done, _: progress(before + done, total)):
        digest.update(block)
        lines += (line.strip() for line in block.decode().split("\n")[:-1])
    return TextFile(path, digest.hexdigest(), tuple(lines))


def hash_text(path: Path) -> str:
    """The hash of a text file, as `TextFile` has it."""
    digest = hashlib.sha256()
    for _, _, block in read_blocks([path]):
        digest.update(block)
    return digest.hexdigest()


def read_sentences(files: Sequence[Path], split: bool) -> Iterator[str]:
    """Sentences of files: of each line, or each line as it stands; empty lines are left out."""
    for _, _, block in read_blocks(files):
        for line in block.decode().split("\n"):
            if split:
                yield from split_sentences(line)
            elif line.strip():
                yield line


def _size(path: Path) -> int:
    try:
        if path.is_dir():
            raise DataError(f"{path} is a folder; name the text files in it")
        return path.stat().st_size
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"cannot read {path}: {reason}; check the path") from None


def _whole_lines(path: Path, stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Blocks of whole lines, each with the number of its first one; valid text."""
    line = 1
    while block := stream.read(BLOCK):
        if line == 1:
            block = block.removeprefix(_BOM)
        if not block.endswith(b"\n"):
            rest = stream.readline(LONGEST_LINE)
            if len(rest) == LONGEST_LINE:
                raise DataError(
                    f"{path}:{line + block.count(10)}: a line of more than {LONGEST_LINE:,} bytes; "
                    "break the text into lines"
                )
            block += rest
        if not block.endswith(b"\n"):
            block += b"\n"
        if b"\0" in block:
            at = line + block.count(b"\n", 0, block.index(b"\0"))
            raise DataError(f"{path}:{at}: a zero byte: this is not a text file; give plain text")
        try:
            block.decode()
        except UnicodeDecodeError as error:
            at = line + block.count(b"\n", 0, error.start)
            raise DataError(
                f"{path}:{at}: not valid UTF-8 (byte {block[error.start]:#04x}); "
                f"convert it: iconv -f latin1 -t utf-8"
            ) from None
        yield line, block
        line += block.count(b"\n")
