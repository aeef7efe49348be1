"""The suites by name; a decorator enters a function with all that is said of it."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from priscian.errors import GrammarError, UnknownNameError
from priscian.grammar import Grammar, Node

# What stands in the regions of each condition: phrases, or text. Empty: () or "".
Regions = dict[str, list[Node | str]]
Draw = Callable[[Grammar], Regions]

MACHINERY = frozenset({"registry", "generate", "text", "people"})
REFERENCE = re.compile(r"\((?P<region>\d+|\*);%(?P<condition>[\w-]+)%\)")


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite: names of its regions, formulas that a model should make true, and a draw.

    Suites with the same `stem` are drawn in step: item 7 of `mvrr_mod` is item 7 of `mvrr` with a
    modifier, if both draw what they share first and in the same order.
    """

    name: str
    circuit: str
    regions: tuple[str, ...]
    predictions: tuple[str, ...]
    draw: Draw
    stem: str
    comment: str = ""

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions that the formulas speak of."""
        found = [m["condition"] for p in self.predictions for m in REFERENCE.finditer(p)]
        return tuple(dict.fromkeys(found))


REGISTRY: dict[str, Suite] = {}


def suite(
    name: str,
    *,
    circuit: str,
    regions: Sequence[str],
    predictions: Sequence[str],
    stem: str = "",
) -> Callable[[Draw], Draw]:
    """Register a function that draws one item: the regions of every condition.

    `predictions` are formulas with round brackets; the docstring becomes the suite's comment.
    """

    def register(draw: Draw) -> Draw:
        if name in REGISTRY:
            raise GrammarError(f"there are two suites {name!r}; rename one")
        for prediction in predictions:
            for match in REFERENCE.finditer(prediction):
                place = match["region"]
                if place != "*" and not 1 <= int(place) <= len(regions):
                    raise GrammarError(
                        f"{name}: {match[0]} names region {place}; there are {len(regions)}"
                    )
        REGISTRY[name] = Suite(
            name=name,
            circuit=circuit,
            regions=tuple(regions),
            predictions=tuple(predictions),
            draw=draw,
            stem=stem or name,
            comment=" ".join((draw.__doc__ or "").split()),
        )
        return draw

    return register


@cache
def _load_built_in() -> None:
    import priscian.suites as package

    for module in pkgutil.iter_modules(package.__path__):
        if module.name not in MACHINERY:
            importlib.import_module(f"priscian.suites.{module.name}")


def suites() -> dict[str, Suite]:
    """All suites by name, in alphabetical order."""
    _load_built_in()
    return dict(sorted(REGISTRY.items()))


def find(name: str) -> Suite:
    """The suite of that name; an unknown one suggests the nearest."""
    known = suites()
    if name not in known:
        raise UnknownNameError("suite", name, known)
    return known[name]


def family(suite: Suite) -> list[Suite]:
    """The suites that are drawn in step with this one, itself included."""
    return [other for other in suites().values() if other.stem == suite.stem]
