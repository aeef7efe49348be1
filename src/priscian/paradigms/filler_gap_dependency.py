"""A fronted *who* or *what* needs a gap in its clause, and a gap needs a filler."""

from __future__ import annotations

from functools import partial

from priscian.grammar import (
    DP,
    REL_THAT,
    THAT,
    VP,
    WHAT,
    WHO,
    Either,
    Grammar,
    Inflection,
    Node,
    Pair,
    label,
)
from priscian.lexicon import Predicate
from priscian.paradigms.edits import Exchange, Reordering, Substitution
from priscian.paradigms.phrases import (
    ACTOR,
    asks_for,
    filler,
    head,
    object_of,
)
from priscian.paradigms.registry import paradigm
from priscian.paradigms.tenses import earlier, report, reported

dependency = partial(paradigm, phenomenon="filler_gap_dependency", field="syntax")
complementiser = partial(dependency, edit=Substitution("lemma", "category"))
# What others hear of and remember.
MEMORABLE = "newsworthy|noteworthy|social"


def _responsive(g: Grammar) -> tuple[DP, Predicate, Inflection]:
    """*the mayor*, *discover*, past: may be followed by *that* or by *who* and *what*."""
    verb = g.verb("wh", "responsive", also="that")
    subject = g.dp((verb.subject, verb.use("that").subject, "person"), adjective=0.1)
    return subject, verb, report(g, verb)


def _actor(g: Grammar, verb: Predicate, tense: Inflection, far: bool) -> DP:
    """The subject of the clause; if the filler is to be far away, with a relative clause."""
    if not far:
        return g.dp((verb.subject, ACTOR), det="known", adjective=0.15)
    dp = head(g, verb.subject, ACTOR)
    # What one person did to another is plausible whoever they are.
    if dp.person:
        other = g.verb("trans", "!rare social|liking", subject="person", object="person")
        complement = g.dp((object_of(other), "person"))
    else:
        other = g.verb("transitive|pp", f"!stative !rare timeless|{MEMORABLE}", subject=dp)
        complement = g.dp(object_of(other))
    return g.relative(dp, g.vp(other, earlier(g, other, tense), object=complement))


def _without_gap(g: Grammar, *, far: bool) -> Pair:
    subject, matrix, tense = _responsive(g)
    verb = g.verb("transitive", f"one_object !rare {MEMORABLE}", subject="some person")
    what = g.dp(object_of(verb), adjective=0.1)
    actor = _actor(g, verb, tense, far)
    vp = VP(verb.verb, reported(g, verb, tense), (what,))
    return g.pair(
        subject=subject,
        verb=VP(matrix.verb, tense).agree(subject),
        filler=Either(THAT, filler(what.noun, verb)),
        clause=(actor, *vp.agree(actor)),
    )


def _with_gap(g: Grammar, *, far: bool) -> Pair:
    subject, matrix, tense = _responsive(g)
    wh = g.deal((WHO, WHAT))
    verb = g.verb(
        "trans",
        "strict noteworthy",
        subject="some animate",
        fits=lambda v: asks_for(v, wh),
    )
    actor = _actor(g, verb, tense, far)
    vp = VP(verb.verb, reported(g, verb, tense))
    return g.pair(
        subject=subject,
        verb=VP(matrix.verb, tense).agree(subject),
        filler=Either(wh, THAT),
        clause=(actor, *vp.agree(actor)),
    )


@complementiser("wh_vs_that_no_gap")
def wh_vs_that_no_gap(g: Grammar) -> Pair:
    """Emma knew that the cook burned the soup. / *Emma knew what the cook burned the soup."""
    return _without_gap(g, far=False)


@complementiser("wh_vs_that_no_gap_long_distance")
def wh_vs_that_no_gap_long_distance(g: Grammar) -> Pair:
    """Emma knew that the man who slept ate it. / *Emma knew what the man who slept ate it."""
    return _without_gap(g, far=True)


@complementiser("wh_vs_that_with_gap")
def wh_vs_that_with_gap(g: Grammar) -> Pair:
    """Emma knew who the mayor had insulted. / *Emma knew that the mayor had insulted."""
    return _with_gap(g, far=False)


@complementiser("wh_vs_that_with_gap_long_distance")
def wh_vs_that_with_gap_long_distance(g: Grammar) -> Pair:
    """Emma knew who the cook who slept insulted. / *Emma knew that the cook who slept insulted."""
    return _with_gap(g, far=True)


def _found(g: Grammar, what: DP) -> tuple[tuple[Node, ...], Inflection]:
    """*the mayor noticed*, before this or before a question, and its tense."""
    verb = g.verb("transitive", "noticing", also="wh", object=what)
    subject, tense = g.dp((verb.subject, verb.use("wh").subject)), report(g, verb)
    finite = VP(verb.verb, tense).agree(subject)
    return (label("subject", subject), label("verb", finite)), tense


def object_gap(g: Grammar, *, far: bool) -> Pair:
    """*the vase that the boy broke __* and *what the boy broke the vase*."""
    verb = g.verb("transitive", f"one_object !rare {MEMORABLE}", subject="some person")
    what = head(g, object_of(verb), adjective=0.25)
    start, tense = _found(g, what)
    actor = _actor(g, verb, tense, far)
    clause = (actor, *VP(verb.verb, earlier(g, verb, tense)).agree(actor))
    good = (label("object", what), label("filler", REL_THAT), label("clause", clause))
    bad = (label("filler", filler(what.noun, verb)), label("clause", clause, what))
    return g.pair_of((*start, *good), (*start, *bad))


def _subject_gap(g: Grammar, *, far: bool) -> Pair:
    verb = g.verb("transitive", f"one_object !rare {MEMORABLE}", subject="some person")
    who = head(g, verb.subject, "animate&!infant")
    start, tense = _found(g, who)
    between: tuple[Node, ...] = ()
    if far:
        # *the boy that she told that* would begin like a clause.
        nearer = g.verb(
            "trans", "!stative !rare social", also="!that", subject="person", object=who
        )
        # A name keeps the relative clause light.
        other = g.dp((nearer.subject, "person"), "sg", det="known", names=0.8)
        finite = VP(nearer.verb, earlier(g, nearer, tense)).agree(other)
        between = (g.relativiser(who), other, *finite)
    vp = VP(verb.verb, earlier(g, verb, tense), (g.dp(object_of(verb)),))
    what, finite = label("object", who, *between), vp.agree(who)
    wh = label("filler", filler(who.noun, verb))
    return g.pair_of(
        (*start, what, label("filler", REL_THAT), *finite), (*start, wh, what, *finite)
    )


@dependency("wh_questions_object_gap", edit=Reordering("lemma", "category"))
def wh_questions_object_gap(g: Grammar) -> Pair:
    """Emma noticed the vase that the boy broke. / *Emma noticed what the boy broke the vase."""
    return object_gap(g, far=False)


@dependency("wh_questions_subject_gap", edit=Exchange("rel", "wh"))
def wh_questions_subject_gap(g: Grammar) -> Pair:
    """Emma noticed the boy that broke the vase. / *Emma noticed who the boy broke the vase."""
    return _subject_gap(g, far=False)


@dependency("wh_questions_subject_gap_long_distance", edit=Exchange("rel", "wh"))
def wh_questions_subject_gap_long_distance(g: Grammar) -> Pair:
    """Amy saw the man that we met that ate it. / *Amy saw who the man that we met ate it."""
    return _subject_gap(g, far=True)
