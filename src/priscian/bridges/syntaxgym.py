"""A run's suites as SyntaxGym writes evaluated ones: `metric_value` in every region."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from priscian.datasets import read_dataset
from priscian.datasets.syntaxgym_write import write_suite
from priscian.errors import RunError
from priscian.records import Item, ItemSet
from priscian.runs.folder import RunFolder, safe_name

Bits = dict[tuple[str, str], dict[str, float]]  # (item, condition) -> region -> bits


def is_suites_folder(folder: Path) -> bool:
    """Whether a result is one on suites."""
    return (folder / "regions.parquet").is_file()


def syntaxgym(run: RunFolder, model: str, data: Mapping[str, Path], out: Path) -> list[Path]:
    """One JSON file a suite, its regions with the model's surprisals in bits."""
    made: list[Path] = []
    request = run.read()["request"]
    for name, folder in data.items():
        if not is_suites_folder(folder):
            continue
        facts = next(f for n, f in request["data"].items() if safe_name(n) == name)
        known = _read_bits(folder)
        for suite in _suites(facts, request.get("limit"), run.path):
            if suite.name not in known:
                continue  # it could not be judged, and the run said so
            bits = known[suite.name]

            def values(item: Item, condition: str, bits: Bits = bits) -> Mapping[str, float]:
                return bits[item.id, condition]

            made.append(out / model / name / f"{safe_name(suite.name)}.json")
            write_suite(suite, made[-1], values, model)
    if not made:
        raise RunError(f"{run.path} has no result of {model} on suites; score --on sg:PATH first")
    return made


def _suites(facts: Mapping[str, Any], limit: int | None, run: Path) -> Iterator[ItemSet]:
    """The suites that a run was made on, read again and known by their contents."""
    for suite in read_dataset(facts["spec"], limit=limit).sets:
        before = facts["sets"].get(suite.name)
        if before is None:
            continue
        if before["hash"] != suite.content_hash[:16]:
            raise RunError(
                f"{facts['spec']}: the suite {suite.name} is not what it was when {run} was made; "
                "put the file back, or score again"
            )
        yield suite


def _read_bits(folder: Path) -> dict[str, Bits]:
    import polars

    found: dict[str, Bits] = {}
    for row in polars.read_parquet(folder / "regions.parquet").iter_rows(named=True):
        suite = found.setdefault(row["set"], {})
        suite.setdefault((row["item"], row["condition"]), {})[str(row["region"])] = row["surprisal"]
    return found
