"""The result of a transfer analysis: its JSON, tables, findings and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, ClassVar, TypeVar

from msgspec import Struct

from priscian.analysis.named_results import words as readable
from priscian.analysis.result import Table
from priscian.analysis.transfer.cells import (
    SCOPES,
    Asymmetry,
    Clusters,
    Scope,
    TransferCell,
    TransferCells,
)
from priscian.analysis.transfer.figures import transfer_figures
from priscian.analysis.transfer.record import (
    LEARNERS,
    WORDS,
    Learner,
    Trained,
    TransferRecord,
    Words,
    read_record,
    write_record,
)
from priscian.analysis.vega import Figure
from priscian.files import INLINE

CONTROLS: tuple[tuple[str, Learner, Words], ...] = (
    ("probe", "probe", "same"),
    ("other words", "probe", "other"),
    ("equal sizes", "equal", "same"),
    ("bag of n-grams", "bag", "same"),
    ("shuffled labels", "shuffled", "same"),
)
"""The columns of tables: a name, the classifier, the words of the test pairs."""
SCOPE_NAMES: Mapping[Scope, str] = {
    "own": "the training phenomenon",
    "others": "each other phenomenon",
    "without_phenomenon": "a phenomenon left out of training",
    "without_paradigm": "a paradigm left out of training",
}
MOST_GAPS = 12
SHOWN = 3
"""Cells that a sentence names."""
T = TypeVar("T")
Each = Mapping[Learner, Mapping[Words, T]]
"""Something for every classifier and both kinds of test pairs."""
CellsByName = Mapping[str, TransferCell]


class TransferFacts(Struct, frozen=True):
    """How an analysis was made, every cell, and what follows from them, as in JSON."""

    record: Annotated[TransferRecord, INLINE]
    fields: Mapping[str, str]
    overall: Each[Mapping[Scope, TransferCell]]
    matrix: Each[Mapping[str, CellsByName]]
    without_phenomenon: Each[CellsByName]
    without_paradigm: Each[CellsByName]
    size: Mapping[Learner, Mapping[str, CellsByName]]
    own_choices: Mapping[Words, CellsByName] | None
    above_controls: Sequence[tuple[str, str]]
    asymmetry: Sequence[Asymmetry]
    clusters: Clusters | None
    findings: Sequence[str]


class Transfer(TransferCells, frozen=True):
    """A saved analysis with everything that is computed from its counts."""

    SHOWN: ClassVar = "facts"

    @property
    def facts(self) -> TransferFacts:
        """What JSON has; the intervals of thousands of cells take seconds, so not before."""
        names = self.phenomena
        uids = [place.uid for place in self.record.paradigms]

        def each(make: Callable[[Learner, Words], T]) -> Each[T]:
            return {
                learner: {words: make(learner, words) for words in WORDS} for learner in LEARNERS
            }

        own = {
            words: {name: cell for name in names if (cell := self.own(name, words))}
            for words in WORDS
        }
        return TransferFacts(
            record=self.record,
            fields=self.fields,
            overall=each(lambda le, w: {scope: self.overall(scope, le, w) for scope in SCOPES}),
            matrix=each(
                lambda le, w: {a: {b: self.cell(a, b, le, w) for b in names} for a in names}
            ),
            without_phenomenon=each(
                lambda le, w: {name: self.left_out(name, le, w) for name in names}
            ),
            without_paradigm=each(
                lambda le, w: {
                    uid: self.left_out(uid, le, w, trained="without_paradigm") for uid in uids
                }
            ),
            size={
                learner: {
                    where: {
                        str(size): cell
                        for size, cell in self.curve(where == "within", learner).items()
                    }
                    for where in ("within", "left_out")
                }
                for learner in LEARNERS
                if learner != "equal"
            },
            own_choices=own if self.record.own else None,
            above_controls=[(a, b) for a in names for b in names if a != b and self.is_above(a, b)],
            asymmetry=self.asymmetries,
            clusters=self.clusters,
            findings=self.findings,
        )

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Heat maps, what is left out, size curve, asymmetries, clusters."""
        return transfer_figures(self)

    def tables(self) -> list[Table]:
        """Overall, the matrix, what was left out, by size, asymmetry."""
        return [
            _overall(self),
            _matrix(self),
            _left_out(self, "without_phenomenon", self.phenomena),
            _sizes(self),
            _asymmetry(self),
            _left_out(
                self, "without_paradigm", [p.uid for p in self.record.paradigms], folded=True
            ),
        ]

    @property
    def findings(self) -> list[str]:
        """The main results, a sentence each, controls included."""
        lines = [_said_overall(self), _said_left_out(self), said_cells(self), _said_words(self)]
        own = self.own()
        if own is not None:
            lines.append(
                f"{self.record.model} itself, without training, chooses the good sentence in "
                f"{_percent(own)} of the same test pairs."
            )
        return [*lines, *said_relations(self)]

    def save(self, folder: Path | str) -> Path:
        """Write `transfer.json` into a folder."""
        return write_record(Path(folder), self.record)


def read_transfer(path: Path | str) -> Transfer:
    """A saved analysis, from its folder or file."""
    return Transfer.of(read_record(Path(path)))


# ---------------------------------------------------------------- tables


def _overall(found: Transfer) -> Table:
    record = found.record
    rows = []
    own = found.own()
    for scope, name in SCOPE_NAMES.items():
        cells = [found.overall(scope, learner, words) for _, learner, words in CONTROLS]
        rows.append((name, *_row(cells, own)))
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


def _row(cells: Sequence[TransferCell], own: TransferCell | None) -> tuple[str, ...]:
    """Accuracies of the probe and its controls, the probe's correlation, the model's own choice."""
    mcc = cells[0].mcc
    return (
        *map(_share, cells),
        "" if mcc is None else f"{mcc:.2f}",
        *([_share(own)] if own else []),
    )


def _share(cell: TransferCell) -> str:
    low, high = cell.ci
    return f"{100 * cell.accuracy:.1f} ({100 * low:.1f}–{100 * high:.1f})"


# ---------------------------------------------------------------- findings


def _percent(cell: TransferCell) -> str:
    """An accuracy in per cent with its interval."""
    return f"{100 * cell.accuracy:.1f} % ({100 * cell.ci[0]:.1f}–{100 * cell.ci[1]:.1f})"


def _said_overall(found: Transfer) -> str:
    own, others = found.overall("own"), found.overall("others")
    return (
        f"Trained on one phenomenon, a probe is right on {_percent(own)} of new pairs of that "
        f"phenomenon and on {_percent(others)} of pairs of the others; a bag of n-grams on "
        f"{100 * found.overall('own', 'bag').accuracy:.1f} and "
        f"{100 * found.overall('others', 'bag').accuracy:.1f} %."
    )


def _said_left_out(found: Transfer) -> str:
    better = above = 0
    for name in found.phenomena:
        cell = found.left_out(name)
        bag = found.left_out(name, "bag").accuracy
        better += cell.accuracy > bag
        above += cell.ci[0] > bag
    whole, bag_cell = (
        found.overall("without_phenomenon"),
        found.overall("without_phenomenon", "bag"),
    )
    return (
        f"Trained on all other phenomena, it is right on {_percent(whole)} of the pairs of the one "
        f"left out (bag of n-grams {100 * bag_cell.accuracy:.1f} %): better than the bag in "
        f"{better} of {len(found.phenomena)} phenomena, by more than the interval in {above}; "
        f"with one paradigm left out, {_percent(found.overall('without_paradigm'))}."
    )


def said_cells(found: Transfer) -> str:
    """How many cells between phenomena are above the controls, and how many below chance."""
    pairs = [(a, b) for a in found.phenomena for b in found.phenomena if a != b]
    above = [(a, b) for a, b in pairs if found.is_above(a, b)]
    worse = sum(found.cell(a, b).ci[1] < 0.5 for a, b in pairs)
    best = sorted(above, key=lambda at: -found.cell(*at).accuracy)[:SHOWN]
    named = "; ".join(
        f"{readable(a)} → {readable(b)} {100 * found.cell(a, b).accuracy:.0f} %" for a, b in best
    )
    are, their = ("is", "its") if len(above) == 1 else ("are", "their")
    return (
        f"{len(above)} of {len(pairs)} cells between two phenomena {are} above both shuffled "
        f"labels and the bag by more than {their} interval"
        f"{f' (highest: {named})' if named else ''}; "
        f"{worse} {'is' if worse == 1 else 'are'} below chance by more than that."
    )


def _said_words(found: Transfer) -> str:
    same, other = found.overall("others"), found.overall("others", words="other")
    own = found.overall("own", words="other")
    equal, shuffled = found.overall("others", "equal"), found.overall("others", "shuffled")
    return (
        f"With test pairs that share no content lemma with training, {100 * own.accuracy:.1f} % "
        f"within and {100 * other.accuracy:.1f} % between phenomena (with the same words "
        f"{100 * same.accuracy:.1f}); with equally many training pairs of each phenomenon "
        f"{100 * equal.accuracy:.1f} %; with shuffled labels {100 * shuffled.accuracy:.1f} %."
    )


def said_relations(found: Transfer) -> list[str]:
    """How asymmetric transfer is, and whether the taxonomy explains it."""
    sure = [a for a in found.asymmetries if a.ci[0] > 0]
    most = (
        f", most from {readable(sure[0].source)} to {readable(sure[0].target)} "
        f"({100 * sure[0].difference:+.0f} points, 95 % interval "
        f"{100 * sure[0].ci[0]:.1f}–{100 * sure[0].ci[1]:.1f})"
        if sure
        else ""
    )
    count = len(found.asymmetries)
    lines = [
        f"Transfer is asymmetric in {len(sure)} of {count} pairs of phenomena, beyond the "
        f"interval{most}; by chance alone about {0.05 * count:.0f} would be."
    ]
    clusters = found.clusters
    if clusters is not None and clusters.taxonomy.r == clusters.taxonomy.r:
        test = clusters.taxonomy
        lines.append(
            f"Phenomena of one field help each other with {100 * clusters.same_field:.1f} % "
            f"accuracy, those of different fields with {100 * clusters.other_field:.1f} %; "
            f"Mantel's test of transfer against the taxonomy: r = {test.r:.2f}, p = {test.p:.2g}."
        )
    return lines
