"""Whether models, and people, find the same paradigms hard: correlations over paradigms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

from priscian.analysis.blimp.published_rows import starred
from priscian.analysis.vega import Figure, HasFigures
from priscian.datasets.published import published
from priscian.errors import DataError, UsageError
from priscian.files import plain
from priscian.runs import Result
from priscian.runs.show import counted
from priscian.stats.correlations import Correlation, pearson, spearman

Coefficient = Literal["pearson", "spearman"]
NAMES: dict[Coefficient, str] = {"pearson": "Pearson's r", "spearman": "Spearman's ρ"}
LEAST = 4
"""With fewer points, Fisher's interval cannot be computed."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Two systems over the sets that both were evaluated on."""

    a: str
    b: str
    n: int
    pearson: Correlation | None
    spearman: Correlation | None
    why: str = ""
    """Why there is no coefficient."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        found: dict[str, Any] = {"a": self.a, "b": self.b, "n": self.n}
        for name in ("pearson", "spearman"):
            value: Correlation | None = getattr(self, name)
            found[name] = plain(value) if value else None
        return found | ({"why": self.why} if self.why else {})


@dataclass(frozen=True, slots=True)
class Correlations(HasFigures):
    """Accuracies of systems by set, and the correlation of every two systems."""

    accuracies: Mapping[str, Mapping[str, float]]
    published: tuple[str, ...]
    cells: tuple[Cell, ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Heat maps of Pearson's and of Spearman's correlations."""
        from priscian.analysis.compare.correlation_figure import correlation_figure

        return (correlation_figure(self), correlation_figure(self, "spearman"))

    def between(self, a: str, b: str) -> Cell:
        """The cell of two systems, in either order."""
        return next(c for c in self.cells if {c.a, c.b} == {a, b})

    def matrix(self, coefficient: Coefficient = "pearson") -> dict[str, dict[str, float | None]]:
        """A coefficient of every system with every other, by name; 1 with itself."""
        found: dict[str, dict[str, float | None]] = {a: {} for a in self.accuracies}
        for a in self.accuracies:
            for b in self.accuracies:
                if a == b:
                    found[a][b] = 1.0
                else:
                    value: Correlation | None = getattr(self.between(a, b), coefficient)
                    found[a][b] = value.r if value else None
        return found

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "pearson": self.matrix("pearson"),
            "spearman": self.matrix("spearman"),
            "pairs": [c.as_dict() for c in self.cells],
            "published": list(self.published),
            "sets": {name: len(column) for name, column in self.accuracies.items()},
        }


@dataclass(frozen=True, slots=True)
class CorrelationsByKind(HasFigures, Mapping[str, Correlations]):
    """Correlations over paradigms (pairs) and over suites; they are not mixed."""

    kinds: Mapping[str, Correlations]

    def __getitem__(self, kind: str) -> Correlations:
        return self.kinds[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self.kinds)

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Heat maps of each kind."""
        drawn = [(kind, figure) for kind, c in self.items() for figure in c.figures]
        if len(self) > 1:
            drawn = [(kind, replace(f, name=f"{f.name}-{kind}")) for kind, f in drawn]
        return tuple(figure for _, figure in drawn)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {kind: c.as_dict() for kind, c in self.items()}


def correlate_kinds(
    results: Sequence[Result], *, method: str = "full", published: bool = True
) -> CorrelationsByKind:
    """Correlate results on pairs with each other, and results on suites."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault("suites" if result.kind == "suites" else "pairs", []).append(result)
    baselines = None if published else ()
    return CorrelationsByKind(
        {
            kind: correlate(members, method=method, baselines=baselines)
            for kind, members in groups.items()
        }
    )


def correlate(
    results: Sequence[Result],
    *,
    method: str = "full",
    baselines: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
) -> Correlations:
    """Correlate results over their sets, with each other and with the paper's systems and people.

    Sets are matched by name, so results may be on different data of the same paradigms; `baselines`
    names published systems, by default all of them where a result has BLiMP's paradigms.
    """
    if not results:
        raise UsageError("no results to correlate; name a run")
    labels = names or system_names(results)
    columns = {name: set_accuracies(r, method) for name, r in zip(labels, results, strict=True)}
    known = published()
    own = {name for column in columns.values() for name in column}
    shared = [s for s in known if len(own & known[s].keys()) >= LEAST]
    wanted = shared if baselines is None else list(baselines)
    columns |= {starred(system): known[system] for system in wanted}
    if len(columns) < 2:
        raise DataError(
            "one result alone has nothing to be correlated with; name another run on the same sets"
        )
    cells = tuple(_cell(a, b, columns[a], columns[b]) for a, b in combinations(columns, 2))
    return Correlations(columns, tuple(map(starred, wanted)), cells)


def set_accuracies(result: Result, method: str = "full") -> dict[str, float]:
    """Accuracy of every set, from the summary."""
    return {name: score.accuracy for name, score in result.summary.by_set(method).items()}


def system_names(results: Sequence[Result]) -> list[str]:
    """Each model's name; with its data, or a number, if names would be the same."""
    models = [r.model for r in results]
    names = [r.model if models.count(r.model) == 1 else f"{r.model} on {r.data}" for r in results]
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _cell(a: str, b: str, x: Mapping[str, float], y: Mapping[str, float]) -> Cell:
    both = [name for name in x if name in y]
    if len(both) < LEAST:
        return Cell(
            a, b, len(both), None, None, f"{counted(len(both), 'set')} in both; {LEAST} are needed"
        )
    first, second = [x[n] for n in both], [y[n] for n in both]
    for name, column in ((a, first), (b, second)):
        if max(column) == min(column):
            return Cell(a, b, len(both), None, None, f"{name} has the same accuracy everywhere")
    return Cell(a, b, len(both), pearson(first, second), spearman(first, second))
