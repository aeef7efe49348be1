"""BLiMP's tables: accuracy by field, phenomenon or paradigm, with the paper's systems."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from msgspec import Struct

from priscian.analysis.blimp.published_rows import find_systems, published_notes, starred
from priscian.analysis.charts import dots, figure, share, share_domain, tips
from priscian.analysis.intervals import set_credits
from priscian.analysis.latex import bold, escape_tex, label_of, latex_table
from priscian.analysis.named_results import pair_results, set_accuracies, words
from priscian.analysis.registry import analysis
from priscian.analysis.result import OVERALL, AnalysisResult, Runs, Table, percent
from priscian.analysis.vega import Figure
from priscian.datasets.reference import published
from priscian.errors import DataError, UsageError
from priscian.files import HIDDEN, INLINE, by, delimited_text
from priscian.runs import Result
from priscian.runs.choose import gather_results
from priscian.stats.bootstrap import Resample, credit_mean_interval
from priscian.stats.interval import Interval
from priscian.stats.proportions import Accuracy, mean_accuracy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

By = Literal["field", "phenomenon", "paradigm"]
HowSure = Literal["wilson", "items", "sets", "both"]
MADE = {
    "wilson": "Wilson's for a paradigm, combined for means of paradigms (Zou et al. 2009)",
    "items": "10,000 bootstrap samples of items within paradigms",
    "sets": "10,000 bootstrap samples of paradigms; with fewer than ten, Student's t over "
    "paradigms; of items where there is one paradigm",
    "both": "10,000 bootstrap samples of paradigms and of their items; with fewer than ten, "
    "Student's t over paradigms",
}


class AccuracyCell(Struct, frozen=True, omit_defaults=True):
    """An accuracy; a published one has no items, ties or interval."""

    column: str
    accuracy: float
    paradigms: int
    n: int | None = None
    ties: int | None = None
    ci: Interval | None = None


class AccuracyColumn(Struct, frozen=True):
    """A model that was scored, or a system of the paper."""

    name: str
    published: bool = False
    data: str = ""


class AccuracyRow(Struct, frozen=True):
    """A field, phenomenon or paradigm, or all of them; cells in the order of the columns."""

    name: str
    group: Annotated[str, HIDDEN]
    """A paradigm's phenomenon."""
    cells: Annotated[tuple[AccuracyCell | None, ...], by("column"), INLINE]


class AccuracyTable(AnalysisResult, frozen=True):
    """Accuracies with notes for the reader; the last row is the mean of paradigms."""

    by: By
    method: str
    interval: str
    """How the intervals were made."""
    columns: tuple[AccuracyColumn, ...]
    rows: Annotated[tuple[AccuracyRow, ...], by("name")]
    notes: tuple[str, ...]

    def tables(self) -> list[Table]:
        """Models and systems beside each other."""
        *classes, overall = (
            (row.name, *("" if c is None else percent(c) for c in row.cells)) for row in self.rows
        )
        return [
            Table(
                f"Accuracy in per cent by {self.by}, method {self.method}",
                (self.by, *(c.name for c in self.columns)),
                (*classes, None, ("overall (mean of paradigms)", *overall[1:])),
            )
        ]

    @property
    def findings(self) -> Sequence[str]:
        """Ties, data that differ, and where the paper's figures come from."""
        return self.notes

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every class with every model's accuracy and interval; the mean of paradigms is last."""
        rows = [
            {**record, "label": r if r == OVERALL else words(r)}
            for record in self.records()
            for r in [str(record["name"])]
        ]
        order = list(dict.fromkeys(str(row["label"]) for row in rows))
        domain = share_domain([v for row in rows for v in (row["low"], row["accuracy"])])
        chart = dots(
            rows,
            [column.name for column in self.columns],
            order,
            share("accuracy", "accuracy", domain),
            tips(
                "label", "model", "accuracy:.1%", "low:.1%", "high:.1%", "n:,", "ties:,",
                "paradigms",
            ),
            label="label",
            line=(0.5, "chance"),
        )  # fmt: skip
        n = max((cell.n or 0) for cell in self.rows[-1].cells if cell)
        judged = "full sentences" if self.method == "full" else self.method.replace("_", "-")
        caption = (
            f"Share of pairs whose acceptable sentence is preferred ({judged}), by {self.by}; n = "
            f"{n:,} pairs in {max(c.paradigms for c in self.rows[-1].cells if c)} paradigms, and "
            f"overall is their mean. Bars are 95 % intervals: {self.interval}."
        )
        if any(column.published for column in self.columns):
            caption += " Diamonds are published figures on BLiMP's own sentences."
        name = f"accuracy-by-{self.by}" + ("" if self.method == "full" else f"-{self.method}")
        return (figure(name, f"Accuracy by {self.by}", caption, chart, rows),)

    def records(self) -> list[dict[str, Any]]:
        """One plain row for each cell that has a value."""
        return [
            {
                "model": column.name,
                "kind": "published" if column.published else "scored",
                "level": OVERALL if row.name == OVERALL else self.by,
                "name": row.name,
                "group": row.group,
                "accuracy": cell.accuracy,
                "low": cell.ci[0] if cell.ci else None,
                "high": cell.ci[1] if cell.ci else None,
                "n": cell.n,
                "ties": cell.ties,
                "paradigms": cell.paradigms,
            }
            for row in self.rows
            for column, cell in zip(self.columns, row.cells, strict=True)
            if cell is not None
        ]

    def formatted(self, form: str) -> str:
        """Markdown (md), LaTeX (tex), or a row for each cell, accuracies from 0 to 1 (csv)."""
        if form == "csv":
            return delimited_text(self.records())
        return _markdown(self) if form == "md" else _latex(self)


@analysis("tables", "accuracy by field, phenomenon or paradigm", formats=("md", "tex", "csv"))
def tables(
    runs: Runs,
    by: By | None = None,
    *,
    method: str = "full",
    baselines: str | Sequence[str] = "all",
    interval: HowSure = "wilson",
    seed: int = 0,
) -> AccuracyTable:
    """Accuracy by field, phenomenon or paradigm, next to the figures of the BLiMP paper.

    Examples:
      priscian analyse tables runs/two
      priscian analyse tables runs/a runs/b --by paradigm --format csv
      priscian analyse tables runs/two --baselines human,GPT-2 --format tex

    >>> import priscian
    >>> run = priscian.score("builtin:ngram", "generated:7,5,wh_island,causative")
    >>> table = priscian.analyse.tables(run, "phenomenon", baselines=["human"])
    >>> [row.name for row in table.rows]
    ['argument_structure', 'island_effects', 'overall']
    >>> table.rows[-1].cells[0].n
    10

    Parameters
    ----------
    runs
        Run folders.
    by
        field, phenomenon or paradigm; by default phenomenon if the data have phenomena.
    method
        full, one_prefix or two_prefix.
    baselines
        Published systems to show, separated by commas: human, 5-gram, LSTM, Transformer-XL, GPT-2;
        all or none.
    interval
        wilson, or a bootstrap of items within paradigms, of sets (paradigms) or of both.
    seed
        Seed of the bootstrap.
    """
    named = [r for r in pair_results(gather_results(runs)) if method in r.methods]
    if not named:
        raise DataError(f"no result by the method {method}; every run on pairs has the method full")
    level = by or ("phenomenon" if _has(named, "phenomenon") else "paradigm")
    if level != "paradigm" and not _has(named, level):
        raise UsageError(f"these data have no {level}; use `by=paradigm`")
    accuracies = [set_accuracies(r, method) for r in named]
    boots = [None if interval == "wilson" else _Boot.of(r, method, interval, seed) for r in named]
    scored = list(zip(named, accuracies, boots, strict=True))
    found: dict[str, dict[str, None]] = {}  # the sets of each class, and of all classes
    every: dict[str, None] = {}
    for r, sets in zip(named, accuracies, strict=True):
        for name in sets:
            every[name] = None
            inside = name if level == "paradigm" else r.facts.node(name, level)
            if inside:
                found.setdefault(inside, {})[name] = None
    classes = {**dict(sorted(found.items())), OVERALL: every}
    wanted = find_systems(baselines)
    known = {
        name: published()[name]
        for name in (wanted if method == "full" else ())
        if published()[name].keys() & classes[OVERALL]
    }
    columns = (
        *(AccuracyColumn(r.label, False, r.data) for r in named),
        *(AccuracyColumn(starred(name), True, "blimp") for name in known),
    )
    rows = tuple(
        AccuracyRow(
            shown,
            next((g for r in named if (g := r.narrowest(shown))), "")
            if level == "paradigm" and shown != OVERALL
            else "",
            (
                *(_cell(r.label, members, own, boot) for r, own, boot in scored),
                *(_published_cell(starred(name), members, own) for name, own in known.items()),
            ),
        )
        for shown, members in classes.items()
    )
    notes = []
    for r, sets in zip(named, accuracies, strict=True):
        ties = sum(a.ties for a in sets.values())
        if ties:
            n = sum(a.n for a in sets.values())
            counted = r.summary.tie
            notes.append(f"{r.label}: {ties:,} of {n:,} items tie, counted as {counted}")
    first = named[0]
    for r in named[1:]:
        same = sum(r.hashes.get(name) == h for name, h in first.hashes.items())
        if same < len(first.hashes) or len(r.hashes) > same:
            notes.append(
                f"{r.label} was not scored on all the sentences of {first.label}: they share "
                f"{same} of {len(first.hashes)} paradigms"
            )
    notes += published_notes(list(known), named)
    return AccuracyTable(level, method, MADE[interval], columns, rows, tuple(notes))


class _Boot(NamedTuple):
    """Credits of every item, by set, to resample."""

    credit: Mapping[str, NDArray[np.float64]]
    resample: Resample
    seed: int

    @classmethod
    def of(cls, result: Result, method: str, resample: Resample, seed: int) -> _Boot:
        return cls(set_credits(result, method), resample, seed)

    def interval(self, sets: Sequence[str]) -> Interval:
        """The interval of the mean of some sets; a single set cannot be resampled as a set."""
        drawn: Resample = self.resample if len(sets) > 1 else "items"
        found = credit_mean_interval([self.credit[name] for name in sets], drawn, self.seed)
        return found.ci


def _has(named: Sequence[Result], level: str) -> bool:
    return any(r.facts.node(name, level) for r in named for name in r.facts.sets)


def _cell(
    column: str, members: Mapping[str, None], sets: Mapping[str, Accuracy], boot: _Boot | None
) -> AccuracyCell | None:
    here = [name for name in members if name in sets]
    if not here:
        return None
    mean = mean_accuracy([sets[name] for name in here])
    ci = mean.ci if boot is None else boot.interval(here)
    return AccuracyCell(column, mean.accuracy, len(here), mean.n, mean.ties, ci)


def _published_cell(
    column: str, members: Mapping[str, None], rows: Mapping[str, float]
) -> AccuracyCell | None:
    if any(name not in rows for name in members):
        return None
    return AccuracyCell(column, sum(rows[name] for name in members) / len(members), len(members))


def _markdown(table: AccuracyTable) -> str:
    """A table for a README; the notes follow as a list."""
    lines = [
        _md_row([table.by, *(c.name for c in table.columns)]),
        _md_row(["---", *("---:" for _ in table.columns)]),
    ]
    for row in table.rows:
        cells = [_plain(c) for c in row.cells]
        mark = "**" if row.name == OVERALL else ""
        name = row.name if row.name == OVERALL else words(row.name)
        lines.append(_md_row([f"{mark}{_md(name)}{mark}", *(f"{mark}{c}{mark}" for c in cells)]))
    notes = [f"- {_md(note)}" for note in _notes(table)]
    return "\n".join([*lines, "", *notes]) + "\n"


def _latex(table: AccuracyTable) -> str:
    r"""A `table` with booktabs' rules, ready for `\input`; the best model of a row is bold."""
    ours = [not column.published for column in table.columns]
    rows: list[list[str] | None] = []
    for row in table.rows:
        if row.name == OVERALL and len(table.rows) > 1:
            rows.append(None)
        name = row.name if row.name == OVERALL else words(row.name)
        shown = {
            n: f"{c.accuracy:.3f}" for n, c in enumerate(row.cells) if c is not None and ours[n]
        }
        best = max(shown.values(), default="") if len(shown) > 1 else None
        cells = [escape_tex(_plain(cell)) for cell in row.cells]
        bolder = [bold(text) if shown.get(n, "") == best else text for n, text in enumerate(cells)]
        rows.append([escape_tex(name), *bolder])
    head = ["", *(escape_tex(column.name) for column in table.columns)]
    notes = ((note[:1].upper() + note[1:]).rstrip(".") for note in _notes(table))
    caption = escape_tex(f"Accuracy by {table.by}. {'. '.join(notes)}.")
    return latex_table(head, rows, caption=caption, label=label_of("tab", "accuracy", table.by))


def _notes(table: AccuracyTable) -> list[str]:
    if not any(c and c.ci for row in table.rows for c in row.cells):
        return list(table.notes)
    return [f"per cent, with 95 % intervals: {table.interval}", *table.notes]


def _plain(cell: AccuracyCell | None) -> str:
    if cell is None:
        return ""
    text = f"{100 * cell.accuracy:.1f}"
    if cell.ci is not None:
        text += f" ({100 * cell.ci[0]:.1f}–{100 * cell.ci[1]:.1f})"
    return text + (f", {cell.ties} tied" if cell.ties else "")


def _md_row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _md(text: str) -> str:
    return re.sub(r"([|*`\\<>])", r"\\\1", text)
