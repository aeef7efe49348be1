"""Suites in SyntaxGym's JSON or CSV: read and checked, with formulas as contrasts.

The schema of the JSON is declared as structs; every error names its place. Sentences are regions
joined by spaces, with every region's position in the text.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_origin

import msgspec

from priscian.datasets.reference import SG_REFERENCE, find_published, selection
from priscian.datasets.registry import Dataset
from priscian.errors import DataError, DataWarning, FormulaError, PriscianWarning, UsageError
from priscian.files import (
    PathLike,
    Row,
    collector_paused,
    data_files,
    parse_delimited,
    read_json,
    read_text,
    shown,
    whole_number,
)
from priscian.files.reading import refuse_large
from priscian.formulas import chance_of, parse_formula, values_of
from priscian.records import Contrast, Item, ItemSet, Sentence, Span

SUITE_SUFFIXES = (".json", ".csv")
NOT_SUITES = frozenset({"manifest.json"})
COLUMNS = ("item_number", "condition_name", "region_number", "region_name", "content")
MARK = "#prediction"
FACTS = ("circuit", "author", "reference", "licence", "language")
"""Keys of a suite's meta that may be written above the header, as `#licence: CC-BY-4.0`."""
MOST_REGIONS = 500_000
"""Rows of a suite: a region takes more memory than a row of other tables."""
LONGEST_NUMBER = 9
"""Digits of an item's or region's number."""
METRICS = ("sum", "mean", "median", "range", "max", "min")
_KINDS = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}
_MISSING = re.compile(r"Object missing required field `(\w+)`")
_PLACE = re.compile(r"at `\$\.(\w+)`")

Form = TypeVar("Form", bound=msgspec.Struct)
Punctuation = Literal["attached", "detached"]

MARKS = ".,!?;:"
_SPACED = re.compile(rf"\s+(?=[{re.escape(MARKS)}])")


@collector_paused()
def read_suites(path: PathLike) -> tuple[list[ItemSet], list[str]]:
    """The suites of a file or a folder, and one line for each file that could not be used.

    >>> sets, refused = read_suites("suites/")                             # doctest: +SKIP
    """
    files = suite_files(path)
    found: dict[str, ItemSet] = {}
    refused: list[str] = []
    for file in files:
        try:
            suite = read_suite(file)
            if suite.name in found:
                raise DataError(
                    f"{file}: another file has a suite {suite.name!r} too; "
                    "change meta.name in one of them"
                )
        except DataError as error:
            refused.append(str(error))
            continue
        found[suite.name] = suite
    return list(found.values()), refused


def suite_files(path: PathLike) -> list[Path]:
    """The files of suites in a folder, or the one file."""
    files = [f for f in data_files(path, SUITE_SUFFIXES) if f.name not in NOT_SUITES]
    if not files:
        raise DataError(f"{path}: no suites in this folder; it needs SyntaxGym JSON files")
    return files


def read_suite(file: PathLike) -> ItemSet:
    """One suite; any problem is an error."""
    return suite_from_json(suite_data(Path(file)), str(file))


def suite_data(file: Path) -> Any:
    """The decoded JSON of a suite's file, not checked; a CSV file in the same form."""
    if file.suffix.lower() == ".csv":
        return read_suite_csv(file)
    return read_json(file)


def suite_from_json(data: object, file: str) -> ItemSet:
    """A suite from decoded JSON; the first problem is an error, which names the file.

    Regions become spans, formulas contrasts, the circuit the taxonomy.
    """
    suite = _read(data, file, _Problems(strict=True))
    spaced = sum(len(item.spaced) for item in suite.items)
    if spaced:
        have = "region has" if spaced == 1 else "regions have"
        warnings.warn(
            f"{file}: {spaced} {have} spaces at an edge or in a row; removed (a single space joins "
            "regions)",
            DataWarning,
            stacklevel=2,
        )
    known = find_published(suite.name)
    contrasts = tuple(
        Contrast(f"prediction_{number}", parse_formula(text))
        for number, text in enumerate(suite.formulas)
    )
    items = tuple(
        Item(
            f"{suite.name}/{item.number}",
            {name: build_sentence(contents) for name, contents in item.conditions.items()},
            {"item_number": item.number, "regions": item.conditions}
            | ({"spaced": item.spaced} if item.spaced else {}),
        )
        for item in suite.items
    )
    circuit = str(suite.meta.get("circuit") or (known.circuit if known else ""))
    official = known is not None and not suite.meta.get("author")
    return ItemSet(
        name=suite.name,
        items=items,
        contrasts=contrasts,
        taxonomy=(circuit,) if circuit else (),
        chance=chance_of(contrasts[0].expression),
        language=str(suite.meta.get("language") or "en"),
        licence=str(suite.meta.get("licence") or suite.meta.get("license") or ""),
        reference=str(suite.meta.get("reference") or (SG_REFERENCE if official else "")),
        meta={
            "file": file,
            "metric": suite.metric,
            "meta": dict(suite.meta),
            "region_names": suite.regions,
            "formulas": suite.formulas,
            "modifier_of": known.modifier_of if known else "",
        },
    )


# ---------------------------------------------------------------- the schema


class _Suite(msgspec.Struct):
    meta: dict[str, Any]
    region_meta: dict[str, Any]
    items: list[Any]
    predictions: list[Any]


class _Meta(msgspec.Struct):
    name: str


class _Prediction(msgspec.Struct):
    formula: str


class _Item(msgspec.Struct):
    item_number: int
    conditions: list[Any]


class _Condition(msgspec.Struct):
    condition_name: str
    regions: list[Any]


class _Region(msgspec.Struct):
    region_number: int
    content: Any = None


@dataclass(frozen=True, slots=True)
class SuiteItem:
    """An item as in the file: the contents of all regions, by condition, stripped."""

    number: int
    conditions: Mapping[str, tuple[str, ...]]
    spaced: tuple[str, ...] = ()
    """Regions that had spaces at an edge, or more than one in a row."""


@dataclass(frozen=True, slots=True)
class CheckedSuite:
    """A suite as in the file."""

    name: str
    metric: str
    meta: Mapping[str, Any]
    regions: tuple[str, ...]
    formulas: tuple[str, ...]
    items: tuple[SuiteItem, ...]


def suite_problems(data: object, file: str) -> list[str]:
    """Everything that is wrong with a suite's decoded JSON, one line each."""
    problems = _Problems(strict=False)
    with problems:
        _read(data, file, problems)
    return problems.found


class _Problems:
    """Keeps going after a wrong part, or, if strict, stops at the first."""

    def __init__(self, *, strict: bool) -> None:
        self.strict = strict
        self.found: list[str] = []

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> bool:
        if self.strict or not isinstance(error, DataError):
            return False
        self.found.append(str(error))
        return True


def _read(data: object, file: str, problems: _Problems) -> CheckedSuite:
    top = _convert(data, _Suite, file, "the file")
    name, metric = "", "sum"
    formulas: tuple[str, ...] = ()
    with problems:
        name = _convert(top.meta, _Meta, file, "meta of the file").name.strip()
        if not name:
            raise DataError(f"{file}: meta has an empty name; give the suite a name")
        metric = _metric(top.meta, file)
    with problems:
        formulas = _formulas(top.predictions, file)
    numbers = [str(number) for number in range(1, len(top.region_meta) + 1)] or ["1"]
    gaps = [number for number in numbers if number not in top.region_meta]
    if gaps:
        raise DataError(
            f"{file}: region_meta has no region {gaps[0]}; "
            'number the regions "1", "2", … without gaps'
        )
    regions = tuple(str(top.region_meta[number]) for number in numbers)
    items: dict[int, SuiteItem] = {}
    if not top.items:
        raise DataError(f"{file}: the suite has no items; it needs at least one")
    for place, one in enumerate(top.items, 1):
        with problems:
            item = _convert(one, _Item, file, f"item {place}")
            number = item.item_number
            if number in items:
                raise DataError(f"{file}: two items have the number {number}; number them from 1")
            items[number] = _item(item, len(regions), file, problems)
    known = dict.fromkeys(name for item in items.values() for name in item.conditions)
    for made in items.values():
        with problems:
            if missing := [name for name in known if name not in made.conditions]:
                raise DataError(
                    f"{file}: item {made.number}: condition {missing[0]!r} is missing, which other "
                    "items have; add it or delete the item"
                )
    for number, text in enumerate(formulas):
        with problems:
            _check_formula(text, number, known, len(regions), file)
    return CheckedSuite(name, metric, top.meta, regions, formulas, tuple(items.values()))


def _convert(value: object, form: type[Form], file: str, where: str) -> Form:
    """A struct from decoded JSON; `where` is what an error calls the value."""
    try:
        return msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        missing, place = _MISSING.fullmatch(str(error)), _PLACE.search(str(error))
    kinds = {f.name: _KINDS[get_origin(f.type) or f.type] for f in msgspec.structs.fields(form)
             if f.required}  # fmt: skip
    if missing:
        raise DataError(
            f"{file}: {where} has no {missing[1]!r}; add it as {kinds[missing[1]]} "
            "(docs/suites.md shows the format)"
        )
    if where == "the file" and not place:
        raise DataError(f"{file}: {where} is not a JSON object; see docs/suites.md")
    kind = "an object"
    if place and isinstance(value, Mapping):
        key = place[1]
        value, where, kind = value[key], f"{key} of {where}", kinds[key]
    raise DataError(f"{file}: {where} is {shown(value, 40)}; it must be {kind}")


def _formulas(predictions: Sequence[Any], file: str) -> tuple[str, ...]:
    if not predictions:
        raise DataError(
            f"{file}: the suite has no predictions; add at least one formula, as "
            '{"type": "formula", "formula": "(5;%a%) < (5;%b%)"}'
        )
    found = []
    for number, prediction in enumerate(predictions, 1):
        kind = prediction.get("type", "formula") if isinstance(prediction, dict) else "formula"
        if kind != "formula":
            raise DataError(
                f"{file}: prediction {number} has the type {shown(kind, 40)}; only 'formula' is "
                "known"
            )
        found.append(_convert(prediction, _Prediction, file, f"prediction {number}").formula)
    return tuple(found)


def _metric(meta: Mapping[str, Any], file: str) -> str:
    """The metric that formulas refer to: the sum if it is among several."""
    asked = meta.get("metric")
    if asked is None:
        raise DataError(f'{file}: meta has no \'metric\'; add "metric": "sum"')
    listed = list(METRICS) if asked == "all" else asked if isinstance(asked, list) else [asked]
    for metric in listed:
        if metric not in METRICS:
            raise DataError(
                f"{file}: meta names the metric {shown(metric, 40)}; use {', '.join(METRICS)} or "
                "all"
            )
    if not listed:
        raise DataError(f'{file}: meta names no metric; write "metric": "sum"')
    return "sum" if "sum" in listed else str(listed[0])


def _item(item: _Item, count: int, file: str, problems: _Problems) -> SuiteItem:
    conditions: dict[str, tuple[str, ...]] = {}
    spaced: list[str] = []
    at = f"item {item.item_number}"
    for place, one in enumerate(item.conditions, 1):
        with problems:
            condition = _convert(one, _Condition, file, f"{at}, condition {place}")
            name = condition.condition_name
            if name in conditions:
                raise DataError(f"{file}: {at} has the condition {name!r} twice; delete one")
            where = f"{at}, condition {name!r}"
            raw = _contents(condition.regions, where, count, file)
            conditions[name] = tuple(" ".join(text.split()) for text in raw)
            for region, (was, now) in enumerate(zip(raw, conditions[name], strict=True), 1):
                if was != now:
                    spaced.append(f"condition {name!r}, region {region}: {was!r}")
            if not any(conditions[name]):
                raise DataError(f"{file}: {where}: every region is empty; write the sentence")
    if not conditions:
        raise DataError(f"{file}: {at} has no conditions; it needs all that the formulas name")
    return SuiteItem(item.item_number, conditions, tuple(spaced))


def _contents(regions: Sequence[Any], where: str, count: int, file: str) -> list[str]:
    found: dict[int, str] = {}
    for place, one in enumerate(regions, 1):
        region = _convert(one, _Region, file, f"{where}, region {place}")
        number = region.region_number
        if not 1 <= number <= count:
            raise DataError(
                f"{file}: {where}: region {number} is not in region_meta, which has 1 to {count}; "
                "correct the number or add the region"
            )
        if number in found:
            raise DataError(f"{file}: {where}: region {number} is listed twice; delete one")
        if not isinstance(region.content, str):
            raise DataError(
                f"{file}: {where}: the content of region {number} is {shown(region.content, 40)}; "
                'write a text, "" for an empty region'
            )
        found[number] = region.content
    missing = [number for number in range(1, count + 1) if number not in found]
    if missing:
        raise DataError(
            f"{file}: {where}: region {missing[0]} is missing; list all {count} regions, "
            'an empty one with "content": ""'
        )
    return [found[number] for number in sorted(found)]


def _check_formula(
    text: str, number: int, conditions: Collection[str], regions: int, file: str
) -> None:
    """Every region and condition that a prediction names must exist."""
    where = f"{file}: prediction {number}"
    try:
        tree = parse_formula(text)
    except FormulaError as error:
        raise DataError(f"{where}: {error}") from None
    for value in values_of(tree):
        if value.condition not in conditions:
            place = text.find(f"%{value.condition}%")
            raise DataError(
                f"{where}, character {place + 2}: no condition {value.condition!r}; "
                f"the items have {', '.join(conditions)}"
            )
        if value.span != "*" and not 1 <= int(value.span) <= regions:
            raise DataError(
                f"{where}: no region {value.span} (in ({value.span};%{value.condition}%)); "
                f"the suite has regions 1 to {regions}"
            )


# ---------------------------------------------------------------- sentences from regions


def build_sentence(contents: Sequence[str], punctuation: Punctuation = "attached") -> Sentence:
    """The text of some regions, and a span for each, named by its number from 1.

    >>> build_sentence(["As he ran", ",", "", "the dog"]).text
    'As he ran, the dog'
    >>> build_sentence(["As he ran", ",", "", "the dog"], "detached").text
    'As he ran , the dog'

    An empty region has an empty span. `attached` removes the space before . , ! ? ; and :,
    `detached` keeps the text of the file.
    """
    text, spans = "", []
    for number, content in enumerate(contents, 1):
        content = " ".join(content.split())
        if punctuation == "attached":
            content = _SPACED.sub("", content)
        close = punctuation == "attached" and content[:1] in MARKS
        if content and text and not close:
            text += " "
        spans.append(Span(str(number), len(text), len(text) + len(content)))
        text += content
    # an empty region is where the next one begins, after the space that belongs to it
    following = len(text)
    for at, span in reversed(list(enumerate(spans))):
        if span.end > span.start:
            following = span.start
        else:
            spans[at] = Span(span.name, following, following)
    return Sentence(text, tuple(spans))


def contents_of(item: Item) -> Mapping[str, tuple[str, ...]]:
    """The regions' contents in every condition of a suite's item."""
    found = item.meta.get("regions")
    if not isinstance(found, Mapping):
        raise DataError(f"item {item.id} is not from a suite: no regions; read it as sg:PATH")
    return cast(Mapping[str, tuple[str, ...]], found)


def punctuate(suite: ItemSet, punctuation: Punctuation) -> ItemSet:
    """The same suite with punctuation attached or detached."""
    return replace(
        suite,
        items=tuple(
            replace(
                item,
                conditions={
                    name: build_sentence(contents, punctuation)
                    for name, contents in contents_of(item).items()
                },
            )
            for item in suite.items
        ),
    )


def select_suites(data: Dataset, name: str) -> Dataset:
    """The suites of a selection: `31`, `33`, `34` or `ours`; warns about missing ones."""
    wanted = selection(name)
    sets = tuple(s for s in data.sets if s.name in wanted)
    if not sets:
        raise UsageError(f"{data.spec} has none of the suites of `suites={name}`; leave it out")
    if len(sets) < len(wanted):
        warnings.warn(
            f"{data.spec} has {len(sets)} of the {len(wanted)} suites of `suites={name}`; the SG "
            "score is based on these",
            PriscianWarning,
            stacklevel=2,
        )
    return replace(data, sets=sets)


# ---------------------------------------------------------------- the CSV form


def read_suite_csv(file: Path) -> dict[str, Any]:
    """A suite in the form of its JSON, from a table with a row for each region.

    The formulas are above the header, one per line after `#Prediction`; a file with the name of
    a published suite may leave them out. `#circuit: …` and other facts may be there too.
    """
    lines = read_text(file).split("\n")
    refuse_large(file, rows=len(lines), most_rows=MOST_REGIONS)
    formulas, skipped = [], 0
    facts: dict[str, str] = {}
    for head in lines:
        if head.strip() and not head.startswith("#"):
            break
        skipped += 1
        if head.lower().startswith(MARK):
            formulas.append(head[len(MARK) :].strip(" :\t\r\n"))
        key, _, value = head[1:].partition(":")
        if key.strip().lower() in FACTS:
            facts[key.strip().lower()] = value.strip()
    known = find_published(file.stem)
    if not formulas and known is not None:
        formulas = list(known.formulas)
    if not formulas:
        raise DataError(
            f"{file}: the CSV form has no formula; put a line '#Prediction FORMULA' above the "
            "header, or give the suite as JSON"
        )
    needed = [name for name in COLUMNS if name != "region_name"]
    rows = parse_delimited(
        file, "\n".join(lines[skipped:]), lambda header: True, ",", first=skipped + 1
    )
    missing = [name for name in needed if name not in rows[0][1]]
    if missing:
        raise DataError(
            f"{file}:{skipped + 1}: no column {missing[0]!r}; a suite needs {', '.join(COLUMNS)}"
        )
    names: dict[str, str] = {}
    items: dict[int, dict[str, list[dict[str, Any]]]] = {}
    for line, row in rows:
        item = _whole(file, line, row, "item_number")
        region = _whole(file, line, row, "region_number")
        names.setdefault(str(region), row.get("region_name") or str(region))
        conditions = items.setdefault(item, {})
        conditions.setdefault(row["condition_name"], []).append(
            {"region_number": region, "content": row["content"]}
        )
    return {
        "meta": {"name": file.stem, "metric": "sum", "comment": "", "reference": "", "author": ""}
        | facts,
        "region_meta": names,
        "predictions": [{"type": "formula", "formula": text} for text in formulas],
        "items": [
            {
                "item_number": number,
                "conditions": [
                    {"condition_name": name, "regions": regions}
                    for name, regions in conditions.items()
                ],
            }
            for number, conditions in items.items()
        ],
    }


def _whole(file: Path, line: int, row: Row, column: str) -> int:
    number = whole_number(row[column].strip(), 10**LONGEST_NUMBER - 1)
    if number is None:
        raise DataError(
            f"{file}:{line}: {column} is {shown(row[column])}; write a whole number of at most "
            f"{LONGEST_NUMBER} digits"
        )
    return number
