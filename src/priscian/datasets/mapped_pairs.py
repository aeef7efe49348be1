"""Data sets of pairs with columns and shapes of their own: the table `data/pair_formats.toml`.

Each shape turns the rows of a file into rows with `sentence_good` and `sentence_bad`; from there on
they are read as any other table of pairs. Every other column is kept in the items' meta.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
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
    folder = Path(path)
    named = {f for pattern in form.files for f in folder.rglob(pattern)} if folder.is_dir() else ()
    for file in sorted(named) or data_files(path, TABLE_SUFFIXES):
        rows = _reshape(form, file, _rows(form, file))
        stem = label(file, path)
        made = sets_of_rows(file, stem, rows, _FOUND, ANY_COLUMNS, False)
        found += [(stem, _finish(form, itemset)) for itemset in made]
    return unique_names(found)


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
    code = ""
    if form.language == "folder":  # `deu.tsv`, `deu/data.tsv`
        names = (file.stem, file.resolve().parent.name)
        code = next((name for name in names if _CODE.fullmatch(name)), "")
    pairs = _labelled if form.shape == "labelled" else _one_each
    made = []
    for line, row in pairs(form, file, rows):
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


def _text(form: PairFormat, file: Path, line: int, row: Row, role: str) -> str:
    remedy = f"every row needs {', '.join(form.needed)}"
    return sentence_at(row, form.columns[role], file, line, remedy)


def _without(form: PairFormat, row: Row, *roles: str) -> Row:
    used = {form.columns[role] for role in roles}
    return {key: value for key, value in row.items() if key not in used}


def _one_each(form: PairFormat, file: Path, rows: NumberedRows) -> Reshaped:
    """The shapes whose rows are a pair each."""
    roles = REQUIRED[form.shape]
    texts = [role for role in roles if role != "label"]
    for line, row in rows:
        found = [_text(form, file, line, row, role) for role in texts]
        rest = _without(form, row, *roles)
        match form.shape:
            case "continuation":
                good, bad, end = found
                good, bad = f"{good} {end}", f"{bad} {end}"
                rest = row  # the beginnings stay in the meta: `_finish` needs their lengths
            case "contexts":
                one, two, good, bad = found
                rest |= {"context": f"{one} ", "context_2": two}
            case "choice":
                good, bad = found
                said = str(row.get(form.columns["label"])).strip()
                if said not in ("0", "1", "0.0", "1.0"):
                    raise DataError(
                        f"{file}:{line}: {form.columns['label']} is {shown(said)}; write 0 if the "
                        "first sentence is the good one, 1 if the second is"
                    )
                if said.startswith("1"):
                    good, bad = bad, good
            case _:
                good, bad = found
        yield line, {**rest, "sentence_good": good, "sentence_bad": bad}


def _labelled(form: PairFormat, file: Path, rows: NumberedRows) -> Reshaped:
    """Labelled sentences, paired by the columns that the format names, else in twos."""
    groups: dict[object, NumberedRows] = {}
    for number, (line, row) in enumerate(rows):
        key = tuple(row.get(c) for c in form.pair_by) if form.pair_by else number // 2
        groups.setdefault(key, []).append((line, row))
    for members in groups.values():
        if not form.pair_by and len({form.set_of(row) for _, row in members}) > 1:
            raise DataError(
                f"{file}:{members[1][0]}: the paradigm changes inside a pair; the two sentences of "
                "a pair must follow each other"
            )
        sides: dict[bool, tuple[int, Row]] = {}
        for line, row in members:
            said = str(row.get(form.columns["label"])).strip().lower()
            if said not in GOOD | BAD:
                raise DataError(
                    f"{file}:{line}: {form.columns['label']} is {shown(said)}; write 1 for "
                    "acceptable and 0 for unacceptable"
                )
            good = said in GOOD
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
        texts = {
            "sentence_good": _text(form, file, *sides[True], "sentence"),
            "sentence_bad": _text(form, file, *sides[False], "sentence"),
        }
        rest = _without(form, sides[True][1], "sentence", "label")
        yield min(line for line, _ in members), {**rest, **texts}


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
