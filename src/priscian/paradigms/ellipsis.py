"""N-bar ellipsis: a noun is elided with its adjectives; none of them can be left behind."""

from __future__ import annotations

from functools import partial

from priscian.grammar import AND, DP, VP, Grammar, Inflection, Node, Pair, label
from priscian.paradigms.edits import Exchange, Reordering
from priscian.paradigms.phrases import object_of
from priscian.paradigms.registry import paradigm

ellipsis = partial(paradigm, phenomenon="ellipsis", field="syntax")

KINDS = ("some artefact", "some animal", "some speech")
TENSES = (
    Inflection("past"),
    Inflection("past"),
    Inflection("pres", perfect=True),
    Inflection("past", perfect=True),
    Inflection("pres", modal="will"),
)
# After a numeral others could be a predicate (*ate two raw*, *bought two new*), an order (*two
# large*), a noun (*two Swiss*), or a contrast that some speakers accept (*two red*).
ATTRIBUTIVE = "!age|colour|control|dangling|material|mood|nationality|raising|size|stage"


def _scene(g: Grammar) -> tuple[Node, Node, DP]:
    """Two halves and what they are about: *Ian fed two*, *Emma fed six*, *cats*."""
    kind = g.weighted(KINDS, (85.0, 10.0, 5.0))
    kept_count = "tallied" if g.coin(0.65) else "by_number"
    verb = g.verb(
        "transitive",
        f"{kept_count} !stative !judging one_object",
        also="!raise_obj",
        subject="some person",
        object=kind,
    )
    slots, features = (object_of(verb), "@numbered"), "count individual"
    things = g.dp(slots, "pl", names=0.0, det="bare", features=features)
    vp = VP(verb.verb, g.choose(TENSES))
    first, second = (g.dp((verb.subject, "person"), adjective=0.2) for _ in range(2))
    left, right = ((who, vp.agree(who), g.numeral(2, 8)) for who in (first, second))
    return left, right, things


@ellipsis("ellipsis_n_bar_1", edit=Reordering())
def ellipsis_n_bar_1(g: Grammar) -> Pair:
    """Ian fed two shy cats and Emma fed six. / *Ian fed two cats and Emma fed six shy."""
    left, right, things = _scene(g)
    adjective = label("adjective", g.adjective(things, ATTRIBUTIVE).word)
    noun = label("noun", things.head)
    return g.pair_of((left, adjective, noun, AND, right), (left, noun, AND, right, adjective))


@ellipsis("ellipsis_n_bar_2", edit=Exchange("noun", "adj"))
def ellipsis_n_bar_2(g: Grammar) -> Pair:
    """Ian fed two cats and Emma fed six shy cats. / *Ian fed two odd cats and Emma fed six shy."""
    left, right, things = _scene(g)
    other = label("contrasted", g.adjective(things, ATTRIBUTIVE).word)
    adjective = label("adjective", g.adjective(things, ATTRIBUTIVE).word)
    noun = label("noun", things.head)
    return g.pair_of(
        (left, noun, AND, right, adjective, noun), (left, other, noun, AND, right, adjective)
    )
