"""The data formats that Priscian reads; those that take time to load are imported when used."""

from __future__ import annotations

from pathlib import Path

from priscian.datasets.blimp import read_blimp
from priscian.datasets.columns import PairColumns
from priscian.datasets.formats import DataFormat, Partial
from priscian.datasets.pair_formats import PairFormat, pair_formats
from priscian.datasets.pairs import read_pairs
from priscian.errors import DataError
from priscian.records import ItemSet


def _read_blimp(target: str, columns: PairColumns) -> list[ItemSet]:
    return [s for path in _paths("blimp", target) for s in read_blimp(path)]


def _paths(name: str, target: str) -> list[str]:
    """The target as a path, or the folders of official files that it names."""
    if target and Path(target).exists():
        return [target]
    from priscian.datasets.official import official_paths

    return official_paths(name, target)


def _read_pairs(target: str, columns: PairColumns) -> list[ItemSet]:
    return read_pairs(target, columns)


def _mapped(name: str, form: PairFormat) -> DataFormat:
    """A data set of the table of pair formats."""

    def read(target: str, columns: PairColumns) -> list[ItemSet]:
        from priscian.datasets.mapped_pairs import read_mapped

        return [s for path in _paths(name, target) for s in read_mapped(name, path)]

    usual = "" if form.measure == "surprisal" else f"; its authors use `measure={form.measure}`"
    return DataFormat(name, read, form.summary + usual, levels=form.levels, needs_path=False)


def _read_generated(target: str, columns: PairColumns) -> Partial:
    return _generated("blimp", target)


def _read_generated_suites(target: str, columns: PairColumns) -> Partial:
    return _generated("sg", target)


def _generated(what: str, target: str) -> Partial:
    from priscian.datasets.generation import read_generated  # the grammar takes time to load

    sets, refused = read_generated(what, target)
    if not sets:
        raise DataError(refused[0])
    return Partial(sets, refused)


def _read_li_adger(target: str, columns: PairColumns) -> list[ItemSet]:
    from priscian.datasets.graded import item_sets
    from priscian.datasets.li_adger import read_li_adger

    return item_sets(read_li_adger(target, scores=False).graded)


def _read_cola(target: str, columns: PairColumns) -> list[ItemSet]:
    from priscian.datasets.cola import read_cola_sets

    folder, comma, rest = target.rpartition(",")
    if comma and rest == "train" and not Path(target).exists():
        return read_cola_sets(folder, train=True)
    return read_cola_sets(target)


def _read_graded(target: str, columns: PairColumns) -> list[ItemSet]:
    from priscian.datasets.graded import item_sets
    from priscian.datasets.graded_read import read_target

    return item_sets(read_target(target))


def _read_syntaxgym(target: str, columns: PairColumns) -> Partial:
    (path,) = _paths("syntaxgym", target)
    return _read_sg(path, columns)


def _read_sg(target: str, columns: PairColumns) -> Partial:
    from priscian.datasets.sg import read_sg  # chance levels and formulas take time to load

    return Partial(*read_sg(target))


def _read_first_of_sg(target: str, limit: int) -> Partial:
    from priscian.datasets.sg import ITEMS, read_sg

    return Partial(*read_sg(target, min(limit, ITEMS)))


BUILT_IN = (
    DataFormat(
        "blimp",
        _read_blimp,
        "BLiMP's JSONL or parquet: a file or a folder; blimp alone fetches the official files",
        needs_path=False,
    ),
    DataFormat("pairs", _read_pairs, "minimal pairs as JSONL, CSV, TSV or parquet"),
    DataFormat(
        "generated",
        _read_generated,
        "fresh pairs of our 67 paradigms: generated:SEED, …:SEED,N or …:SEED,N,UID,UID",
        needs_path=False,
    ),
    DataFormat(
        "generated-sg",
        _read_generated_suites,
        "fresh suites of ours: generated-sg:SEED, …:SEED,N or …:SEED,N,NAME,NAME",
        levels=("circuit",),
        needs_path=False,
        kind="suites",
    ),
    DataFormat(
        "li-adger",
        _read_li_adger,
        "LI-Adger with people's magnitude estimates: a folder",
        kind="graded",
    ),
    DataFormat(
        "graded",
        _read_graded,
        "sentences with ratings or labels: a table or folder; ours: textbook, textbook-contested",
        kind="graded",
    ),
    DataFormat(
        "cola",
        _read_cola,
        "CoLA's labelled sentences, dev and test: a folder; cola:DIR,train adds the training set",
        kind="labels",
    ),
    DataFormat(
        "sg",
        _read_sg,
        "suites of syntactic generalization: ours, or SyntaxGym's JSON or CSV as sg:PATH",
        levels=("circuit",),
        needs_path=False,
        kind="suites",
        read_first=_read_first_of_sg,
    ),
    DataFormat(
        "syntaxgym",
        _read_syntaxgym,
        "the 34 suites of Hu et al. (2020): syntaxgym alone fetches the official files",
        levels=("circuit",),
        needs_path=False,
        kind="suites",
    ),
    *(_mapped(name, form) for name, form in pair_formats().items()),
)
