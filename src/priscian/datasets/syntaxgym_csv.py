"""The CSV form of a suite: a row for each region; predictions in lines that begin `#Prediction`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from priscian.datasets.published_suites import find_published
from priscian.errors import DataError
from priscian.files import NumberedRows, Row, parse_delimited, read_text, shown, whole_number
from priscian.files.budget import refuse_large

COLUMNS = ("item_number", "condition_name", "region_number", "region_name", "content")
MARK = "#prediction"
FACTS = ("circuit", "author", "reference", "licence", "language")
"""Keys of a suite's meta that may be written above the header, as `#licence: CC-BY-4.0`."""
MOST_REGIONS = 500_000
"""Rows of a suite: a region takes more memory than a row of other tables."""
LONGEST_NUMBER = 9
"""Digits of an item's or region's number."""


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
