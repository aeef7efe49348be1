"""The table of data sets of pairs that have columns of their own: `data/pair_formats.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Literal

import msgspec

from priscian.datasets.reference import DATA
from priscian.files import Row, read_text

Shape = Literal["pair", "labelled", "choice", "continuation", "contexts"]

REQUIRED: dict[Shape, tuple[str, ...]] = {
    "pair": ("good", "bad"),
    "labelled": ("sentence", "label"),
    "choice": ("first", "second", "label"),
    "continuation": ("good", "bad", "continuation"),
    "contexts": ("context_1", "context_2", "target_1", "target_2"),
}
"""The columns that each shape must name; every row must have them."""

_FIELD = re.compile(r"\{([^{}]+)\}")


class PairFormat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the files of one data set become pairs; the head of the table explains the fields."""

    summary: str
    columns: Mapping[str, str]
    shape: Shape = "pair"
    language: str = "en"
    licence: str = ""
    reference: str = ""
    measure: str = "surprisal"
    levels: tuple[str, ...] = ("field", "phenomenon")
    set: str = ""
    pair_by: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        missing = [role for role in REQUIRED[self.shape] if role not in self.columns]
        if missing:
            raise ValueError(f"the shape {self.shape} needs the columns {', '.join(missing)}")

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that every row must have."""
        return tuple(self.columns[role] for role in REQUIRED[self.shape])

    def cell(self, row: Row, role: str) -> str:
        """The text that a row has in an optional role, or nothing."""
        return _text(row.get(self.columns.get(role, "")))

    def set_of(self, row: Row) -> str:
        """The name of a row's set; empty if the row has none of the columns that make it.

        >>> pair_formats()["qfrblimp"].set_of({"type": 9})
        'type_9'
        >>> pair_formats()["zhoblimp"].set_of({"UID": "BA_deletion"})
        'BA_deletion'
        """
        cells = {
            found[0]: next((c for n in found[1].split("|") if (c := _text(row.get(n)))), "")
            for found in _FIELD.finditer(self.set)
        }
        if not any(cells.values()):
            return ""
        name = self.set
        for field, cell in cells.items():
            name = name.replace(field, cell)
        return name.strip("/")


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()


@cache
def pair_formats() -> dict[str, PairFormat]:
    """Every data set of the table by name."""
    found = tomllib.loads(read_text(DATA / "pair_formats.toml"))
    return msgspec.convert(found, dict[str, PairFormat])
