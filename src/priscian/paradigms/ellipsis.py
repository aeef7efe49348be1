"""An elided noun takes its adjective along: a numeral may be left over, an adjective may not."""

from __future__ import annotations

from functools import partial

from priscian.grammar import AND, DP, VP, Clause, Grammar, Node, Pair
from priscian.lexicon import Adjective, Predicate
from priscian.paradigms.edits import Exchange, Reordering
from priscian.paradigms.registry import paradigm

ellipsis = partial(paradigm, phenomenon="ellipsis", field="syntax")

FEW = tuple("two three four five six seven eight nine ten eleven twelve".split())
# What a state would be taken to say of the object: *ate two raw*, *bought two new*, *two large*.
STATES = frozenset("stage age size colour nationality mood raising control".split())
OFFERED = frozenset("cheap fake fancy homemade plain public private safe organic".split())
# *found two interesting*, *made two useless*: the adjective would be a predicate.
SMALL_CLAUSE = frozenset("raise_obj ing".split())
JUDGE = frozenset("call get have hold keep leave like make need paint prefer render want".split())


def _lasting(adjective: Adjective) -> bool:
    return not STATES & adjective.classes and adjective.lemma not in OFFERED


def _no_judge(verb: Predicate) -> bool:
    return verb.lemma not in JUDGE and not SMALL_CLAUSE & verb.verb.frames.keys()


def _scene(g: Grammar) -> tuple[DP, DP, VP, DP, Node]:
    """Two people who do the same to a number of things."""
    verb = g.verb("transitive", subject="some person", fits=_no_judge)
    things = g.object(verb, number="pl", det="bare", names=False, features="count individual")
    first = g.dp((verb.subject, "person"), adjective=0.2)
    second = g.dp((verb.subject, "person"), adjective=0.2)
    return first, second, g.vp(verb, gap=True), things, ()
