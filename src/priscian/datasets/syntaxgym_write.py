"""Suites written back: as SyntaxGym's JSON, with region surprisals if they are known, or as CSV."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from priscian.datasets.syntaxgym import COLUMNS, FACTS, contents_of
from priscian.errors import DataError
from priscian.files import delimited_text, write_text
from priscian.formulas import print_formula
from priscian.records import Item, ItemSet

# (item, condition) -> surprisal in bits by region number; None where it is not known
RegionValues = Callable[[Item, str], Mapping[str, float]]


def suite_json(
    suite: ItemSet, values: RegionValues | None = None, model: str = ""
) -> dict[str, Any]:
    """A suite in SyntaxGym's form; with `values`, every region gets `metric_value` and `oovs`."""
    metric = str(suite.meta.get("metric", "sum"))
    meta = dict(cast(Mapping[str, Any], suite.meta.get("meta", {"name": suite.name})))
    meta.setdefault("metric", metric)
    if values is not None:
        meta |= {"model": model, "metric": metric}
    items = []
    for item in suite.items:
        conditions = []
        for condition, contents in contents_of(item).items():
            bits = values(item, condition) if values else None
            regions: list[dict[str, Any]] = []
            for number, content in enumerate(contents, 1):
                regions.append({"region_number": number, "content": content})
                if bits is not None:
                    regions[-1] |= {"metric_value": {metric: bits[str(number)]}, "oovs": []}
            conditions.append({"condition_name": condition, "regions": regions})
        items.append({"item_number": item_number(item), "conditions": conditions})
    return {
        "meta": meta,
        "region_meta": {str(n): name for n, name in enumerate(region_names(suite), 1)},
        "predictions": [{"type": "formula", "formula": text} for text in formulas_of(suite)],
        "items": items,
    }


def item_number(item: Item) -> int:
    """The number of a suite's item."""
    return int(str(item.meta["item_number"]))


def region_names(suite: ItemSet) -> tuple[str, ...]:
    """What the regions of a suite are called."""
    return cast(tuple[str, ...], suite.meta["region_names"])


def formulas_of(suite: ItemSet) -> tuple[str, ...]:
    """The formulas as written in the file; printed from their trees if they were made in code."""
    written = suite.meta.get("formulas")
    if written:
        return cast(tuple[str, ...], written)
    return tuple(print_formula(contrast.expression) for contrast in suite.contrasts)


def write_suite(
    suite: ItemSet, file: Path, values: RegionValues | None = None, model: str = ""
) -> None:
    """Write JSON, or CSV if the file name ends in .csv; CSV cannot hold surprisals."""
    if file.suffix.lower() == ".csv":
        if values is not None:
            raise DataError(f"{file}: the CSV form has no surprisals; write {file.stem}.json")
        text = suite_csv(suite)
    else:
        text = suite_text(suite, values, model)
    write_text(file, text)


def suite_text(suite: ItemSet, values: RegionValues | None = None, model: str = "") -> str:
    """The text of a suite's JSON file."""
    return json.dumps(suite_json(suite, values, model), indent=1, ensure_ascii=False) + "\n"


def suite_csv(suite: ItemSet) -> str:
    """A row for each region; formulas, circuit, licence and reference above the header."""
    meta = cast(Mapping[str, object], suite.meta.get("meta", {}))
    head = [f"#Prediction {formula}\n" for formula in formulas_of(suite)]
    head += [f"#{key}: {' '.join(str(meta[key]).split())}\n" for key in FACTS if meta.get(key)]
    names = region_names(suite)
    cells = (
        (item_number(item), condition, number, names[number - 1], content)
        for item in suite.items
        for condition, contents in contents_of(item).items()
        for number, content in enumerate(contents, 1)
    )
    return "".join(head) + delimited_text(dict(zip(COLUMNS, row, strict=True)) for row in cells)
