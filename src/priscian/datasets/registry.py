"""Data formats, and the data sets that data strings, `format:path`, stand for.

A format is a decorated reader in any module of this package, or a plug-in's.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TypeVar

from priscian.errors import DataError, PriscianWarning, UnknownNameError, UsageError
from priscian.files import ROW_SUFFIXES, TABLE_SUFFIXES, data_files, read_table, unchanged
from priscian.records import ItemSet

GROUP = "priscian.datasets"
FIRST = ("blimp", "pairs", "generated", "generated-sg", "li-adger", "graded", "cola", "sg",
         "syntaxgym")  # fmt: skip
"""Formats that lists begin with; the others follow as they were registered."""

_SPEC = re.compile(r"([A-Za-z][\w-]+)(?::(.*))?", re.DOTALL)  # two letters or more: C:\ is a path


@dataclass(frozen=True, slots=True)
class Partial:
    """The sets of all readable files, and one line for each file that could not be read."""

    sets: Sequence[ItemSet]
    refused: Sequence[str]


Reader = Callable[..., Sequence[ItemSet] | Partial]
R = TypeVar("R", bound=Reader)


@dataclass(frozen=True, slots=True)
class PairColumns:
    """Which columns of a table of pairs hold what.

    `None` tries the usual names, `""` means no such column. `good` and `bad` are the
    sentences; each value of `group` becomes an item set of its own.
    """

    good: str | None = None
    """Column of the acceptable sentence (pairs)."""
    bad: str | None = None
    """Column of the unacceptable sentence (pairs)."""
    group: str | None = None
    """Column whose values divide pairs into sets (pairs)."""
    context: str | None = None
    field: str | None = None
    phenomenon: str | None = None
    prefix: str | None = None
    id: str | None = None

    def __post_init__(self) -> None:
        if bool(self.good) != bool(self.bad):
            given = "good" if self.good else "bad"
            other = "bad" if self.good else "good"
            raise UsageError(
                f"`{given}={self.good or self.bad}` without `{other}=`; name both columns"
            )
        if self.good and self.good == self.bad:
            raise UsageError(f"`good=` and `bad=` both name {self.good!r}; name two columns")


ANY_COLUMNS = PairColumns()
"""Columns by their usual names."""


@dataclass(frozen=True, slots=True)
class DataFormat:
    """A format: how its files are read, and what the levels of its taxonomy are called.

    `read` gets the target after the colon; where it has a parameter `columns`, the `PairColumns` of
    a table too, and where it has `limit`, how many items of each set are needed, or None.
    `kind` says how its items are judged; see `Dataset`. A plug-in offers a format under the
    entry-point group `priscian.datasets`.
    """

    name: str
    read: Reader
    summary: str = ""
    levels: tuple[str, ...] = ("field", "phenomenon")
    needs_path: bool = True
    kind: str = "pairs"

    def sets_of(
        self, target: str, columns: PairColumns, limit: int | None
    ) -> Sequence[ItemSet] | Partial:
        """What a target has; `columns` and `limit` are for readers that take them."""
        offered = {"columns": columns, "limit": limit}
        asked = inspect.signature(self.read).parameters
        return self.read(target, **{name: offered[name] for name in offered if name in asked})


@dataclass(frozen=True, slots=True)
class Dataset:
    """The item sets of one data string; levels are named from the broadest to the narrowest.

    `kind` says how its items are judged: `pairs` by forced choice, `suites` by formulas over
    regions, `graded` by forced choice and against people's ratings, `labels` as labelled
    sentences; a plug-in may define a kind of its own.
    `refused` has one line for each file that could not be read; the others are kept.
    """

    name: str
    spec: str
    sets: tuple[ItemSet, ...]
    taxonomy_levels: tuple[str, ...] = ()
    kind: str = "pairs"
    refused: tuple[str, ...] = ()


_FORMATS: dict[str, DataFormat] = {}


def register_format(form: DataFormat) -> None:
    """Register a format under its name."""
    _FORMATS[form.name] = form


def data_format(
    name: str,
    summary: str,
    *,
    levels: tuple[str, ...] = ("field", "phenomenon"),
    needs_path: bool = True,
    kind: str = "pairs",
) -> Callable[[R], R]:
    """Register a reader as a format: `@data_format("owls", "files of owls", kind="graded")`."""

    def register(read: R) -> R:
        register_format(DataFormat(name, read, summary, levels, needs_path, kind))
        return read

    return register


@cache
def _import_all() -> None:
    """Import every module of this package, so that its formats are registered."""
    for module in pkgutil.iter_modules(importlib.import_module(__package__).__path__):
        importlib.import_module(f"{__package__}.{module.name}")


def data_formats() -> dict[str, DataFormat]:
    """Every format by name, those of plug-ins included; a broken plug-in warns."""
    _import_all()
    for point in entry_points(group=GROUP):
        if point.name not in _FORMATS:
            _load(point)
    first = {name: _FORMATS[name] for name in FIRST}
    return first | _FORMATS


def _load(point: EntryPoint) -> DataFormat | None:
    try:
        form = point.load()
        if not isinstance(form, DataFormat):
            raise TypeError(f"{point.value} is not a DataFormat")
    except Exception as error:  # a plug-in may fail in any way, and must not stop the run
        warnings.warn(
            f"data set plug-in {point.name!r} ({point.value}) cannot be used: {error}; "
            "update or uninstall its package",
            PriscianWarning,
            stacklevel=3,
        )
        return None
    _FORMATS[point.name] = form
    return form


def read_dataset(
    spec: str, columns: PairColumns = ANY_COLUMNS, *, limit: int | None = None
) -> Dataset:
    """The item sets of `blimp:PATH`, `pairs:FILE`, `sg:PATH`, a plug-in's format, or a bare path.

    >>> data = read_dataset("generated:7,3,adjunct_island", limit=2)
    >>> data.kind, [(s.name, len(s), s.taxonomy) for s in data.sets]
    ('pairs', [('adjunct_island', 2, ('syntax', 'island_effects'))])
    >>> read_dataset("blimp:data/blimp", limit=100)                                # doctest: +SKIP
    >>> read_dataset("pairs:table.csv", PairColumns(good="fine", bad="odd"))       # doctest: +SKIP

    For a bare path, the rows decide the format. `limit` keeps the first items of each set.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"a limit of {limit} items leaves nothing; give 1 or more")
    with unchanged():
        form, target = find_format(spec, columns)
        if form.needs_path and not target:
            raise UsageError(f"{spec!r} names no data; write {form.name}:PATH")
        found = form.sets_of(target, columns, limit)
    refused = tuple(found.refused) if isinstance(found, Partial) else ()
    sets = tuple(found.sets if isinstance(found, Partial) else found)
    if limit is not None:
        sets = tuple(replace(s, items=s.items[:limit]) for s in sets)
    return _dataset(form, target, spec, sets, refused)


def as_dataset(name: str, target: str, sets: Sequence[ItemSet]) -> Dataset:
    """Item sets that are already in memory, as the data set of a data string."""
    return _dataset(_FORMATS[name], target, f"{name}:{target}", tuple(sets), ())


def _dataset(
    form: DataFormat, target: str, spec: str, sets: tuple[ItemSet, ...], refused: tuple[str, ...]
) -> Dataset:
    place = Path(target)
    if not form.needs_path and not (target and place.exists()):
        name = f"{form.name}-{target}" if target else form.name
    else:
        place = place.resolve()
        name = place.name if place.is_dir() else place.stem
    depth = max((len(s.taxonomy) for s in sets), default=0)
    levels = form.levels[-depth:] if depth else ()
    return Dataset(name, spec, sets, levels, form.kind, refused)


def find_format(spec: str, columns: PairColumns = ANY_COLUMNS) -> tuple[DataFormat, str]:
    """The format of a data string and its target; for a bare path, the file decides."""
    match = _SPEC.fullmatch(spec)
    if match and not Path(spec).exists():
        name, target = match[1], match[2]
        if name not in _FORMATS:
            _import_all()
        form = _FORMATS.get(name)
        if form is None:
            points = entry_points(group=GROUP, name=name)
            form = next((found for point in points if (found := _load(point))), None)
        if form is not None:
            return form, target or ""
        if target is not None:
            raise UnknownNameError("data format", name, data_formats(), "Write FORMAT:PATH.")
    if not Path(spec).exists():
        formats = ", ".join(data_formats())
        raise DataError(
            f"no file or folder {spec!r}; give a path, or FORMAT:PATH (formats: {formats})"
        )
    return _FORMATS["pairs" if columns != ANY_COLUMNS else guess_format(spec)], spec


def guess_format(path: str) -> str:
    """`blimp` if the rows of a file (in a folder: of any file) have its keys, else `pairs`.

    JSON files, or a folder that has nothing else, are suites.
    """
    place = Path(path)
    suffixes = (
        {f.suffix.lower() for f in place.iterdir() if f.is_file()} if place.is_dir() else set()
    )
    if place.suffix.lower() == ".json" or (
        ".json" in suffixes and not suffixes & set(TABLE_SUFFIXES)
    ):
        return "sg"
    for file in data_files(path, TABLE_SUFFIXES):
        if file.suffix.lower() in ROW_SUFFIXES:
            keys = read_table(file)[0][1].keys()
            # the supplement has only sentences; other sets of pairs name their paradigm
            own = "UID" in keys or not {"paradigm", "phenomenon"} & keys
            if {"sentence_good", "sentence_bad"} <= keys and own:
                return "blimp"
    return "pairs"
