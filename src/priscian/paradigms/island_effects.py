"""Some phrases are islands: a question word cannot be taken out of them."""

from __future__ import annotations

from functools import partial

from priscian.grammar import (
    AND,
    DP,
    PAST,
    PERFECT,
    VP,
    WHAT,
    WHO,
    Either,
    Grammar,
    Inflection,
    Pair,
    Word,
    critical,
    label,
)
from priscian.lexicon import Predicate
from priscian.paradigms.edits import Reordering, Substitution
from priscian.paradigms.phrases import (
    ACTOR,
    asks_for,
    filler,
    head,
    human,
    object_of,
)
from priscian.paradigms.registry import paradigm
from priscian.paradigms.tenses import WONDERED, asked, confessed, earlier

island = partial(paradigm, phenomenon="island_effects", field="syntax")
reordered = partial(island, edit=Reordering(), lexically_identical=True)

PROGRESSIVE = Inflection("pres", progressive=True)
# Not *mention* and *see*, which say little of their object, nor *accost*, *annoy*, *exceed*.
TELLING = "!general|rare|stirring|vague"
# What one may ask about afterwards.
MEMORABLE = "experience|newsworthy|by_number|social|liking"
BETWEEN_PEOPLE = "social|liking|stirring"


@reordered("adjunct_island")
def adjunct_island(g: Grammar) -> Pair:
    """Who did Emma hug after greeting the cook? / *Who did Emma hug the cook after greeting?"""
    verb = g.verb(
        "transitive",
        f"!stative one_object {TELLING} social|tallied|handling",
        subject="some person",
    )
    whom = g.dp((object_of(verb), "!body_part"), det="known", names=0.45)
    subject = g.dp((verb.subject, "person"), det="known")
    kind = "neutral" if whom.person else "handling"
    adjunct = g.verb("trans", f"!stative {kind}", subject=subject, object=whom)
    links = ["after"] if "beforehand" in adjunct.flags else ["before", "after"]
    links += ["while"] * ("durative" in adjunct.flags)
    links += ["without"] * ("unintended" in adjunct.flags)
    gerund = (g.word(g.choose(links), "prep"), adjunct.verb.gerund)
    start = (
        label("filler", filler(whom.noun, verb)),
        *VP(verb.verb, asked(g, verb)).invert(subject),
    )
    return g.pair_of(
        (*start, label("island", gerund, whom)), (*start, whom, label("island", gerund)), end="?"
    )


@reordered("complex_NP_island")
def complex_NP_island(g: Grammar) -> Pair:  # noqa: N802
    """Who did the boy who saw Emma hug? / *Who did Emma hug the boy who saw?"""
    flags = f"strict !rare {BETWEEN_PEOPLE if g.coin(0.8) else ''}"
    inner = g.verb("trans", flags, subject="some person", object="some person")
    who = head(g, inner.subject, "person", adjective=0.3)
    whom = g.dp((object_of(inner), "person"), det="known", names=0.75, adjective=0.3)
    # Each of the two is subject in one sentence, and the first is object in the other.
    outer = g.verb(
        "trans",
        f"one_object !rare {BETWEEN_PEOPLE}",
        subject=whom,
        object=who,
        fits=lambda v: who.noun in v.subject.members,
    )
    tense = asked(g, outer)
    relative = (g.relativiser(who), *VP(inner.verb, earlier(g, inner, tense)).agree(who))
    vp = VP(outer.verb, tense)
    start, rest = (label("filler", WHO), vp.auxiliary("sg")), vp.rest()
    return g.pair_of(
        (*start, label("island", who, *relative, whom), *rest),
        (*start, whom, *rest, label("island", who, *relative)),
        end="?",
    )


def _which(g: Grammar, what: DP) -> Word:
    """*which*, before what can be owned also *whose*, before one thing also *what*."""
    options = ["which"]
    if what.number == "sg" and not human(what.noun):
        options.append("what")
    if what.noun in g.select("@whose").members:
        options.append("whose")
    return g.word(g.choose(options), "wh")


def _questioned(g: Grammar, verb: Predicate) -> DP:
    """What is asked about, without a determiner: *vase*, now and then *vases*."""
    features, slots = "count individual", (object_of(verb), "!body_part")
    return g.dp(slots, g.number(0.15), names=0.0, det="bare", features=features)


@reordered("coordinate_structure_constraint_complex_left_branch", prefix="two")
def coordinate_structure_constraint_complex_left_branch(g: Grammar) -> Pair:
    """Which cake did Emma see and Paul eat? / *Which did Emma see cake and Paul eat?"""
    # What two people do to one thing is something that anybody may do.
    flags = f"one_object {TELLING} social|liking|tallied|handling"
    verb = g.verb("transitive", flags, subject="person")
    what = _questioned(g, verb)
    flags = "social|liking" if what.person else "handling|tallied|liking"
    second = g.verb("transitive", f"one_object !rare {flags}", subject="person", object=what)
    tense = asked(g, verb, second)
    clause = VP(verb.verb, tense).invert(g.dp((verb.subject, "person"), det="known"))
    *auxiliaries, last = VP(second.verb, tense).rest()
    coordinate = (AND, g.dp((second.subject, "person"), det="known"), *auxiliaries, critical(last))
    which, noun = label("filler", _which(g, what)), label("noun", what)
    return g.pair_of(
        (which, noun, *clause, *coordinate), (which, *clause, noun, *coordinate), end="?"
    )


@island("coordinate_structure_constraint_object_extraction", edit=Reordering())
def coordinate_structure_constraint_object_extraction(g: Grammar) -> Pair:
    """Who will Emma and the cook hug? / *Who will Emma hug and the cook?"""
    # The second must also be a possible object, so that the bad sentence has no second fault.
    flags = f"one_object !rare|incomplete {BETWEEN_PEOPLE if g.coin(0.85) else ''}"
    verb = g.verb("trans", flags, subject="some person", object="some person")
    left = g.dp((verb.subject, "person"), det="known", names=0.4)
    right = g.dp((verb.subject, object_of(verb), "person"), det="known", names=0.4)
    vp = VP(verb.verb, asked(g, verb))
    start, conjunct = (
        (label("filler", WHO), vp.auxiliary("sg"), left),
        label("conjunct", AND, right),
    )
    return g.pair_of((*start, conjunct, *vp.rest()), (*start, *vp.rest(), conjunct), end="?")


def _left_branch(g: Grammar) -> tuple[VP, DP, DP]:
    verb = g.verb("transitive", f"!stative one_object !rare {MEMORABLE}", subject="some animate")
    tense = g.weighted(*WONDERED)
    # *is slapping which man* would be an action in progress.
    if tense.progressive and verb.flags.isdisjoint(("scenic", "timeless", "durative")):
        tense = PERFECT
    return (
        VP(verb.verb, tense),
        g.dp((verb.subject, ACTOR), det="known", names=0.4),
        _questioned(g, verb),
    )


@reordered("left_branch_island_echo_question", prefix="two")
def left_branch_island_echo_question(g: Grammar) -> Pair:
    """Emma has broken which vase? / *Which has Emma broken vase?"""
    vp, subject, what = _left_branch(g)
    which, noun = label("filler", _which(g, what)), critical(what)
    return g.pair_of(
        (subject, *vp.agree(subject), which, noun), (which, *vp.invert(subject), noun), end="?"
    )


@reordered("left_branch_island_simple_question")
def left_branch_island_simple_question(g: Grammar) -> Pair:
    """Which vase has Emma broken? / *Which has Emma broken vase?"""
    vp, subject, what = _left_branch(g)
    which, noun = label("filler", _which(g, what)), label("noun", what)
    return g.pair_of(
        (which, noun, *vp.invert(subject)), (which, *vp.invert(subject), noun), end="?"
    )


@reordered("sentential_subject_island")
def sentential_subject_island(g: Grammar) -> Pair:
    """Who did Emma's ignoring the cook annoy? / *Who did Emma's ignoring annoy the cook?"""
    verb = g.verb("trans", "stirring", object="person", evenly=True)
    flags = f"strict !stative !private|rare {MEMORABLE if g.coin(0.7) else ''}"
    inner = g.verb("trans", flags, subject="some person", object="some person")
    owner = g.dp((inner.subject, "person"), det="known")
    whom = g.dp((object_of(inner), "person"), det="known", names=0.15)
    # A gerund is singular, whatever its subject.
    tense = g.weighted((PAST, PERFECT, PROGRESSIVE, None), (24.0, 16.0, 10.0, 50.0))
    vp = VP(verb.verb, tense or asked(g, verb))
    gerund = (*g.possessor(owner), inner.verb.gerund)
    start = (label("filler", WHO), vp.auxiliary("sg"))
    return g.pair_of(
        (*start, label("island", *gerund, whom), *vp.rest("sg")),
        (*start, label("island", *gerund), *vp.rest("sg"), whom),
        end="?",
    )


@island("wh_island", edit=Substitution("lemma", "category"), prefix="one")
def wh_island(g: Grammar) -> Pair:
    """What did Emma say she had broken? / *What did Emma say who had broken?"""
    sort = "company" if g.coin(0.06) else "person"
    wh = g.deal((WHO, WHAT))
    verb = g.verb(
        "trans",
        "strict noteworthy !general",
        subject=f"some {sort}",
        fits=lambda v: asks_for(v, wh),
    )
    matrix = g.verb("wh", "extracting", also="that", subject=f"some {sort}")
    subject = g.dp((verb.subject, matrix.subject, sort), det="known", names=0.6)
    return g.pair(
        label("matrix", wh, *VP(matrix.verb, PAST).invert(subject)),
        subject=Either(g.pronoun(subject), WHO),
        # No auxiliary that agrees: *who* and *they* are followed by the same verb.
        clause=VP(verb.verb, confessed(g, verb)).agree("sg"),
        end="?",
    )
