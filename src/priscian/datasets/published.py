"""Accuracies of the BLiMP paper's models and people on BLiMP's own data, for comparison.

The models' figures are those of the released `models_summary.jsonl` (67 paradigms; GPT-2 as
recomputed in 2021, 83.0 overall, not Table 3's 80.1), the people's are means of individual
judgements in the released MTurk file (88.6 overall). Table 3's overall means of the other models
are lower (60.5, 68.9, 68.7) because they include two paradigms that were rejected later.
"""

from __future__ import annotations

from functools import cache

from priscian.datasets.reference import DATA, blimp_taxonomy
from priscian.files import read_tsv


@cache
def published() -> dict[str, dict[str, float]]:
    """Accuracy by system, then by paradigm: `published()["GPT-2"]["adjunct_island"]`."""
    found: dict[str, dict[str, float]] = {}
    for _, row in read_tsv(DATA / "blimp_published.tsv"):
        uid = row.pop("UID")
        for system, cell in row.items():
            found.setdefault(system, {})[uid] = float(cell)
    return found


def published_means(system: str) -> dict[str, float]:
    """Unweighted means over paradigms: by phenomenon, and `overall`.

    >>> round(100 * published_means("5-gram")["overall"], 1)
    61.2
    """
    rows = published()[system]
    groups: dict[str, list[float]] = {"overall": list(rows.values())}
    for uid, accuracy in rows.items():
        groups.setdefault(blimp_taxonomy()[uid][1], []).append(accuracy)
    return {name: sum(values) / len(values) for name, values in groups.items()}
