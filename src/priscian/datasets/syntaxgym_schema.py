"""The schema of SyntaxGym's JSON as structs; every error names its place."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_origin

import msgspec

from priscian.errors import DataError, FormulaError
from priscian.formulas import parse_formula, values_of

METRICS = ("sum", "mean", "median", "range", "max", "min")
_KINDS = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}
_MISSING = re.compile(r"Object missing required field `(\w+)`")
_PLACE = re.compile(r"at `\$\.(\w+)`")

Form = TypeVar("Form", bound=msgspec.Struct)


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
class SuiteFile:
    """A suite as in the file."""

    name: str
    metric: str
    meta: Mapping[str, Any]
    regions: tuple[str, ...]
    formulas: tuple[str, ...]
    items: tuple[SuiteItem, ...]


def check_suite(data: object, file: str) -> SuiteFile:
    """A suite from decoded JSON; the first problem is an error."""
    return _read(data, file, _Problems(strict=True))


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


def _read(data: object, file: str, problems: _Problems) -> SuiteFile:
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
    regions = _region_names(top.region_meta, file)
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
            _check_conditions(made, known, file)
    for number, text in enumerate(formulas):
        with problems:
            _check_formula(text, number, known, len(regions), file)
    return SuiteFile(name, metric, top.meta, regions, formulas, tuple(items.values()))


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
    raise DataError(f"{file}: {where} is {_short(value)}; it must be {kind}")


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else shown[:37] + "…"


def _region_names(names: Mapping[str, Any], file: str) -> tuple[str, ...]:
    wanted = [str(number) for number in range(1, len(names) + 1)]
    missing = [number for number in wanted if number not in names]
    if missing or not names:
        raise DataError(
            f"{file}: region_meta has no region {(missing or ['1'])[0]}; "
            'number the regions "1", "2", … without gaps'
        )
    return tuple(str(names[number]) for number in wanted)


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
                f"{file}: prediction {number} has the type {_short(kind)}; only 'formula' is known"
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
                f"{file}: meta names the metric {_short(metric)}; use {', '.join(METRICS)} or all"
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
                f"{file}: {where}: the content of region {number} is {_short(region.content)}; "
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


def _check_conditions(item: SuiteItem, known: Iterable[str], file: str) -> None:
    for name in known:
        if name not in item.conditions:
            raise DataError(
                f"{file}: item {item.number}: condition {name!r} is missing, which other items "
                "have; add it or delete the item"
            )


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
