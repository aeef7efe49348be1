"""A reflexive agrees with its antecedent in gender and number."""

from __future__ import annotations

from functools import partial

from priscian.grammar import (
    PAST,
    PERFECT,
    PRESENT,
    VP,
    Either,
    Grammar,
    Inflection,
    Pair,
    other_number,
)
from priscian.lexicon import Gender, Predicate
from priscian.paradigms.edits import Substitution
from priscian.paradigms.registry import paradigm

GENDERS: tuple[Gender, ...] = ("m", "f", "n")
# What one does to oneself is told afterwards.
TENSES = (
    PAST,
    PERFECT,
    Inflection("past", perfect=True),
    Inflection("past", negation="n't"),
    Inflection("pres", modal="will"),
    Inflection("pres", modal="might"),
)
WEIGHTS = (56.0, 18.0, 10.0, 8.0, 4.0, 4.0)
anaphor = partial(paradigm, phenomenon="anaphor_agreement", field="morphology", prefix="one")


def _tense(g: Grammar, verb: Predicate) -> Inflection:
    if "stative" in verb.flags:
        return g.choose((PAST, PRESENT))
    return g.weighted(TENSES, WEIGHTS)


@anaphor("anaphor_gender_agreement", edit=Substitution("gender"))
def anaphor_gender_agreement(g: Grammar) -> Pair:
    """The waitress blamed herself. / *The waitress blamed himself."""
    gender = g.weighted(GENDERS, (47.0, 47.0, 6.0))
    if gender == "n":
        # A company goes with *itself* alone; an animal or a child might have a gender.
        verb = g.verb("trans", "refl !rare|selfless", subject="some institution")
        subject = g.dp((verb.subject, "@impersonal"), "sg", names=False)
    else:
        verb = g.verb("refl", "!rare|incomplete|selfless")
        subject = g.subject(verb, number="sg", features=gender, names=0.4)
    wrong = g.choose([other for other in GENDERS if other != gender])
    return g.pair(
        subject=subject,
        verb=VP(verb.verb, _tense(g, verb)).agree(subject),
        reflexive=Either(g.reflexive(subject), g.reflexive(subject, gender=wrong)),
    )


@anaphor("anaphor_number_agreement", edit=Substitution("number"), lexically_identical=True)
def anaphor_number_agreement(g: Grammar) -> Pair:
    """The waiters admired themselves. / *The waiters admired himself."""
    kind = g.weighted(("m", "f", "n", "pl"), (31.0, 31.0, 4.0, 34.0))
    if kind == "n":
        # One animal, *he* or *she* to some, could be *they* as well; several cannot be *it*.
        verb = g.verb("transitive", "refl self_care", subject="some animal")
        subject = g.dp((verb.subject, "animal"), "pl")
    elif kind == "pl":
        verb = g.verb("refl", "!rare|incomplete|selfless")
        subject = g.subject(verb, number="pl")
    else:
        # A singular antecedent says its gender, or *themselves* would do as well.
        verb = g.verb("refl", "!rare|incomplete|selfless")
        subject = g.dp((verb.subject, "@he_or_she"), "sg", features=kind, names=0.5)
    wrong = g.reflexive(subject, number=other_number(subject.number))
    return g.pair(
        subject=subject,
        verb=VP(verb.verb, _tense(g, verb)).agree(subject),
        reflexive=Either(g.reflexive(subject), wrong),
    )
