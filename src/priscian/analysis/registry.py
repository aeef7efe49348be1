"""How an analysis is registered: a function, its name, and a section of the report.

A module of this package has one analysis, `contamination.py` is an example:

    @analysis("contamination", section=Section("Is the score inflated?", place=95))
    def contamination(runs: Runs, *, reference: str | None = None) -> Contamination: ...

    class Contamination(AnalysisResult):        # its fields are its JSON
        def tables(self) -> list[Table]: ...
        @property
        def figures(self) -> tuple[Figure, ...]: ...
        @property
        def findings(self) -> list[str]: ...

From it come `priscian.analyse.contamination`, `priscian analyse contamination` with the parameters
and the help of the function, and a section of the report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from priscian.errors import UnknownNameError

if TYPE_CHECKING:
    from priscian.analysis.result import AnalysisResult
    from priscian.runs import Result

ANALYSES: Mapping[str, tuple[str, str]] = {
    "tables": ("blimp.accuracy_table", "accuracy by field, phenomenon or paradigm"),
    "shallow": ("blimp.shallow", "accuracy by length, probability, confidence"),
    "distance": ("blimp.distance", "agreement at a distance, attractors"),
    "methods": ("blimp.methods", "prefix methods against full sentences"),
    "contamination": (
        "blimp.contamination", "public BLiMP against fresh pairs: is the score inflated?"
    ),
    "training-size": ("curves.training_size", "accuracy by number of training tokens"),
    "sg": ("sg.of_runs", "circuits, suites, modifiers and perplexity"),
    "sg-results": ("sg.of_release", "figures and regressions of Hu et al. (2020)"),
    "cola": ("graded.cola", "Matthews' correlation with CoLA's labels"),
    "adc": ("graded.adc", "BLiMP's criterion and the ADC on graded sentences"),
    "transfer": ("transfer.transfer", "train on some phenomena, test on others"),
    "human": ("people.agreement", "people's agreement with the labels of pairs"),
    "correlation": ("compare.correlation", "models with models and people"),
    "published": ("blimp.model_summary", "means of a released table of models"),
    "trees": ("intervals", "trees that an ON-LSTM has found, against real ones"),
}  # fmt: skip
"""Where each analysis is, so that it is imported only when it is used, and what it is about."""


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
    function: Callable[..., AnalysisResult]
    section: Section | None = None
    formats: tuple[str, ...] = ()
    """Kinds of text that `result.formatted(kind)` makes."""


REGISTERED: dict[str, Analysis] = {}
Function = TypeVar("Function", bound="Callable[..., AnalysisResult]")


def analysis(
    name: str, *, section: Section | None = None, formats: tuple[str, ...] = ()
) -> Callable[[Function], Function]:
    """Register a function under its name in `ANALYSES`."""

    def register(function: Function) -> Function:
        REGISTERED[name] = Analysis(name, function, section, formats)
        return function

    return register


def find_analysis(name: str) -> Analysis:
    """The analysis with that name; its module is imported only now."""
    if name not in ANALYSES:
        raise UnknownNameError("analysis", name, ANALYSES)
    import_module(f"priscian.analysis.{ANALYSES[name][0]}")
    return REGISTERED[name]


def analysis_sections() -> list[Analysis]:
    """The analyses that the report has a section of."""
    for module, _ in ANALYSES.values():
        import_module(f"priscian.analysis.{module}")
    return [entry for entry in REGISTERED.values() if entry.section is not None]
