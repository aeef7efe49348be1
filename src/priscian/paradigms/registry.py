"""The paradigms by name; a decorator enters a function with all that is said of it."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

from priscian.errors import GrammarError, UnknownNameError, UsageError
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


REGISTRY: dict[str, Paradigm] = {}


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
        if uid in REGISTRY:
            raise GrammarError(f"there are two paradigms {uid!r}; rename one")
        example = EXAMPLE.match(draw.__doc__ or "")
        if not example:
            raise GrammarError(f"{uid}: the docstring must begin with 'Good one. / *Bad one.'")
        REGISTRY[uid] = Paradigm(
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
        )
        return draw

    return register


@cache
def _load_built_in() -> None:
    import priscian.paradigms as package

    for module in pkgutil.iter_modules(package.__path__):
        if module.name not in MACHINERY:
            importlib.import_module(f"priscian.paradigms.{module.name}")


def paradigms() -> dict[str, Paradigm]:
    """All paradigms by UID, in alphabetical order."""
    _load_built_in()
    return dict(sorted(REGISTRY.items()))


def find(uid: str) -> Paradigm:
    """The paradigm of that UID; an unknown one suggests the nearest."""
    known = paradigms()
    if uid not in known:
        raise UnknownNameError("paradigm", uid, known)
    return known[uid]


def load_paradigms(path: Path) -> list[Paradigm]:
    """Paradigms of a user's Python file, which are registered beside the built-in ones."""
    _load_built_in()
    before = set(REGISTRY)
    spec = importlib.util.spec_from_file_location(f"priscian_user_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise UsageError(f"{path} is no Python file; give one that defines paradigms")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    added = [replace(entry, extra=True) for uid, entry in REGISTRY.items() if uid not in before]
    REGISTRY.update({entry.uid: entry for entry in added})
    if not added:
        raise UsageError(f"{path} defines no paradigm; decorate a function with @paradigm")
    return added
