"""The paradigms by name: a decorator registers a function and what is known of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from priscian.catalogue import Catalogue, blamed, place_of
from priscian.errors import GrammarError
from priscian.grammar import Grammar, Pair, Reject
from priscian.paradigms.edits import Edit

Draw = Callable[[Grammar], Pair]
Prefix = Literal["one", "two"]
EXAMPLE = re.compile(r"^(?P<good>[^*\n]+[.?]) / \*(?P<bad>[^\n]+[.?])")


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
    place: str = ""  # file:line of a user's own paradigm

    @property
    def where(self) -> str:
        """What an error begins with: the UID, and the place in a user's own file."""
        return f"{self.place}: {self.uid}" if self.place else self.uid


CATALOGUE: Catalogue[Paradigm] = Catalogue("paradigm", "priscian.paradigms")


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
        _check(uid, (phenomenon, field), edit, prefix)
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


def _check(uid: str, names: tuple[str, ...], edit: Edit, prefix: Prefix | None) -> None:
    """Raise GrammarError for arguments of the wrong type: a user's file is not type-checked."""
    if not all(isinstance(name, str) and name for name in (uid, *names)):
        raise GrammarError(f"{uid!r}: the UID, phenomenon and field must be texts, not empty")
    if isinstance(edit, type) or not callable(getattr(edit, "fault", None)):
        raise GrammarError(f"{uid}: edit={edit!r} is not an edit; write, say, Substitution('case')")
    if prefix not in (None, *get_args(Prefix)):
        raise GrammarError(f"{uid}: prefix={prefix!r}; use 'one', 'two' or None")


def paradigms() -> dict[str, Paradigm]:
    """All paradigms by UID, in alphabetical order."""
    return CATALOGUE.all()


def find(uid: str) -> Paradigm:
    """The paradigm of that UID; an unknown one suggests the nearest."""
    return CATALOGUE.find(uid)


def load_paradigms(path: Path) -> list[Paradigm]:
    """Paradigms of a user's Python file, registered in addition to the built-in ones."""
    added = []
    for uid in CATALOGUE.load_file(path):
        entry = find(uid)
        place = place_of(entry.draw, path)
        entry = replace(entry, extra=True, draw=blamed(entry.draw, path, Reject), place=place)
        CATALOGUE.entries[uid] = entry
        added.append(entry)
    return added
