"""Transfer between phenomena: saved analyses of `priscian analyse transfer`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from priscian.analysis.named_results import words as readable
from priscian.analysis.result import Table
from priscian.analysis.transfer.cells import Cell
from priscian.analysis.transfer.record import Learner, Trained, Words
from priscian.analysis.transfer.transfer import SCOPES, Transfer
from priscian.analysis.vega import Figure
from priscian.reporting.sections import Draw, Given, page_section

CONTROLS: tuple[tuple[str, Learner, Words], ...] = (
    ("probe", "probe", "same"),
    ("other words", "probe", "other"),
    ("equal sizes", "equal", "same"),
    ("bag of n-grams", "bag", "same"),
    ("shuffled labels", "shuffled", "same"),
)
SCOPE_NAMES = {
    "own": "the training phenomenon",
    "others": "each other phenomenon",
    "without_phenomenon": "a phenomenon left out of training",
    "without_paradigm": "a paradigm left out of training",
}
MOST_GAPS = 12


@page_section("Transfer between phenomena", place=97)
def transfer(given: Given) -> list[Draw]:
    """One analysis after the other, if there are any."""
    many = len(given.transfers) > 1
    return [
        Draw("transfer", partial(_figures, found, number if many else 0), transfer_tables(found))
        for number, found in enumerate(given.transfers, 1)
    ]


def _figures(found: Transfer, number: int) -> list[Figure]:
    if not number:
        return list(found.figures)
    name = found.record.encoder
    return [
        replace(figure, name=f"{figure.name}-{number}", title=f"{figure.title}, {name}")
        for figure in found.figures
    ]


def transfer_tables(found: Transfer) -> tuple[Table, ...]:
    """Overall, the matrix, what was left out, by size, asymmetry."""
    return (
        _overall(found),
        _matrix(found),
        _left_out(found, "without_phenomenon", found.phenomena),
        _sizes(found),
        _asymmetry(found),
        _left_out(found, "without_paradigm", [p.uid for p in found.record.paradigms], folded=True),
    )


def _overall(found: Transfer) -> Table:
    record = found.record
    rows = []
    own = found.own()
    for scope in SCOPES:
        cells = [found.overall(scope, learner, words) for _, learner, words in CONTROLS]
        rows.append((SCOPE_NAMES[scope], *_row(cells, own)))
    where = f"chosen by {record.chosen_by}" if record.chosen_by else "as given"
    note = (
        f"Per cent of test pairs whose good sentence has the higher logit (ties count half), with "
        f"95 % intervals over paradigms. Probes read layer and pooling {record.view} of "
        f"{record.encoder}, {where}, with C = {record.c:g}; {record.pairs} training pairs of each "
        f"paradigm (seed {record.seed}), {record.test_pairs} test pairs (seed {record.test_seed}). "
        "Other words: test pairs share no content lemma with training. Equal sizes: every "
        "training phenomenon has as many pairs as the smallest."
    )
    head = ("tested on", *(name for name, *_ in CONTROLS), "MCC of the probe")
    columns = (*head, *([f"{record.model} itself"] if own else []))
    text = " ".join([note, *found.findings])
    return Table(f"Transfer between phenomena, {record.encoder}", columns, tuple(rows), text)


def _matrix(found: Transfer) -> Table:
    names = found.phenomena
    rows = tuple(
        (
            readable(one),
            *(
                f"{100 * found.cell(one, other).accuracy:.0f}"
                + ("•" if one != other and found.is_above(one, other) else "")
                for other in names
            ),
        )
        for one in names
    )
    return Table(
        f"From phenomenon (row) to phenomenon (column), {found.record.encoder}",
        ("trained on", *map(readable, names)),
        rows,
        "Accuracy of the probe on test pairs in per cent. • marks cells between phenomena whose "
        "95 % interval is above both shuffled labels and the bag of n-grams.",
    )


def _left_out(
    found: Transfer, trained: Trained, names: Sequence[str], *, folded: bool = False
) -> Table:
    rows = []
    for name in names:
        cells = [
            found.left_out(name, learner, words, trained=trained) for _, learner, words in CONTROLS
        ]
        own = found.own(name)
        rows.append((readable(name), *_row(cells, own)))
    what = "phenomenon" if trained == "without_phenomenon" else "paradigm"
    head = (f"{what} left out", *(name for name, *_ in CONTROLS), "MCC of the probe")
    columns = (*head, *([f"{found.record.model} itself"] if found.record.own else []))
    title = f"Trained on all {'phenomena' if what == 'phenomenon' else 'paradigms'} but one"
    return Table(
        f"{title}, {found.record.encoder}", columns, tuple(rows), below=folded, folded=folded
    )


def _sizes(found: Transfer) -> Table:
    curves = {
        f"{name}, {where}": found.curve(where == "within", learner)
        for name, learner, _ in (CONTROLS[0], CONTROLS[3], CONTROLS[4])
        for where in ("within", "left out")
    }
    sizes = sorted({size for curve in curves.values() for size in curve})
    rows = tuple(
        (str(size), *(_share(curve[size]) if size in curve else "" for curve in curves.values()))
        for size in sizes
    )
    head = ("training pairs of each paradigm", *curves)
    title = f"By number of training pairs, {found.record.encoder}"
    return Table(title, head, rows, below=True, folded=True)


def _asymmetry(found: Transfer) -> Table:
    rows = tuple(
        (
            f"{readable(a.source)} → {readable(a.target)}",
            f"{100 * a.difference:+.1f}",
            f"{100 * a.ci[0]:+.1f} to {100 * a.ci[1]:+.1f}",
        )
        for a in found.asymmetries[:MOST_GAPS]
    )
    return Table(
        f"Where transfer is least symmetric, {found.record.encoder}",
        ("from → to", "points more than back", "95 % interval"),
        rows,
        "Of probes that were trained on equally many pairs.",
        below=True,
        folded=True,
    )


def _row(cells: Sequence[Cell], own: Cell | None) -> tuple[str, ...]:
    """Accuracies of the probe and its controls, the probe's correlation, the model's own choice."""
    mcc = cells[0].mcc
    return (
        *map(_share, cells),
        "" if mcc is None else f"{mcc:.2f}",
        *([_share(own)] if own else []),
    )


def _share(cell: Cell) -> str:
    low, high = cell.ci
    return f"{100 * cell.accuracy:.1f} ({100 * low:.1f}–{100 * high:.1f})"
