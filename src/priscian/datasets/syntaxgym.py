"""Suites in SyntaxGym's JSON or CSV: read, checked, with formulas as contrasts."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from priscian.datasets.published_suites import REFERENCE, find_published
from priscian.datasets.syntaxgym_csv import read_suite_csv
from priscian.datasets.syntaxgym_schema import Suite, check_suite
from priscian.datasets.syntaxgym_sentences import build_sentence
from priscian.errors import DataError, DataWarning
from priscian.files import PathLike, collector_paused, data_files, read_json
from priscian.formulas import chance_of, parse_formula
from priscian.records import Contrast, Item, ItemSet

SUITE_SUFFIXES = (".json", ".csv")
NOT_SUITES = frozenset({"manifest.json"})


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


def suite_itemset(suite: Suite, file: str) -> ItemSet:
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
