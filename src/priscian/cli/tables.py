"""Tables of a run on the screen: one for each data set, models side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text as Rich

from priscian.analysis.blimp.published_rows import starred
from priscian.analysis.standing import OVERALL, guess_intervals, standing
from priscian.catalogue import FURTHER
from priscian.cli.screen import out
from priscian.datasets.reference import blimp_taxonomy, published_means
from priscian.errors import counted
from priscian.metrics.labels import matthews_text
from priscian.runs import GradedSummary, LabelsSummary, PairsSummary, Result, Run, SuitesSummary
from priscian.runs.facts import Score
from priscian.runs.kinds.graded import GradedScores
from priscian.runs.kinds.suites import SgScore, SuiteScore
from priscian.stats.interval import Interval

FEW = 14
"""Data sets with at most this many paradigms are shown by paradigm, others by phenomenon.

With more suites than this, only circuits are shown.
"""
COLOURS = {"above": "green", "below": "red", "at chance": "yellow", "unsure": "yellow"}
"""By how a score stands to chance; where most items tie it has none."""


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
            _tell_unigrams(results[0])
            for method in results[0].methods:
                shown = baselines if method == "full" else ()
                console.print(table(data, method, results, shown))
            if kind == "graded":
                console.print(graded_table(data, results))
            for result in results:
                for method, scores in result.expect(PairsSummary).methods.items():
                    if ties := scores.overall.ties:
                        print(
                            f"{result.model}: {ties} of {scores.overall.n} items tie by {method}; "
                            f"counted as {result.summary.tie}"
                        )
            _warn_of_unknown_words("pairs", results)
        else:
            console.print(sets_table(data, results))
    if run.path is not None:
        console.print("\nRun folder:", Rich(str(run.path), "bold"))
        console.print("Items are in items.parquet, numbers in summary.json, by model and data set.")


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
    rows = [s.phenomena if by_class else s.paradigms for s in scores]
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


def score_cell(score: Score, chance: float, guess: Interval | None = None) -> Rich:
    """Per cent with the interval and ties, coloured by chance.

    `guess` is as wide as the interval of a model that guesses, if that of the score covers other
    sets.
    """
    low, high = score.ci
    colour = COLOURS.get(standing(chance, guess or score.ci, score.ties, score.n), "")
    text = Rich(f"{100 * score.accuracy:5.1f}", style=colour)
    text.append(f"  {100 * low:.1f}–{100 * high:.1f}", style="dim")
    if score.ties:
        text.append(f"  {score.ties} tied", style="magenta")
    return text


def suites_table(data: str, results: Sequence[Result]) -> Table:
    """SG score, circuits and, if there are few, suites; in per cent with 95 % intervals."""
    made = Table(
        title=f"{data}: syntactic generalization", title_justify="left", title_style="bold"
    )
    made.add_column("")
    made.add_column("n", justify="right")
    made.add_column("chance", justify="right", style="dim")
    for result in results:
        made.add_column(result.model, justify="right")
    summaries = [r.expect(SuitesSummary) for r in results]
    few = len(summaries[0].suites) <= FEW
    rows = [s.suites if few else s.circuits for s in summaries]
    guess = [{} if few else guess_intervals(r) for r in results]
    for name in dict.fromkeys(name for row in rows for name in row):
        cells = [row.get(name) for row in rows]
        first = next(c for c in cells if c)
        shown = (_suite_cell(c, own.get(name)) for c, own in zip(cells, guess, strict=True))
        made.add_row(name, f"{first.n:,}", f"{100 * first.chance:.1f}", *shown)
    made.add_section()
    overall = [s.sg for s in summaries]
    made.add_row(
        _suites_headline(summaries[0]),
        f"{overall[0].n:,}",
        f"{100 * overall[0].chance:.1f}",
        *(
            _suite_cell(c, guess_intervals(r).get(OVERALL))
            for c, r in zip(overall, results, strict=True)
        ),
        style="bold",
    )
    return made


def _suites_headline(summary: SuitesSummary) -> str:
    mean = f"mean of {counted(summary.sg.suites, 'suite')}"
    return mean if set(summary.circuits) == {FURTHER} else f"SG score ({mean})"


def _suite_cell(cell: SuiteScore | SgScore | None, guess: Interval | None) -> Rich:
    return Rich("–", style="dim") if cell is None else score_cell(cell, cell.chance, guess)


def graded_table(data: str, results: Sequence[Result]) -> Table:
    """Table 1's layout, over all pairs."""
    rows = [(r.model, r.expect(GradedSummary).graded) for r in results]
    first = rows[0][1]
    deltas = list(first.adc)
    title = f"{data}: {counted(first.pairs, 'pair')}, z over {counted(first.sentences, 'sentence')}"
    if not deltas:
        title = f"{data}: {counted(first.pairs, 'pair')}, without ratings"
    made = Table(title=title, min_width=len(title), title_justify="left", title_style="bold")
    made.add_column("model")
    made.add_column("BLiMP", justify="right")
    for delta in deltas:
        made.add_column(f"ADC, δ = {delta}", justify="right")
    if deltas:
        for level in ("r, differences", "r, sentences"):
            made.add_column(level, justify="right")
    for model, graded in rows:
        made.add_row(model, *_graded_cells(graded, deltas))
    return made


def _graded_cells(graded: GradedScores, deltas: Sequence[str]) -> list[str]:
    cells = [f"{graded.blimp.accuracy:.3f}"]
    cells += [f"{graded.adc[d].accuracy:.3f}" if d in graded.adc else "" for d in deltas]
    if deltas:
        for level in ("deltas", "sentences"):
            r = graded.pearson.get(level)
            cells.append(f"{r.r:.2f}  {r.ci[0]:.2f}–{r.ci[1]:.2f}" if r else "")
    return cells


def label_table(data: str, results: Sequence[Result]) -> Table:
    """Models as rows, splits as columns."""
    rows = [(r.model, r.expect(LabelsSummary).labels) for r in results]
    first = rows[0][1]
    title = f"{data}: Matthews' correlation with experts' labels"
    made = Table(title=title, title_justify="left", title_style="bold", min_width=len(title))
    made.add_column("model")
    made.add_column("threshold", justify="right")
    for name, found in first.sets.items():
        mark = "*" if name == first.chosen_on else ""
        made.add_column(f"{name}{mark}, n = {found.n:,}", justify="right")
    for model, labels in rows:
        made.add_row(
            model,
            f"{labels.threshold:.4g}",
            *(matthews_text(found.mcc, found.ci) for found in labels.sets.values()),
        )
    made.caption = "* the threshold was chosen here, for the highest correlation"
    return made
