"""A fronted *who* or *what* needs a gap in its clause, and a gap needs a filler."""

from __future__ import annotations

from functools import partial

from priscian.grammar import (
    DP,
    REL_THAT,
    THAT,
    Either,
    Grammar,
    Inflection,
    Pair,
    label,
)
from priscian.lexicon import Predicate
from priscian.paradigms.edits import Exchange, Reordering, Substitution
from priscian.paradigms.gaps import earlier, filler, one_object, report, reported, settled
from priscian.paradigms.registry import paradigm

dependency = partial(paradigm, phenomenon="filler_gap_dependency", field="syntax")
complementiser = partial(dependency, edit=Substitution("lemma", "category"))

# What these report is a measure, a choice or a forecast, hardly who did what to whom.
NO_REPORT = frozenset(
    "anticipate calculate consider decide demonstrate estimate forecast foresee foretell grasp "
    "illustrate imagine perceive predict prove sense show signal specify study".split()
)


def _reports(verb: Predicate) -> bool:
    return verb.lemma not in NO_REPORT


def _responsive(g: Grammar) -> tuple[DP, Predicate, Inflection]:
    """*the mayor*, *discover*, past: what goes with *that* as well as with *who* and *what*."""
    verb = g.verb("wh", also="that", fits=_reports)
    return g.subject(verb, verb.use("that"), names=0.25), verb, report(g, verb)


def _relative(g: Grammar, dp: DP, matrix: Inflection, shorter: float = 0.2) -> DP:
    """*the nurse who praised the cook*, sometimes *the nurse who slept*."""
    frame = "strict_intransitive|pp" if g.coin(shorter) else "transitive"
    verb = g.verb(frame, subject=dp)
    return g.relative(dp, g.vp(verb, earlier(g, verb, matrix)))


def _without_gap(g: Grammar, *, far: bool) -> Pair:
    subject, matrix, tense = _responsive(g)
    verb = g.verb("transitive", fits=one_object)
    what = g.object(verb, adjective=0.1)
    inner = settled(g, verb.subject, names=not far and 0.25)
    if far:
        inner = _relative(g, inner, tense)
    vp = g.vp(verb, reported(g, verb, tense), object=what)
    return g.pair(
        subject=subject,
        verb=g.vp(matrix, tense).with_complement().agree(subject),
        filler=Either(THAT, filler(what.noun, verb)),
        clause=(inner, *vp.agree(inner)),
    )


def _with_gap(g: Grammar, *, far: bool) -> Pair:
    subject, matrix, tense = _responsive(g)
    verb = g.verb("trans", "strict")
    wh = filler(g.noun(verb.object or "entity"), verb)
    inner = settled(g, verb.subject, names=not far and 0.25, adjective=0.25)
    if far:
        inner = _relative(g, inner, tense)
    vp = g.vp(verb, reported(g, verb, tense), gap=True)
    return g.pair(
        subject=subject,
        verb=g.vp(matrix, tense).with_complement().agree(subject),
        filler=Either(wh, THAT),
        clause=(inner, *vp.agree(inner)),
    )


@complementiser("wh_vs_that_no_gap")
def wh_vs_that_no_gap(g: Grammar) -> Pair:
    """Emma knew that the cook burned the soup. / *Emma knew what the cook burned the soup."""
    return _without_gap(g, far=False)


@complementiser("wh_vs_that_no_gap_long_distance")
def wh_vs_that_no_gap_long_distance(g: Grammar) -> Pair:
    """Emma knew that the cook who slept burned it. / *Emma knew what the cook who slept burned it."""
    return _without_gap(g, far=True)


@complementiser("wh_vs_that_with_gap")
def wh_vs_that_with_gap(g: Grammar) -> Pair:
    """Emma knew who the mayor had insulted. / *Emma knew that the mayor had insulted."""
    return _with_gap(g, far=False)


@complementiser("wh_vs_that_with_gap_long_distance")
def wh_vs_that_with_gap_long_distance(g: Grammar) -> Pair:
    """Emma knew who the cook who slept insulted. / *Emma knew that the cook who slept insulted."""
    return _with_gap(g, far=True)


def _finding(g: Grammar, found: DP) -> tuple[DP, Predicate, Inflection]:
    """*the mayor*, *notice*, past: what goes with this object as well as with a question."""
    verb = g.verb("transitive", also="wh", object=found, fits=one_object)
    return g.subject(verb, verb.use("wh"), names=0.25), verb, report(g, verb)


def object_gap(g: Grammar, *, far: bool) -> Pair:
    """*the vase that the boy broke __* and *what the boy broke the vase*."""
    verb = g.verb("transitive", fits=one_object)
    found = g.object(verb, names=False, det="the|indefinite", features="individual")
    subject, matrix, tense = _finding(g, found)
    inner = settled(g, verb.subject, names=not far and 0.25)
    if far:
        inner = _relative(g, inner, tense)
    finite = g.vp(verb, reported(g, verb, tense), gap=True).agree(inner)
    start = (label("subject", subject), g.vp(matrix, tense, gap=True).agree(subject))
    wh = filler(found.noun, verb)
    return g.pair_of(
        (*start, label("object", found), label("filler", REL_THAT), inner, finite),
        (*start, label("filler", wh), inner, finite, label("object", found)),
    )


def _subject_gap(g: Grammar, *, far: bool) -> Pair:
    verb = g.verb("transitive", fits=one_object)
    who = g.dp(verb.subject, names=False, det="the", features="individual")
    subject, matrix, tense = _finding(g, who)
    between = ()
    if far:
        nearer = g.verb("trans", "!stative", object=who, fits=_takes_no_clause)
        other = settled(g, nearer.subject)
        vp = g.vp(nearer, earlier(g, nearer, tense), gap=True)
        between = (g.relativiser(who), other, *vp.agree(other))
    finite = g.vp(verb, reported(g, verb, tense), object=g.object(verb)).agree(who)
    start = (label("subject", subject), g.vp(matrix, tense, gap=True).agree(subject))
    found = label("object", who, between)
    wh = filler(who.noun, matrix)
    return g.pair_of(
        (*start, found, label("filler", REL_THAT), finite),
        (*start, label("filler", wh), found, finite),
    )


def _takes_no_clause(verb: Predicate) -> bool:
    return "that" not in verb.verb.frames


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
    """Emma knew the cook that he hired that broke it. / *Emma knew who the cook that he hired broke it."""
    return _subject_gap(g, far=True)
