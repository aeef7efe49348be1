"""Data strings, `format:path`: the built-in formats and those of plug-ins."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from priscian.datasets.builtin_formats import BUILT_IN
from priscian.datasets.columns import ANY_COLUMNS, PairColumns
from priscian.datasets.formats import DataFormat, Dataset, Partial
from priscian.errors import DataError, PriscianWarning, UnknownNameError, UsageError
from priscian.files import ROW_SUFFIXES, TABLE_SUFFIXES, data_files, read_table, unchanged
from priscian.records import ItemSet

GROUP = "priscian.datasets"

_SPEC = re.compile(r"([A-Za-z][\w-]+)(?::(.*))?", re.DOTALL)  # two letters or more: C:\ is a path

_FORMATS: dict[str, DataFormat] = {form.name: form for form in BUILT_IN}


def register_format(form: DataFormat) -> None:
    """Register a format under its name."""
    _FORMATS[form.name] = form


def data_formats() -> dict[str, DataFormat]:
    """Every format by name, those of plug-ins included; a broken plug-in warns."""
    for point in entry_points(group=GROUP):
        if point.name not in _FORMATS:
            _load(point)
    return dict(_FORMATS)


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


def _find(name: str) -> DataFormat | None:
    if name in _FORMATS:
        return _FORMATS[name]
    return next((form for p in entry_points(group=GROUP, name=name) if (form := _load(p))), None)


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
        if limit is None or form.read_first is None:
            found = form.read(target, columns)
        else:
            found = form.read_first(target, limit)
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
    depth = max((len(s.taxonomy) for s in sets), default=0)
    levels = form.levels[-depth:] if depth else ()
    return Dataset(_name(form, target), spec, sets, levels, form.kind, refused)


def find_format(spec: str, columns: PairColumns = ANY_COLUMNS) -> tuple[DataFormat, str]:
    """The format of a data string and its target; for a bare path, the file decides."""
    match = _SPEC.fullmatch(spec)
    if match and not Path(spec).exists():
        name, target = match[1], match[2]
        form = _find(name)
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
    if Path(path).suffix.lower() == ".json" or _only_json(Path(path)):
        return "sg"
    for file in data_files(path, TABLE_SUFFIXES):
        if file.suffix.lower() in ROW_SUFFIXES:
            keys = read_table(file)[0][1].keys()
            # the supplement has only sentences; other sets of pairs name their paradigm
            own = "UID" in keys or not {"paradigm", "phenomenon"} & keys
            if {"sentence_good", "sentence_bad"} <= keys and own:
                return "blimp"
    return "pairs"


def _only_json(path: Path) -> bool:
    suffixes = {f.suffix.lower() for f in path.iterdir() if f.is_file()} if path.is_dir() else set()
    return ".json" in suffixes and not suffixes & set(TABLE_SUFFIXES)


def _name(form: DataFormat, target: str) -> str:
    if not form.needs_path and not (target and Path(target).exists()):
        return f"{form.name}-{target}" if target else form.name
    path = Path(target).resolve()
    return path.name if path.is_dir() else path.stem
