"""Learning curves: what a sweep shows about architecture, corpus size and perplexity."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from priscian.analysis.curves.curve import CurveAnalysis
from priscian.analysis.curves.table import CurveTable
from priscian.analysis.curves.training_size import FittedCurve
from priscian.analysis.named_results import words
from priscian.analysis.result import OVERALL, Table
from priscian.analysis.vega import Figure
from priscian.reporting.sections import Draw, ReportData, page_section

MODELS_NOTE = (
    "Per cent right with 95 % intervals. Perplexity is per word, ends of sentences included, on "
    "the shared test part; with closed vocabularies of different sizes, or for a grammar (an upper "
    "bound), it is not comparable."
)
LINES_NOTE = (
    "Points of accuracy gained with each doubling of the corpus (least squares on log₂ tokens, "
    "Student's intervals), and the size at which the line meets people's accuracy on BLiMP's own "
    "sentences, with Fieller's interval."
)
TESTS_NOTE = (
    "Linear mixed models of suite scores as in Hu et al. (2020): log size and architecture, with "
    "random slopes of both by suite and a random intercept of the model. Each effect is tested by "
    "leaving it out."
)
POOLED_NOTE = (
    " The test on perplexity uses perplexities that are not comparable: vocabularies differ, or "
    "some are upper bounds of grammars."
)


@page_section("Learning curves", place=5)
def curves(given: ReportData) -> list[Draw]:
    """Figures and tables of every sweep."""

    def make(number: int, found: CurveAnalysis) -> list[Figure]:
        start = "curve" if number == 1 else f"curve{number}"
        return [replace(figure, name=f"{start}-{figure.name}") for figure in found.figures]

    return [
        Draw("learning curves", partial(make, number, found), sweep_tables(table, found))
        for number, (table, found) in enumerate(given.curves, 1)
    ]


def sweep_tables(table: CurveTable, found: CurveAnalysis) -> list[Table]:
    """The models, gains by size, tests of suite scores, and what was left out."""
    made = [_models(table, found)]
    for data, sizes in found.training_size.items():
        overall = [c for c in sizes.curves if c.name == OVERALL]
        rest = [c for c in sizes.curves if c.name != OVERALL]
        made.append(_lines(f"Gain with each doubling of the corpus, {data}", overall))
        made.append(_lines(f"The same by phenomenon, {data}", rest, folded=True))
    for data, mixed in found.mixed.items():
        rows = tuple(
            (name, f"{test.chi2:.2f}", str(test.df), f"{test.p:.2g}")
            for name, test in mixed.tests.items()
        )
        pooled = "perplexity" in mixed.tests and not found.perplexity[data].comparable
        note = TESTS_NOTE + (POOLED_NOTE if pooled else "")
        note += f" {mixed.note[0].upper()}{mixed.note[1:]}." if mixed.note else ""
        title, head = f"What explains suite scores, {data}", ("effect", "χ²", "df", "p")
        made.append(Table(title, head, rows, note, below=True))
    missing = [f"{name}: {table.failed.get(name, 'not finished')}" for name in table.missing]
    lines = tuple((line,) for line in (*found.left_out, *missing))
    if lines:
        made.append(Table("Left out", ("",), lines, below=True, folded=True))
    return made


def _models(table: CurveTable, found: CurveAnalysis) -> Table:
    data = list(dict.fromkeys(s.data for s in table.scores))
    overall = {(s.model, s.data): s for s in table.scores if s.level == "overall"}
    order = list(dict.fromkeys(m.curve for m in table.models))
    rows = []
    for m in sorted(table.models, key=lambda m: (order.index(m.curve), m.tokens, m.seed)):
        scores = [overall.get((m.model, name)) for name in data]
        rows.append(
            (
                m.curve, m.size, str(m.seed), f"{m.parameters:,}", f"{m.vocabulary:,}",
                f"{m.tokens_seen:,}", f"{m.training_seconds / 60:,.0f}",
                "" if m.perplexity is None else f"{m.perplexity:,.1f}",
                *(
                    f"{100 * s.accuracy:.1f} ({100 * s.low:.1f}–{100 * s.high:.1f})" if s else ""
                    for s in scores
                ),
            )
        )  # fmt: skip
    head = ("model", "corpus", "seed", "parameters", "vocabulary", "tokens seen", "minutes",
            "perplexity", *data)  # fmt: skip
    note = " ".join((MODELS_NOTE, *(f"{n}." for n in found.notes)))
    return Table("Models of the sweep", head, tuple(rows), note, below=True)


def _lines(title: str, curves: list[FittedCurve], *, folded: bool = False) -> Table:
    rows = tuple(
        (
            c.curve if c.name == OVERALL else f"{c.curve}, {words(c.name)}",
            f"{100 * c.line.slope:+.2f}",
            f"{100 * c.line.ci[0]:+.2f} to {100 * c.line.ci[1]:+.2f}",
            "" if c.reach is None else f"{100 * c.reach.human:.1f}",
            str(c.reach or ""),
        )
        for c in curves
    )
    head = ("model", "slope", "95 % interval", "people", "tokens to people's level")
    return Table(title, head, rows, LINES_NOTE, below=True, folded=folded)
