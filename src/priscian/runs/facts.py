"""What `run.json` and every `summary.json` hold; typed, and checked when read.

`run.json` has request, models and versions. A kind of data adds its own fields to a summary.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import msgspec

from priscian.errors import FormulaError
from priscian.files.names import is_one_part
from priscian.formulas import parse_formula
from priscian.metrics.forced_choice import Score as Score
from priscian.runs.options import SuiteOptions

FORMAT = 2
"""Version of `run.json` and `summary.json`."""

Status = Literal["running", "stopped", "failed", "finished"]

_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([+-]\d\d:?\d\d|Z)?)?")


class _Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Base of the records in `run.json`."""


class SetFacts(_Facts, frozen=True, kw_only=True):
    """One item set of the data: how large it is, and a hash of its content.

    `regions` and `formulas` are a suite's names of regions and predictions; runs of older versions
    lack them.
    """

    n: int
    hash: str
    taxonomy: tuple[str, ...] = ()
    reference: str = ""
    licence: str = ""
    regions: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for formula in self.formulas:
            try:
                parse_formula(formula)
            except FormulaError as error:
                raise ValueError(str(error).splitlines()[0]) from None

    def is_same(self, other: SetFacts) -> bool:
        """Whether two sets are equal, as far as both were recorded."""
        if self.formulas and other.formulas:
            return self == other
        one, two = (msgspec.structs.replace(s, regions=(), formulas=()) for s in (self, other))
        return one == two


class DataFacts(_Facts, frozen=True, kw_only=True):
    """One data set: how it was named and what it contains.

    `kind` says how its items are judged, `folder` where its results are inside a model's folder,
    `refused` has a line for each file that could not be read.
    """

    spec: str
    kind: str
    folder: str
    sets: dict[str, SetFacts]
    levels: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_folder(self.folder)
        for name, facts in self.sets.items():
            if len(facts.taxonomy) > len(self.levels):
                raise ValueError(f"set {name} has more classes than there are levels")

    @property
    def taxonomy(self) -> dict[str, tuple[str, ...]]:
        """Path of each set, from the broadest class to the narrowest."""
        return {name: facts.taxonomy for name, facts in self.sets.items()}

    @property
    def hashes(self) -> dict[str, str]:
        """Hash of each set; the same sentences have the same hash."""
        return {name: facts.hash for name, facts in self.sets.items()}

    def node(self, name: str, level: str) -> str:
        """The class of a set at a level of the taxonomy, or nothing.

        A path that is shorter than the list of levels fills the narrowest.
        """
        path = self.sets[name].taxonomy if name in self.sets else ()
        levels = self.levels[len(self.levels) - len(path) :]
        return dict(zip(levels, path, strict=True)).get(level, "")


class UnigramModel(_Facts, frozen=True, kw_only=True):
    """The model whose unigrams say how frequent words are, for SLOR and NormLP."""

    model: str
    digest: str


class Request(_Facts, frozen=True, kw_only=True):
    """What the user requested; a run is resumed only with the same request."""

    models: tuple[str, ...]
    data: dict[str, DataFacts]
    limit: int | None = None
    only: tuple[str, ...] = ()
    measure: str = "surprisal"
    tie: str = "wrong"
    seed: int = 0
    sg: SuiteOptions | None = None
    unigram: UnigramModel | None = None
    from_scores: str | None = None

    def differences(self, other: Request) -> list[str]:
        """Names of the settings in which two requests differ."""
        fields = {f for f in self.__struct_fields__ if getattr(self, f) != getattr(other, f)}
        if "data" in fields and _same_data(self.data, other.data):
            fields.remove("data")
        return sorted(fields)


def _same_data(one: Mapping[str, DataFacts], two: Mapping[str, DataFacts]) -> bool:
    """Whether data are equal, as far as runs of both versions recorded them."""
    return list(one) == list(two) and all(
        msgspec.structs.replace(a, sets={}) == msgspec.structs.replace(b, sets={})
        and a.sets.keys() == b.sets.keys()
        and all(facts.is_same(b.sets[name]) for name, facts in a.sets.items())
        for a, b in zip(one.values(), two.values(), strict=True)
    )


class ModelFacts(_Facts, frozen=True, kw_only=True):
    """One model: its string, its key, how far it got, and the plan of its batches."""

    string: str
    folder: str
    key: dict[str, str] = msgspec.field(default_factory=dict)
    digest: str = ""
    status: Status = "running"
    texts: int | None = None
    computed: int | None = None
    seconds: float | None = None
    notes: dict[str, str] = msgspec.field(default_factory=dict)
    plan: dict[str, Any] | None = None
    files: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)
    """SHA-256 of each file of a result, by data set; runs of older versions lack it."""

    def __post_init__(self) -> None:
        check_folder(self.folder)


class RunInfo(_Facts, frozen=True, kw_only=True):
    """`run.json`: everything needed to repeat a run."""

    format: int
    priscian: str
    created: str
    status: Status
    request: Request
    models: dict[str, ModelFacts] = msgspec.field(default_factory=dict)
    environment: dict[str, str] = msgspec.field(default_factory=dict)
    error: str = ""
    """Why the run failed, if it did."""

    def __post_init__(self) -> None:
        # these become parts of file names in exports: they must not point outside the folder
        if not _TIME.fullmatch(self.created):
            raise ValueError(f"created is {self.created[:40]!r}, not a date and time")
        if self.format != FORMAT:
            raise ValueError(f"format {self.format}, where {FORMAT} is known")
        for what, members in (("models", self.models), ("data sets", self.request.data)):
            if len({facts.folder for facts in members.values()}) < len(members):
                raise ValueError(f"two {what} have one folder")


def plain(found: object) -> Any:
    """A record as plain values, ready for JSON."""
    return msgspec.to_builtins(found, enc_hook=_number)


def _number(found: Any) -> Any:
    if hasattr(found, "item"):  # a NumPy number
        return found.item()
    raise NotImplementedError(f"{type(found)} cannot be written as JSON")


def check_folder(name: str) -> None:
    """Refuse a folder name that is not a single plain path component."""
    if not is_one_part(name):
        raise ValueError(f"{name[:40]!r} is not the name of a folder")


# ---------------------------------------------------------------- summary.json


class SummaryPart(msgspec.Struct, frozen=True, kw_only=True):
    """Base of the records inside a summary."""


class Summary(SummaryPart, frozen=True, kw_only=True, tag_field="kind"):
    """One model's numbers on one data set.

    A kind of data subclasses it with `tag=NAME` and says what its headline and its sets' scores
    are; reports and tables of any kind are made of these.
    """

    model: str
    data: str
    format: int = FORMAT
    tie: str = "wrong"
    measure: str = "surprisal"

    unit: ClassVar[str] = "set"
    """What a set is called: paradigm, suite."""

    def __post_init__(self) -> None:
        if self.format != FORMAT:
            raise ValueError(f"format {self.format}, where {FORMAT} is known")

    @property
    def kind(self) -> str:
        """pairs, suites, graded, labels, or a plug-in's."""
        return str(self.__struct_config__.tag)

    @property
    def headline(self) -> Score:
        """The overall score."""
        raise NotImplementedError

    def by_set(self, method: str | None = None) -> Mapping[str, Score]:
        """The score of every set."""
        raise NotImplementedError

    def by_class(self) -> Mapping[str, Score]:
        """The score of every class of sets; empty if sets have no classes."""
        return {}

    @property
    def problems(self) -> tuple[str, ...]:
        """A line for everything that could not be judged."""
        return ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: what `summary.json` holds."""
        found: dict[str, Any] = plain(self)
        return found
