"""Suites in SyntaxGym's JSON or CSV: read, checked, with formulas as contrasts."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from priscian.datasets.published_suites import REFERENCE, find_published
from priscian.datasets.syntaxgym_schema import CheckedSuite, check_suite
from priscian.datasets.syntaxgym_sentences import build_sentence
from priscian.errors import DataError, DataWarning
from priscian.files import (
    NumberedRows,
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
from priscian.formulas import chance_of, parse_formula
from priscian.records import Contrast, Item, ItemSet

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


def suite_from_json(data: Any, where: str) -> ItemSet:
    """A suite from decoded JSON; `where` is named in errors."""
    return suite_itemset(check_suite(data, where), where)


def suite_itemset(suite: CheckedSuite, file: str) -> ItemSet:
    """A suite as an item set: regions are spans, formulas contrasts, the circuit its taxonomy."""
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
        reference=str(suite.meta.get("reference") or (REFERENCE if official else "")),
        meta={
            "file": file,
            "metric": suite.metric,
            "meta": dict(suite.meta),
            "region_names": suite.regions,
            "formulas": suite.formulas,
            "modifier_of": known.modifier_of if known else "",
        },
    )


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
    for line in lines:
        if line.strip() and not line.startswith("#"):
            break
        skipped += 1
        if line.lower().startswith(MARK):
            formulas.append(line[len(MARK) :].strip(" :\t\r\n"))
        key, _, value = line[1:].partition(":")
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
    data = _as_json(file, rows, formulas)
    data["meta"] |= facts
    return data


def _as_json(file: Path, rows: NumberedRows, formulas: list[str]) -> dict[str, Any]:
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
        "meta": {"name": file.stem, "metric": "sum", "comment": "", "reference": "", "author": ""},
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
