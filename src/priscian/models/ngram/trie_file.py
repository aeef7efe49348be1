"""A trie in a `.pngm` file: read and checked, written, and made small for shipping.

The file has sections of numbers, mapped into memory, each with a checksum. Its description is at
the end, so that a truncated file is detected at once:

    magic | sections, each at a multiple of 64 bytes | description (JSON) | size, CRC of it | magic

Checksums find damage. The checks here find files that were written wrongly, before a look-up reads
beyond an array or a score becomes NaN. Arrays may be larger than memory, so they are read in parts.

A packed file has eight-bit codes and is compressed by xz. In it `begin` is written as the number of
children of each n-gram, and words as their distance from the word before them under the same
n-gram: both are small numbers.
"""

from __future__ import annotations

import json
import lzma
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec
import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError
from priscian.files import open_unpacked, regular, replacing, shown, write_bytes
from priscian.models.ngram.trie import SPECIAL, Level, Trie

MAGIC = b"PNGM\x01\r\n\x1a"
ALIGN = 64
RATIO = 25
"""How many times its size a compressed model may unpack to; real ones have about 4."""
_TAIL = struct.Struct("<QI8s")
_XZ = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0}]

_DTYPES = frozenset(f"{'|' if size == 1 else '<'}{kind}{size}" for kind in "iuf"
                    for size in (1, 2, 4, 8)) - {"|f1"}  # fmt: skip

Array = npt.NDArray[Any]
PART = 1 << 22
HIGHEST = 1e-3
"""Log10 of the largest probability; rounding may leave it slightly above 0."""
LOWEST = -1e4
CODES = 256
MOST_ORDER = 32


class FileSection:
    """A part of the file that is filled from its beginning."""

    def __init__(self, file: BinaryIO, name: str, dtype: npt.DTypeLike, length: int) -> None:
        self._file = file
        self.name = name
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.length = length
        self.offset = 0
        self.filled = 0
        self.crc = 0

    def write(self, values: Array) -> None:
        """Append values."""
        data = np.ascontiguousarray(values, self.dtype).view(np.uint8)
        self._file.seek(self.offset + self.filled * self.dtype.itemsize)
        self._file.write(data.data)
        self.crc = zlib.crc32(data.data, self.crc)
        self.filled += len(values)

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return self.length * self.dtype.itemsize

    def describe(self) -> dict[str, object]:
        """The entry in the description at the end of the file."""
        if self.filled != self.length:
            raise AssertionError(f"section {self.name}: {self.filled} of {self.length} written")
        return {
            "name": self.name,
            "dtype": self.dtype.str,
            "offset": self.offset,
            "size": self.size,
            "crc32": self.crc,
        }


class Writer:
    """Sections of known length, filled in any order, each from its beginning."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._sections: list[FileSection] = []
        self._end = len(MAGIC)
        file.write(MAGIC)

    def section(self, name: str, dtype: npt.DTypeLike, length: int) -> FileSection:
        """A new section."""
        made = FileSection(self._file, name, dtype, length)
        made.offset = -(-self._end // ALIGN) * ALIGN
        self._end = made.offset + made.size
        self._sections.append(made)
        return made

    def add(self, name: str, values: Array) -> None:
        """Add a complete section."""
        self.section(name, values.dtype, len(values)).write(values)

    def finish(self, facts: dict[str, object]) -> None:
        """Write the description."""
        described = {"facts": facts, "sections": [s.describe() for s in self._sections]}
        data = json.dumps(described, ensure_ascii=False).encode()
        self._file.seek(self._end)
        self._file.write(data)
        self._file.write(_TAIL.pack(len(data), zlib.crc32(data), MAGIC))


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A file with a temporary name that is renamed when it is complete."""
    with replacing(path) as temporary, temporary.open("w+b") as file:
        yield cast(BinaryIO, file)


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a file."""

    facts: dict[str, Any]
    arrays: dict[str, Array]


class _Entry(msgspec.Struct, frozen=True):
    """Where a section is, as written by `FileSection.describe`."""

    name: str
    dtype: str
    offset: int
    size: int
    crc32: int


class _Description(msgspec.Struct, frozen=True):
    """The description at the end of a file."""

    facts: dict[str, Any]
    sections: list[_Entry]


def read_file(path: Path) -> Contents:
    """Map a file into memory; every section is checked against its checksum."""
    described, raw = _open(path)
    arrays = {}
    for entry in described.sections:
        data = raw[entry.offset : entry.offset + entry.size]
        if len(data) != entry.size or zlib.crc32(data.data) != entry.crc32:
            raise ModelError(
                f"{path} is damaged: the checksum of its section {entry.name!r} is wrong; "
                f"copy or train it again"
            )
        arrays[entry.name] = data.view(np.dtype(entry.dtype))
    return Contents(described.facts, arrays)


def read_facts(path: Path) -> dict[str, Any]:
    """The description of a file, without its sections."""
    return _open(path)[0].facts


def _open(path: Path) -> tuple[_Description, npt.NDArray[np.uint8]]:
    raw = _map(path)
    if raw[: len(MAGIC)].tobytes() != MAGIC:
        raise ModelError(f"{path} is not a .pngm model; make one with `priscian train ngram`")
    size, crc, magic = (
        _TAIL.unpack(raw[-_TAIL.size :].tobytes()) if len(raw) > _TAIL.size else (0, 0, b"")
    )
    end = len(raw) - _TAIL.size - size
    if magic != MAGIC or end < len(MAGIC):
        raise ModelError(f"{path} is cut off after {len(raw):,} bytes; copy or train it again")
    data = raw[end : end + size].tobytes()
    if zlib.crc32(data) != crc:
        raise ModelError(
            f"{path} is damaged: the checksum of its description is wrong; copy or train it again"
        )
    try:
        described = msgspec.json.decode(data, type=_Description)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ModelError(
            f"{path} is damaged: its description cannot be read ({error}); train it again"
        ) from None
    for entry in described.sections:
        item = int(entry.dtype[2:]) if entry.dtype in _DTYPES else 0
        if (
            not item
            or entry.size < 0
            or entry.size % item
            or entry.offset % ALIGN
            or not len(MAGIC) <= entry.offset <= end - entry.size
        ):
            raise ModelError(
                f"{path} is damaged: its section {entry.name!r} has a wrong position "
                "or type; train it again"
            )
    return described, raw


def _map(path: Path) -> npt.NDArray[np.uint8]:
    """The bytes of a file; one in xz is unpacked into memory."""
    try:
        with regular(path).open("rb") as file:
            head = file.read(6)
        if head != b"\xfd7zXZ\x00":
            if not path.stat().st_size:
                return np.zeros(0, np.uint8)
            # a plain view of the map: indexing the subclass costs more than reading the file
            return np.asarray(np.memmap(path, np.uint8, "r"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelError(f"cannot read {path}: {reason}; check the path") from None
    with open_unpacked(path, ModelError, RATIO) as (stream, _):
        return np.frombuffer(stream.read(), np.uint8)


def pack_file(path: Path, packed: Path) -> None:
    """The same file in xz: smaller, but unpacked into memory when it is read."""
    data = lzma.compress(path.read_bytes(), lzma.FORMAT_XZ, lzma.CHECK_CRC64, filters=_XZ)
    write_bytes(packed, data)


class UnsoundTrieError(ValueError):
    """What is wrong with the numbers of a model."""


def check_trie(trie: Trie) -> None:
    """Raise UnsoundTrieError if the arrays of a trie do not fit together."""
    words = len(trie.words)
    if trie.words[: len(SPECIAL)] != SPECIAL:
        raise UnsoundTrieError(f"its vocabulary does not begin with {' '.join(SPECIAL)}")
    if len(set(trie.words)) != words or "" in trie.words:
        raise UnsoundTrieError("its vocabulary has a word twice, or an empty one")
    size = words
    for n, level in enumerate(trie.levels, 1):
        following = trie.levels[n] if n < trie.order else None
        _check_sizes(n, level, size, following)
        _check_values(f"probabilities of {n}-grams", level.probs, level.prob_codes, HIGHEST)
        if level.backoffs is not None:
            _check_values(f"back-offs of {n}-grams", level.backoffs, level.backoff_codes, -LOWEST)
        if level.begin is not None and following is not None:
            _check_children(n, level.begin, following, words)
            size = int(level.begin[-1])


def _check_sizes(n: int, level: Level, size: int, following: Level | None) -> None:
    if len(level.probs) != size or (level.words is not None and len(level.words) != size):
        raise UnsoundTrieError(
            f"its {n}-grams have {len(level.probs):,} probabilities, not {size:,}"
        )
    if following is None:
        return
    if level.backoffs is None or level.begin is None or following.words is None:
        raise UnsoundTrieError(f"its {n}-grams have no back-offs or no child ranges")
    if len(level.backoffs) != size or len(level.begin) != size + 1:
        raise UnsoundTrieError(f"its {n}-grams have a wrong number of back-offs or child ranges")
    if following.words.dtype.kind != "u" or level.begin.dtype.kind != "u":
        raise UnsoundTrieError(f"ids or places of its {n + 1}-grams are not whole numbers")


def _check_values(what: str, values: Array, codes: Array | None, highest: float) -> None:
    if codes is not None:
        if values.dtype.kind != "u" or codes.dtype.kind != "f":
            raise UnsoundTrieError(f"the codes of the {what} are of a wrong type")
        if any(int(part.max()) >= len(codes) for part in _parts(values)):
            raise UnsoundTrieError(f"the {what} have a code that has no value")
        values = codes
    if values.dtype.kind != "f":
        raise UnsoundTrieError(f"the {what} are of a wrong type")
    for part in _parts(values):
        # comparisons with NaN are false
        if not (float(part.min()) >= LOWEST and float(part.max()) <= highest):
            raise UnsoundTrieError(f"the {what} have an impossible value")


def _check_children(n: int, begin: Array, following: Level, words: int) -> None:
    """The children of each n-gram follow those of the one before, sorted by their words."""
    outer = following.words
    assert outer is not None
    if int(begin[0]) != 0 or int(begin[-1]) != len(outer):
        raise UnsoundTrieError(f"the child ranges of {n + 1}-grams do not cover them")
    for at in range(0, len(begin) - 1, PART):
        stretch = begin[at : at + PART + 1]
        if (stretch[1:] < stretch[:-1]).any():
            raise UnsoundTrieError(f"the child ranges of {n + 1}-grams are not in order")
    for at in range(0, len(outer), PART):
        stretch = outer[at : at + PART + 1]
        if int(stretch.max()) >= words:
            raise UnsoundTrieError(f"a {n + 1}-gram has a word that is not in the vocabulary")
        falls = np.flatnonzero(stretch[1:] <= stretch[:-1]) + (at + 1)
        # a word may be lower than the one before only where another n-gram's children begin
        found = np.searchsorted(begin, falls.astype(begin.dtype))
        if len(falls) and (begin[found] != falls).any():
            raise UnsoundTrieError(f"the {n + 1}-grams are not sorted")


def _parts(values: Array) -> Iterator[Array]:
    for at in range(0, len(values), PART):
        yield values[at : at + PART]


def quantise(trie: Trie) -> Trie:
    """Every probability and back-off of order 2 and above as a code of eight bits.

    The codes of an order are means of equally many values each (Federico & Bertoldi 2006); a
    back-off of exactly 0 stays so.
    """
    levels = [trie.levels[0]]
    for level in trie.levels[1:]:
        probs, prob_codes = bin_values(np.asarray(level.probs, np.float64), zero=False)
        backoffs, backoff_codes = None, None
        if level.backoffs is not None:
            backoffs, backoff_codes = bin_values(np.asarray(level.backoffs, np.float64), zero=True)
        levels.append(Level(level.words, probs, backoffs, level.begin, prob_codes, backoff_codes))
    return Trie(trie.words, tuple(levels))


def bin_values(values: Array, zero: bool) -> tuple[Array, Array]:
    """Codes of values, and the value of each code; code 0 is exactly 0 where `zero` is asked."""
    own = values[values != 0] if zero else values
    room = CODES - int(zero)
    distinct = np.unique(own)
    if len(distinct) <= room:
        centres = distinct
    else:
        parts = np.array_split(np.sort(own), room)
        centres = np.unique([part.mean() for part in parts if len(part)])
    if not len(centres):
        centres = np.zeros(1)
    nearest = np.searchsorted((centres[1:] + centres[:-1]) / 2, values).astype(np.uint8)
    if not zero:
        return nearest, centres.astype(np.float32)
    codes = np.where(values == 0, 0, nearest + 1).astype(np.uint8)
    return codes, np.concatenate(([0.0], centres)).astype(np.float32)


def open_trie(path: Path) -> tuple[Trie, dict[str, Any]]:
    """The model in a file, and its description; its numbers are checked."""
    contents = read_file(path)
    try:
        order = contents.facts["order"]
        if not isinstance(order, int) or not 1 <= order <= MOST_ORDER:
            raise UnsoundTrieError(f"its order is {shown(order)}")
        words = tuple(contents.arrays["vocabulary"].tobytes().decode().split("\n"))
        arrays, levels = contents.arrays, []
        for n in range(1, order + 1):
            lower = n < order
            levels.append(
                Level(
                    words=arrays[f"words{n}"] if n > 1 else None,
                    probs=arrays[f"prob{n}"],
                    backoffs=arrays[f"backoff{n}"] if lower else None,
                    begin=arrays[f"begin{n}"] if lower else None,
                    prob_codes=arrays.get(f"prob_codes{n}"),
                    backoff_codes=arrays.get(f"backoff_codes{n}") if lower else None,
                )
            )
        trie = Trie(words, tuple(levels))
        if contents.facts.get("differences"):
            trie = sums(trie)
        check_trie(trie)
    except KeyError as error:
        raise ModelError(f"{path} lacks {error}; train it again with this version") from None
    except (UnsoundTrieError, UnicodeError) as error:
        raise ModelError(
            f"{path} is not a sound model, though its checksums are right: {error}; train it again"
        ) from None
    return trie, contents.facts


def save_trie(trie: Trie, facts: dict[str, Any], path: Path) -> None:
    """Write a model to a file, with a temporary name until it is complete."""
    with writing(path) as file:
        writer = Writer(file)
        writer.add("vocabulary", np.frombuffer("\n".join(trie.words).encode(), np.uint8))
        ids = np.uint16 if len(trie.words) <= 1 << 16 else np.uint32
        for n, level in enumerate(trie.levels, 1):
            named: dict[str, Array | None] = {
                f"words{n}": None if level.words is None else level.words.astype(ids),
                f"prob{n}": level.probs,
                f"prob_codes{n}": level.prob_codes,
                f"backoff{n}": level.backoffs,
                f"backoff_codes{n}": level.backoff_codes,
                f"begin{n}": level.begin,
            }
            for name, values in named.items():
                if values is not None:
                    writer.add(name, values)
        writer.finish({"order": trie.order} | facts)


def pack_model(path: Path, packed: Path, facts: dict[str, object] | None = None) -> None:
    """A small copy of a model file, for shipping."""
    trie, own = open_trie(path)
    plain = packed.with_name(f".{packed.name}.plain")
    try:
        small = differences(quantise(trie))
        save_trie(small, own | (facts or {}) | {"quantised": 8, "differences": True}, plain)
        pack_file(plain, packed)
    finally:
        plain.unlink(missing_ok=True)


def differences(trie: Trie) -> Trie:
    """Children and words as small numbers."""
    levels = []
    begin: Array | None = None
    for level in trie.levels:
        words = level.words
        if words is not None and begin is not None:
            words = np.diff(words.astype(np.int64), prepend=0)
            firsts = np.unique(begin[:-1].astype(np.int64)[np.diff(begin.astype(np.int64)) > 0])
            assert level.words is not None
            words[firsts] = level.words[firsts]
        begin = level.begin
        levels.append(_with(level, words, None if begin is None else np.diff(begin.astype(int))))
    return Trie(trie.words, tuple(levels))


def sums(trie: Trie) -> Trie:
    """The inverse of `differences`; UnsoundTrieError if the sizes do not fit."""
    levels: list[Level] = []
    below: Array | None = None
    for n, level in enumerate(trie.levels, 1):
        words = level.words
        if words is not None and below is not None:
            if int(below[-1]) != len(words):
                raise UnsoundTrieError(f"the child ranges of {n}-grams do not cover them")
            run = np.cumsum(words, dtype=np.int64)
            starts = below[:-1][np.diff(below) > 0]
            before = np.where(starts > 0, run[starts - 1], 0)
            run -= np.repeat(before, np.diff(np.append(starts, len(run))))
            words = run.astype(words.dtype)
        begin = level.begin
        if begin is not None:
            if begin.dtype.kind != "u" or (len(begin) and int(begin.max()) > 1 << 32):
                raise UnsoundTrieError(f"the numbers of {n + 1}-grams are of a wrong type")
            begin = np.concatenate(([0], np.cumsum(begin, dtype=np.int64)))
        below = begin
        levels.append(_with(level, words, begin))
    return Trie(trie.words, tuple(levels))


def _with(level: Level, words: Array | None, begin: Array | None) -> Level:
    if begin is not None:
        begin = begin.astype(np.uint32)
    return Level(words, level.probs, level.backoffs, begin, level.prob_codes, level.backoff_codes)
