"""Data sets of pairs with columns and shapes of their own: the table `data/pair_formats.toml`.

Each shape turns the rows of a file into rows with `sentence_good` and `sentence_bad`; from there on
they are read as any other table of pairs. Every other column is kept in the items' meta.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from priscian.datasets.official import official_paths
from priscian.datasets.pairs import CONTRASTS, FULL, FoundColumns, sets_of_rows, unique_names
from priscian.datasets.reference import DATA
from priscian.datasets.registry import ANY_COLUMNS, DataFormat, register_format
from priscian.errors import DataError
from priscian.files import (
    DELIMITED_SUFFIXES,
    TABLE_SUFFIXES,
    NumberedRows,
    Row,
    collector_paused,
    data_files,
    label,
    parse_delimited,
    read_table,
    read_text,
    sentence_at,
    shown,
)
from priscian.records import Comparison, Contrast, Item, ItemSet, Sentence, Span, Value

GOOD = frozenset({"1", "1.0", "true", "good", "grammatical", "acceptable", "yes"})
BAD = frozenset({"0", "0.0", "false", "bad", "ungrammatical", "unacceptable", "no"})
SENTENCES = ("sentence_good", "sentence_bad")

_FOUND = FoundColumns(*SENTENCES, "paradigm", "context", "field", "phenomenon", None, "id")
_CODE = re.compile(r"[a-z]{3}")  # ISO 639-3
_TWO_LETTERS = {"eng": "en"}

Reshaped = Iterator[tuple[int, Row]]
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
        return _plain(row.get(self.columns.get(role, "")))

    def set_of(self, row: Row) -> str:
        """The name of a row's set; empty if the row has none of the columns that make it.

        >>> pair_formats()["qfrblimp"].set_of({"type": 9})
        'type_9'
        >>> pair_formats()["zhoblimp"].set_of({"UID": "BA_deletion"})
        'BA_deletion'
        """
        cells = {
            found[0]: next((c for n in found[1].split("|") if (c := _plain(row.get(n)))), "")
            for found in _FIELD.finditer(self.set)
        }
        if not any(cells.values()):
            return ""
        name = self.set
        for field, cell in cells.items():
            name = name.replace(field, cell)
        return name.strip("/")


def _plain(value: object) -> str:
    return "" if value is None else str(value).strip()


@cache
def pair_formats() -> dict[str, PairFormat]:
    """Every data set of the table by name."""
    found = tomllib.loads(read_text(DATA / "pair_formats.toml"))
    return msgspec.convert(found, dict[str, PairFormat])


def _format(name: str, form: PairFormat) -> DataFormat:
    def read(target: str) -> list[ItemSet]:
        return [s for path in official_paths(name, target) for s in read_mapped(name, path)]

    usual = "" if form.measure == "surprisal" else f"; its authors use `measure={form.measure}`"
    return DataFormat(name, read, form.summary + usual, levels=form.levels, needs_path=False)


for _name, _form in pair_formats().items():
    register_format(_format(_name, _form))


@collector_paused()
def read_mapped(name: str, path: str) -> list[ItemSet]:
    """The item sets of a file or folder of a data set that the table has."""
    form = pair_formats()[name]
    found: list[tuple[str, ItemSet]] = []
    for file in _files(form, path):
        rows = _rows(form, file)
        stem = label(file, path)
        made = sets_of_rows(file, stem, _reshape(form, file, rows), _FOUND, ANY_COLUMNS, False)
        found += [(stem, _finish(form, itemset)) for itemset in made]
    return unique_names(found)


def _files(form: PairFormat, path: str) -> list[Path]:
    """The files of a folder that the format names; all tables if it has none of those."""
    folder = Path(path)
    named = {f for pattern in form.files for f in folder.rglob(pattern)} if folder.is_dir() else ()
    return sorted(named) or data_files(path, TABLE_SUFFIXES)


def _rows(form: PairFormat, file: Path) -> NumberedRows:
    if form.header and file.suffix.lower() in DELIMITED_SUFFIXES:
        text = ",".join(form.header) + "\n" + read_text(file)
        return parse_delimited(file, text, lambda _: False, ",", first=0)

    def suits(header: Iterable[str]) -> bool:
        return set(form.needed) <= set(header) or set(SENTENCES) <= set(header)

    return read_table(file, suits)


def _reshape(form: PairFormat, file: Path, rows: NumberedRows) -> NumberedRows:
    """Rows with both sentences, paradigm, classes, id and facts under the usual keys."""
    if set(SENTENCES) <= rows[0][1].keys():  # some copies on the Hub have pairs already
        columns = {**form.columns, "good": SENTENCES[0], "bad": SENTENCES[1]}
        form = msgspec.structs.replace(form, shape="pair", columns=columns)
    code = _code(file) if form.language == "folder" else ""
    made = []
    for line, row in _SHAPES[form.shape](form, file, rows):
        own = {form.columns["language"]: code} | row if code else row
        language = form.cell(own, "language")
        if not language:
            language = "und" if form.language == "folder" else form.language
        facts = {
            "paradigm": form.set_of(own),
            "field": form.cell(own, "field"),
            "phenomenon": form.cell(own, "phenomenon"),
            "id": form.cell(own, "id"),
            "language": _TWO_LETTERS.get(language, language),
            "licence": form.licence,
            "reference": form.reference,
        }
        made.append((line, own | {key: fact for key, fact in facts.items() if fact}))
    return made


def _code(file: Path) -> str:
    """The language that a file or its folder is named by: `deu.tsv`, `deu/data.tsv`."""
    for name in (file.stem, file.resolve().parent.name):
        if _CODE.fullmatch(name):
            return name
    return ""


def _texts(form: PairFormat, file: Path, line: int, row: Row, *roles: str) -> list[str]:
    remedy = f"every row needs {', '.join(form.needed)}"
    return [sentence_at(row, form.columns[role], file, line, remedy) for role in roles]


def _without(form: PairFormat, row: Row, *roles: str) -> Row:
    used = {form.columns[role] for role in roles}
    return {key: value for key, value in row.items() if key not in used}


def _pairs(form: PairFormat, file: Path, rows: NumberedRows) -> Reshaped:
    for line, row in rows:
        good, bad = _texts(form, file, line, row, "good", "bad")
        rest = _without(form, row, "good", "bad")
        yield line, {**rest, "sentence_good": good, "sentence_bad": bad}


def _choices(form: PairFormat, file: Path, rows: NumberedRows) -> Reshaped:
    for line, row in rows:
        both = _texts(form, file, line, row, "first", "second")
        said = str(row.get(form.columns["label"])).strip()
        if said not in ("0", "1", "0.0", "1.0"):
            raise DataError(
                f"{file}:{line}: {form.columns['label']} is {shown(said)}; write 0 if the first "
                "sentence is the good one, 1 if the second is"
            )
        if said.startswith("1"):
            both.reverse()
        rest = _without(form, row, "first", "second", "label")
        yield line, {**rest, "sentence_good": both[0], "sentence_bad": both[1]}


def _labelled(form: PairFormat, file: Path, rows: NumberedRows) -> Reshaped:
    for members in _by_key(form, rows) if form.pair_by else _in_twos(form, file, rows):
        sides: dict[bool, tuple[int, Row]] = {}
        for line, row in members:
            good = _is_good(form, file, line, row)
            if good in sides:
                what = "acceptable" if good else "unacceptable"
                raise DataError(
                    f"{file}:{line}: a second {what} sentence of the pair that begins on line "
                    f"{members[0][0]}; each pair needs one of each"
                )
            sides[good] = (line, row)
        if len(sides) < 2:
            raise DataError(
                f"{file}:{members[0][0]}: a sentence without its counterpart; each pair needs an "
                "acceptable and an unacceptable sentence"
            )
        (line, row), (other, odd) = sides[True], sides[False]
        (good_text,) = _texts(form, file, line, row, "sentence")
        (bad_text,) = _texts(form, file, other, odd, "sentence")
        rest = _without(form, row, "sentence", "label")
        yield (
            min(line, other),
            {**rest, "sentence_good": good_text, "sentence_bad": bad_text},
        )


def _by_key(form: PairFormat, rows: NumberedRows) -> Iterable[NumberedRows]:
    groups: dict[tuple[object, ...], NumberedRows] = {}
    for line, row in rows:
        groups.setdefault(tuple(row.get(c) for c in form.pair_by), []).append((line, row))
    return groups.values()


def _in_twos(form: PairFormat, file: Path, rows: NumberedRows) -> Iterator[NumberedRows]:
    for at in range(0, len(rows), 2):
        two = rows[at : at + 2]
        if len({form.set_of(row) for _, row in two}) > 1:
            raise DataError(
                f"{file}:{two[1][0]}: the paradigm changes inside a pair; the two sentences of a "
                "pair must follow each other"
            )
        yield two


def _is_good(form: PairFormat, file: Path, line: int, row: Row) -> bool:
    said = str(row.get(form.columns["label"])).strip().lower()
    if said not in GOOD | BAD:
        raise DataError(
            f"{file}:{line}: {form.columns['label']} is {shown(said)}; write 1 for acceptable "
            "and 0 for unacceptable"
        )
    return said in GOOD


def _continuations(form: PairFormat, file: Path, rows: NumberedRows) -> Reshaped:
    for line, row in rows:
        good, bad, end = _texts(form, file, line, row, "good", "bad", "continuation")
        # the beginnings stay in the meta: `_finish` needs their lengths
        yield line, {**row, "sentence_good": f"{good} {end}", "sentence_bad": f"{bad} {end}"}


def _contexts(form: PairFormat, file: Path, rows: NumberedRows) -> Reshaped:
    roles = ("context_1", "context_2", "target_1", "target_2")
    for line, row in rows:
        one, two, good, bad = _texts(form, file, line, row, *roles)
        sides = {"sentence_good": good, "sentence_bad": bad}
        yield line, {**_without(form, row, *roles), **sides, "context": f"{one} ", "context_2": two}


_SHAPES: dict[Shape, Callable[[PairFormat, Path, NumberedRows], Reshaped]] = {
    "pair": _pairs,
    "labelled": _labelled,
    "choice": _choices,
    "continuation": _continuations,
    "contexts": _contexts,
}


# ---------------------------------------------------------------- what a shape adds to its items


def _finish(form: PairFormat, itemset: ItemSet) -> ItemSet:
    made = replace(itemset, meta={"measure": form.measure})
    if form.shape == "continuation" and form.columns["good"] in itemset.items[0].meta:
        items = tuple(_with_spans(form, item) for item in itemset.items)
        return replace(made, items=items, contrasts=CONTRASTS["two_prefix"])
    if form.shape == "contexts" and "context_2" in itemset.items[0].meta:
        return replace(
            made, items=tuple(map(_two_by_two, itemset.items)), contrasts=(FULL, *TWO_BY_TWO)
        )
    return made


def _with_spans(form: PairFormat, item: Item) -> Item:
    """The beginning as the span `prefix`, the shared continuation as `critical`."""
    conditions = {}
    for side, sentence in item.conditions.items():
        end = len(str(item.meta[form.columns[side]]))
        spans = (Span("prefix", 0, end), Span("critical", end + 1, len(sentence.text)))
        conditions[side] = replace(sentence, spans=spans)
    return replace(item, conditions=conditions)


def _fits(name: str, better: str, worse: str) -> Contrast:
    return Contrast(name, Comparison("<", Value(better), Value(worse)))


TWO_BY_TWO = (_fits("target_1", "good", "swapped_1"), _fits("target_2", "swapped_2", "bad"))
"""Each target is likelier after its own context than after the other one."""


def _two_by_two(item: Item) -> Item:
    """Add both targets after the second context.

    `good` and `bad` are the two targets after the first context, `swapped_1` and `swapped_2` after
    the second one, where target 2 is the right one.
    """
    context = f"{item.meta['context_2']} "
    swapped = {
        "swapped_1": Sentence(item["good"].text, context=context),
        "swapped_2": Sentence(item["bad"].text, context=context),
    }
    rest = {key: value for key, value in item.meta.items() if key != "context_2"}
    return replace(item, conditions={**item.conditions, **swapped}, meta=rest)
