"""Compare two models of runs: select their results, match the data sets, compare each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from priscian.analysis.compare.comparison import (
    DEFAULTS,
    CompareOptions,
    Comparison,
    compare_results,
)
from priscian.analysis.vega import Figure, HasFigures
from priscian.errors import RunError, UnknownNameError, UsageError, counted
from priscian.files import file_names, plain, write_delimited
from priscian.runs import Result
from priscian.runs.choose import Choice, ChosenModel, choose_model, choose_models

COLUMNS = ("data", "set", "item", "a", "b", "delta_a", "delta_b")


class Comparisons(tuple[Comparison, ...], HasFigures):
    """Two models on one or more data sets, with one comparison for each."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(
            f"<{c.minus} on {c.data}: {100 * c.overall.difference:+.1f} points "
            f"({100 * c.overall.ci[0]:+.1f} to {100 * c.overall.ci[1]:+.1f}), "
            f"{counted(len(c.flips), 'item')} flipped>"
            for c in self
        )

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The difference in every set, one figure per data set."""
        if len(self) == 1:
            return self[0].figures
        names = file_names(c.data for c in self)
        return tuple(
            replace(figure, name=f"{figure.name}-{names[c.data]}")
            for c in self
            for figure in c.figures
        )

    def flip_rows(self) -> Iterator[dict[str, Any]]:
        """Every item that one model gets right and the other wrong, as a row."""
        for comparison in self:
            for flip in comparison.flips:
                yield {"data": comparison.data, **plain(flip)}

    def write_flips(self, file: Path | str) -> None:
        """Write these rows as CSV, or as TSV if the name ends in .tsv."""
        rows = list(self.flip_rows())
        write_delimited(
            Path(file), rows, list(dict.fromkeys([*COLUMNS, *(k for r in rows for k in r)]))
        )


def compare(
    a: Choice,
    b: Choice | None = None,
    options: CompareOptions = DEFAULTS,
    *,
    data: str | None = None,
) -> Comparisons:
    """Compare two models item by item: tests, intervals, and which items flipped.

    Each is a run with one model, `RUN:model`, a run in memory or a result; a run of two models may
    be given alone. Differences are the first minus the second: positive where the first is better.
    Data sets that both have are compared, or the one that `data` names.

    >>> import priscian
    >>> run = priscian.score(["builtin:lstm", "builtin:ngram"], "generated:7,5,wh_island,causative")
    >>> comparison = priscian.compare(run)[0]
    >>> comparison.minus, comparison.overlap.words
    ('builtin:lstm − builtin:ngram', 'the same 10 items in 2 sets')
    >>> len(comparison.flips) == sum(s.only_a + s.only_b for s in comparison.sets)
    True

    For every set McNemar's test with mid-p, corrected by Holm; for the overall difference a paired
    bootstrap over what `options.resample` says.
    """
    options.check()
    if b is not None:
        first, second = choose_model(a), choose_model(b)
    else:
        models = choose_models(a)
        if len(models) != 2:
            where = next((str(m.run) for m in models if m.run), a if isinstance(a, str) else "RUN")
            names = ", ".join(m.model for m in models)
            raise UsageError(
                f"{where} has {counted(len(models), 'model')} ({names}), not two; name two "
                f"results: {where}:MODEL {where}:MODEL"
            )
        first, second = models
    if first.results == second.results or (
        first.run is not None
        and second.run is not None
        and (first.run.resolve(), first.model) == (second.run.resolve(), second.model)
    ):
        raise UsageError(f"{a} and {b} are the same result; name two different ones")
    called = _names(first, second)
    return Comparisons(
        compare_results(x, y, options, names=called) for x, y in _matching(first, second, data)
    )


def _names(first: ChosenModel, second: ChosenModel) -> tuple[str, str]:
    """The models' names, with their runs if the names are the same."""
    if first.model != second.model:
        return first.model, second.model
    if first.run is None or second.run is None:
        return f"{first.model} (1)", f"{second.model} (2)"
    return f"{first.model} ({first.run})", f"{second.model} ({second.run})"


def _matching(
    first: ChosenModel, second: ChosenModel, data: str | None
) -> list[tuple[Result, Result]]:
    """Results on data with the same name, or the only result of each side."""
    left, right = ({r.data: r for r in c.results} for c in (first, second))
    if data is not None:
        for side in (left, right):
            if data not in side:
                raise UnknownNameError("data set", data, side)
        return [(left[data], right[data])]
    both = [name for name in left if name in right]
    if both:
        return [(left[name], right[name]) for name in both]
    if len(left) == len(right) == 1:
        return [(first.results[0], second.results[0])]
    raise RunError(
        f"{first} is on {', '.join(left)} and {second} on {', '.join(right)}: no data set "
        "in both; score both models on the same data"
    )
