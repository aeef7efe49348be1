"""Some phrases are islands: a question word cannot be taken out of them."""

from __future__ import annotations

from functools import partial

from priscian.grammar import (
    AND,
    DP,
    VP,
    WHO,
    Either,
    Grammar,
    Inflection,
    Pair,
    Reject,
    Word,
    critical,
    label,
)
from priscian.lexicon import Predicate
from priscian.paradigms.edits import Reordering, Substitution
from priscian.paradigms.gaps import asked, earlier, filler, one_object, reported
from priscian.paradigms.registry import paradigm

island = partial(paradigm, phenomenon="island_effects", field="syntax")
reordered = partial(island, edit=Reordering(), lexically_identical=True)

ADJUNCTS = (("before", "after", "while", "without"), (38.0, 36.0, 16.0, 10.0))
# Verbs of feeling that what somebody does can be the subject of.
STIRRING = frozenset(
    "alarm amaze amuse anger annoy astonish bother confuse delight disappoint discourage disgust "
    "distract disturb embarrass enrage excite frighten frustrate horrify humiliate impress "
    "infuriate irritate offend outrage perplex please puzzle sadden satisfy shock stun surprise "
    "thrill torment unnerve unsettle upset worry".split()
)
# With these a clause without *that* sounds right, and so does a question.
BRIDGES = frozenset(
    "admit announce clarify confirm decide disclose discover explain forget guess hear imagine "
    "indicate know learn mention notice realize recall remember report reveal say see state "
    "understand".split()
)


@reordered("adjunct_island")
def adjunct_island(g: Grammar) -> Pair:
    """Who did Emma hug after greeting the cook? / *Who did Emma hug the cook after greeting?"""
    verb = g.verb("transitive", "!stative", fits=one_object)
    other = g.object(verb, names=0.15)
    subject = g.subject(verb, names=0.35)
    adjunct = g.verb("trans", "strict !stative", subject=subject, object=other)
    vp = VP(verb.verb, asked(g, verb))
    link = g.word(g.weighted(*ADJUNCTS), "prep")
    start = (label("filler", filler(other.noun, verb)), *vp.invert(subject))
    gerund, moved = (link, adjunct.verb.gerund), label("object", other)
    return g.pair_of((*start, *gerund, moved), (*start, moved, *gerund), end="?")


@reordered("complex_NP_island")
def complex_NP_island(g: Grammar) -> Pair:  # noqa: N802
    """Who did the boy who saw Emma hug? / *Who did Emma hug the boy who saw?"""
    inner = g.verb("trans", "strict", subject="some person", object="some person")
    who = g.dp((inner.subject, "person"), names=False, adjective=0.25)
    whom = g.dp((inner.object or "person", "person"), names=0.25, adjective=0.25)
    # Each of the two is subject in one sentence, and the first is object in the other.
    outer = g.verb(
        "trans", subject=whom, object=who, fits=lambda v: one_object(v) and _admits(v, who)
    )
    tense = asked(g, outer)
    relative = (g.relativiser(who), *VP(inner.verb, earlier(g, inner, tense)).agree(who))
    vp = VP(outer.verb, tense)
    auxiliary, rest = vp.auxiliary("sg"), vp.rest("sg")
    return g.pair_of(
        (WHO, auxiliary, label("island", who, relative, whom), rest),
        (WHO, auxiliary, whom, rest, label("island", who, relative)),
        end="?",
    )


def _admits(verb: Predicate, subject: DP) -> bool:
    return subject.noun in verb.subject.members


def _which(g: Grammar, what: DP) -> Word:
    """*which* or *whose*, before one thing also *what*."""
    words = ("which", "whose") if what.person or what.number == "pl" else ("which", "what", "whose")
    return g.word(g.deal(words), "wh")


def _questioned(g: Grammar, *verbs: Predicate) -> DP:
    """What is asked about: *vase*, now and then *vases*."""
    return g.object(
        *verbs, number=g.number(0.15), det="bare", names=False, features="count individual"
    )


@reordered("coordinate_structure_constraint_complex_left_branch", prefix="two")
def coordinate_structure_constraint_complex_left_branch(g: Grammar) -> Pair:
    """Which cake did Emma see and Noah eat? / *Which did Emma see cake and Noah eat?"""
    verb = g.verb("transitive", fits=one_object)
    what = _questioned(g, verb)
    second = g.verb("transitive", object=what, fits=one_object)
    vp = VP(verb.verb, asked(g, verb, second))
    clause = vp.invert(g.subject(verb, names=0.3))
    rest = VP(second.verb, vp.inflection).rest()
    *auxiliaries, last = rest
    coordinate = (AND, g.subject(second, names=0.3), *auxiliaries, critical(last))
    which, noun = _which(g, what), label("noun", what)
    return g.pair_of(
        (which, noun, *clause, *coordinate), (which, *clause, noun, *coordinate), end="?"
    )


@island("coordinate_structure_constraint_object_extraction", edit=Reordering())
def coordinate_structure_constraint_object_extraction(g: Grammar) -> Pair:
    """Who will Emma and the cook hug? / *Who will Emma hug and the cook?"""
    verb = g.verb("trans", subject="some person", object="some person", fits=one_object)
    left = g.dp((verb.subject, "person"), names=0.35)
    right = g.dp((verb.subject, verb.object or "person", "person"), names=0.35)
    vp = VP(verb.verb, asked(g, verb))
    conjunct = label("conjunct", AND, right)
    start = (WHO, vp.auxiliary("sg"), left)
    return g.pair_of((*start, conjunct, vp.rest()), (*start, vp.rest(), conjunct), end="?")


def _left_branch(g: Grammar) -> tuple[VP, DP, DP]:
    verb = g.verb("transitive", fits=one_object)
    tense = g.inflection(verb, kind="auxiliary", negation=0.08)
    return VP(verb.verb, tense), g.subject(verb, names=0.3), _questioned(g, verb)


@reordered("left_branch_island_echo_question", prefix="two")
def left_branch_island_echo_question(g: Grammar) -> Pair:
    """Emma has broken which vase? / *Which has Emma broken vase?"""
    vp, subject, what = _left_branch(g)
    which, noun = _which(g, what), critical(what)
    return g.pair_of(
        (subject, *vp.agree(subject), which, noun), (which, *vp.invert(subject), noun), end="?"
    )


@reordered("left_branch_island_simple_question")
def left_branch_island_simple_question(g: Grammar) -> Pair:
    """Which vase has Emma broken? / *Which has Emma broken vase?"""
    vp, subject, what = _left_branch(g)
    which, noun = _which(g, what), label("noun", what)
    return g.pair_of(
        (which, noun, *vp.invert(subject)), (which, *vp.invert(subject), noun), end="?"
    )


@reordered("sentential_subject_island")
def sentential_subject_island(g: Grammar) -> Pair:
    """Who did Emma's ignoring the cook annoy? / *Who did Emma's ignoring annoy the cook?"""
    verb = g.verb("trans", "eventive", fits=lambda v: v.lemma in STIRRING)
    inner = g.verb("trans", "strict !stative", subject="some person", object="some person")
    owner = g.dp((inner.subject, "person"), names=0.3)
    whom = g.dp((inner.object or "person", "person"), names=0.15)
    vp = VP(verb.verb, asked(g, verb))
    gerund = (*g.possessor(owner), inner.verb.gerund)
    start = (WHO, vp.auxiliary("sg"))
    return g.pair_of(
        (*start, label("island", gerund, whom), vp.rest()),
        (*start, label("island", gerund), vp.rest(), whom),
        end="?",
    )


@island("wh_island", edit=Substitution("lemma", "category"), prefix="one")
def wh_island(g: Grammar) -> Pair:
    """What did Emma say she had broken? / *What did Emma say who had broken?"""
    verb = g.verb("trans", "strict", subject="some person")
    subject = g.dp((verb.subject, "person"), names=0.35)
    matrix = g.verb("wh", also="that", subject=subject, fits=lambda v: v.lemma in BRIDGES)
    tense = Inflection("past")
    inner = reported(g, verb, tense)
    if inner.progressive:
        raise Reject
    wh = filler(g.noun(verb.object or "entity"), verb)
    return g.pair(
        wh,
        *VP(matrix.verb, tense).invert(subject),
        filler=Either(g.pronoun(subject), WHO),
        clause=VP(verb.verb, inner).agree("sg"),
        end="?",
    )
