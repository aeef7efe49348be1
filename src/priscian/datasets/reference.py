"""What was published about BLiMP's 67 paradigms and the 34 suites of Hu et al. (2020).

Names and taxonomy, and for comparison the accuracies of the BLiMP paper's models and people on
BLiMP's own data. The models' figures are those of the released `models_summary.jsonl` (67
paradigms; GPT-2 as recomputed in 2021, 83.0 overall, not Table 3's 80.1), the people's are means of
individual judgements in the released MTurk file (88.6 overall). Table 3's overall means of the
other models are lower (60.5, 68.9, 68.7) because they include two paradigms that were rejected
later.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from priscian.errors import UsageError
from priscian.files import read_tsv

DATA = Path(__file__).parent / "data"

REFERENCE = (
    "Warstadt et al. (2020). BLiMP: The Benchmark of Linguistic Minimal Pairs for English. "
    "TACL 8, 377–392. doi:10.1162/tacl_a_00321"
)
SG_REFERENCE = (
    "Hu et al. (2020). A Systematic Assessment of Syntactic Generalization in Neural Language "
    "Models. ACL 2020, 1725–1744. doi:10.18653/v1/2020.acl-main.158"
)
SELECTIONS = ("31", "33", "34", "ours")


@cache
def blimp_taxonomy() -> dict[str, tuple[str, str]]:
    """Every UID with its field and phenomenon."""
    rows = read_tsv(DATA / "blimp_paradigms.tsv")
    return {row["uid"]: (row["field"], row["phenomenon"]) for _, row in rows}


@cache
def _by_lower_case() -> dict[str, str]:
    return {uid.lower(): uid for uid in blimp_taxonomy()}


def canonical_uid(uid: str) -> str:
    """BLiMP's spelling of a UID, ignoring case; other names are unchanged.

    >>> canonical_uid("complex_np_island")
    'complex_NP_island'
    """
    return _by_lower_case().get(uid.lower(), uid)


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


@dataclass(frozen=True, slots=True)
class PublishedSuite:
    """A suite of Hu et al. (2020).

    The paper's figures are based on 31 suites; 33 are in the six circuits; 34 were released.
    """

    name: str
    circuit: str
    in_31: bool
    in_33: bool
    modifier_of: str
    formulas: tuple[str, ...]


@cache
def published_suites() -> dict[str, PublishedSuite]:
    """Every published suite by name.

    >>> published_suites()["mvrr_mod"].circuit
    'Garden-Path Effects'
    """
    return {
        row["suite"]: PublishedSuite(
            row["suite"],
            row["circuit"],
            row["in_31"] == "yes",
            row["in_33"] == "yes",
            row["modifier_of"],
            tuple(row["formulas"].split(" ; ")),
        )
        for _, row in read_tsv(DATA / "sg_suites.tsv")
    }


def find_published(name: str) -> PublishedSuite | None:
    """The published suite with that name; capitals and dashes are ignored."""
    by_plain_name = {known.lower().replace("-", "_"): known for known in published_suites()}
    found = by_plain_name.get(name.lower().replace("-", "_"))
    return published_suites()[found] if found else None


def selection(name: str) -> frozenset[str]:
    """Names of the suites of a selection: `31`, `33`, `34` or `ours`."""
    if name == "ours":
        from priscian.suites import suites  # the grammar takes time to load

        return frozenset(name for name, suite in suites().items() if not suite.further)
    if name not in SELECTIONS:
        raise UsageError(f"`suites=` takes {', '.join(SELECTIONS)}, not {name!r}")
    known = published_suites().values()
    return frozenset(
        s.name for s in known if name == "34" or (s.in_31 if name == "31" else s.in_33)
    )
