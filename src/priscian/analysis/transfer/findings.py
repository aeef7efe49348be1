"""The main results of a transfer analysis in words."""

from __future__ import annotations

from priscian.analysis.named_results import words
from priscian.analysis.transfer.cells import Cell
from priscian.analysis.transfer.transfer import Transfer
from priscian.stats.interval import Interval

SHOWN = 3


def findings_of(found: Transfer) -> list[str]:
    """A sentence for each result, controls included."""
    lines = [_overall(found), _left_out(found), _cells(found)]
    lines += [_words(found)]
    own = found.own()
    if own is not None:
        lines.append(
            f"{found.record.model} itself, without training, chooses the good sentence in "
            f"{percent(own)} of the same test pairs."
        )
    lines += _relations(found)
    return lines


def percent(cell: Cell) -> str:
    """An accuracy in per cent with its interval."""
    return f"{100 * cell.accuracy:.1f} % ({_limits(cell.ci)})"


def _limits(ci: Interval) -> str:
    return f"{100 * ci[0]:.1f}–{100 * ci[1]:.1f}"


def _overall(found: Transfer) -> str:
    own, others = found.overall("own"), found.overall("others")
    return (
        f"Trained on one phenomenon, a probe is right on {percent(own)} of new pairs of that "
        f"phenomenon and on {percent(others)} of pairs of the others; a bag of n-grams on "
        f"{100 * found.overall('own', 'bag').accuracy:.1f} and "
        f"{100 * found.overall('others', 'bag').accuracy:.1f} %."
    )


def _left_out(found: Transfer) -> str:
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
        f"Trained on all other phenomena, it is right on {percent(whole)} of the pairs of the one "
        f"left out (bag of n-grams {100 * bag_cell.accuracy:.1f} %): better than the bag in "
        f"{better} of {len(found.phenomena)} phenomena, by more than the interval in {above}; "
        f"with one paradigm left out, {percent(found.overall('without_paradigm'))}."
    )


def _cells(found: Transfer) -> str:
    pairs = [(a, b) for a in found.phenomena for b in found.phenomena if a != b]
    above = [(a, b) for a, b in pairs if found.is_above(a, b)]
    worse = sum(found.cell(a, b).ci[1] < 0.5 for a, b in pairs)
    best = sorted(above, key=lambda at: -found.cell(*at).accuracy)[:SHOWN]
    named = "; ".join(
        f"{words(a)} → {words(b)} {100 * found.cell(a, b).accuracy:.0f} %" for a, b in best
    )
    are, their = ("is", "its") if len(above) == 1 else ("are", "their")
    return (
        f"{len(above)} of {len(pairs)} cells between two phenomena {are} above both shuffled "
        f"labels and the bag by more than {their} interval"
        f"{f' (highest: {named})' if named else ''}; "
        f"{worse} {'is' if worse == 1 else 'are'} below chance by more than that."
    )


def _words(found: Transfer) -> str:
    same, other = found.overall("others"), found.overall("others", words="other")
    own = found.overall("own", words="other")
    equal, shuffled = found.overall("others", "equal"), found.overall("others", "shuffled")
    return (
        f"With test pairs that share no content lemma with training, {100 * own.accuracy:.1f} % "
        f"within and {100 * other.accuracy:.1f} % between phenomena (with the same words "
        f"{100 * same.accuracy:.1f}); with equally many training pairs of each phenomenon "
        f"{100 * equal.accuracy:.1f} %; with shuffled labels {100 * shuffled.accuracy:.1f} %."
    )


def _relations(found: Transfer) -> list[str]:
    sure = [a for a in found.asymmetries if a.ci[0] > 0]
    most = (
        f", most from {words(sure[0].source)} to {words(sure[0].target)} "
        f"({100 * sure[0].difference:+.0f} points, 95 % interval {_limits(sure[0].ci)})"
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
