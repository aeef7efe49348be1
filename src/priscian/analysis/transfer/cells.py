"""From counts to numbers: accuracies with intervals, asymmetries, clusters of phenomena."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from priscian.analysis.result import AnalysisResult
from priscian.analysis.transfer.record import (
    Learner,
    OwnChoice,
    Tally,
    Trained,
    TransferRecord,
    Words,
)
from priscian.errors import DataError
from priscian.files import HIDDEN
from priscian.stats.correlations import Mantel, mantel
from priscian.stats.interval import Z95, Interval, combined_interval, student_t
from priscian.stats.matthews import counts_interval, matthews_of_counts
from priscian.stats.sets import WITHIN_SETS, effective_items, shares_interval

Floats = npt.NDArray[np.float64]
Key = tuple[Trained, Learner, Words, str, int]
Scope = Literal["own", "others", "without_phenomenon", "without_paradigm"]
"""Tested on the training phenomenon; on the others; on the phenomenon or paradigm left out."""
SCOPES: tuple[Scope, ...] = ("own", "others", "without_phenomenon", "without_paradigm")
FEWEST = 3
"""Phenomena that a clustering needs."""


class TransferCell(Struct, frozen=True):
    """The accuracy on the test pairs of some paradigms, and the correlation on their sentences.

    The accuracy is the unweighted mean over paradigms; its interval covers other paradigms of the
    kind, or other pairs where there is one. `labels` has right labels of good and of bad sentences
    and wrong labels of bad and of good ones, as many as they are worth; a model's own choices have
    none, because they have no threshold.
    """

    SHOWN: ClassVar = ("accuracy", "ci", "mcc", "mcc_ci", "pairs", "paradigms")

    accuracy: float
    ci: Interval
    pairs: int
    paradigms: int
    labels: tuple[float, float, float, float] | None = None

    @property
    def mcc(self) -> float | None:
        """Matthews' correlation over all sentences; every paradigm counts alike."""
        return None if self.labels is None else matthews_of_counts(*self.labels)

    @property
    def mcc_ci(self) -> Interval | None:
        """Its 95 % interval for other paradigms; None where all sentences get one label."""
        return None if self.labels is None else counts_interval(*self.labels)


def cell_of(tallies: Iterable[Tally]) -> TransferCell:
    """The cell of some counts; counts of one paradigm, from several sources, are pooled."""
    targets: dict[str, list[Tally]] = {}
    for tally in tallies:
        targets.setdefault(tally.target, []).append(tally)
    if not targets:
        raise DataError("no test pairs to average; the analysis was not made for this cell")
    own = list(targets.values())
    sizes = [group[0].pairs for group in own]
    means = [sum(t.right for t in group) / sum(t.pairs * t.draws for t in group) for group in own]
    mean = math.fsum(means) / len(means)
    labels = _labels(own, sizes)
    return TransferCell(mean, shares_interval(means, sizes), sum(sizes), len(own), labels)


def own_cell(choices: Sequence[OwnChoice]) -> TransferCell:
    """The accuracy of a model's own choices."""
    means = [choice.right / choice.pairs for choice in choices]
    sizes = [choice.pairs for choice in choices]
    ci = shares_interval(means, sizes)
    return TransferCell(math.fsum(means) / len(means), ci, sum(sizes), len(choices))


def _labels(
    groups: Sequence[Sequence[Tally]], sizes: Sequence[int]
) -> tuple[float, float, float, float]:
    """Right and wrong labels of all sentences, as many as independent ones would be.

    Sentences of one paradigm are alike, so they count as fewer: nₑ of `effective_items`, and less
    again by (z/t)², as Student's t allows for few paradigms.
    """
    # every paradigm counts alike: shares of its sentences, however many draws
    shares = []
    for group in groups:
        total = sum(2 * t.pairs * t.draws for t in group)
        counts = ((t.true_good, t.true_bad, t.false_good, t.false_bad) for t in group)
        shares.append([sum(column) / total for column in zip(*counts, strict=True)])
    right = [share[0] + share[1] for share in shares]
    worth = effective_items(right, [2 * size for size in sizes])
    if len(groups) > 1:
        worth *= (Z95 / student_t(len(groups) - 1 + WITHIN_SETS)) ** 2
    tp, tn, fp, fn = (worth * math.fsum(p) / len(shares) for p in zip(*shares, strict=True))
    return tp, tn, fp, fn


class Asymmetry(Struct, frozen=True):
    """How much better a phenomenon helps another than the other way round."""

    source: str = field(name="from")
    target: str = field(name="to")
    difference: float
    ci: Interval


class Merge(Struct, frozen=True):
    """Two clusters that become one, at the mean distance of their members."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    distance: float


class Clusters(Struct, frozen=True):
    """Average linkage of phenomena, and Mantel's test against the fields of the taxonomy.

    The distance of two phenomena is 1 less the mean of the accuracies in both directions.
    `same_field` and `other_field` are mean accuracies of transfer between two phenomena of one
    field, and of fields that share nothing.
    """

    order: tuple[str, ...]
    merges: tuple[Merge, ...]
    taxonomy: Mantel = field(name="mantel")
    same_field: float
    other_field: float


def cluster(
    phenomena: Sequence[str], fields: Mapping[str, str], accuracy: Floats, seed: int = 0
) -> Clusters:
    """Clusters of phenomena; `accuracy` is (sources, targets) in their order."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    distance = 1 - (accuracy + accuracy.T) / 2
    np.fill_diagonal(distance, 0.0)
    linked = linkage(squareform(distance, checks=False), "average", optimal_ordering=True)
    members: list[tuple[str, ...]] = [(name,) for name in phenomena]
    merges = []
    for left, right, height, _ in linked:
        merges.append(Merge(members[int(left)], members[int(right)], float(height)))
        members.append((*members[int(left)], *members[int(right)]))
    apart = field_distances([fields[name] for name in phenomena])
    pairs = [(i, j) for i in range(len(phenomena)) for j in range(len(phenomena)) if i != j]
    return Clusters(
        tuple(phenomena[i] for i in leaves_list(linked)),
        tuple(merges),
        mantel(distance, apart, seed),
        _mean([accuracy[at] for at in pairs if apart[at] == 0]),
        _mean([accuracy[at] for at in pairs if apart[at] == 1]),
    )


def field_distances(fields: Sequence[str]) -> Floats:
    """1 less the share of fields in common; `syntax_semantics` is both syntax and semantics.

    >>> field_distances(["syntax", "syntax_semantics", "morphology"]).tolist()
    [[0.0, 0.5, 1.0], [0.5, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """
    parts = [set(name.split("_")) for name in fields]
    return np.array([[1 - len(a & b) / len(a | b) for b in parts] for a in parts])


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


class TransferCells(AnalysisResult, frozen=True):
    """A saved analysis, and the numbers that follow from its counts."""

    record: TransferRecord
    index: Annotated[Mapping[Key, Sequence[Tally]], HIDDEN]

    @classmethod
    def of(cls, record: TransferRecord) -> Self:
        """The result of a record."""
        index: dict[Key, list[Tally]] = {}
        for t in record.tallies:
            index.setdefault((t.trained, t.learner, t.words, t.source, t.size), []).append(t)
        return cls(record, index)

    @property
    def fields(self) -> dict[str, str]:
        """Phenomena by field, then by name, and the field that most of their paradigms are of."""
        found: dict[str, Counter[str]] = {}
        for place in self.record.paradigms:
            found.setdefault(place.phenomenon, Counter())[place.field] += 1
        fields = {name: counts.most_common(1)[0][0] for name, counts in found.items()}
        return dict(sorted(fields.items(), key=lambda pair: (pair[1], pair[0])))

    @property
    def phenomena(self) -> tuple[str, ...]:
        """Phenomena by field of the taxonomy, then by name."""
        return tuple(self.fields)

    def members(self, phenomenon: str) -> frozenset[str]:
        """The paradigms of a phenomenon."""
        return frozenset(p.uid for p in self.record.paradigms if p.phenomenon == phenomenon)

    def cell(
        self, source: str, target: str, learner: Learner = "probe", words: Words = "same"
    ) -> TransferCell:
        """Trained on one phenomenon, tested on one."""
        own = self.members(target)
        return cell_of(t for t in self._at("matrix", learner, words, source) if t.target in own)

    def left_out(
        self,
        name: str,
        learner: Learner = "probe",
        words: Words = "same",
        *,
        trained: Trained = "without_phenomenon",
    ) -> TransferCell:
        """Trained on all but one phenomenon or paradigm, tested on that one."""
        return cell_of(self._at(trained, learner, words, name))

    def own(self, target: str = "", words: Words = "same") -> TransferCell | None:
        """The model's own choice on the pairs of a phenomenon or paradigm, by default on all."""
        members = self.members(target) or (
            {target} if target else {p.uid for p in self.record.paradigms}
        )
        found = [c for c in self.record.own if c.words == words and c.target in members]
        return own_cell(found) if found else None

    def overall(
        self, scope: Scope, learner: Learner = "probe", words: Words = "same"
    ) -> TransferCell:
        """The mean over all paradigms, each tested by the classifiers of a scope."""
        return cell_of(self._scoped(scope, learner, words))

    def curve(
        self, within: bool, learner: Learner = "probe", words: Words = "same"
    ) -> dict[int, TransferCell]:
        """The mean over paradigms by number of training pairs of each paradigm.

        Within the training phenomenon, or on the phenomenon that was left out.
        """
        short: Trained = "size_within" if within else "size_without"
        sizes = sorted({t.size for t in self.record.tallies if t.trained == short})
        found = {
            size: cell_of(
                t for name in self.phenomena for t in self._at(short, learner, words, name, size)
            )
            for size in sizes
        }
        full: Scope = "own" if within else "without_phenomenon"
        return found | {self.record.pairs: self.overall(full, learner, words)}

    def is_above(self, source: str, target: str, words: Words = "same") -> bool:
        """Whether a cell's whole interval is above both controls, shuffled labels and the bag."""
        low = self.cell(source, target, "probe", words).ci[0]
        controls: tuple[Learner, ...] = ("shuffled", "bag")
        return all(low > self.cell(source, target, c, words).accuracy for c in controls)

    @property
    def asymmetries(self) -> list[Asymmetry]:
        """Every two phenomena, the larger direction first; trained on equally many pairs."""
        found = []
        for at, one in enumerate(self.phenomena):
            for other in self.phenomena[at + 1 :]:
                there, back = self.cell(one, other, "equal"), self.cell(other, one, "equal")
                source, target = one, other
                if back.accuracy > there.accuracy:
                    there, back, source, target = back, there, other, one
                parts = [(there.accuracy, there.ci), (back.accuracy, back.ci)]
                ci = combined_interval(parts, [1.0, -1.0])
                gap = there.accuracy - back.accuracy
                found.append(Asymmetry(source, target, gap, ci))
        return sorted(found, key=lambda a: (-a.difference, a.source, a.target))

    @property
    def clusters(self) -> Clusters | None:
        """Phenomena that go together; None of fewer than three.

        Of probes that were trained on equally many pairs, tested on pairs with other words.
        """
        names = self.phenomena
        if len(names) < FEWEST:
            return None
        accuracy = np.array(
            [[self.cell(a, b, "equal", "other").accuracy for b in names] for a in names]
        )
        return cluster(names, self.fields, accuracy)

    def _at(
        self, trained: Trained, learner: Learner, words: Words, source: str, size: int = 0
    ) -> Sequence[Tally]:
        return self.index.get((trained, learner, words, source, size or self.record.pairs), ())

    def _scoped(self, scope: Scope, learner: Learner, words: Words) -> Iterator[Tally]:
        if scope == "without_paradigm":
            for place in self.record.paradigms:
                yield from self._at(scope, learner, words, place.uid)
            return
        for name in self.phenomena:
            if scope == "without_phenomenon":
                yield from self._at(scope, learner, words, name)
                continue
            own = self.members(name)
            for tally in self._at("matrix", learner, words, name):
                if (tally.target in own) == (scope == "own"):
                    yield tally
