"""The CSV form of a suite: a row for each region; predictions in lines that begin `#Prediction`."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from priscian.datasets.published_suites import find_published
from priscian.datasets.syntaxgym_schema import Suite, check_suite
from priscian.errors import DataError
from priscian.files.rows import read_text

COLUMNS = ("item_number", "condition_name", "region_number", "region_name", "content")
MARK = "#prediction"
FACTS = ("circuit", "author", "reference", "licence", "language")
"""Keys of a suite's meta that stand above the header too, as `#licence: CC-BY-4.0`."""


def read_suite_csv(file: Path) -> Suite:
    """A suite from `item_number,condition_name,region_number,region_name,content`.

    The formulas stand above the header, one per line after `#Prediction`; a file with the name of
    a published suite may leave them out. `#circuit: …` and other facts may stand there too.
    """
    lines = read_text(file).splitlines(keepends=True)
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
            f"{file}: the CSV form holds no formula; put a line '#Prediction FORMULA' above the "
            "header, or give the suite as JSON"
        )
    rows = _rows(file, "".join(lines[skipped:]), skipped)
    data = _as_json(file, rows, formulas)
    data["meta"] |= facts
    return check_suite(data, str(file))


def _rows(file: Path, text: str, skipped: int) -> list[tuple[int, dict[str, str]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing and missing != ["region_name"]:
        raise DataError(
            f"{file}:{skipped + 1}: no column {missing[0]!r}; a suite needs {', '.join(COLUMNS)}"
        )
    rows = []
    try:
        for row in reader:
            line = skipped + reader.line_num
            if None in row or any(row[name] is None for name in reader.fieldnames or ()):
                raise DataError(
                    f"{file}:{line}: the number of cells differs from the header's; quote cells "
                    "that contain a comma"
                )
            rows.append((line, row))
    except csv.Error as error:
        raise DataError(
            f"{file}:{skipped + reader.line_num}: broken quoting ({error}); "
            "double the quotation marks inside a quoted cell"
        ) from None
    return rows


def _as_json(
    file: Path, rows: list[tuple[int, dict[str, str]]], formulas: list[str]
) -> dict[str, Any]:
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


def _whole(file: Path, line: int, row: dict[str, str], column: str) -> int:
    try:
        return int(row[column])
    except ValueError:
        raise DataError(
            f"{file}:{line}: {column} is {row[column]!r}; write a whole number"
        ) from None
