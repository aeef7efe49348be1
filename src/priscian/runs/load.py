"""Read run folders back: every result, and what is missing of a run that was not finished."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from priscian.analysis.scored import Kind, Scored
from priscian.errors import RunError
from priscian.runs.folder import RunFolder, safe_name


@dataclass(frozen=True, slots=True)
class LoadedRun:
    """A run: `run.json`, its results, and the results that it was to have and has not."""

    path: Path
    info: dict[str, Any]
    results: tuple[Scored, ...]
    missing: tuple[str, ...]
    """`model on data` for each result that is not there."""

    @property
    def finished(self) -> bool:
        """Whether everything that was asked for is there."""
        return not self.missing and self.info.get("status") == "finished"


def load_runs(paths: Sequence[Path]) -> list[LoadedRun]:
    """The runs in some folders, in their order; at least one result must be there."""
    if not paths:
        raise RunError("no runs; name the folders that priscian score --out made")
    runs = [load_run(path) for path in dict.fromkeys(paths)]
    if not any(run.results for run in runs):
        names = ", ".join(str(path) for path in paths)
        raise RunError(f"nothing was finished in {names}; go on with priscian score --resume")
    return runs


def load_run(path: Path) -> LoadedRun:
    """One run folder; its tables are opened, not read."""
    folder = RunFolder.open(path)
    info = folder.read()
    results, missing = [], []
    for model, about in info["models"].items():
        for name, data in info["request"]["data"].items():
            place = path / about.get("folder", safe_name(model)) / safe_name(name)
            if (place / "summary.json").is_file():
                results.append(_result(model, name, data, place))
            else:
                missing.append(f"{model} on {name}")
    begun = len(info["models"])
    asked = len(info["request"]["models"])
    if begun < asked:
        missing.append(f"{asked - begun} of {asked} models")
    return LoadedRun(path, info, tuple(results), tuple(missing))


def _result(model: str, name: str, data: dict[str, Any], place: Path) -> Scored:
    import polars

    try:
        summary = json.loads((place / "summary.json").read_text("utf-8"))
        items = polars.scan_parquet(place / "items.parquet")
        items.collect_schema()  # a damaged file is complained of here, by name
        regions = place / "regions.parquet"
        return Scored(
            model=model,
            data=name,
            kind=_kind(summary),
            summary=summary,
            levels=tuple(data["levels"]),
            taxonomy={s: tuple(about["taxonomy"]) for s, about in data["sets"].items()},
            hashes={s: about["hash"] for s, about in data["sets"].items()},
            items=items,
            regions=polars.scan_parquet(regions) if regions.is_file() else None,
        )
    except (OSError, ValueError, KeyError, polars.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise RunError(
            f"{place} cannot be read: {reason}; score it again into another folder"
        ) from None


def _kind(summary: dict[str, Any]) -> Kind:
    if "sg" in summary:
        return "suites"
    return "graded" if "graded" in summary else "pairs"
