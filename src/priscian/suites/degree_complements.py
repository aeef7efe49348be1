"""Degree words and the clauses that complete them: a suite of our own design."""

from __future__ import annotations

from priscian.catalogue import FURTHER
from priscian.grammar import THE, Grammar, Node, Word
from priscian.suites.people import one_of
from priscian.suites.registry import Regions, suite
from priscian.suites.text import dealt

SO, TOO = Word("so", "so", "func"), Word("too", "too", "func")
WAS = Word("was", "be", "func")
CELLS = ("subjects", "adjectives", "modifiers", "infinitives", "results")


@suite(
    "degree_complement",
    circuit=FURTHER,
    regions=["subject", "copula", "degree", "adjective", "modifier", "complementizer", "clause"],
    predictions=["((6;%so_that%)<(6;%too_that%))&((6;%too_to%)<(6;%so_to%))"],
)
def degree_complement(g: Grammar) -> Regions:
    """The lamp was so/*too dim by dawn that the monks fell / too/*so dim … to light the altar.

    A degree word selects the clause that completes it, across the adjective and what modifies it:
    *so* a finite clause of result, *too* an infinitive (Bresnan 1973, Baltin 1987). No adjective
    takes either by itself, nor has a modifier a noun that does: only the degree word licenses it.
    """
    row = dealt(g, "degree", *CELLS)
    subject, adjective, modifier, infinitive, result = (one_of(g, row, cell) for cell in CELLS)

    def sentence(degree: Word, complementizer: str, clause: Node) -> list[Node | str]:
        return [(THE, subject), WAS, degree, adjective, modifier, complementizer, clause]

    return {
        "so_that": sentence(SO, "that", result),
        "too_that": sentence(TOO, "that", result),
        "too_to": sentence(TOO, "to", infinitive),
        "so_to": sentence(SO, "to", infinitive),
    }
