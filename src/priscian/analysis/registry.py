"""How an analysis is registered: a function, its name, and a section of the report.

An analysis is one module of this package, `blimp/contamination.py` is an example:

    @analysis(
        "contamination",
        "public BLiMP against fresh pairs: is the score inflated?",
        section=Section("Is the score on the public set inflated?", place=95),
    )
    def contamination(runs: Runs, *, reference: str | None = None) -> Contamination: ...

    class Contamination(AnalysisResult):        # its fields are its JSON
        def tables(self) -> list[Table]: ...
        @property
        def figures(self) -> tuple[Figure, ...]: ...
        @property
        def findings(self) -> list[str]: ...

From it come `priscian.analyse.contamination`, `priscian analyse contamination` with the parameters
and the help of the function, and a section of the report. Nothing has to be listed: the modules are
found by their decorators.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec import Struct

from priscian.errors import UnknownNameError

if TYPE_CHECKING:
    from priscian.analysis.vega import HasFigures
    from priscian.runs import Result

FOLDER = Path(__file__).parent
DECORATOR = re.compile(r'^@analysis\(\s*"([a-z-]+)",\s*"([^"]+)"', re.MULTILINE)


class Listed(NamedTuple):
    """An analysis that was not imported yet."""

    module: str
    about: str
    """What it is about, in a line."""


@cache
def list_analyses() -> Mapping[str, Listed]:
    """Every analysis by name, read from the text of the modules, since importing all is slow."""
    return {
        name: Listed(".".join(file.relative_to(FOLDER).with_suffix("").parts), about)
        for file in sorted(FOLDER.rglob("*.py"))
        for name, about in DECORATOR.findall(file.read_text("utf-8"))
    }


def every(results: Sequence[Result]) -> Sequence[Result]:
    """All of them."""
    return results


class Section(Struct, frozen=True):
    """A section of the report: figures of a board of `kinds`, or, without, under its own title."""

    title: str
    place: int
    """Sections of a board, and those before and after the boards, are in this order."""
    kinds: frozenset[str] = frozenset()
    pick: Callable[[Sequence[Result]], Sequence[Result]] = every
    """The results that it is about; none, and there is no such section."""


class Analysis(Struct, frozen=True):
    """A function and how its result is shown."""

    name: str
    about: str
    function: Callable[..., HasFigures]
    section: Section | None = None
    formats: tuple[str, ...] = ()
    """Kinds of text that `result.formatted(kind)` makes."""
    options: Mapping[str, str] = MappingProxyType({})
    """On the command line, options with other names: `{"file": "on"}`."""


REGISTERED: dict[str, Analysis] = {}
Function = TypeVar("Function", bound="Callable[..., HasFigures]")


def analysis(
    name: str,
    about: str,
    *,
    section: Section | None = None,
    formats: tuple[str, ...] = (),
    options: Mapping[str, str] = MappingProxyType({}),
) -> Callable[[Function], Function]:
    """Register a function; the name and what it is about are string literals in one piece."""

    def register(function: Function) -> Function:
        REGISTERED[name] = Analysis(name, about, function, section, formats, options)
        return function

    return register


def find_analysis(name: str) -> Analysis:
    """The analysis with that name; its module is imported only now."""
    listed = list_analyses()
    if name not in listed:
        raise UnknownNameError("analysis", name, listed)
    import_module(f"priscian.analysis.{listed[name].module}")
    return REGISTERED[name]


def analysis_sections() -> list[Analysis]:
    """The analyses that the report has a section of."""
    found = map(find_analysis, list_analyses())
    return [entry for entry in found if entry.section is not None]
