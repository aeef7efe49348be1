"""What stands out, in words: each model's classes against chance and against its own mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from priscian.analysis.named_results import short_names
from priscian.reporting.boards import Board, Cell, Row, class_label
from priscian.runs import GradedSummary

SHOWN = 3
RULE = (
    "Below chance: the 95 % interval of a phenomenon or circuit is below chance. At chance: it "
    "includes chance and reaches at most ten points to either side. Cannot be told from chance: it "
    "includes chance and reaches further, so more items are needed. For circuits and SG this "
    "interval is as wide as that of a model that guesses on the same items; the one that is shown "
    "covers other suites and is wider. Strong: the interval that is shown begins above the model's "
    "own mean. Weak: it ends below that mean, and the class is above chance. Where more than half "
    "of the items tie there is no verdict. The three clearest of each are named. Intervals are not "
    "corrected for the number of classes: of twelve equal classes, one stands out by chance in "
    "nearly every other report."
)
WORDS = {
    "strong": "strong on",
    "weak": "weak on",
    "at chance": "at chance on",
    "unsure": "cannot be told from chance on",
    "below": "below chance on",
    "tied": "mostly tied on",
}


@dataclass(frozen=True, slots=True)
class Score:
    """A headline score with its interval."""

    name: str
    data: str
    cell: Cell
    note: str = ""


@dataclass(frozen=True, slots=True)
class Headline:
    """A model's line at the top."""

    model: str
    label: str
    """The model's name, of many without the beginning that all share."""
    scores: tuple[Score, ...]
    words: tuple[str, ...]


def headlines(boards: Sequence[Board]) -> list[Headline]:
    """One line per model, in the order in which they were scored."""
    found: dict[str, tuple[list[Score], list[str]]] = {}
    for board in boards:
        several = len({result.data for result in board.results}) > 1
        for result, row in zip(board.results, board.models, strict=True):
            scores, said = found.setdefault(result.model, ([], []))
            if row.overall is not None:
                scores.append(Score(board.name, result.data, row.overall))
            if isinstance(result.summary, GradedSummary):
                scores += _graded(result.summary)
            sentence = describe(row, len(board.columns))
            if sentence:
                where = f"{board.name} {result.data}" if several else board.name
                said.append(f"{where}: {sentence}" if several or len(boards) > 1 else sentence)
    short = short_names(list(found))
    return [
        Headline(model, short[model], tuple(scores), tuple(said))
        for model, (scores, said) in found.items()
    ]


def _graded(summary: GradedSummary) -> list[Score]:
    """The Acceptability Delta Criterion at its strictest δ, if there are people's ratings."""
    found = []
    for delta, score in list(summary.graded.adc.items())[:1]:
        share = Cell(score.accuracy, 0.0, score.ci, score.n, 0)
        found.append(Score(f"ADC, δ = {delta}", summary.data, share, "no chance level"))
    return found


def describe(row: Row, classes: int) -> str:
    """How classes stand to chance and to the mean, by intervals; empty if nothing stands out."""
    if row.overall is None or classes < 2:
        return ""
    mean = row.overall.accuracy
    compared = not row.overall.tied
    found: dict[str, list[tuple[float, str]]] = {how: [] for how in WORDS}
    for name, cell in row.classes.items():
        if cell.ci is None:
            continue
        low, high = cell.ci
        away = abs(cell.accuracy - cell.chance)
        if cell.standing == "above":
            if not compared:
                continue
            if low > mean:
                found["strong"].append((mean - cell.accuracy, name))
            elif high < mean:
                found["weak"].append((cell.accuracy - mean, name))
        else:
            found[cell.standing].append((-away if cell.standing == "below" else away, name))
    said = [
        f"{WORDS[how]} {_listed([name for _, name in sorted(names)])}"
        for how, names in found.items()
        if names
    ]
    if not compared:
        said.insert(0, f"most items tie, {row.overall.ties:,} of {row.overall.n:,}")
    return ", ".join(said)


def _listed(names: Sequence[str]) -> str:
    shown = [_name(name) for name in names[:SHOWN]]
    if len(names) > SHOWN:
        more = len(names) - SHOWN
        shown.append("one more" if more == 1 else f"{more} more")
    if len(shown) == 1:
        return shown[0]
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _name(name: str) -> str:
    """Phenomena and circuits as written inside a sentence."""
    text = class_label(name)
    return text if text[:2].isupper() else text.lower()
