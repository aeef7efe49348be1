"""`priscian compare`: whether two models differ, where, and on which items."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from priscian.errors import RunError, UnknownNameError, UsageError
from priscian.files import write_delimited

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.compare.comparison import Comparison, Difference
    from priscian.cli.open_results import Chosen
    from priscian.runs import Result


def compare_command(
    a: str,
    b: str | None = None,
    *,
    data: str | None = None,
    method: str | None = None,
    resample: str = "items",
    draws: int = 10_000,
    seed: int = 0,
    flips: int = 0,
    csv_: Annotated[Path | None, Parameter(name="--csv")] = None,
    figures: Path | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Compare two models item by item: tests, intervals, and what flipped.

    McNemar's test with mid-p for every paradigm or suite, corrected by Holm; a paired bootstrap of
    the overall difference. Runs on different data are compared on the items that both have.

    Examples:
      priscian compare runs/two
      priscian compare runs/first:builtin:ngram runs/second:smollm2 --resample both --flips 10
      priscian compare runs/a runs/b --csv flips.csv --figures pictures

    Parameters
    ----------
    a
        A run folder, or RUN:model. Alone, it must hold exactly two models.
    b
        What it is compared with.
    data
        Data set, where the runs have several; by default all that both have.
    method
        full, one_prefix or two_prefix; by default full.
    resample
        What the overall interval speaks of: items (other items of the same paradigms), sets (other
        paradigms) or both.
    draws
        Number of bootstrap draws.
    seed
        Seed of the bootstrap.
    flips
        Print so many items that flipped, with their sentences.
    csv_
        File for all items that flipped.
    figures
        Folder for the picture of differences, as SVG, PNG and PDF, with its data.
    json_
        Print JSON, with all items that flipped.
    """
    from priscian.analysis.compare.comparison import compare
    from priscian.analysis.intervals import find_resample

    if draws < 100 or flips < 0:
        raise UsageError("--draws is 100 or more, --flips 0 or more")
    way = find_resample(resample)
    first, second = _two(a, b)
    names = _names(first, second)
    found = [
        compare(x, y, method=method, resample=way, seed=seed, draws=draws, names=names)
        for x, y in _matching_results(first, second, data)
    ]
    if csv_ is not None:
        _write_flips(found, csv_)
    if figures is not None:
        _draw(found, figures)
    if json_:
        print(json.dumps([c.as_dict() for c in found], ensure_ascii=False))
        return
    for comparison in found:
        _print(comparison, flips)
    for place in (csv_, figures):
        if place is not None:
            print(f"Written to {place}")


def _two(a: str, b: str | None) -> tuple[Chosen, Chosen]:
    from priscian.cli.open_results import open_model, open_models

    if b is not None:
        first, second = open_model(a), open_model(b)
    else:
        models = open_models(a)
        if len(models) != 2:
            names = ", ".join(c.model for c in models)
            raise UsageError(
                f"{a} has {len(models)} models ({names}), not two; name two results: "
                f"priscian compare {a}:MODEL {a}:MODEL"
            )
        first, second = models
    if (first.run.resolve(), first.model) == (second.run.resolve(), second.model):
        raise UsageError(f"{a} and {b} are the same result; name two different ones")
    return first, second


def _names(first: Chosen, second: Chosen) -> tuple[str, str]:
    """The models' names, with their runs where they are the same."""
    if first.model != second.model:
        return first.model, second.model
    return f"{first.model} ({first.run})", f"{second.model} ({second.run})"


def _matching_results(
    first: Chosen, second: Chosen, data: str | None
) -> list[tuple[Result, Result]]:
    """Results on data of one name; where there is but one on each side, these."""
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
        f"{first.run} is on {', '.join(left)} and {second.run} on {', '.join(right)}: no data set "
        "in both; score both models on the same data"
    )


def _write_flips(found: Sequence[Comparison], file: Path) -> None:
    rows = [{"data": c.data, **flip.as_dict()} for c in found for flip in c.flips]
    names = dict.fromkeys(
        ["data", "set", "item", "a", "b", "delta_a", "delta_b", *(k for row in rows for k in row)]
    )
    write_delimited(file, rows, list(names))


def _draw(found: Sequence[Comparison], folder: Path) -> None:
    from dataclasses import replace

    from priscian.analysis.compare.comparison_figure import compare_figure
    from priscian.analysis.vega import write_figures
    from priscian.files import file_names

    drawn = [compare_figure(c) for c in found]
    if len(drawn) > 1:
        names = file_names(c.data for c in found)
        drawn = [
            replace(f, name=f"{f.name}-{names[c.data]}") for f, c in zip(drawn, found, strict=True)
        ]
    write_figures(drawn, folder)


def _print(comparison: Comparison, flips: int) -> None:
    from priscian.cli.screen import out

    console = out()
    how = f", {comparison.method}" if comparison.method else ""
    print(f"\n{comparison.data}{how}: {comparison.overlap.words}")
    console.print(_summary(comparison))
    print(f"overall: {comparison.interval_words}")
    if comparison.groups:
        print("groups: 95 % intervals joined from their sets' (Zou, Huang and Zhang)")
    console.print(_sets(comparison))
    told = [s for s in comparison.sets if s.significant]
    print(
        f"{len(told)} of {len(comparison.sets)} sets differ at 5 % (McNemar, mid-p, Holm); "
        f"95 % intervals of Bonett and Price"
    )
    only_a, only_b = (sum(getattr(s, k) for s in comparison.sets) for k in ("only_a", "only_b"))
    print(
        f"{len(comparison.flips):,} items flipped: {only_a:,} to {comparison.a}'s advantage, "
        f"{only_b:,} to {comparison.b}'s" + ("" if flips else "; --flips 10 shows some")
    )
    for flip in comparison.flips[:flips]:
        better = comparison.a if flip.a > flip.b else comparison.b
        half = "" if {flip.a, flip.b} == {0.0, 1.0} else " (a tie for one model)"
        print(f"\n{flip.set} {flip.item}: {better} has it right{half}")
        for condition, text in flip.texts.items():
            print(f"  {condition}: {text}")


def _summary(comparison: Comparison) -> Table:
    from rich.table import Table

    made = Table()
    made.add_column("")
    for name in ("sets", "n", comparison.a, comparison.b, "difference", "95 % interval"):
        made.add_column(name, justify="right")
    for name, group in comparison.groups.items():
        made.add_row(name, *_cells(group))
    made.add_section()
    made.add_row("overall (mean of sets)", *_cells(comparison.overall), style="bold")
    return made


def _cells(found: Difference) -> list[str]:
    return [
        str(found.sets),
        f"{found.n:,}",
        f"{100 * found.a:.1f}",
        f"{100 * found.b:.1f}",
        f"{100 * found.difference:+.1f}",
        f"{100 * found.ci[0]:+.1f} to {100 * found.ci[1]:+.1f}",
    ]


def _sets(comparison: Comparison) -> Table:
    from rich.table import Table

    made = Table()
    made.add_column("set")
    for name in (
        "n", comparison.a, comparison.b, "difference", "95 % interval", "only 1st", "only 2nd",
        "p", "p, Holm",
    ):  # fmt: skip
        made.add_column(name, justify="right")
    for s in sorted(comparison.sets, key=lambda s: -s.difference):
        made.add_row(
            s.name,
            f"{s.n:,}",
            f"{100 * s.a:.1f}",
            f"{100 * s.b:.1f}",
            f"{100 * s.difference:+.1f}",
            f"{100 * s.ci[0]:+.1f} to {100 * s.ci[1]:+.1f}",
            str(s.only_a),
            str(s.only_b),
            _p(s.p),
            _p(s.p_holm) + (" *" if s.significant else "  "),
            style="" if s.significant else "dim",
        )
    return made


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else "<0.001"
