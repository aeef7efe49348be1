"""A finite verb agrees with its subject in number, whatever stands between them."""

from __future__ import annotations

from functools import partial

from priscian.grammar import DP, VP, Either, Grammar, Pair, label, other_number
from priscian.paradigms.edits import Substitution
from priscian.paradigms.registry import paradigm

agreement = partial(
    paradigm, phenomenon="subject_verb_agreement", field="morphology", edit=Substitution("number")
)

# What may precede a noun with a complement: not *my debut of the actor*.
HEAD = "the|indefinite|demonstrative"


def _agreeing(g: Grammar, subject: DP) -> VP:
    """A verb phrase or a predicate whose first word shows the number of its subject."""
    if g.coin(0.12):
        return g.copular(g.adjective(subject, position="pred"), "agree", negation=0.14)
    return g.vp(inflection="agree", subject=subject, negation=0.14)


def _verb_varies(g: Grammar, subject: DP, *, distance: int = 0) -> Pair:
    vp = _agreeing(g, subject)
    right, wrong = vp.agree(subject), vp.agree(other_number(subject.number))
    extra = {"dependency_length": distance} if distance else {}
    return g.pair(subject=subject, predicate=Either(right, wrong), extra=extra)


def _noun_varies(g: Grammar, plural: str) -> Pair:
    """Both sentences share the determiner, so it must go with either number."""
    subject = g.dp(
        "entity",
        det="the|possessive",
        names=False,
        features=f"{plural} count controller individual",
    )
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
    head = g.dp(
        "@shared", g.number(), det=HEAD, names=False, features="relational count controller"
    )
    subject = g.relational(head, number=other_number(head.number))
    return _verb_varies(g, subject, distance=g.length(subject.post) + 1)


@agreement("distractor_agreement_relative_clause", prefix="one")
def distractor_agreement_relative_clause(g: Grammar) -> Pair:
    """The boys who praised the nurse have slept. / *The boys who praised the nurse has slept."""
    head = g.dp("animate", g.number(), names=False, features="count controller")
    verb = g.verb("transitive", subject=head)
    distractor = g.object(
        verb, number=other_number(head.number), names=False, features="controller"
    )
    subject = g.relative(head, g.vp(verb, object=label("distractor", distractor)))
    return _verb_varies(g, subject, distance=g.length(subject.post) + 1)
