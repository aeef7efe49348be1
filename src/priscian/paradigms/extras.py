"""Two paradigms that BLiMP's authors planned and left out; they are not among the 67."""

from __future__ import annotations

from priscian.grammar import AND, VP, Grammar, Pair, label
from priscian.paradigms.edits import Reordering
from priscian.paradigms.filler_gap_dependency import object_gap
from priscian.paradigms.phrases import object_of, restrictable
from priscian.paradigms.registry import paradigm
from priscian.paradigms.tenses import asked


@paradigm(
    "coordinate_structure_constraint_subject_extraction",
    phenomenon="island_effects",
    field="syntax",
    edit=Reordering(),
    lexically_identical=True,
    extra=True,
)
def coordinate_structure_constraint_subject_extraction(g: Grammar) -> Pair:
    """Which cook and which maid will hug Emma? / *Which cook will and which maid hug Emma?"""
    verb = g.verb(
        "transitive",
        "!stative|rare one_object newsworthy|noteworthy|social|tallied",
        subject="some person",
    )
    which = g.word("which", "wh")
    left, right = (
        g.dp((verb.subject, "person"), "sg", names=0.0, det=which, fits=restrictable)
        for _ in range(2)
    )
    tense = asked(g, verb)
    if not tense.has_auxiliary:
        tense = g.inflection(verb, kind="modal", negation=0.0)
    vp = VP(verb.verb, tense, (g.dp(object_of(verb)),))
    filler, conjunct = label("filler", left), label("conjunct", AND, right)
    finite, *rest = vp.agree("pl")
    return g.pair_of((filler, conjunct, finite, *rest), (filler, finite, conjunct, *rest), end="?")


@paradigm(
    "wh_questions_object_gap_long_distance",
    phenomenon="filler_gap_dependency",
    field="syntax",
    edit=Reordering("lemma", "category"),
    extra=True,
)
def wh_questions_object_gap_long_distance(g: Grammar) -> Pair:
    """Amy saw the car that men who slept hit. / *Amy saw what men who slept hit the car."""
    return object_gap(g, far=True)
