"""A run: the request, and all results so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from priscian.runs.facts import RunInfo
from priscian.runs.result import Result
from priscian.runs.show import Chart, counted, html_table, scores_chart, to_pandas

if TYPE_CHECKING:
    import polars

SHOWN = 8
"""Number of results that `repr(run)` lists."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Run:
    """Results of models on data sets, from `score` or from a run folder.

    `run["builtin:lstm"]` is the part of the run that is about one model, and
    `run["builtin:lstm", "seed7"]` its result on one data set.
    """

    info: RunInfo
    """`run.json`: the request, the models, the versions."""
    results: tuple[Result, ...]
    path: Path | None = None
    """The run folder, if there is one."""

    def __repr__(self) -> str:
        where = f" {self.path}" if self.path else ""
        lines = [f"<Run{where}: {counted(len(self.results), 'result')}, {self.info.status}>"]
        lines += [f"  {result!r}" for result in self.results[:SHOWN]]
        if len(self.results) > SHOWN:
            lines.append(f"  … and {len(self.results) - SHOWN} more")
        return "\n".join(lines)

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    @overload
    def __getitem__(self, key: str) -> Run: ...
    @overload
    def __getitem__(self, key: tuple[str, str]) -> Result: ...
    def __getitem__(self, key: str | tuple[str, str]) -> Run | Result:
        if isinstance(key, str):
            chosen = tuple(r for r in self.results if r.model == key)
            if chosen:
                return replace(self, results=chosen)
            raise KeyError(f"no model {key!r}; there are {', '.join(self.models) or 'none'}")
        for result in self.results:
            if (result.model, result.data) == key:
                return result
        there = ", ".join(f"{r.model} on {r.data}" for r in self.results) or "none"
        raise KeyError(f"no result of {' on '.join(map(str, key))}; there are {there}")

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models that have a result."""
        return tuple(dict.fromkeys(r.model for r in self.results))

    @property
    def missing(self) -> tuple[str, ...]:
        """`model on data` for each requested result that is missing."""
        there = {(r.model, r.data) for r in self.results}
        lacking = [
            f"{model} on {data}"
            for model in self.info.models
            for data in self.info.request.data
            if (model, data) not in there
        ]
        asked, begun = len(self.info.request.models), len(self.info.models)
        if begun < asked:
            lacking.append(f"{asked - begun} of {asked} models")
        return tuple(lacking)

    @property
    def finished(self) -> bool:
        """Whether all requested results exist."""
        return not self.missing and self.info.status == "finished"

    @property
    def failures(self) -> tuple[str, ...]:
        """One line for everything that failed."""
        refused = (line for data in self.info.request.data.values() for line in data.refused)
        problems = (line for result in self.results for line in result.summary.problems)
        return (*refused, *dict.fromkeys(problems))

    def frame(self) -> polars.DataFrame:
        """The items of all results in one table; columns that a kind of data lacks are empty."""
        import polars

        tables = [result.items for result in self.results]
        if not tables:
            return polars.DataFrame()
        return polars.concat(tables, how="diagonal").collect()

    def to_pandas(self) -> Any:
        """The same as a pandas data frame; needs pandas."""
        return to_pandas(self.frame())

    def plot(self) -> Chart:
        """Accuracies of all models by phenomenon, circuit or set, as a Vega-Lite chart."""
        return scores_chart(self.results)

    def _repr_html_(self) -> str:
        return html_table(self.results)
