"""A recurrent model as one file: pieces, card and weights in float16, under one checksum.

Its tokens are words, clitics and marks, and pieces of rarer words.

A line `PRISCIAN-LSTM 1 <sha256 of all that follows>`, the packed header's length in 8 bytes, the
header (JSON, deflated), then the arrays end to end in the header's order, little-endian.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError
from priscian.files import write_bytes
from priscian.models.fingerprint import read_bytes

BOUNDARY = "<s>"
"""Opens and closes a sentence; always token 0."""
INNER = "##"
"""Marks a piece that does not begin its word."""
BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))
CACHED_WORDS = 200_000

_TOKEN = re.compile(
    r"[^\W\d_]+?(?=n['’]t(?!\w))"  # does|n't
    r"|n['’]t(?!\w)"
    r"|['’](?:s|ll|re|ve|d|m)(?!\w)"
    r"|[^\W\d_]+"
    r"|\d"
    r"|\S",
    re.IGNORECASE,
)
PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "—": "-", "–": "-", "…": "."})
"""Marks written in one way only; every one is a single character, so that offsets stay."""
_ENDS = frozenset(".!?")
_OPENERS = frozenset("\"'([*")
MAGIC = b"PRISCIAN-LSTM"
VERSION = b"1"
STORED = "<f2"
LONGEST_HEADER = 32 << 20
"""Bytes of the header when it is unpacked: 65,535 pieces and their merges take about 3 MB."""
Floats32 = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SplitWord:
    """A word, clitic or mark, with its place in the text."""

    form: str
    start: int
    end: int
    initial: bool  # opens a sentence, so that its capital says nothing


def split_words(text: str) -> Iterator[SplitWord]:
    """Words with offsets, in plain quotation marks and dashes; offsets are of the given text."""
    initial = True
    for match in _TOKEN.finditer(text.translate(PLAIN)):
        form = match.group()
        if form.isupper() and len(form) > 1:
            form = form.lower()
        yield SplitWord(form, match.start(), match.end(), initial)
        if form in _ENDS:
            initial = True
        elif form not in _OPENERS:
            initial = False


@dataclass(slots=True)
class WordPieces:
    """Vocabulary and merges; the rarer a token, the greater its id."""

    tokens: tuple[str, ...]
    merges: tuple[tuple[str, str], ...]
    _ids: dict[str, int] = field(init=False)
    _ranks: dict[tuple[str, str], int] = field(init=False)
    _known: dict[tuple[str, bool], tuple[int, ...]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._ids = {token: number for number, token in enumerate(self.tokens)}
        self._ranks = {merge: rank for rank, merge in enumerate(self.merges)}

    def encode(self, text: str) -> tuple[list[int], list[int], list[int]]:
        """Ids with the start and end of each in the text."""
        ids: list[int] = []
        starts: list[int] = []
        ends: list[int] = []
        for word in split_words(text):
            found = self.word(word.form, word.initial)
            ids.extend(found)
            if len(found) == 1:
                starts.append(word.start)
                ends.append(word.end)
            else:
                for start, end in self._inside(found):
                    starts.append(word.start + start)
                    ends.append(word.start + end)
        return ids, starts, ends

    def word(self, form: str, initial: bool) -> tuple[int, ...]:
        """Ids of a word; at the start of a sentence in the case that is usual elsewhere."""
        key = (form, initial)
        found = self._known.get(key)
        if found is None:
            found = tuple(self._split(self.usual_case(form) if initial else form))
            if len(self._known) < CACHED_WORDS:
                self._known[key] = found
        return found

    def usual_case(self, form: str) -> str:
        """The word as it is written within a sentence: the commoner of two known forms."""
        lower = form.lower()
        if lower == form or len(lower) != len(form):
            return form
        last = len(self.tokens)
        return form if self._ids.get(form, last) < self._ids.get(lower, last) else lower

    def _split(self, form: str) -> list[int]:
        whole = self._ids.get(form)
        if whole is not None:
            return [whole]
        parts = [char if at == 0 else INNER + char for at, char in enumerate(form)]
        ids: list[int] = []
        for part in merge(parts, self._ranks):
            number = self._ids.get(part)
            if number is not None:
                ids.append(number)
            else:  # a character outside the alphabet: its bytes, so that nothing is unknown
                ids.extend(
                    self._ids[BYTES[byte]]
                    for byte in part.removeprefix(INNER).encode(errors="surrogatepass")
                )
        return ids

    def _inside(self, ids: Sequence[int]) -> Iterable[tuple[int, int]]:
        """Offsets of pieces within their word; the bytes of a character share its place."""
        at, pending = 0, bytearray()
        places: list[tuple[int, int]] = []
        for number in ids:
            token = self.tokens[number]
            if token.startswith("<0x"):
                pending.append(int(token[3:5], 16))
                places.append((at, at + 1))
                try:
                    pending.decode(errors="surrogatepass")
                except UnicodeDecodeError:
                    continue
                pending.clear()
                at += 1
            else:
                length = len(token) - (len(INNER) if token.startswith(INNER) and at else 0)
                places.append((at, at + length))
                at += length
        return places


def merge(parts: list[str], ranks: dict[tuple[str, str], int]) -> list[str]:
    """Byte-pair merging: the earliest learnt pair first, until none is left."""
    while len(parts) > 1:
        pairs = [ranks.get(pair, len(ranks)) for pair in pairwise(parts)]
        best = min(pairs)
        if best == len(ranks):
            break
        merged: list[str] = []
        at = 0
        while at < len(parts):
            if at < len(pairs) and pairs[at] == best:
                merged.append(parts[at] + parts[at + 1].removeprefix(INNER))
                at += 2
            else:
                merged.append(parts[at])
                at += 1
        parts = merged
    return parts


class UnsoundError(ValueError):
    """What is wrong with the contents of a model file."""


def check_weights(weights: Mapping[str, npt.NDArray[Any]], vocabulary: int) -> None:
    """Raise UnsoundError unless there are just the arrays of a network with such a vocabulary.

    Bands of the softmax have a table (words, width), a bias and, but for the first, a map to the
    width of the first; layers have the four arrays of an LSTM; `out` leads back to that width.
    """
    bands = _numbered(weights, "tables.")
    layers = _numbered(weights, "lstm.weight_ih_l")
    if not bands or not layers:
        raise UnsoundError("it has no tables or no layers")
    shapes = {name: array.shape for name, array in weights.items()}
    sizes = [shapes[f"tables.{n}"] for n in range(bands)]
    if any(len(size) != 2 for size in sizes):
        raise UnsoundError("a table is not a matrix")
    width = sizes[0][1]
    hidden = shapes["lstm.weight_ih_l0"][0] // 4
    wanted: dict[str, tuple[int, ...]] = {
        "out.weight": (width, hidden),
        "out.bias": (width,),
        "bands": (bands - 1, width),
        "band_bias": (bands - 1,),
    }
    for n, size in enumerate(sizes):
        wanted[f"tables.{n}"] = size
        wanted[f"biases.{n}"] = (size[0],)
        if n:
            wanted[f"maps.{n - 1}"] = (size[1], width)
    for layer in range(layers):
        wanted[f"lstm.weight_ih_l{layer}"] = (4 * hidden, hidden if layer else width)
        wanted[f"lstm.weight_hh_l{layer}"] = (4 * hidden, hidden)
        wanted[f"lstm.bias_ih_l{layer}"] = wanted[f"lstm.bias_hh_l{layer}"] = (4 * hidden,)
    for name in sorted(wanted.keys() | shapes.keys()):
        if wanted.get(name) != shapes.get(name):
            raise UnsoundError(
                f"its array {name!r} has the shape {shapes.get(name)}, not {wanted.get(name)}"
            )
    if sum(size[0] for size in sizes) != vocabulary:
        raise UnsoundError(f"its tables are not for its {vocabulary:,} tokens")


def _numbered(weights: Mapping[str, object], prefix: str) -> int:
    """How many arrays are called `prefix` and a number from 0 on, without a gap."""
    count = 0
    while f"{prefix}{count}" in weights:
        count += 1
    return count


@dataclass(frozen=True, slots=True)
class Stored:
    """What a file holds; weights are float32 again."""

    pieces: WordPieces
    weights: Mapping[str, Floats32]
    card: Mapping[str, str]  # corpus, steps, seed, perplexity …


def write_model(path: Path, stored: Stored) -> str:
    """Write a model file, complete or not at all; its checksum."""
    header = {
        "card": dict(stored.card),
        "tokens": list(stored.pieces.tokens),
        "merges": [" ".join(merge) for merge in stored.pieces.merges],
        "arrays": {name: list(value.shape) for name, value in stored.weights.items()},
    }
    packed = zlib.compress(json.dumps(header, ensure_ascii=False).encode(), 9)
    body = bytearray(len(packed).to_bytes(8, "little") + packed)
    for name, value in stored.weights.items():
        with np.errstate(over="ignore"):
            small = value.astype(STORED)
        if not np.isfinite(small).all():
            raise ModelError(f"weights {name!r} do not fit float16; train with a smaller rate")
        body += small.tobytes()
    digest = hashlib.sha256(body).hexdigest()
    write_bytes(path, b" ".join([MAGIC, VERSION, digest.encode()]) + b"\n" + body)
    return digest


def read_model(path: Path) -> Stored:
    """Read a model file; verify every byte of it, and that its arrays make a model."""
    data = read_bytes(path)
    line, _, body = data.partition(b"\n")
    fields = line.split(b" ")
    if len(fields) != 3 or fields[0] != MAGIC:
        raise ModelError(f"{path} is not a recurrent model of ours; make one: priscian train lstm")
    if fields[1] != VERSION:
        raise ModelError(
            f"{path} has format {fields[1][:20].decode(errors='replace')}, but this version reads "
            f"{VERSION.decode()}; update Priscian"
        )
    if hashlib.sha256(body).hexdigest() != fields[2].decode(errors="replace"):
        raise ModelError(
            f"{path} is damaged or cut short (its checksum is wrong); copy or download it again"
        )
    try:
        end = 8 + int.from_bytes(body[:8], "little")
        if end > len(body):
            raise UnsoundError("its header is longer than the file")
        try:
            unpacker = zlib.decompressobj()
            unpacked = unpacker.decompress(body[8:end], LONGEST_HEADER)
            if not unpacker.eof:
                raise UnsoundError(f"its header is cut off or longer than {LONGEST_HEADER:,} bytes")
            header = msgspec.json.decode(unpacked, type=_Header)
        except (zlib.error, msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise UnsoundError(f"its header cannot be read ({error})") from None
        weights = _arrays(header.arrays, memoryview(body)[end:])
        known = set(header.tokens)
        if header.tokens[:1] != [BOUNDARY] or not known.issuperset(BYTES):
            raise UnsoundError(f"its tokens lack {BOUNDARY} or some bytes")
        if "" in known:
            raise UnsoundError("a token is empty")
        if any(token.startswith("<0x") and token not in BYTES for token in known):
            raise UnsoundError("a token looks like a byte and is none")
        merges = [tuple(merge.split(" ")) for merge in header.merges]
        if any(len(merge) != 2 or not all(merge) for merge in merges):
            raise UnsoundError("a merge is not two pieces")
        check_weights(weights, len(header.tokens))
        pieces = WordPieces(tuple(header.tokens), tuple((a, b) for a, b in merges))
        return Stored(pieces, weights, header.card)
    except UnsoundError as error:
        raise ModelError(
            f"{path} is not a sound model, though its checksum is right: {error}; train it again"
        ) from None


class _Header(msgspec.Struct, frozen=True):
    """What `write_model` packs before the arrays."""

    card: dict[str, str]
    tokens: list[str]
    merges: list[str]
    arrays: dict[str, list[int]]


def _arrays(shapes: Mapping[str, list[int]], data: memoryview) -> dict[str, Floats32]:
    """Arrays of these shapes, which lie end to end and fill the data."""
    weights: dict[str, Floats32] = {}
    at = 0
    for name, shape in shapes.items():
        size = prod(shape)
        if not shape or min(shape) < 0 or 2 * size > len(data) - at:
            raise UnsoundError(f"its array {name!r} has the shape {shape}, which cannot be")
        array = np.frombuffer(data, STORED, size, at)
        if not np.isfinite(array).all():
            raise UnsoundError(f"its array {name!r} has values that are not finite")
        weights[name] = array.astype(np.float32).reshape(shape)
        at += array.nbytes
    if at != len(data):
        raise UnsoundError("its arrays do not fill the file")
    return weights
