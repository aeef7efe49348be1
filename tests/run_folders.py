"""Results and run folders that no model made, in the form that runs have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import polars

from priscian.files import file_names, write_json
from priscian.runs import DataFacts, ModelFacts, Request, Result, RunInfo, Summary
from priscian.runs.facts import FORMAT, SetFacts
from priscian.runs.record import write_tables
from priscian.runs.result import in_memory


def make_result(
    summary: Summary,
    taxonomy: Mapping[str, tuple[str, ...]],
    hashes: Mapping[str, str],
    levels: tuple[str, ...],
    tables: Mapping[str, polars.DataFrame],
) -> Result:
    """A result in memory; the columns that every table has are added."""
    named = {
        name: table.select(
            polars.lit(summary.model).alias("model"),
            polars.lit(summary.data).alias("data"),
            *(
                polars.lit(None, polars.String).alias(level)
                for level in {"suites": ("circuit",)}.get(summary.kind, ("field", "phenomenon"))
                if level not in table.columns
            ),
            *table.columns,
        )
        for name, table in tables.items()
    }
    sets = {
        name: SetFacts(n=1, hash=hashes.get(name, ""), taxonomy=path)
        for name, path in taxonomy.items()
    }
    facts = DataFacts(
        spec=summary.data, kind=summary.kind, folder=summary.data, sets=sets, levels=levels
    )
    about = ModelFacts(string=summary.model, folder=file_names([summary.model])[summary.model])
    return Result(summary.model, summary.data, summary, facts, about, in_memory(named))


def write_run(
    folder: Path, *results: Result, missing: Sequence[str] = (), status: str = "finished"
) -> Path:
    """The results as a run folder; models in `missing` were asked for and not begun."""
    models = {r.model: r.about for r in results}
    info = RunInfo(
        format=FORMAT,
        priscian="0",
        created="2026-01-02T03:04:05+0000",
        status="running" if missing else status,  # type: ignore[arg-type]
        request=Request(models=(*models, *missing), data={r.data: r.facts for r in results}),
        models=models,
    )
    for result in results:
        place = folder / result.about.folder / result.facts.folder
        tables = {"items": result.items.collect()}
        if result.regions is not None:
            tables["regions"] = result.regions.collect()
        write_tables(place, tables)
        write_json(place / "summary.json", result.summary.to_dict())
    write_json(folder / "run.json", msgspec.to_builtins(info))
    return folder


def regions_of(result: Result, item: str) -> dict[str, dict[str, float]]:
    """Surprisals of an item's regions in bits, by condition and region number."""
    assert result.regions is not None
    found: dict[str, dict[str, float]] = {}
    rows = result.regions.filter(polars.col("item") == item).collect()
    for row in rows.iter_rows(named=True):
        found.setdefault(row["condition"], {})[str(row["region"])] = row["surprisal"]
    return found
