"""The 34 suites of Hu et al. (2020): circuit, use in the published figures, modifier versions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class PublishedSuite:
    """A suite as the paper's analyses see it."""

    name: str
    circuit: str
    analysed: bool
    """Whether it is one of the 31 that the figures and the regression rest on."""
    modifier_of: str
    """The suite of which this is the version with an intervening modifier, or nothing."""


@cache
def published_suites() -> dict[str, PublishedSuite]:
    """Every suite of the release by name.

    >>> published_suites()["npz_obj_mod"].modifier_of
    'npz_obj'
    """
    table = resources.files("priscian.analysis") / "data" / "sg_suites.tsv"
    rows = (line.split("\t") for line in table.read_text("utf-8").splitlines()[1:])
    return {
        name: PublishedSuite(name, circuit, analysed == "yes", modifier_of)
        for name, circuit, analysed, modifier_of in rows
    }
