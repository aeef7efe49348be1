"""Tables of a run on the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text as Rich

from priscian.cli.screen import out
from priscian.cli.tables.graded import graded_table
from priscian.cli.tables.labels import label_table
from priscian.cli.tables.suites import suites_table
from priscian.datasets.published import published_means
from priscian.datasets.reference import blimp_taxonomy
from priscian.runs import Result, Run, SuitesResult

FEW = 14
"""Data sets with at most so many paradigms are shown by paradigm, others by phenomenon."""


def print_run(run: Run, beside: Sequence[str] = ()) -> None:
    """A table for each data set and method, models side by side, and where the files are.

    `beside` names published systems whose accuracies on BLiMP's own data are shown as well.
    """
    console = out()
    for data in dict.fromkeys(r.data.name for r in run.results):
        judged = [r for r in run.results if r.data.name == data and isinstance(r, SuitesResult)]
        if judged:
            console.print(suites_table(data, judged))
        results = [r for r in run.results if r.data.name == data and isinstance(r, Result)]
        if not results:
            continue
        _tell_unigrams(results[0])
        labels = label_table(data, results)
        if labels is not None:
            console.print(labels)
            continue
        for method in results[0].summary["methods"]:
            console.print(table(data, method, results, beside if method == "full" else ()))
        graded = graded_table(data, results)
        if graded is not None:
            console.print(graded)
        _warn_of_ties(results)
        _warn_of_unknown_words(results)
    if run.folder is not None:
        console.print("\nRun folder:", Rich(str(run.folder), "bold"))
        console.print("Items are in items.parquet, numbers in summary.json, by model and data set.")


def table(data: str, method: str, results: Sequence[Result], beside: Sequence[str] = ()) -> Table:
    """Accuracy in per cent with its 95 % interval; rows from the broad to the narrow."""
    judged = results[0].summary["methods"][method]["paradigms"]
    if not judged.keys() <= blimp_taxonomy().keys():
        beside = ()  # published means are of BLiMP's paradigms
    known = {system: published_means(system) for system in beside}
    made = Table(title=f"{data}: {method}", title_justify="left", title_style="bold")
    made.add_column("")
    made.add_column("n", justify="right")
    for result in results:
        made.add_column(result.model, justify="right")
    for system in known:
        made.add_column(f"{system}*", justify="right", style="dim")
    summaries = [r.summary["methods"][method] for r in results]
    level = _level(summaries[0])
    for name in sorted(summaries[0][level]):
        cells = [s[level][name] for s in summaries]
        made.add_row(
            name, f"{cells[0]['n']:,}", *(_cell(c) for c in cells), *_published(known, name)
        )
    overall = [s["overall"] for s in summaries]
    made.add_section()
    made.add_row(
        "overall (mean of paradigms)",
        f"{overall[0]['n']:,}",
        *(_cell(c) for c in overall),
        *_published(known, "overall"),
        style="bold",
    )
    if known:
        made.caption = "* published, on BLiMP's own data (Warstadt et al. 2020)"
    return made


def _published(known: Mapping[str, Mapping[str, float]], name: str) -> list[str]:
    return [f"{100 * means[name]:.1f}" if name in means else "" for means in known.values()]


def _level(summary: dict[str, Any]) -> str:
    if len(summary["paradigms"]) <= FEW or not summary.get("phenomena"):
        return "paradigms"
    return "phenomena"


def _cell(cell: dict[str, Any]) -> Rich:
    low, high = cell["ci"]
    p = cell["accuracy"]
    colour = "green" if low > 0.5 else "red" if high < 0.5 else "yellow"
    text = Rich(f"{100 * p:5.1f}", style=colour)
    text.append(f"  {100 * low:.1f}–{100 * high:.1f}", style="dim")
    if cell["ties"]:
        text.append(f"  {cell['ties']} tied", style="magenta")
    return text


def _tell_unigrams(result: Result) -> None:
    found = result.summary.get("unigram")
    if found:
        print(
            f"{result.data.name}: {result.summary['measure']} by the unigrams of {found['model']}; "
            f"{found['unknown_words']:,} of {found['words']:,} words are unknown to it and have "
            "the probability of <unk>"
        )


def _warn_of_ties(results: Sequence[Result]) -> None:
    for result in results:
        for method, summary in result.summary["methods"].items():
            ties = summary["overall"]["ties"]
            if ties:
                print(
                    f"{result.model}: {ties} of {summary['overall']['n']} items tie by {method}; "
                    f"counted as {result.summary['tie']}"
                )


def _warn_of_unknown_words(results: Sequence[Result]) -> None:
    """One line for each model that has pairs whose sides differ in words it does not know."""
    for result in results:
        found = result.summary.get("unknown_words")
        if not found or not found["differ"]:
            continue
        most = max(found["paradigms"].items(), key=lambda entry: entry[1]["differ"])
        method, without = next(iter(found["without"].items()), ("", 0.0))
        print(
            f"{result.model}: {found['differ']:,} of {found['n']:,} pairs differ in unknown words "
            f"(most in {most[0]}: {most[1]['differ']} of {most[1]['n']}); they say little of "
            f"grammar; without them {method} is {100 * without:.1f}"
        )
