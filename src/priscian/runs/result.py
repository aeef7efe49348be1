"""Results of models on data sets, as runs, analyses and reports use them; and a run of several."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from priscian.errors import DataError, RunError, UsageError, counted
from priscian.files import read_bytes, read_frame
from priscian.files.reading import Stamp, stamp_of
from priscian.runs.facts import DataFacts, ModelFacts, RunInfo, Summary
from priscian.runs.kinds.registry import find_kind
from priscian.runs.show import Chart, html_table, percent, scores_chart, to_pandas

if TYPE_CHECKING:
    import polars

    from priscian.runs.tokens import TokenTable

S = TypeVar("S", bound=Summary)
SUMMARY = "summary.json"
TABLE = "scores.csv"
"""The table of sentence scores, of graded data."""

OpenTable = Callable[[str], "polars.LazyFrame | None"]
"""A table by name, opened on demand; None if there is none."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Result:
    """A model's result on a data set, from `score` or from a run folder.

    `summary` holds the numbers, typed by the kind of data; `items` one row for each item and method
    (pairs) or prediction (suites); `regions` one row for each region of a suite's condition.
    """

    model: str
    data: str
    summary: Summary
    facts: DataFacts
    """The data: taxonomy, hashes, how it was named."""
    about: ModelFacts
    """The model: string, key, folder."""
    open_table: OpenTable
    label: str = ""
    """The result's name in comparisons; by default the model's name."""

    def __post_init__(self) -> None:
        if not self.label:
            object.__setattr__(self, "label", self.model)

    def __repr__(self) -> str:
        score = self.summary.headline
        return (
            f"<Result {self.model} on {self.data} ({self.kind}): {percent(score)}, "
            f"n = {score.n:,}, {counted(len(self.summary.by_set()), self.summary.unit)}>"
        )

    @property
    def kind(self) -> str:
        """pairs, suites, graded, labels, or a plug-in's kind."""
        return self.summary.kind

    def expect(self, kind: type[S]) -> S:
        """The summary, if it is of that type; a UsageError if the data are of another kind."""
        if not isinstance(self.summary, kind):
            wanted = kind.__struct_config__.tag
            raise UsageError(
                f"{self.model} on {self.data} is a result on {self.kind}, not on {wanted}"
            )
        return self.summary

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the taxonomy's levels: field, phenomenon."""
        return self.facts.levels

    @property
    def taxonomy(self) -> Mapping[str, tuple[str, ...]]:
        """Path of each set, from the broadest class to the narrowest."""
        return self.facts.taxonomy

    @property
    def hashes(self) -> Mapping[str, str]:
        """A hash of the content of each set; the same sentences have the same hash."""
        return self.facts.hashes

    def narrowest(self, name: str) -> str:
        """A set's narrowest class: a paradigm's phenomenon, a suite's circuit."""
        path = self.facts.sets[name].taxonomy if name in self.facts.sets else ()
        return path[-1] if path else ""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that items were judged by, full-sentence choice first; suites have none."""
        return tuple(getattr(self.summary, "methods", ()))

    @property
    def overall(self) -> float:
        """The headline score: accuracy by full-sentence choice, SG score."""
        return self.summary.headline.accuracy

    # ------------------------------------------------------------ tables

    @property
    def items(self) -> polars.LazyFrame:
        """One row for each item and method or prediction; read when it is collected."""
        found = self._table("items")
        if found is None:
            raise RunError(f"{self.model} on {self.data}: no table of items; score it again")
        return found

    @property
    def regions(self) -> polars.LazyFrame | None:
        """One row for each region of each condition, in bits; None if the data have none."""
        return self._table("regions")

    def _table(self, name: str) -> polars.LazyFrame | None:
        found = self.open_table(name)
        if found is not None:
            check_columns(self, name, found.collect_schema().names())
        return found

    def choices(self, method: str = "full") -> polars.DataFrame:
        """The rows of one method, in the order of the data."""
        import polars

        return self.items.filter(polars.col("method") == method).collect()

    def frame(self) -> polars.DataFrame:
        """The table of items, in memory."""
        return self.items.collect()

    def to_pandas(self) -> Any:
        """The table of items as a pandas data frame; needs pandas."""
        return to_pandas(self.frame())

    def tokens(self, texts: Sequence[str]) -> TokenTable | None:
        """Token surprisals of some texts: of the run, or if it has none, of the score store."""
        from priscian.runs.tokens import TOKENS, pick_tokens, read_tokens

        table = self._table(TOKENS)
        found = None if table is None else pick_tokens(table, texts)
        return read_tokens(self.about, texts) if found is None else found

    # ------------------------------------------------------------ notebooks

    def plot(self) -> Chart:
        """Accuracy by phenomenon, circuit or set, as a Vega-Lite chart."""
        return scores_chart([self])

    def _repr_html_(self) -> str:
        return html_table([self])


def in_memory(tables: Mapping[str, polars.DataFrame]) -> OpenTable:
    """Tables that exist only in memory."""

    def open_table(name: str) -> polars.LazyFrame | None:
        return tables[name].lazy() if name in tables else None

    return open_table


@dataclass(frozen=True, slots=True)
class FolderTables:
    """The tables of a result's folder, read on demand.

    A table is read completely before any part of it is used, so that damage is reported. `hashes`
    are those of the files when the result was written. Without them, a table must be what it was
    when reading began (`stamps`), and every time the same.
    """

    place: Path
    hashes: Mapping[str, str] = field(default_factory=dict)
    stamps: Mapping[Path, Stamp | None] = field(default_factory=dict)
    _read: dict[str, str] = field(default_factory=dict)

    def __call__(self, name: str) -> polars.LazyFrame | None:
        path = self.path(name)
        if name != "items" and not path.is_file():
            return None
        if path.name not in self._read:
            self.read(name)
        data = self.checked(path.name)
        import polars

        return polars.scan_parquet(io.BytesIO(data))

    def checked(self, name: str) -> bytes:
        """The bytes of a file, which must be those that belong to the result."""
        path = self.place / name
        before = stamp_of(path)
        data = read_bytes(path)
        digest = hashlib.sha256(data).hexdigest()
        known = self.hashes.get(name) or self._read.get(name)
        if known is None:
            same = self.stamps.get(path, before) == before == stamp_of(path)
        else:
            same = known == digest
        if not same:
            raise RunError(
                f"{path} is not the file that belongs to this result: it changed, or results of "
                "two runs are mixed; read it when nothing writes to it, or score it again into "
                "another folder"
            )
        self._read[name] = digest
        return data

    def path(self, name: str) -> Path:
        """The file of a table."""
        return self.place / f"{name}.parquet"

    def read(self, name: str) -> polars.DataFrame:
        """A table in memory; a RunError says what is wrong with its file."""
        try:
            return read_frame(self.path(name))
        except DataError as error:
            raise RunError(f"{error}, or score it again into another folder") from None

    def columns(self, name: str) -> list[str]:
        """The columns of a table; no row is read."""
        import polars

        path = self.path(name)
        try:
            return polars.scan_parquet(path).collect_schema().names()
        except (OSError, polars.exceptions.PolarsError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise RunError(
                f"{path} cannot be read: {reason}; score it again into another folder"
            ) from None


def check_columns(result: Result, name: str, columns: Sequence[str]) -> None:
    """Refuse a table without the columns that its kind of data needs."""
    for column in find_kind(result.kind).columns.get(name, ()):
        if column not in columns:
            raise RunError(
                f"{result.model} on {result.data}: {name}.parquet has no column {column!r}; "
                "score it again into another folder"
            )


def labelled(results: Sequence[Result], labels: Sequence[str]) -> list[Result]:
    """The same results under other names."""
    return [replace(r, label=name) for r, name in zip(results, labels, strict=True)]


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
