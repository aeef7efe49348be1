"""The paradigms by name; a decorator enters a function with all that is said of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from priscian.catalogue import Catalogue
from priscian.errors import GrammarError
from priscian.grammar import Grammar, Pair
from priscian.paradigms.edits import Edit

Draw = Callable[[Grammar], Pair]
Prefix = Literal["one", "two"]
EXAMPLE = re.compile(r"^(?P<good>[^*\n]+[.?]) / \*(?P<bad>[^\n]+[.?])")
MACHINERY = frozenset({"registry", "pair", "edits", "generate", "__main__"})


@dataclass(frozen=True, slots=True)
class Paradigm:
    """A paradigm and what BLiMP's schema says of it."""

    uid: str
    phenomenon: str
    field: str
    edit: Edit
    draw: Draw
    prefix: Prefix | None = None
    lexically_identical: bool = False
    extra: bool = False  # outside BLiMP's 67
    good_example: str = ""
    bad_example: str = ""


CATALOGUE: Catalogue[Paradigm] = Catalogue("paradigm", "priscian.paradigms", MACHINERY)


def paradigm(
    uid: str,
    *,
    phenomenon: str,
    field: str,
    edit: Edit,
    prefix: Prefix | None = None,
    lexically_identical: bool = False,
    extra: bool = False,
) -> Callable[[Draw], Draw]:
    """Register a function that draws one pair; its docstring begins `Good one. / *Bad one.`"""

    def register(draw: Draw) -> Draw:
        example = EXAMPLE.match(draw.__doc__ or "")
        if not example:
            raise GrammarError(f"{uid}: the docstring must begin with 'Good one. / *Bad one.'")
        CATALOGUE.add(
            uid,
            Paradigm(
                uid=uid,
                phenomenon=phenomenon,
                field=field,
                edit=edit,
                draw=draw,
                prefix=prefix,
                lexically_identical=lexically_identical,
                extra=extra,
                good_example=example["good"],
                bad_example=example["bad"],
            ),
        )
        return draw

    return register


def paradigms() -> dict[str, Paradigm]:
    """All paradigms by UID, in alphabetical order."""
    return CATALOGUE.all()


def find(uid: str) -> Paradigm:
    """The paradigm of that UID; an unknown one suggests the nearest."""
    return CATALOGUE.find(uid)


def load_paradigms(path: Path) -> list[Paradigm]:
    """Paradigms of a user's Python file, which are registered beside the built-in ones."""
    added = [replace(find(uid), extra=True) for uid in CATALOGUE.load_file(path)]
    CATALOGUE.entries.update({entry.uid: entry for entry in added})
    return added
