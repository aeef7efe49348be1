"""The suites by name; a decorator enters a function with all that is said of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.catalogue import Catalogue
from priscian.errors import GrammarError
from priscian.grammar import Grammar, Node

# What stands in the regions of each condition: phrases, or text. Empty: () or "".
Regions = dict[str, list[Node | str]]
Draw = Callable[[Grammar], Regions]

MACHINERY = frozenset({"registry", "generate", "text", "people", "rows"})
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


CATALOGUE: Catalogue[Suite] = Catalogue("suite", "priscian.suites", MACHINERY)


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
        for prediction in predictions:
            for match in REFERENCE.finditer(prediction):
                place = match["region"]
                if place != "*" and not 1 <= int(place) <= len(regions):
                    raise GrammarError(
                        f"{name}: {match[0]} names region {place}; there are {len(regions)}"
                    )
        CATALOGUE.add(
            name,
            Suite(
                name=name,
                circuit=circuit,
                regions=tuple(regions),
                predictions=tuple(predictions),
                draw=draw,
                stem=stem or name,
                comment=" ".join((draw.__doc__ or "").split()),
            ),
        )
        return draw

    return register


def suites() -> dict[str, Suite]:
    """All suites by name, in alphabetical order."""
    return CATALOGUE.all()


def find(name: str) -> Suite:
    """The suite of that name; an unknown one suggests the nearest."""
    return CATALOGUE.find(name)


def load_suites(path: Path) -> list[Suite]:
    """Suites of a user's Python file, which are registered beside the built-in ones."""
    return [find(name) for name in CATALOGUE.load_file(path)]


def family(suite: Suite) -> list[Suite]:
    """The suites that are drawn in step with this one, itself included."""
    return [other for other in suites().values() if other.stem == suite.stem]
