"""The result of a transfer analysis: cells, controls, asymmetries, clusters, findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from priscian.analysis.transfer.cells import Cell, cell_of, own_cell
from priscian.analysis.transfer.clusters import FEWEST, Clusters, cluster
from priscian.analysis.transfer.record import (
    LEARNERS,
    WORDS,
    Learner,
    Tally,
    Trained,
    TransferRecord,
    Words,
    read_record,
    write_record,
)
from priscian.analysis.vega import Figure, HasFigures
from priscian.stats.interval import Interval, combined_interval

Key = tuple[Trained, Learner, Words, str, int]
Scope = Literal["own", "others", "without_phenomenon", "without_paradigm"]
"""Tested on the training phenomenon; on the others; on the phenomenon or paradigm left out."""
SCOPES: tuple[Scope, ...] = ("own", "others", "without_phenomenon", "without_paradigm")


@dataclass(frozen=True, slots=True)
class Asymmetry:
    """How much better a phenomenon helps another than the other way round."""

    source: str
    target: str
    difference: float
    ci: Interval

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "from": self.source,
            "to": self.target,
            "difference": self.difference,
            "ci": list(self.ci),
        }


@dataclass(frozen=True, slots=True)
class Transfer(HasFigures):
    """A saved analysis with everything that is computed from its counts."""

    record: TransferRecord
    index: Mapping[Key, Sequence[Tally]] = field(repr=False, compare=False)

    @classmethod
    def of(cls, record: TransferRecord) -> Transfer:
        """The result of a record."""
        index: dict[Key, list[Tally]] = {}
        for t in record.tallies:
            index.setdefault((t.trained, t.learner, t.words, t.source, t.size), []).append(t)
        return cls(record, index)

    @property
    def phenomena(self) -> tuple[str, ...]:
        """Phenomena by field of the taxonomy, then by name."""
        fields = self.fields
        return tuple(sorted(fields, key=lambda name: (fields[name], name)))

    @property
    def fields(self) -> dict[str, str]:
        """The field that most paradigms of each phenomenon belong to."""
        found: dict[str, Counter[str]] = {}
        for place in self.record.paradigms:
            found.setdefault(place.phenomenon, Counter())[place.field] += 1
        return {name: counts.most_common(1)[0][0] for name, counts in found.items()}

    def members(self, phenomenon: str) -> frozenset[str]:
        """The paradigms of a phenomenon."""
        return frozenset(p.uid for p in self.record.paradigms if p.phenomenon == phenomenon)

    def cell(
        self, source: str, target: str, learner: Learner = "probe", words: Words = "same"
    ) -> Cell:
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
    ) -> Cell:
        """Trained on all but one phenomenon or paradigm, tested on that one."""
        return cell_of(self._at(trained, learner, words, name))

    def own(self, target: str = "", words: Words = "same") -> Cell | None:
        """The model's own choice on the pairs of a phenomenon or paradigm, by default on all."""
        members = self.members(target) or (
            {target} if target else {p.uid for p in self.record.paradigms}
        )
        found = [c for c in self.record.own if c.words == words and c.target in members]
        return own_cell(found) if found else None

    def overall(self, scope: Scope, learner: Learner = "probe", words: Words = "same") -> Cell:
        """The mean over all paradigms, each tested by the classifiers of a scope."""
        return cell_of(self._scoped(scope, learner, words))

    def curve(
        self, within: bool, learner: Learner = "probe", words: Words = "same"
    ) -> dict[int, Cell]:
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

    @property
    def findings(self) -> list[str]:
        """The main results, a sentence each."""
        from priscian.analysis.transfer.findings import findings_of

        return findings_of(self)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Heat maps, what is left out, size curve, asymmetries, clusters."""
        from priscian.analysis.transfer.transfer_figure import transfer_figures

        return transfer_figures(self)

    def save(self, folder: Path | str) -> Path:
        """Write `transfer.json` into a folder."""
        return write_record(Path(folder), self.record)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        from priscian.analysis.transfer.plain import plain_transfer

        return plain_transfer(self)

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


def read_transfer(path: Path | str) -> Transfer:
    """A saved analysis, from its folder or file."""
    return Transfer.of(read_record(Path(path)))


__all__ = ["LEARNERS", "SCOPES", "WORDS", "Asymmetry", "Scope", "Transfer", "read_transfer"]
