"""The suites of a result as SyntaxGym writes evaluated ones: a surprisal in every region."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from priscian.datasets import read_dataset
from priscian.datasets.syntaxgym_write import write_suite
from priscian.errors import RunError
from priscian.files import file_names, inside
from priscian.records import Item
from priscian.runs.result import Result

Bits = dict[tuple[str, str], dict[str, float]]  # (item, condition) -> region -> bits


def write_suite_files(result: Result, limit: int | None, folder: Path) -> list[Path]:
    """One JSON file for each suite; the data are read again and must not have changed.

    A suite that could not be judged has none; the run reported it.
    """
    bits: dict[str, Bits] = {}
    if result.regions is not None:
        for row in result.regions.collect().iter_rows(named=True):
            suite_bits = bits.setdefault(row["set"], {})
            conditions = suite_bits.setdefault((row["item"], row["condition"]), {})
            conditions[str(row["region"])] = row["surprisal"]
    files = file_names(bits)
    made = []
    for suite in read_dataset(result.facts.spec, limit=limit).sets:
        before = result.facts.sets.get(suite.name)
        if before is not None and not suite.content_hash.startswith(before.hash):
            raise RunError(
                f"{result.facts.spec}: the suite {suite.name} has changed since the run was "
                "made; put the file back, or score again"
            )
        if before is None or suite.name not in bits:
            continue

        def values(
            item: Item, condition: str, known: Bits = bits[suite.name]
        ) -> Mapping[str, float]:
            return known[item.id, condition]

        made.append(inside(folder, f"{files[suite.name]}.json"))
        write_suite(suite, made[-1], values, result.model)
    return made
