"""What one model did on one data set: all that the analyses read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import polars

Kind = Literal["pairs", "suites", "graded"]


@dataclass(frozen=True, slots=True)
class Scored:
    """A model's result as a run folder holds it.

    `items` has one row for each item and method (pairs) or prediction (suites), with the columns
    of `items.parquet`; `regions` one row for each region of a suite's condition.
    """

    model: str
    data: str
    kind: Kind
    summary: Mapping[str, Any]
    """`summary.json`."""
    levels: tuple[str, ...]
    """Names of the taxonomy's levels: field, phenomenon."""
    taxonomy: Mapping[str, tuple[str, ...]]
    """Path of each set, from the broadest class to the narrowest."""
    hashes: Mapping[str, str]
    """A hash of the content of each set: the same sentences, the same hash."""
    items: polars.LazyFrame
    regions: polars.LazyFrame | None = None

    def narrowest(self, name: str) -> str:
        """A set's narrowest class: a paradigm's phenomenon, a suite's circuit."""
        path = self.taxonomy.get(name, ())
        return path[-1] if path else ""

    def choices(self, method: str = "full") -> polars.DataFrame:
        """The rows of one method, in the order of the data."""
        import polars

        return self.items.filter(polars.col("method") == method).collect()

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that pairs were judged by, full-sentence choice first."""
        return tuple(self.summary.get("methods", ()))
