"""Whether models, and people, find the same paradigms hard: correlations over paradigms."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Annotated, Literal

from msgspec import Struct, field

from priscian.analysis.blimp.published_rows import starred
from priscian.analysis.charts import correlation_square
from priscian.analysis.registry import analysis
from priscian.analysis.result import AnalysisResult, Runs, Table
from priscian.analysis.vega import Figure, HasFigures
from priscian.datasets.reference import published as published_accuracies
from priscian.errors import DataError, UsageError, counted
from priscian.files import INLINE
from priscian.runs import Result
from priscian.runs.choose import gather_results
from priscian.stats.correlations import Correlation, pearson, spearman

Coefficient = Literal["pearson", "spearman"]
NAMES: dict[Coefficient, str] = {"pearson": "Pearson's r", "spearman": "Spearman's ρ"}
Matrix = Mapping[str, Mapping[str, float | None]]
LEAST = 4
"""With fewer points, Fisher's interval cannot be computed."""


class CorrelationCell(Struct, frozen=True, omit_defaults=True):
    """Two systems over the sets that both were evaluated on."""

    a: str
    b: str
    n: int
    pearson: Correlation | None
    spearman: Correlation | None
    why: str = ""
    """Why there is no coefficient."""


class Correlations(HasFigures, Struct, frozen=True):
    """The correlation of every two systems over sets; that of each with itself is 1."""

    pearson: Matrix
    spearman: Matrix
    cells: tuple[CorrelationCell, ...] = field(name="pairs")
    published: tuple[str, ...]
    sets: Mapping[str, int]
    """How many sets each system was evaluated on."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Heat maps of Pearson's and of Spearman's correlations."""
        return (_figure(self, "pearson"), _figure(self, "spearman"))

    def between(self, a: str, b: str) -> CorrelationCell:
        """The cell of two systems, in either order."""
        return next(c for c in self.cells if {c.a, c.b} == {a, b})

    def matrix(self, coefficient: Coefficient = "pearson") -> Matrix:
        """A coefficient of every system with every other, by name."""
        return self.pearson if coefficient == "pearson" else self.spearman


class CorrelationsByKind(AnalysisResult, frozen=True):
    """Correlations over paradigms (pairs) and over suites; they are not mixed."""

    kinds: Annotated[Mapping[str, Correlations], INLINE]

    def __getitem__(self, kind: str) -> Correlations:
        return self.kinds[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self.kinds)

    def __len__(self) -> int:
        return len(self.kinds)

    def tables(self) -> list[Table]:
        """Both matrices of each kind, then the coefficients with their intervals."""
        found = []
        for kind, correlations in self.kinds.items():
            found += [_matrix_table(kind, correlations, how) for how in NAMES]
            rows = tuple(
                (
                    cell.a,
                    cell.b,
                    str(cell.n),
                    *(
                        part
                        for c in (cell.pearson, cell.spearman)
                        for part in (f"{c.r:.2f}", f"{c.ci[0]:.2f} to {c.ci[1]:.2f}")
                    ),
                )
                for cell in correlations.cells
                if cell.pearson is not None and cell.spearman is not None
                if not {cell.a, cell.b} <= set(correlations.published)
            )
            found.append(Table("", ("", "", "sets", "r", "95 %", "ρ", "95 %"), rows, names=2))
        return found

    @property
    def findings(self) -> list[str]:
        """Why there are no coefficients, and what is published."""
        every = list(self.kinds.values())
        said = [f"{c.a} and {c.b}: {c.why}" for found in every for c in found.cells if c.why]
        if any(found.published for found in every):
            said.append("* published, on BLiMP's own data (Warstadt et al. 2020)")
        return [*said, "95 % intervals: Fisher's for r, Bonett and Wright's for ρ"]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Heat maps of each kind."""
        drawn = [(kind, figure) for kind, c in self.kinds.items() for figure in c.figures]
        if len(self) > 1:
            drawn = [(kind, replace(f, name=f"{f.name}-{kind}")) for kind, f in drawn]
        return tuple(figure for _, figure in drawn)


@analysis("correlation", "models with models and people")
def correlation(runs: Runs, *, method: str = "full", published: bool = True) -> CorrelationsByKind:
    """Pearson's and Spearman's correlations of accuracies over paradigms or suites.

    Models on BLiMP's paradigms are also compared with the paper's systems and people.

    Examples:
      priscian analyse correlation runs/first runs/second
      priscian analyse correlation runs/first --no-published --json

    >>> import priscian
    >>> data = "generated:7,5,wh_island,causative,adjunct_island,passive_1"
    >>> run = priscian.score(["builtin:ngram", "builtin:lstm"], data)
    >>> found = priscian.analyse.correlation(run, published=False)
    >>> [(cell.a, cell.b, cell.n) for cell in found["pairs"].cells]
    [('builtin:ngram', 'builtin:lstm', 4)]

    Parameters
    ----------
    runs
        Run folders.
    method
        full, one_prefix or two_prefix, for pairs.
    published
        Also compare with the systems and people of the BLiMP paper.
    """
    groups: dict[str, list[Result]] = {}
    for result in gather_results(runs):
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
    columns: dict[str, Mapping[str, float]] = {
        name: {uid: score.accuracy for uid, score in r.summary.by_set(method).items()}
        for name, r in zip(labels, results, strict=True)
    }
    known = published_accuracies()
    own = {name for column in columns.values() for name in column}
    shared = [s for s in known if len(own & known[s].keys()) >= LEAST]
    wanted = shared if baselines is None else list(baselines)
    columns |= {starred(system): known[system] for system in wanted}
    if len(columns) < 2:
        raise DataError(
            "one result alone has nothing to be correlated with; name another run on the same sets"
        )
    cells = tuple(_cell(a, b, columns[a], columns[b]) for a, b in combinations(columns, 2))
    pairs = {frozenset((c.a, c.b)): c for c in cells}
    return Correlations(
        _matrix(columns, pairs, "pearson"),
        _matrix(columns, pairs, "spearman"),
        cells,
        tuple(map(starred, wanted)),
        {name: len(column) for name, column in columns.items()},
    )


def _matrix(
    names: Collection[str], cells: Mapping[frozenset[str], CorrelationCell], how: Coefficient
) -> Matrix:
    def coefficient(a: str, b: str) -> float | None:
        if a == b:
            return 1.0
        found = _of(cells[frozenset((a, b))], how)
        return found.r if found else None

    return {a: {b: coefficient(a, b) for b in names} for a in names}


def _of(cell: CorrelationCell, how: Coefficient) -> Correlation | None:
    return cell.pearson if how == "pearson" else cell.spearman


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


def _cell(a: str, b: str, x: Mapping[str, float], y: Mapping[str, float]) -> CorrelationCell:
    both = [name for name in x if name in y]
    if len(both) < LEAST:
        return CorrelationCell(
            a, b, len(both), None, None, f"{counted(len(both), 'set')} in both; {LEAST} are needed"
        )
    first, second = [x[n] for n in both], [y[n] for n in both]
    for name, column in ((a, first), (b, second)):
        if max(column) == min(column):
            return CorrelationCell(
                a, b, len(both), None, None, f"{name} has the same accuracy everywhere"
            )
    return CorrelationCell(a, b, len(both), pearson(first, second), spearman(first, second))


def _matrix_table(kind: str, found: Correlations, how: Coefficient) -> Table:
    matrix = found.matrix(how)
    rows = tuple(
        (f"{number} {name}", *("" if r is None else f"{r:.2f}" for r in row.values()))
        for number, (name, row) in enumerate(matrix.items(), start=1)
    )
    numbers = (str(number) for number in range(1, len(matrix) + 1))
    return Table(f"{kind}: {NAMES[how]}", ("", *numbers), rows)


def _figure(found: Correlations, coefficient: Coefficient) -> Figure:
    """A heat map of all systems."""
    rows: list[dict[str, object]] = []
    for a, cells in found.matrix(coefficient).items():
        for b, r in cells.items():
            cell = None if a == b else found.between(a, b)
            value = _of(cell, coefficient) if cell else None
            rows.append(
                {
                    "a": a,
                    "b": b,
                    "r": None if r is None else round(r, 4),
                    "shown": "–" if r is None else f"{r:.2f}",
                    "low": round(value.ci[0], 4) if value else None,
                    "high": round(value.ci[1], 4) if value else None,
                    "n": cell.n if cell else found.sets[a],
                }
            )
    sizes = sorted({c.n for c in found.cells})
    over = counted(sizes[0], "set") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} sets"
    how = "Fisher's" if coefficient == "pearson" else "Bonett and Wright's"
    star = (
        " * published, on BLiMP's own data (Warstadt et al. 2020); paradigms are matched by name."
        if found.published
        else ""
    )
    caption = (
        f"{NAMES[coefficient]} of accuracies over {over}, between every two rows; 95 % intervals "
        f"({how}) are in the tooltips and the data.{star}"
    )
    called = NAMES[coefficient]
    title = f"Who finds the same things hard: {called}"
    name = f"correlation-{coefficient}"
    chart = correlation_square(rows, list(found.sets), called, least=180, labelLimit=200)
    chart["encoding"]["tooltip"] = [
        {"field": "a", "type": "nominal"},
        {"field": "b", "type": "nominal"},
        {"field": "r", "type": "quantitative", "format": ".3f", "title": called},
        {"field": "low", "type": "quantitative", "format": ".3f", "title": "95 % from"},
        {"field": "high", "type": "quantitative", "format": ".3f", "title": "to"},
        {"field": "n", "type": "quantitative", "title": "sets"},
    ]
    return Figure(name, title, caption, chart, rows)
