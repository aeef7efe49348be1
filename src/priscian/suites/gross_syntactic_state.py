"""Gross syntactic state: after a subordinate clause a main clause must come, and not the end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from priscian.grammar import THE, Grammar, Node, Word
from priscian.lexicon.tables import LexiconRow
from priscian.suites.people import unused
from priscian.suites.registry import Regions, suite
from priscian.suites.text import COMMA, STOP, dealt, verb, words

state = partial(suite, circuit="Gross Syntactic State", stem="subordination")
COLUMNS = (
    "conjunctions", "subjects", "verb", "objects", "mains",
    "of_subject_pp", "of_subject_src", "of_subject_orc",
    "of_object_pp", "of_object_src", "of_object_orc",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SubordinateSentence:
    """*After · the cook · burned the steak · the guests left*, and the row it comes from."""

    conjunction: tuple[Word, ...]
    subject: tuple[Word, ...]
    predicate: tuple[Word, ...]
    main: tuple[Word, ...]
    row: LexiconRow


def _sentence(g: Grammar) -> SubordinateSentence:
    """What all four suites share; it is drawn first, so that their items pair by number."""
    row = dealt(g, "clauses", *COLUMNS)
    conjunction = words(g, g.choose(row.parts("conjunctions", ",")))
    subject = _one(g, row, "subjects", ",")
    does = verb(g, row["verb"]).past_sg
    what = _one(g, row, "objects", ",")
    return SubordinateSentence(
        conjunction=conjunction,
        subject=(THE, *subject),
        predicate=(does, THE, *what),
        main=_one(g, row, "mains"),
        row=row,
    )


def _one(g: Grammar, row: LexiconRow, column: str, separator: str = "/") -> tuple[Word, ...]:
    """One of the alternatives in a cell that repeats nothing of the sentence so far."""
    return unused(g, tuple(row.parts(column, separator)))


def _conditions(item: SubordinateSentence, between: list[Node]) -> Regions:
    clause: list[Node] = [*between]
    return {
        "sub_no-matrix": [(item.conjunction, item.subject), *clause, STOP],
        "no-sub_no-matrix": [item.subject, *clause, STOP],
        "sub_matrix": [(item.conjunction, item.subject), *clause, (COMMA, item.main, STOP)],
        "no-sub_matrix": [item.subject, *clause, (COMMA, item.main, STOP)],
    }


def _prediction(region: int) -> str:
    return (
        f"(({region};%sub_no-matrix%)>({region};%no-sub_no-matrix%))"
        f"&(({region};%sub_matrix%)<({region};%no-sub_matrix%))"
    )


@state(
    "subordination",
    regions=["Subordinate clause 1", "Subordinate clause 2", "Main clause"],
    predictions=[_prediction(3)],
)
def subordination(g: Grammar) -> Regions:
    """While the cook peeled the potatoes, the phone rang. / *While the cook peeled the potatoes."""
    item = _sentence(g)
    return _conditions(item, [item.predicate])


modified = partial(
    state,
    regions=[
        "Subordinate clause 1",
        "subj_modifier",
        "Subordinate clause 2",
        "obj_modifier",
        "Main clause",
    ],
    predictions=[_prediction(5)],
)


def _modified(g: Grammar, kind: str) -> Regions:
    """The subject and the object with a modifier each: `pp`, `src` or `orc`."""
    item = _sentence(g)
    of_subject = _one(g, item.row, f"of_subject_{kind}")
    of_object = _one(g, item.row, f"of_object_{kind}")
    return _conditions(item, [of_subject, item.predicate, of_object])


@modified("subordination_orc-orc")
def subordination_orc_orc(g: Grammar) -> Regions:
    """While the cook who the guests liked peeled the potatoes that they loved, the phone rang."""
    return _modified(g, "orc")


@modified("subordination_pp-pp")
def subordination_pp_pp(g: Grammar) -> Regions:
    """While the cook from the village peeled the potatoes on the counter, the phone rang."""
    return _modified(g, "pp")


@modified("subordination_src-src")
def subordination_src_src(g: Grammar) -> Regions:
    """While the cook who hated the cold peeled the potatoes that looked good, the phone rang."""
    return _modified(g, "src")
