"""A finite verb agrees with its subject in number, whatever stands between them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from priscian.grammar import (
    DP,
    PAST,
    PERFECT,
    PRESENT,
    VP,
    Either,
    Grammar,
    Pair,
    Reject,
    label,
    other_number,
)
from priscian.lexicon import Number, Word
from priscian.paradigms.edits import Substitution
from priscian.paradigms.phrases import object_of
from priscian.paradigms.registry import paradigm
from priscian.paradigms.tenses import earlier

agreement = partial(
    paradigm, phenomenon="subject_verb_agreement", field="morphology", edit=Substitution("number")
)

# What may precede a noun with a complement: not *my debut of the actor*.
HEAD = "the|demonstrative"
# The plain present, a predicate with *be*, or another auxiliary; the first has the most verbs.
KINDS = ("present", "copula", "auxiliary")
SHARES = (72.0, 13.0, 15.0)
FRAMES = ("transitive", "strict_intransitive", "pp")
WEIGHTS = (48.0, 40.0, 12.0)
WAS_OR_IS = (PAST, PRESENT)
RELATIONAL: dict[Number, str] = {"sg": "@one_of_several", "pl": "@several_of_one"}


def _agreeing(g: Grammar, subject: DP) -> VP:
    """A verb phrase or a predicate whose first word shows the number of its subject."""
    match g.weighted(KINDS, SHARES):
        case "present":
            # One fact about the subject is given already; a habit would change the topic.
            if subject.person and g.coin(0.75 if subject.post else 0.25):
                return _attitude(g, subject)
            return _habit(g, subject)
        case "copula":
            classes = "mood|stage !raising" if subject.person else "!nationality"
            tense = PERFECT if subject.person and g.coin(0.12) else g.choose(WAS_OR_IS)
            if g.coin(0.14):
                tense = replace(tense, negation="n't")
            return g.copular(g.adjective(subject, classes, "pred"), tense)
    flags = "!stative"
    if subject.person:
        flags += " aftermath" if subject.post else " social|aftermath|scenic"
    return g.vp(inflection="agreeing_auxiliary", subject=subject, flags=flags, negation=0.14)


def _attitude(g: Grammar, subject: DP) -> VP:
    """*likes Emma*, *annoys my neighbor*"""
    verb = g.verb("transitive", "attitude", subject=subject, object="some person")
    whom = g.dp((object_of(verb), "person"), det="known", names=0.6)
    return g.vp(verb, "present", object=whom, negation=0.1)


def _habit(g: Grammar, subject: DP) -> VP:
    """*sells apples*, *snores*, *hates coffee*: a habit or taste is about a kind of thing."""
    flags = f"!rare {'timeless|liking' if subject.person else 'timeless|stirring'}"
    try:
        verb = g.verb(g.weighted(FRAMES, WEIGHTS), flags, subject=subject)
    except Reject:
        verb = g.verb("|".join((*FRAMES, "inch")), flags, subject=subject)
    if verb.object is None or verb.frame == "pp":
        return g.vp(verb, "present", negation=0.08)
    if verb.object.admits_names:
        someone = g.dp((verb.object, "person"))
        return g.vp(verb, "present", object=someone, negation=0.08)
    slots, features = (verb.object, "!@possessed&!@singly"), "count individual"
    try:
        several = g.dp(slots, "pl", det="bare", names=False, features=features)
    except Reject:
        return g.vp(verb, "present", negation=0.08)
    return g.vp(verb, "present", object=several, negation=0.08)


def _verb_varies(g: Grammar, subject: DP, *, distance: int = 0) -> Pair:
    vp = _agreeing(g, subject)
    right, wrong = vp.agree(subject), vp.agree(other_number(subject.number))
    extra = {"dependency_length": distance} if distance else {}
    return g.pair(subject=subject, predicate=Either(right, wrong), extra=extra)


def _noun_varies(g: Grammar, plural: str) -> Pair:
    """Both sentences share the determiner, so it must allow both numbers."""
    features = f"{plural} count controller individual"
    subject = g.dp("entity", det="known", names=False, features=features)
    # *this* would be a second word that shows number.
    if isinstance(first := subject.determiner[0], Word) and first.lemma == "this":
        subject = g.with_determiner(subject, "the")
    finite, *rest = _agreeing(g, subject).agree(subject)
    wrong = g.with_number(subject, other_number(subject.number))
    return g.pair(
        subject.determiner,
        subject=Either(subject.head, wrong.head),
        critical=finite,
        rest=tuple(rest),
    )


@agreement("regular_plural_subject_verb_agreement_1", prefix="one")
def regular_plural_subject_verb_agreement_1(g: Grammar) -> Pair:
    """The nurses have slept. / *The nurses has slept."""
    return _verb_varies(g, g.dp("entity", features="regular count controller"))


@agreement("regular_plural_subject_verb_agreement_2", prefix="two")
def regular_plural_subject_verb_agreement_2(g: Grammar) -> Pair:
    """The nurses have slept. / *The nurse have slept."""
    return _noun_varies(g, "regular")


@agreement("irregular_plural_subject_verb_agreement_1", prefix="one")
def irregular_plural_subject_verb_agreement_1(g: Grammar) -> Pair:
    """The children have slept. / *The children has slept."""
    return _verb_varies(g, g.dp("entity", features="irregular count controller", names=False))


@agreement("irregular_plural_subject_verb_agreement_2", prefix="two")
def irregular_plural_subject_verb_agreement_2(g: Grammar) -> Pair:
    """The children have slept. / *The child have slept."""
    return _noun_varies(g, "irregular")


@agreement("distractor_agreement_relational_noun", prefix="one")
def distractor_agreement_relational_noun(g: Grammar) -> Pair:
    """The sister of the boys has slept. / *The sister of the boys have slept."""
    number, features = g.number(), "relational count controller"
    head = g.dp(RELATIONAL[number], number, det=HEAD, names=False, features=features)
    # *the price of the tickets*, but not *the teacher of the fashions*.
    single = g.select("@singly").members if number == "sg" else frozenset()
    subject = g.relational(
        head,
        number=other_number(number),
        det="the|demonstrative",
        fits=lambda noun: (
            noun not in single and not noun.mass and noun.lemma[:5] != head.noun.lemma[:5]
        ),
    )
    return _verb_varies(g, subject, distance=g.length(subject.post) + 1)


@agreement("distractor_agreement_relative_clause", prefix="one")
def distractor_agreement_relative_clause(g: Grammar) -> Pair:
    """The boys who praised the nurse have slept. / *The boys who praised the nurse has slept."""
    who = "animal" if g.coin(0.12) else "person"
    head = g.dp(who, g.number(), det=HEAD, names=False, features="count controller")
    if head.person:
        flags = "social|liking" if g.coin(0.85) else "tallied"
        verb = g.verb("transitive", f"!rare|incomplete {flags}", subject=head)
    else:
        verb = g.verb("transitive", "!stative", subject=head)
    slots = (object_of(verb), "person" if object_of(verb).admits_names else "!body_part")
    number = other_number(head.number)
    distractor = g.dp(slots, number, names=False, features="controller")
    told = earlier(g, verb, PAST)
    subject = g.relative(head, g.vp(verb, told, object=label("distractor", distractor)))
    return _verb_varies(g, subject, distance=g.length(subject.post) + 1)
