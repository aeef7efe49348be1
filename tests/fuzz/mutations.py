"""Seeded damage to small files: every change keeps track of which bytes are still the old ones."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

BOM = b"\xef\xbb\xbf"
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_CELL = re.compile(rb'"[^"\n]*"|[^,\t\n"{}\[\]:]+')
_KEY = re.compile(rb"[a-z_]+ *= *")
_DELIMITERS = (b",", b"\t", b":")
HUGE = (
    b"9" * 5000,
    b"1e999",
    b"-1e308",
    b"99999999999999999999",
    b"1e-320",
    b"nan",
    b"-inf",
    b"0x1f",
    b"0x" + b"f" * 5000,
)
TYPES = (
    b"null",
    b"true",
    b"-1",
    b"3.5",
    b"[]",
    b"{}",
    b'"x"',
    b'["a", 1]',
    b'{"a": {"b": 2}}',
    b"",
)
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 0.5, 10**6, 2**31, 10**30, 1e308, 1e-320, float("nan"),
    float("inf"), "", "x", "²", "1", "\ud800", "\x00", "../x", "x" * 10_000, [], {}, [None], ["x"],
    {"x": 1}, [[]],
)  # fmt: skip
ODD = (
    "\u2028",
    "\x85",
    "\x0b",
    "\x1c",
    "\ufeff",
    "́",
    "İ",
    "ß",
    "\U0001f600",
    "<unk>",
    "##",
    "\x7f",
)


class Draft:
    """Bytes, and of each the place in the original file that it came from (-1: it is new)."""

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)
        self.origin = list(range(len(data)))

    def put(self, start: int, end: int, new: bytes) -> None:
        """Put new bytes in the place of some."""
        self.data[start:end] = new
        self.origin[start:end] = [-1] * len(new)

    def copy(self, start: int, end: int, to: int) -> None:
        """Copy some bytes to another place; both copies know where they are from."""
        self.data[to:to] = self.data[start:end]
        self.origin[to:to] = self.origin[start:end]

    def lines(self) -> list[tuple[int, int]]:
        """Where each line begins, and ends with its line feed."""
        found, start = [], 0
        while start < len(self.data):
            end = self.data.find(b"\n", start) + 1 or len(self.data)
            found.append((start, end))
            start = end
        return found

    def keeps(self, start: int, end: int) -> bool:
        """Whether a stretch of the original is there once, as it was, with line ends around it."""
        try:
            at = self.origin.index(start)
        except ValueError:
            return False
        size = end - start
        return (
            self.origin[at : at + size] == list(range(start, end))
            and self.origin.count(start) == 1
            and self.origin.count(end - 1) == 1
            and (at == 0 or self.data[at - 1 : at] == b"\n" or bytes(self.data[:at]) == BOM)
            and (at + size == len(self.data) or self.data[at + size - 1 : at + size] == b"\n")
        )


Mutation = Callable[[Draft, Random], None]


def flip_bits(draft: Draft, random: Random) -> None:
    for _ in range(random.choice((1, 1, 1, 2, 8))):
        at = random.randrange(len(draft.data))
        draft.put(at, at + 1, bytes([draft.data[at] ^ 1 << random.randrange(8)]))


def cut_off(draft: Draft, random: Random) -> None:
    draft.put(random.randrange(len(draft.data)), len(draft.data), b"")


def cut_out(draft: Draft, random: Random) -> None:
    at = random.randrange(len(draft.data))
    draft.put(at, at + random.choice((1, 2, 10, 100)), b"")


def add_bytes(draft: Draft, random: Random) -> None:
    at = random.randrange(len(draft.data) + 1)
    draft.put(at, at, random.randbytes(random.choice((1, 1, 4, 64))))


def repeat_stretch(draft: Draft, random: Random) -> None:
    at = random.randrange(len(draft.data))
    draft.copy(at, at + random.choice((4, 30, 300)), random.randrange(len(draft.data) + 1))


def add_zero(draft: Draft, random: Random) -> None:
    at = random.randrange(len(draft.data) + 1)
    draft.put(at, at, random.choice((b"\0", b"\\u0000", b"\0" * 100)))


def delete_line(draft: Draft, random: Random) -> None:
    start, end = random.choice(draft.lines())
    draft.put(start, end, b"")


def double_line(draft: Draft, random: Random) -> None:
    start, end = random.choice(draft.lines())
    draft.copy(start, end, random.choice((end, *(s for s, _ in draft.lines()))))


def swap_cells(draft: Draft, random: Random) -> None:
    """Two neighbours of a line change places, in CSV, TSV or JSON."""
    start, end = random.choice(draft.lines())
    line = bytes(draft.data[start:end]).rstrip(b"\n")
    mark = random.choice([d for d in _DELIMITERS if d in line] or [b" "])
    cells = line.split(mark)
    if len(cells) > 1:
        at = random.randrange(len(cells) - 1)
        cells[at], cells[at + 1] = cells[at + 1], cells[at]
        draft.put(start, start + len(line), mark.join(cells))


def huge_number(draft: Draft, random: Random) -> None:
    found = list(_NUMBER.finditer(draft.data))
    if found:
        one = random.choice(found)
        draft.put(one.start(), one.end(), random.choice(HUGE))


def other_type(draft: Draft, random: Random) -> None:
    found = list(_CELL.finditer(draft.data))
    if found:
        one = random.choice(found)
        draft.put(one.start(), one.end(), random.choice(TYPES))


def change_field(draft: Draft, random: Random) -> None:
    """A value of JSON, or of a line of JSON or TOML, becomes one of another type, or is gone."""
    lines = draft.lines()
    for start, end in [(0, len(draft.data)), *random.sample(lines, len(lines))]:
        if (new := _changed(bytes(draft.data[start:end]), random)) is not None:
            draft.put(start, end, new)
            return


def _changed(data: bytes, random: Random) -> bytes | None:
    """JSON, or a line of TOML, with one value changed; None if it is neither."""
    if key := _KEY.match(data):
        return key[0] + random.choice((*TYPES, *HUGE)) + b"\n"
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    inside = [found]
    for one in inside:
        inside += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
    holders = [one for one in inside if isinstance(one, dict | list) and one]
    if not holders:
        return None
    holder: Any = random.choice(holders)
    at: Any = random.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    if random.random() < 0.3:
        del holder[at]
        return json.dumps(found).encode() + b"\n"
    holder[at] = "\0"
    new = random.choice((*TYPES, *HUGE))
    return json.dumps(found).encode().replace(b'"\\u0000"', new) + b"\n"


def nest_deeply(draft: Draft, random: Random) -> None:
    found = list(_CELL.finditer(draft.data))
    depth = random.choice((5, 150, 3000, 100_000))
    if found:
        one = random.choice(found)
        shape = random.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"(", b")")))
        closed = shape[1] * random.choice((0, depth))
        draft.put(one.start(), one.end(), shape[0] * depth + b"1" + closed)


def add_bom(draft: Draft, random: Random) -> None:
    draft.put(0, 0, random.choice((BOM, BOM, b"\xff\xfe")))


def carriage_returns(draft: Draft, random: Random) -> None:
    """Bare ones for some line ends or within a line; or CRLF everywhere, which changes nothing."""
    ends = [at for at, byte in enumerate(draft.data) if byte == 10]
    how = random.choice(("one", "all", "inside"))
    if how == "inside" or not ends:
        at = random.randrange(len(draft.data) + 1)
        draft.put(at, at, b"\r")
    else:
        for at in ends if how == "all" else [random.choice(ends)]:
            draft.put(at, at + 1, b"\r")


def bad_utf8(draft: Draft, random: Random) -> None:
    at = random.randrange(len(draft.data) + 1)
    draft.put(at, at, random.choice((b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf5\x80\x80\x80")))


def odd_character(draft: Draft, random: Random) -> None:
    at = random.randrange(len(draft.data) + 1)
    draft.put(at, at, random.choice(ODD).encode())


def add_quote(draft: Draft, random: Random) -> None:
    """Where a cell begins or ends, a quotation mark does most harm."""
    places = [m.start() for m in re.finditer(rb"[,\t\n]", draft.data)] or [0]
    for _ in range(random.choice((1, 1, 2))):
        at = min(random.choice(places) + random.choice((0, 1)), len(draft.data))
        draft.put(at, at, random.choice((b'"', b'"', b"'", b'""', b"\\")))


def change_json(draft: Draft, random: Random) -> None:
    """One value of a JSON text, or of one of its lines, deleted, copied or made another."""
    spans = [(0, len(draft.data)), *draft.lines()] if draft.data[:1] in (b"{", b"[") else []
    for start, end in (spans[0], random.choice(spans)) if spans else ():
        try:
            whole = json.loads(bytes(draft.data[start:end]))
            places = [at for at in _places(whole) if at]
        except (ValueError, RecursionError):
            continue
        if places:
            _change_at(whole, random.choice(places), random)
            ending = b"\n" if draft.data[end - 1 : end] == b"\n" else b""
            draft.put(start, end, json.dumps(whole).encode() + ending)
        return
    other_type(draft, random)


def _places(found: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value."""
    yield path
    pairs = found.items() if isinstance(found, dict) else ()
    for key, value in enumerate(found) if isinstance(found, list) else pairs:
        yield from _places(value, (*path, key))


def _change_at(whole: Any, path: tuple[Any, ...], random: Random) -> None:
    for key in path[:-1]:
        whole = whole[key]
    key, how = path[-1], random.random()
    if how < 0.2:
        del whole[key]
    elif how < 0.3 and isinstance(whole, list):
        whole.insert(random.randrange(len(whole) + 1), whole[key])
    elif how < 0.4:
        whole[key] = whole[
            random.choice(list(whole) if isinstance(whole, dict) else range(len(whole)))
        ]
    elif how < 0.6 and isinstance(whole[key], int | float):
        whole[key] = random.choice((-whole[key], whole[key] + 1, whole[key] * 1000, whole[key] / 3))
    else:
        whole[key] = random.choice(ODD_VALUES)


BINARY: tuple[Mutation, ...] = (
    flip_bits, flip_bits, cut_off, cut_out, add_bytes, repeat_stretch, add_zero,
)  # fmt: skip
TEXT: tuple[Mutation, ...] = (
    *BINARY, delete_line, double_line, swap_cells, huge_number, other_type, nest_deeply, add_bom,
    carriage_returns, bad_utf8, odd_character, add_quote, add_quote, change_json, change_json,
    change_json,
)  # fmt: skip


FIELDS: tuple[Mutation, ...] = (*TEXT, *[change_field] * len(TEXT))
"""For JSON, JSON lines and TOML: every second change leaves the file well-formed."""


def mutate(data: bytes, random: Random, kinds: tuple[Mutation, ...]) -> tuple[Draft, str]:
    """Damaged data, mostly in one place, and what was done to it."""
    draft = Draft(data)
    done = []
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        kind = random.choice(kinds)
        if draft.data:
            kind(draft, random)
        done.append(kind.__name__)
    return draft, ", ".join(done)
