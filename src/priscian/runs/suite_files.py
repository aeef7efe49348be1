"""The suites of a result as SyntaxGym writes evaluated ones: a surprisal in every region."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from priscian.datasets import read_dataset
from priscian.datasets.syntaxgym_write import write_suite
from priscian.errors import RunError
from priscian.files import file_names, inside
from priscian.records import Item, ItemSet
from priscian.runs.result import Result

Bits = dict[tuple[str, str], dict[str, float]]  # (item, condition) -> region -> bits


def write_suite_files(result: Result, limit: int | None, folder: Path) -> list[Path]:
    """One JSON file for each suite; the data are read again and must not have changed."""
    known = _read_bits(result)
    files = file_names(known)
    made = []
    for suite in _suites(result, limit):
        if suite.name not in known:
            continue  # it could not be judged, and the run reported it
        bits = known[suite.name]

        def values(item: Item, condition: str, bits: Bits = bits) -> Mapping[str, float]:
            return bits[item.id, condition]

        made.append(inside(folder, f"{files[suite.name]}.json"))
        write_suite(suite, made[-1], values, result.model)
    return made


def _suites(result: Result, limit: int | None) -> Iterator[ItemSet]:
    for suite in read_dataset(result.facts.spec, limit=limit).sets:
        before = result.facts.sets.get(suite.name)
        if before is None:
            continue
        if not suite.content_hash.startswith(before.hash):
            raise RunError(
                f"{result.facts.spec}: the suite {suite.name} has changed since the run was "
                "made; put the file back, or score again"
            )
        yield suite


def _read_bits(result: Result) -> dict[str, Bits]:
    found: dict[str, Bits] = {}
    if result.regions is None:
        return found
    for row in result.regions.collect().iter_rows(named=True):
        suite = found.setdefault(row["set"], {})
        suite.setdefault((row["item"], row["condition"]), {})[str(row["region"])] = row["surprisal"]
    return found
