"""`priscian compare`: whether two models differ, where, and on which items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from priscian.analysis.compare.comparison import DEFAULTS, CompareOptions
from priscian.analysis.intervals import covered
from priscian.cli.output import FLAT, print_json
from priscian.errors import UsageError, counted

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.compare.comparison import Comparison, MeanDifference


OTHER = {"items": "other items", "sets": "other sets", "both": "other sets"}
"""What an interval covers, for the head of a column."""
ONE_SET = "†"


@dataclass(frozen=True, slots=True)
class Output:
    """What is shown and written.

    Parameters
    ----------
    flips
        Print this many items that flipped, with their sentences; the largest differences first.
    csv
        File for all items that flipped.
    figures
        Folder for the figure of differences, as SVG, PNG and PDF, with its data.
    json
        Print JSON, with all items that flipped.
    """

    flips: int = 0
    csv: Path | None = None
    figures: Path | None = None
    json: bool = False


def compare_command(
    a: str,
    b: str | None = None,
    /,
    *,
    data: str | None = None,
    options: Annotated[CompareOptions, FLAT] = DEFAULTS,
    output: Annotated[Output, FLAT] = Output(),
) -> None:
    """Compare two models item by item: tests, intervals, and what flipped.

    Differences are A − B: positive where A is better. McNemar's test with mid-p for every paradigm
    or suite, corrected by Holm; a paired bootstrap of the overall difference. The output says what
    each interval covers: other items of the same sets, or other sets too. Runs on different data
    are compared on the items that both have.

    Examples:
      priscian compare runs/two
      priscian compare runs/first:builtin:ngram runs/second:smollm2 --resample both --flips 10
      priscian compare runs/a runs/b --csv flips.csv --figures pictures

    Parameters
    ----------
    a
        A run folder, or RUN:model. On its own it must have exactly two models.
    b
        The run or RUN:model to compare it with.
    data
        Data set, if the runs have several; by default all that both have.
    """
    from priscian import compare

    if output.flips < 0:
        raise UsageError("--flips is 0 or more")
    found = compare(a, b, options, data=data)
    if output.csv is not None:
        found.write_flips(output.csv)
    if output.figures is not None:
        found.write_figures(output.figures)
    if output.json:
        print_json(found.as_dict())
        return
    for comparison in found:
        _print(comparison, output.flips)
    for place in (output.csv, output.figures):
        if place is not None:
            print(f"Written to {place}")


def _print(comparison: Comparison, flips: int) -> None:
    from priscian.cli.screen import out

    console = out()
    how = f", {comparison.method}" if comparison.method else ""
    print(f"\n{comparison.data}{how}: {comparison.overlap.words}")
    print(f"Differences are {comparison.minus}, in points: positive where {comparison.a} is better")
    console.print(_summary(comparison))
    print(f"overall: {comparison.interval_words}")
    for line in _groups(comparison):
        print(line)
    console.print(_sets(comparison))
    clear = [s for s in comparison.sets if s.significant]
    print(
        f"{len(clear)} of {counted(len(comparison.sets), 'set')} differ at 5 % (McNemar, mid-p, "
        "Holm); 95 % intervals of Bonett and Price, for other items of the same set"
    )
    hint = "" if flips or not comparison.flips else "; --flips 10 shows the clearest"
    better = [sum(getattr(s, k) for s in comparison.sets) for k in ("only_a", "only_b")]
    tied = sum(flip.tied for flip in comparison.flips)
    print(
        f"{counted(len(comparison.flips), 'item')} flipped: {comparison.a} is better on "
        f"{better[0]:,}, {comparison.b} on {better[1]:,}"
        + (f"; in {tied:,} of them a model has a tie" if tied else "")
        + hint
    )
    said = {0.0: "is wrong", 1.0: "is right"}
    for flip in comparison.flips[:flips]:
        both = sorted(((flip.a, comparison.a), (flip.b, comparison.b)), key=lambda one: -one[0])
        who = ", ".join(f"{name} {said.get(credit, 'has a tie')}" for credit, name in both)
        print(f"\n{flip.set} {flip.item}: {who}")
        for condition, text in flip.texts.items():
            print(f"  {condition}: {text}")


def _groups(comparison: Comparison) -> Iterator[str]:
    """What the intervals of groups cover, which is not more than their sets allow."""
    covers = {group.resample for group in comparison.groups.values()}
    if covers == {"items"}:
        yield (
            "groups: 95 % intervals combined from those of their sets (Zou, Huang and Zhang); they "
            f"cover {covered('items')}"
        )
    elif covers:
        (wider,) = covers - {"items"}
        yield f"groups: 95 % intervals by Student's t over their sets; they cover {covered(wider)}"
        if "items" in covers:
            yield f"{ONE_SET} one set: its interval covers other items of this set"


def _summary(comparison: Comparison) -> Table:
    from rich.table import Table

    made = Table()
    made.add_column("")
    of = f"95 %, {OTHER[comparison.overall.resample]}"
    for name in ("sets", "n", comparison.a, comparison.b, comparison.minus, of):
        made.add_column(name, justify="right")
    for name, group in comparison.groups.items():
        alone = group.resample != comparison.overall.resample
        made.add_row(f"{name} {ONE_SET}" if alone else name, *_cells(group))
    made.add_section()
    made.add_row("overall (mean of sets)", *_cells(comparison.overall), style="bold")
    return made


def _cells(found: MeanDifference) -> list[str]:
    return [
        str(found.sets),
        f"{found.n:,}",
        f"{100 * found.a:.1f}",
        f"{100 * found.b:.1f}",
        f"{100 * found.difference:+.1f}",
        f"{100 * found.ci[0]:+.1f} to {100 * found.ci[1]:+.1f}",
    ]


def _sets(comparison: Comparison) -> Table:
    """Narrow, so that the names of sets are whole: models are A and B."""
    from rich import box
    from rich.table import Table

    made = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 0, 0, 1),
        pad_edge=False,
        title=f"A: {comparison.a}, B: {comparison.b}; better: items on which A and B are",
        title_justify="left",
        title_style="bold",
    )
    made.add_column("set", overflow="fold")
    for name in ("n", "A", "B", "A − B", "95 %, other items", "better", "p, Holm"):
        made.add_column(name, justify="right", no_wrap=True)
    for s in sorted(comparison.sets, key=lambda s: -s.difference):
        made.add_row(
            s.name,
            f"{s.n:,}",
            f"{100 * s.a:.1f}",
            f"{100 * s.b:.1f}",
            f"{100 * s.difference:+.1f}",
            f"{100 * s.ci[0]:+.1f} to {100 * s.ci[1]:+.1f}",
            f"{s.only_a} : {s.only_b}",
            (f"{s.p_holm:.3f}" if s.p_holm >= 0.001 else "<0.001")
            + (" *" if s.significant else "  "),
            style="" if s.significant else "dim",
        )
    return made
