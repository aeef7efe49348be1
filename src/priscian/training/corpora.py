"""Corpora as blocks of whole lines, and the sentences of a line."""

from __future__ import annotations

import gzip
import lzma
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, cast

from priscian.errors import DataError

BLOCK = 1 << 22

_BREAK = re.compile(r"(?<=[.!?])([\"'”’)\]]*)\s+(?=[\"'“‘(\[]*[A-Z])")
_NO_BREAK = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Mme|Dr|Prof|Rev|Hon|Gen|Col|Capt|Lt|Sgt|Maj|Gov|St|Jr|Sr|Messrs|No|vs)"
    r"|\b[A-Z])\.$"
)


def split_sentences(paragraph: str) -> list[str]:
    """Sentences of a paragraph: cut after . ! ? and closing marks before a capital letter.

    >>> split_sentences('"Wait!" he said. Mr. Gray did not. "Why?" They left.')
    ['"Wait!" he said.', 'Mr. Gray did not.', '"Why?"', 'They left.']
    """
    found, begun = [], 0
    for gap in _BREAK.finditer(paragraph):
        if _NO_BREAK.search(paragraph, begun, gap.start()):
            continue
        found.append(paragraph[begun : gap.end(1)])
        begun = gap.end()
    found.append(paragraph[begun:])
    return [sentence for sentence in (s.strip() for s in found) if sentence]


def read_blocks(
    files: Sequence[Path], progress: Callable[[int, int], None] = lambda done, total: None
) -> Iterator[tuple[Path, int, bytes]]:
    """Whole lines of every file, a block at a time, with the number of the block's first line.

    Text, gzip or xz. The bytes are valid UTF-8 and every line ends with a newline.
    """
    sizes = [_size(file) for file in files]
    done = 0
    for path, size in zip(files, sizes, strict=True):
        try:
            with path.open("rb") as raw, _unpacked(path, raw) as file:
                for line, block in _whole_lines(file):
                    _check(path, line, block)
                    yield path, line, block
                    progress(done + min(raw.tell(), size), sum(sizes))
        except (lzma.LZMAError, gzip.BadGzipFile, EOFError) as error:
            raise DataError(f"{path} cannot be unpacked: {error}; copy it again") from None
        done += size


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
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from None


def _unpacked(path: Path, raw: BinaryIO) -> BinaryIO:
    if path.suffix == ".xz":
        return cast(BinaryIO, lzma.open(raw, "rb"))
    if path.suffix == ".gz":
        return cast(BinaryIO, gzip.open(raw, "rb"))
    return raw


def _whole_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    line = 1
    while block := file.read(BLOCK):
        block += file.readline()
        if not block.endswith(b"\n"):
            block += b"\n"
        yield line, block
        line += block.count(b"\n")


def _check(path: Path, line: int, block: bytes) -> None:
    if b"\0" in block:
        at = line + block.count(b"\n", 0, block.index(b"\0"))
        raise DataError(f"{path}, line {at}: a zero byte: this is no text file; give plain text")
    try:
        block.decode()
    except UnicodeDecodeError as error:
        at = line + block.count(b"\n", 0, error.start)
        raise DataError(
            f"{path}, line {at}: not valid UTF-8 (byte {block[error.start]:#04x}); "
            f"convert it: iconv -f latin1 -t utf-8"
        ) from None
