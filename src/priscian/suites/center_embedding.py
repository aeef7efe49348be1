"""Center embedding: the verb that comes first belongs to the noun that came last."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from priscian.grammar import REL_THAT, THE, Grammar, Node, Word
from priscian.lexicon.tables import LexiconRow
from priscian.suites.people import one_of
from priscian.suites.registry import Regions, suite
from priscian.suites.text import dealt

center_embedding = partial(suite, circuit="Center Embedding")
CELLS = ("heads", "subjects", "verbs", "ends", "modifiers")


@dataclass(frozen=True, slots=True)
class Embedding:
    """*The · rose · that the · florist · from the village · watered · bloomed*"""

    head: tuple[Word, ...]
    subject: tuple[Word, ...]
    inner: tuple[Word, ...]
    outer: tuple[Word, ...]
    row: LexiconRow


def _embedding(g: Grammar) -> Embedding:
    row = dealt(g, "center_embeddings", *CELLS)
    head, subject, inner, outer = (one_of(g, row, cell) for cell in CELLS[:-1])
    return Embedding(head, subject, inner, outer, row)


def _conditions(item: Embedding, between: list[Node]) -> Regions:
    start: list[Node] = [THE, item.head, REL_THAT, THE, item.subject, *between]
    return {
        "plaus": [*start, item.inner, item.outer],
        "implaus": [*start, item.outer, item.inner],
    }


def _prediction(first: int) -> str:
    plausible, swapped = (
        f"(({first};%{name}%)+({first + 1};%{name}%))" for name in ("plaus", "implaus")
    )
    return f"{plausible}<{swapped}"


REGIONS = ["intro", "np_1", "that", "det_2", "np_2", "verb1", "verb2"]


@center_embedding("center_embed", regions=REGIONS, predictions=[_prediction(6)])
def center_embed(g: Grammar) -> Regions:
    """The rose that the florist watered bloomed / *The rose that the florist bloomed watered"""
    return _conditions(_embedding(g), [])


@center_embedding(
    "center_embed_mod",
    regions=[*REGIONS[:5], "modifier", *REGIONS[5:]],
    predictions=[_prediction(7)],
    stem="center_embed",
)
def center_embed_mod(g: Grammar) -> Regions:
    """The rose that the florist from the village watered bloomed / *… bloomed watered"""
    item = _embedding(g)
    # Of the noun of the inner clause, so that its verb is far away.
    return _conditions(item, [one_of(g, item.row, "modifiers")])
