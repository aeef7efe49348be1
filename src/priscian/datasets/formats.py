"""Data formats, and the data set that a data string stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from priscian.datasets.columns import PairColumns
from priscian.records import ItemSet


class Reader(Protocol):
    """Reads the target after the colon; `columns` is for tables of pairs, others ignore it."""

    def __call__(self, target: str, columns: PairColumns) -> Sequence[ItemSet] | Partial: ...


class FirstReader(Protocol):
    """Reads the first items of every set of a target."""

    def __call__(self, target: str, limit: int) -> Sequence[ItemSet] | Partial: ...


@dataclass(frozen=True, slots=True)
class Partial:
    """The sets of all readable files, and one line for each file that could not be read."""

    sets: Sequence[ItemSet]
    refused: Sequence[str]


@dataclass(frozen=True, slots=True)
class DataFormat:
    """A format: how its files are read, and what the levels of its taxonomy are called.

    `kind` says how its items are judged; see `Dataset`. `read_first`, where items are not just
    read from a file, makes no more of them than are asked for. A plug-in offers a format under the
    entry-point group `priscian.datasets`.
    """

    name: str
    read: Reader
    summary: str = ""
    levels: tuple[str, ...] = ("field", "phenomenon")
    needs_path: bool = True
    kind: str = "pairs"
    read_first: FirstReader | None = None


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
