"""The 34 published suites: circuit, membership of the usual selections, modifier versions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from priscian.datasets.reference import DATA
from priscian.errors import UsageError
from priscian.files import read_tsv

REFERENCE = (
    "Hu et al. (2020). A Systematic Assessment of Syntactic Generalization in Neural Language "
    "Models. ACL 2020, 1725–1744. doi:10.18653/v1/2020.acl-main.158"
)
SELECTIONS = ("31", "33", "34", "ours")


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
    return _by_plain_name().get(_plain(name))


@cache
def _by_plain_name() -> dict[str, PublishedSuite]:
    return {_plain(name): suite for name, suite in published_suites().items()}


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


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
