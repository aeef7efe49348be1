"""Data strings, `kind:path`: the kinds that are built in and those that plug-ins bring."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Protocol

from priscian.datasets.blimp import read_blimp
from priscian.datasets.pairs import PAIR_SUFFIXES, read_pairs
from priscian.errors import DataError, PriscianWarning, UnknownNameError, UsageError
from priscian.files.rows import JSONL_SUFFIXES, PARQUET_SUFFIXES, data_files, read_rows
from priscian.records import ItemSet

GROUP = "priscian.datasets"

_KIND = re.compile(r"([A-Za-z][\w-]+)(?::(.*))?", re.DOTALL)  # two letters or more: C:\ is a path


class Reader(Protocol):
    """Reads what stands after the colon; `good` and `bad` name columns where a kind has such."""

    def __call__(
        self, target: str, *, good: str | None, bad: str | None
    ) -> Sequence[ItemSet] | Partial: ...


@dataclass(frozen=True, slots=True)
class Partial:
    """What could be read of several files, and one line for each that could not."""

    sets: Sequence[ItemSet]
    refused: Sequence[str]


@dataclass(frozen=True, slots=True)
class DatasetKind:
    """A kind of data set: how it is read, and what its taxonomy's levels are called.

    A plug-in offers one under the entry-point group `priscian.datasets`.
    """

    name: str
    read: Reader
    summary: str = ""
    levels: tuple[str, ...] = ("field", "phenomenon")
    needs_path: bool = True
    metric: str = "forced_choice"


@dataclass(frozen=True, slots=True)
class Dataset:
    """The item sets of one data string; levels are named from the broadest to the narrowest.

    `metric` says how its items are judged: `forced_choice` for pairs, `generalization` for suites,
    `labels` for labelled sentences.
    `refused` has one line for each file that could not be read; the others go on.
    """

    name: str
    spec: str
    sets: tuple[ItemSet, ...]
    taxonomy_levels: tuple[str, ...] = ()
    metric: str = "forced_choice"
    refused: tuple[str, ...] = ()


def _read_blimp(target: str, *, good: str | None, bad: str | None) -> list[ItemSet]:
    return read_blimp(target)


def _read_pairs(target: str, *, good: str | None, bad: str | None) -> list[ItemSet]:
    return read_pairs(target, good, bad)


def _read_generated(target: str, *, good: str | None, bad: str | None) -> list[ItemSet]:
    from priscian.datasets.generated import read_generated  # the grammar takes time to load

    return read_generated(target)


def _read_li_adger(target: str, *, good: str | None, bad: str | None) -> list[ItemSet]:
    from priscian.datasets.graded import item_sets
    from priscian.datasets.li_adger import read_li_adger

    return item_sets(read_li_adger(target, scores=False).graded)


def _read_cola(target: str, *, good: str | None, bad: str | None) -> list[ItemSet]:
    from priscian.datasets.cola import read_cola_sets

    folder, comma, rest = target.rpartition(",")
    if comma and rest == "train" and not Path(target).exists():
        return read_cola_sets(folder, train=True)
    return read_cola_sets(target)


def _read_graded(target: str, *, good: str | None, bad: str | None) -> list[ItemSet]:
    from priscian.datasets.graded import item_sets
    from priscian.datasets.graded_read import read_graded, read_textbook

    ours = target == "textbook" and not Path(target).exists()
    return item_sets(read_textbook() if ours else read_graded(target))


def _read_sg(target: str, *, good: str | None, bad: str | None) -> Partial:
    from priscian.datasets.sg import read_sg  # chance levels and formulas take time to load

    sets, refused = read_sg(target)
    return Partial(sets, refused)


_KINDS: dict[str, DatasetKind] = {}


def register_kind(kind: DatasetKind) -> None:
    """Make a kind known under its name."""
    _KINDS[kind.name] = kind


register_kind(DatasetKind("blimp", _read_blimp, "BLiMP's JSONL or parquet: a file or a folder"))
register_kind(DatasetKind("pairs", _read_pairs, "minimal pairs as JSONL, CSV, TSV or parquet"))
register_kind(
    DatasetKind(
        "generated",
        _read_generated,
        "fresh pairs of our 67 paradigms: generated:SEED or generated:SEED,N",
        needs_path=False,
    )
)
register_kind(
    DatasetKind("li-adger", _read_li_adger, "LI-Adger with people's magnitude estimates: a folder")
)
register_kind(
    DatasetKind(
        "graded",
        _read_graded,
        "sentences with ratings or labels: a table or folder; graded:textbook is ours",
    )
)
register_kind(
    DatasetKind(
        "cola",
        _read_cola,
        "CoLA's labelled sentences, dev and test: a folder; cola:DIR,train has the training ones",
        metric="labels",
    )
)
register_kind(
    DatasetKind(
        "sg",
        _read_sg,
        "suites of syntactic generalization: ours, or SyntaxGym's JSON or CSV as sg:PATH",
        levels=("circuit",),
        needs_path=False,
        metric="generalization",
    )
)


def dataset_kinds() -> dict[str, DatasetKind]:
    """Every kind by name, those of plug-ins included; a broken plug-in warns."""
    for point in entry_points(group=GROUP):
        if point.name not in _KINDS:
            _load(point)
    return dict(_KINDS)


def _load(point: EntryPoint) -> DatasetKind | None:
    try:
        kind = point.load()
        if not isinstance(kind, DatasetKind):
            raise TypeError(f"{point.value} is not a DatasetKind")
    except Exception as error:  # a plug-in may fail in any way, and must not take the run with it
        warnings.warn(
            f"data set plug-in {point.name!r} ({point.value}) cannot be used: {error}; "
            "update or uninstall its package",
            PriscianWarning,
            stacklevel=3,
        )
        return None
    _KINDS[point.name] = kind
    return kind


def _find(name: str) -> DatasetKind | None:
    if name in _KINDS:
        return _KINDS[name]
    return next((kind for p in entry_points(group=GROUP, name=name) if (kind := _load(p))), None)


def read_dataset(
    spec: str, *, good: str | None = None, bad: str | None = None, limit: int | None = None
) -> Dataset:
    """The item sets of `blimp:PATH`, `pairs:FILE`, `sg:PATH`, a plug-in's `kind:…`, or a bare path.

    >>> read_dataset("blimp:data/blimp", limit=100)                       # doctest: +SKIP
    >>> read_dataset("pairs:table.csv", good="fine", bad="odd")           # doctest: +SKIP

    A bare path is read by what its rows hold. `limit` keeps the first items of each set.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"a limit of {limit} items leaves nothing; give 1 or more")
    kind, target = _parse(spec, named_columns=bool(good or bad))
    if kind.needs_path and not target:
        raise UsageError(f"{spec!r} names no data; write {kind.name}:PATH")
    found = kind.read(target, good=good, bad=bad)
    refused = tuple(found.refused) if isinstance(found, Partial) else ()
    sets = tuple(found.sets if isinstance(found, Partial) else found)
    if limit is not None:
        sets = tuple(replace(s, items=s.items[:limit]) for s in sets)
    depth = max((len(s.taxonomy) for s in sets), default=0)
    levels = kind.levels[-depth:] if depth else ()
    return Dataset(_name(kind, target), spec, sets, levels, kind.metric, refused)


def _parse(spec: str, *, named_columns: bool) -> tuple[DatasetKind, str]:
    match = _KIND.fullmatch(spec)
    if match and not Path(spec).exists():
        name, target = match[1], match[2]
        kind = _find(name)
        if kind is not None:
            return kind, target or ""
        if target is not None:
            raise UnknownNameError("kind of data set", name, dataset_kinds(), "Write KIND:PATH.")
    if not Path(spec).exists():
        kinds = ", ".join(dataset_kinds())
        raise DataError(f"no file or folder {spec!r}; give a path, or KIND:PATH (kinds: {kinds})")
    return _KINDS["pairs" if named_columns else guess_kind(spec)], spec


def guess_kind(path: str) -> str:
    """`blimp` if the rows of a file (in a folder: of any file) have its keys, else `pairs`.

    JSON files, or a folder that has nothing else, are suites.
    """
    if Path(path).suffix.lower() == ".json" or _only_json(Path(path)):
        return "sg"
    rowed = (*JSONL_SUFFIXES, *PARQUET_SUFFIXES)
    for file in data_files(path, PAIR_SUFFIXES):
        if file.suffix.lower() in rowed:
            keys = read_rows(file)[0][1].keys()
            # the supplement has nothing but sentences; other pair sets tell their own paradigm
            own = "UID" in keys or not {"paradigm", "phenomenon"} & keys
            if {"sentence_good", "sentence_bad"} <= keys and own:
                return "blimp"
    return "pairs"


def _only_json(path: Path) -> bool:
    suffixes = {f.suffix.lower() for f in path.iterdir() if f.is_file()} if path.is_dir() else set()
    return ".json" in suffixes and not suffixes & set(PAIR_SUFFIXES)


def _name(kind: DatasetKind, target: str) -> str:
    if not kind.needs_path and not (target and Path(target).exists()):
        return f"{kind.name}-{target}" if target else kind.name
    path = Path(target).resolve()
    return path.name if path.is_dir() else path.stem
