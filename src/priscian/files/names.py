"""File names from other names: safe on any system, and different for different names.

Names on disk may be any bytes. Those that are not UTF-8 reach Python with surrogates in them, which
no file of ours can hold and no terminal shows.
"""

from __future__ import annotations

import fnmatch
import hashlib
import re
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from priscian.errors import DataWarning

LONGEST = 120
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)}
)


def file_names(names: Iterable[str]) -> dict[str, str]:
    """A file name for each name; different names get different files, all inside the folder.

    A name keeps its letters, digits and `.@=+,_-`; everything else becomes a hyphen. Names that
    would then collide (case is ignored, as on some disks) end in a hash of the whole name.

    >>> file_names(["hf:gpt2", "../x", "a/b", "a b"])
    {'hf:gpt2': 'hf-gpt2', '../x': 'x', 'a/b': 'a-b-c14cddc033', 'a b': 'a-b-c8687a08aa'}
    """
    names = list(dict.fromkeys(names))
    plain = {name: _plain(name) for name in names}
    met = Counter(short.casefold() for short in plain.values())
    made = {
        name: f"{short}-{_hash(name)}" if met[short.casefold()] > 1 else short
        for name, short in plain.items()
    }
    if len({short.casefold() for short in made.values()}) < len(made):
        # a name that looks like another's with its hash: all are hashed then
        made = {name: f"{short}-{_hash(name)}" for name, short in plain.items()}
    return made


def natural_order(name: str) -> list[tuple[int, int, str]]:
    """A key for sorting names by the numbers in them.

    >>> sorted(["step10", "step9", "main"], key=natural_order)
    ['main', 'step9', 'step10']
    """
    # digits in odd places; without leading zeros the longer number is the larger one
    parts = re.split("([0-9]+)", name)
    return [
        (1, len(part.lstrip("0")), part.lstrip("0")) if place % 2 else (0, 0, part)
        for place, part in enumerate(parts)
    ]


def is_unicode(name: str) -> bool:
    """Whether a name is text, not bytes of another encoding."""
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def names_in(folder: Path, pattern: str = "*") -> list[str]:
    """Names of what is in a folder that match a pattern, by the numbers in them.

    One that is not UTF-8 is left out, with a note.
    """
    found = []
    listed = folder.iterdir() if folder.is_dir() else ()
    for name in fnmatch.filter((path.name for path in listed), pattern):
        if is_unicode(name):
            found.append(name)
        else:
            warnings.warn(
                f"{folder}: the name {name!r} is not UTF-8; left out; rename it",
                DataWarning,
                stacklevel=3,
            )
    return sorted(found, key=natural_order)


def _plain(name: str) -> str:
    short = re.sub(r"[^\w.@=+,-]+", "-", name).strip("-.") or "unnamed"
    if len(short.encode()) > LONGEST:
        short = short.encode()[:LONGEST].decode("utf-8", "ignore") + f"-{_hash(name)}"
    return f"{short}-{_hash(name)}" if short.split(".")[0].casefold() in _RESERVED else short


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
