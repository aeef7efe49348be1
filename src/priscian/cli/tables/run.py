"""Tables of a run on the screen: one for each data set, models side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text as Rich

from priscian.analysis.blimp.published_rows import starred
from priscian.cli.screen import out
from priscian.cli.tables.graded import graded_table
from priscian.cli.tables.labels import label_table
from priscian.cli.tables.scores import score_cell
from priscian.cli.tables.suites import suites_table
from priscian.datasets.reference import blimp_taxonomy, published_means
from priscian.metrics import MethodScores
from priscian.runs import PairsSummary, Result, Run, SuitesSummary
from priscian.runs.facts import Score

FEW = 14
"""Data sets with at most this many paradigms are shown by paradigm, others by phenomenon."""


def print_run(run: Run, baselines: Sequence[str] = ()) -> None:
    """Print a table for each data set and method, models side by side, and the files' paths.

    `baselines` names published systems whose accuracies on BLiMP's own data are shown as well.
    """
    console = out()
    for data in dict.fromkeys(r.data for r in run.results):
        results = [r for r in run.results if r.data == data]
        kind = results[0].kind
        if kind == "suites":
            console.print(suites_table(data, results))
            _warn_of_unknown_words("items", results)
        elif kind == "labels":
            _tell_unigrams(results[0])
            console.print(label_table(data, results))
        elif isinstance(results[0].summary, PairsSummary):
            _print_pairs(data, results, baselines)
        else:
            console.print(sets_table(data, results))
    if run.path is not None:
        console.print("\nRun folder:", Rich(str(run.path), "bold"))
        console.print("Items are in items.parquet, numbers in summary.json, by model and data set.")


def _print_pairs(data: str, results: Sequence[Result], baselines: Sequence[str]) -> None:
    console = out()
    _tell_unigrams(results[0])
    for method in results[0].methods:
        console.print(table(data, method, results, baselines if method == "full" else ()))
    if results[0].kind == "graded":
        console.print(graded_table(data, results))
    _warn_of_ties(results)
    _warn_of_unknown_words("pairs", results)


def table(
    data: str, method: str, results: Sequence[Result], baselines: Sequence[str] = ()
) -> Table:
    """Accuracy in per cent with its 95 % interval; rows from the broad to the narrow."""
    scores = [r.expect(PairsSummary).scores(method) for r in results]
    if not scores[0].paradigms.keys() <= blimp_taxonomy().keys():
        baselines = ()  # published means are over BLiMP's paradigms
    known = {system: published_means(system) for system in baselines}
    made = _empty(f"{data}: {method}", results)
    for system in known:
        made.add_column(starred(system), justify="right", style="dim")
    by_class = len(scores[0].paradigms) > FEW and bool(scores[0].phenomena)
    rows = [_level(s, by_class) for s in scores]
    for name in sorted(rows[0]):
        cells = [row.get(name) for row in rows]
        made.add_row(name, f"{rows[0][name].n:,}", *map(_cell, cells), *_published(known, name))
    overall = [s.overall for s in scores]
    made.add_section()
    made.add_row(
        "overall (mean of paradigms)",
        f"{overall[0].n:,}",
        *map(_cell, overall),
        *_published(known, "overall"),
        style="bold",
    )
    if known:
        made.caption = "* published, on BLiMP's own data (Warstadt et al. 2020)"
    return made


def sets_table(data: str, results: Sequence[Result]) -> Table:
    """The scores of every set and the headline, for a kind of data without a table of its own."""
    made = _empty(f"{data}: {results[0].kind}", results)
    rows = [r.summary.by_set() for r in results]
    for name, score in rows[0].items():
        made.add_row(name, f"{score.n:,}", *(_cell(row.get(name)) for row in rows))
    made.add_section()
    overall = [r.summary.headline for r in results]
    made.add_row("overall", f"{overall[0].n:,}", *map(_cell, overall), style="bold")
    return made


def _empty(title: str, results: Sequence[Result]) -> Table:
    made = Table(title=title, title_justify="left", title_style="bold")
    made.add_column("")
    made.add_column("n", justify="right")
    for result in results:
        made.add_column(result.model, justify="right")
    return made


def _published(known: Mapping[str, Mapping[str, float]], name: str) -> list[str]:
    return [f"{100 * means[name]:.1f}" if name in means else "" for means in known.values()]


def _level(scores: MethodScores, by_class: bool) -> Mapping[str, Score]:
    return scores.phenomena if by_class else scores.paradigms


def _cell(score: Score | None) -> Rich:
    if score is None:
        return Rich("–", style="dim")
    return score_cell(score, float(getattr(score, "chance", 0.5)))


def _tell_unigrams(result: Result) -> None:
    found = result.expect(PairsSummary).unigram
    if found:
        print(
            f"{result.data}: {result.summary.measure} by the unigrams of {found.model}; "
            f"{found.unknown_words:,} of {found.words:,} words are unknown to it and have "
            "the probability of <unk>"
        )


def _warn_of_ties(results: Sequence[Result]) -> None:
    for result in results:
        for method, scores in result.expect(PairsSummary).methods.items():
            ties = scores.overall.ties
            if ties:
                print(
                    f"{result.model}: {ties} of {scores.overall.n} items tie by {method}; "
                    f"counted as {result.summary.tie}"
                )


def _warn_of_unknown_words(what: str, results: Sequence[Result]) -> None:
    """Print one line for each model with items whose conditions differ in unknown words.

    That decides a pair; in a suite the word may be in a region that is not compared.
    """
    for result in results:
        summary = result.summary
        assert isinstance(summary, PairsSummary | SuitesSummary)
        found = summary.unknown_words
        if not found or not found.differ:
            continue
        name, most = max(found.paradigms.items(), key=lambda entry: entry[1].differ)
        left = [f"; without them {m} is {100 * mean:.1f}" for m, mean in found.without.items()]
        print(
            f"{result.model}: {found.differ:,} of {found.n:,} {what} differ in unknown words "
            f"(most in {name}: {most.differ} of {most.n})"
            f"{'; they say little about grammar' * (what == 'pairs')}{left[0] if left else ''}"
        )
