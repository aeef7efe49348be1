"""Which phenomena go together by transfer, and whether the taxonomy says the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.files import plain
from priscian.stats.correlations import Mantel, mantel

Floats = npt.NDArray[np.float64]
FEWEST = 3
"""Phenomena that a clustering needs."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Two clusters that become one, at the mean distance of their members."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    distance: float

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"left": list(self.left), "right": list(self.right), "distance": self.distance}


@dataclass(frozen=True, slots=True)
class Clusters:
    """Average linkage of phenomena, and Mantel's test against the fields of the taxonomy.

    The distance of two phenomena is 1 less the mean of the accuracies in both directions.
    `same_field` and `other_field` are mean accuracies of transfer between two phenomena of one
    field, and of fields that share nothing.
    """

    order: tuple[str, ...]
    merges: tuple[Merge, ...]
    taxonomy: Mantel
    same_field: float
    other_field: float

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "order": list(self.order),
            "merges": [merge.as_dict() for merge in self.merges],
            "mantel": plain(self.taxonomy),
            "same_field": self.same_field,
            "other_field": self.other_field,
        }


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
