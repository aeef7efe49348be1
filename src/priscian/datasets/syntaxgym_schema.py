"""The schema of SyntaxGym's JSON: checked key by key, every error with its place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from priscian.errors import DataError, FormulaError
from priscian.formulas import parse_formula, values_of

METRICS = ("sum", "mean", "median", "range", "max", "min")
_KINDS = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}


@dataclass(frozen=True, slots=True)
class SuiteItem:
    """An item as in the file: the contents of all regions, by condition, stripped."""

    number: int
    conditions: Mapping[str, tuple[str, ...]]
    spaced: tuple[str, ...] = ()
    """Regions that had spaces at an edge, or more than one in a row."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite as in the file."""

    name: str
    metric: str
    meta: Mapping[str, Any]
    regions: tuple[str, ...]
    formulas: tuple[str, ...]
    items: tuple[SuiteItem, ...]


def check_suite(data: object, file: str) -> Suite:
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


def _read(data: object, file: str, problems: _Problems) -> Suite:
    top = _Place(data, file, "the file")
    meta = top.child("meta", dict)
    name, metric = "", "sum"
    formulas: tuple[str, ...] = ()
    with problems:
        name = str(meta.child("name", str).value).strip()
        if not name:
            raise DataError(f"{file}: meta has an empty name; give the suite a name")
        metric = _metric(meta, file)
    with problems:
        formulas = _formulas(top.child("predictions", list))
    regions = _region_names(top.child("region_meta", dict))
    items: dict[int, SuiteItem] = {}
    listed = top.child("items", list)
    if not listed.value:
        raise DataError(f"{file}: the suite has no items; it needs at least one")
    for place in listed.members("item", dict):
        with problems:
            number = int(place.child("item_number", int).value)
            if number in items:
                raise DataError(f"{file}: two items have the number {number}; number them from 1")
            items[number] = _item(number, place.child("conditions", list), regions, problems)
    known = dict.fromkeys(name for item in items.values() for name in item.conditions)
    for item in items.values():
        with problems:
            _check_conditions(item, known, file)
    for number, text in enumerate(formulas):
        with problems:
            _check_formula(text, number, known, len(regions), file)
    return Suite(name, metric, meta.value, regions, formulas, tuple(items.values()))


@dataclass(frozen=True, slots=True)
class _Place:
    """A value and its place in the file."""

    value: Any
    file: str
    where: str

    def child(self, key: str, kind: type) -> _Place:
        if not isinstance(self.value, dict):
            raise DataError(f"{self.file}: {self.where} is not a JSON object; see docs/suites.md")
        if key not in self.value:
            raise DataError(
                f"{self.file}: {self.where} has no {key!r}; add it as {_KINDS[kind]} "
                "(docs/suites.md shows the format)"
            )
        return _Place(self.value[key], self.file, f"{key} of {self.where}").of(kind)

    def members(self, noun: str, kind: type) -> list[_Place]:
        return [
            _Place(value, self.file, f"{noun} {n}").of(kind)
            for n, value in enumerate(self.value, 1)
        ]

    def of(self, kind: type) -> _Place:
        if not isinstance(self.value, kind) or isinstance(self.value, bool):
            raise DataError(
                f"{self.file}: {self.where} is {_short(self.value)}; it must be {_KINDS[kind]}"
            )
        return self


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else shown[:37] + "…"


def _region_names(place: _Place) -> tuple[str, ...]:
    names = place.value
    wanted = [str(number) for number in range(1, len(names) + 1)]
    missing = [number for number in wanted if number not in names]
    if missing or not names:
        raise DataError(
            f"{place.file}: region_meta has no region {(missing or ['1'])[0]}; "
            'number the regions "1", "2", … without gaps'
        )
    return tuple(str(names[number]) for number in wanted)


def _formulas(place: _Place) -> tuple[str, ...]:
    if not place.value:
        raise DataError(
            f"{place.file}: the suite has no predictions; add at least one formula, as "
            '{"type": "formula", "formula": "(5;%a%) < (5;%b%)"}'
        )
    found = []
    for prediction in place.members("prediction", dict):
        kind = prediction.value.get("type", "formula")
        if kind != "formula":
            raise DataError(
                f"{place.file}: {prediction.where} has the type {_short(kind)}; "
                "only 'formula' is known"
            )
        found.append(str(prediction.child("formula", str).value))
    return tuple(found)


def _metric(meta: _Place, file: str) -> str:
    """The metric that formulas refer to: the sum if it is among several."""
    asked = meta.value.get("metric")
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


def _item(number: int, place: _Place, regions: Sequence[str], problems: _Problems) -> SuiteItem:
    conditions: dict[str, tuple[str, ...]] = {}
    spaced: list[str] = []
    file, at = place.file, f"item {number}"
    for condition in place.members(f"{at}, condition", dict):
        with problems:
            name = str(condition.child("condition_name", str).value)
            if name in conditions:
                raise DataError(f"{file}: {at} has the condition {name!r} twice; delete one")
            where = f"{at}, condition {name!r}"
            raw = _contents(condition.child("regions", list), where, len(regions), file)
            conditions[name] = tuple(" ".join(text.split()) for text in raw)
            for region, (was, now) in enumerate(zip(raw, conditions[name], strict=True), 1):
                if was != now:
                    spaced.append(f"condition {name!r}, region {region}: {was!r}")
            if not any(conditions[name]):
                raise DataError(f"{file}: {where}: every region is empty; write the sentence")
    if not conditions:
        raise DataError(f"{file}: {at} has no conditions; it needs all that the formulas name")
    return SuiteItem(number, conditions, tuple(spaced))


def _contents(place: _Place, where: str, count: int, file: str) -> list[str]:
    found: dict[int, str] = {}
    for region in place.members(f"{where}, region", dict):
        number = int(region.child("region_number", int).value)
        if not 1 <= number <= count:
            raise DataError(
                f"{file}: {where}: region {number} is not in region_meta, which has 1 to {count}; "
                "correct the number or add the region"
            )
        if number in found:
            raise DataError(f"{file}: {where}: region {number} is listed twice; delete one")
        content = region.value.get("content")
        if not isinstance(content, str):
            raise DataError(
                f"{file}: {where}: the content of region {number} is {_short(content)}; "
                'write a text, "" for an empty region'
            )
        found[number] = content
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
