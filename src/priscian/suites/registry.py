"""The suites by name: a decorator registers a function and what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from priscian.catalogue import FURTHER, Catalogue, blamed, place_of
from priscian.errors import FormulaError, GrammarError
from priscian.formulas import parse_formula, values_of
from priscian.grammar import Grammar, Node, Reject

# The content of the regions of each condition: phrases or text. Empty: () or "".
Regions = dict[str, list[Node | str]]
Draw = Callable[[Grammar], Regions]


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
    place: str = ""  # file:line of a user's own suite

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions that the formulas name."""
        values = (v for p in self.predictions for v in values_of(parse_formula(p)))
        return tuple(dict.fromkeys(value.condition for value in values))

    @property
    def further(self) -> bool:
        """True of a suite beyond the published ones, which is made only if it is named."""
        return self.circuit == FURTHER

    @property
    def where(self) -> str:
        """What an error begins with: the name, and the place in a user's own file."""
        return f"{self.place}: {self.name}" if self.place else self.name


CATALOGUE: Catalogue[Suite] = Catalogue("suite", "priscian.suites")


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
        _check(name, circuit, regions, predictions)
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


def _check(name: str, circuit: str, regions: Sequence[str], predictions: Sequence[str]) -> None:
    """Raise GrammarError for wrong types and formulas: a user's file is not type-checked."""
    if not (isinstance(name, str) and name and isinstance(circuit, str)):
        raise GrammarError(f"suite {name!r}: name and circuit must be texts")
    for what, texts in (("regions", regions), ("predictions", predictions)):
        if isinstance(texts, str) or not texts or not all(isinstance(t, str) for t in texts):
            raise GrammarError(f"{name}: {what}={texts!r}; give a list of texts")
    for prediction in predictions:
        try:
            values = list(values_of(parse_formula(prediction)))
        except FormulaError as error:
            raise GrammarError(f"{name}: {error}") from None
        for value in values:
            if value.span != "*" and not 1 <= int(value.span) <= len(regions):
                raise GrammarError(
                    f"{name}: the formula names region {value.span}; there are {len(regions)}"
                )


def suites() -> dict[str, Suite]:
    """All suites by name, in alphabetical order."""
    return CATALOGUE.all()


def further_suites() -> list[str]:
    """The names of the suites beyond the published ones."""
    return [name for name, suite in suites().items() if suite.further]


def find(name: str) -> Suite:
    """The suite of that name; an unknown one suggests the nearest."""
    return CATALOGUE.find(name)


def load_suites(path: Path) -> list[Suite]:
    """Suites of a user's Python file, registered in addition to the built-in ones."""
    added = []
    for name in CATALOGUE.load_file(path):
        entry = find(name)
        place = place_of(entry.draw, path)
        CATALOGUE.entries[name] = replace(entry, draw=blamed(entry.draw, path, Reject), place=place)
        added.append(CATALOGUE.entries[name])
    return added


def family(suite: Suite) -> list[Suite]:
    """The suites that are drawn in step with this one, itself included."""
    return [other for other in suites().values() if other.stem == suite.stem]
