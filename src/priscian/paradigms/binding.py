"""Principle A: a reflexive is bound, in its own clause, by a phrase that c-commands it."""

from __future__ import annotations

from functools import partial

from priscian.grammar import (
    DP,
    PAST,
    REL_THAT,
    REL_WHO,
    THAT,
    VP,
    Clause,
    Either,
    Grammar,
    Inflection,
    Node,
    Pair,
    Reject,
    critical,
)
from priscian.grammar.draw import Slot
from priscian.lexicon import Gender, Number, Predicate, Word
from priscian.paradigms.edits import Reordering, Substitution
from priscian.paradigms.phrases import THAT_ONE, object_of
from priscian.paradigms.registry import paradigm
from priscian.paradigms.tenses import earlier, reported

binding = partial(paradigm, phenomenon="binding", field="syntax_semantics")
bound = partial(binding, prefix="one")

# Kinds of antecedent. A singular one has a gender; otherwise *themselves* would also be good.
KINDS = ("m", "f", "pl")
NUMBERS: dict[str, tuple[Number, Gender | None]] = {
    "m": ("sg", "m"),
    "f": ("sg", "f"),
    "pl": ("pl", None),
}
CONTRASTS = tuple((one, other) for one in KINDS for other in KINDS if one != other)
SAID = (
    Inflection("past"),
    Inflection("past"),
    Inflection("past"),
    Inflection("past", perfect=True),
    Inflection("pres", perfect=True),
    Inflection("past", negation="n't"),
)
LASTING = (PAST, PAST, PAST, Inflection("pres"), Inflection("pres"), SAID[-1])
# Tenses whose form does not depend on the subject, so that subjects can be exchanged.
UNIFORM = (
    Inflection("past"),
    Inflection("past"),
    Inflection("past"),
    Inflection("past", perfect=True),
)
PLAIN = "the|indefinite|demonstrative"
# What people often do to each other, and what one may picture oneself doing.
OFTEN = "social|liking|stirring"
SEEN = "!stative|rare|momentary|unwatchable|stirring|perceiving one_object"
PICTURED = f"{SEEN} experience|newsworthy|tallied|scenic|social|handling|effortful|timeless"
OWNED_UP = "!rare newsworthy|noteworthy|social"
DONE = f"{SEEN} !vague|general"


def _contrast(g: Grammar) -> tuple[str, str]:
    """Two kinds of antecedent that need different reflexives; occasionally one is a company."""
    # A company may be *they*, so it is set against a man or a woman.
    return ("n", g.choose(("m", "f"))) if g.coin(0.04) else g.deal(CONTRASTS)


def _someone(
    g: Grammar,
    kind: str,
    *slots: Slot,
    det: str = "any",
    names: float = 0.4,
    adjective: float = 0.1,
) -> DP:
    """A phrase that agrees with exactly one reflexive."""
    if kind == "n":
        return g.dp((*slots, "company", "@impersonal"), "sg", det=PLAIN, names=False)
    number, gender = NUMBERS[kind]
    if g.coin(names) and all(g.select(slot).admits_names for slot in slots):
        return g.named(gender, "first" if gender else "surname")
    features = kind if gender else ""
    dp = g.dp(slots, names=0.0, number=number, features=features, det=det, adjective=adjective)
    if dp.number != number:
        raise Reject
    # *her uncle* would bring in somebody else who could be *herself*; nobody says *our wife*.
    if _lemma(dp) in g.lexicon.determiner_lemmas("possessive"):
        return g.with_determiner(dp, "my|your")
    # *thought that nun …* would look like a complementiser.
    return g.with_determiner(dp, "the") if dp.determiner[0] == THAT_ONE else dp


def _lemma(dp: DP) -> str:
    """The lemma of the determiner."""
    first = dp.determiner[0]
    return first.lemma if isinstance(first, Word) else ""


def _reflexive_verb(g: Grammar, kind: str) -> Predicate:
    """A verb that is natural before the reflexive of such an antecedent."""
    if kind == "n":
        return g.verb("transitive", "refl !rare|selfless", subject="some company")
    return g.verb("refl", "to_oneself")


def _distinct_past(verb: Predicate) -> bool:
    """*himself praised the cook* is out; *himself hit the ball* might be a bare form."""
    forms = verb.verb
    return forms.past_sg.text not in (forms.bare.text, forms.gerund.text)


def _saying(g: Grammar, verb: Predicate) -> Inflection:
    return g.choose(LASTING if "stative" in verb.flags else SAID)


def _thing(g: Grammar, verb: Predicate) -> DP:
    """An object of the verb, but no part of somebody's body."""
    return g.dp((object_of(verb), "!body_part"))


def _finite(verb: Predicate, tense: Inflection, subject: DP, *rest: Node) -> Node:
    """The verb in agreement, before whatever follows."""
    return VP(verb.verb, tense, rest).agree(subject)


@bound("principle_A_c_command", edit=Substitution(maybe=("gender", "number")))
def principle_A_c_command(g: Grammar) -> Pair:  # noqa: N802
    """The man who met Emma blamed himself. / *The man who met Emma blamed herself."""
    kind, other = _contrast(g)
    verb, whose = _reflexive_verb(g, kind), "some company" if kind == "n" else "person"
    inner = g.verb("transitive", f"!incomplete|rare {OFTEN}", subject=whose, object="some person")
    subject = _someone(g, kind, verb.subject, inner.subject, "!kin", det=PLAIN, names=0.0)
    distractor = _someone(g, other, object_of(inner), "person", names=0.85)
    tense = PAST if "stative" in verb.flags else g.choose(SAID[:-1])
    return g.pair(
        subject=g.relative(subject, g.vp(inner, earlier(g, inner, tense), object=distractor)),
        verb=_finite(verb, tense, subject),
        reflexive=Either(g.reflexive(subject), g.reflexive(distractor)),
    )


@bound("principle_A_case_1", edit=Substitution("case"))
def principle_A_case_1(g: Grammar) -> Pair:  # noqa: N802
    """Emma said that she fed the cat. / *Emma said that herself fed the cat."""
    verb = g.verb("that", "telling")
    subject = _someone(g, g.deal(KINDS), verb.subject, "person")
    inner, tense = g.verb("transitive", OWNED_UP, subject=subject), _saying(g, verb)
    predicate = g.vp(inner, reported(g, inner, tense), object=_thing(g, inner))
    return g.pair(
        subject=subject,
        verb=_finite(verb, tense, subject, THAT),
        pronoun=Either(g.pronoun(subject), g.reflexive(subject)),
        embedded=predicate.agree(subject),
    )


@bound("principle_A_case_2", edit=Substitution("form"))
def principle_A_case_2(g: Grammar) -> Pair:  # noqa: N802
    """Emma imagined herself washing the cup. / *Emma imagined herself washed the cup."""
    verb = g.verb("ing", "picturing")
    subject = _someone(g, g.deal(KINDS), verb.subject, "person")
    flags = PICTURED if g.coin(0.5) else DONE
    inner = g.verb("transitive", flags, subject=subject, fits=_distinct_past)
    form = Either(inner.verb.gerund, inner.verb.past(subject.number))
    return g.pair(
        subject=subject,
        verb=_finite(verb, g.choose(SAID), subject),
        reflexive=g.reflexive(subject),
        embedded=(form, _thing(g, inner)),
    )


@bound("principle_A_domain_1", edit=Substitution("case"))
def principle_A_domain_1(g: Grammar) -> Pair:  # noqa: N802
    """Emma said that the boys helped her. / *Emma said that the boys helped herself."""
    kind, other = g.deal(CONTRASTS)
    verb = g.verb("that", "learning")
    inner = g.verb(
        "transitive", f"!incomplete|rare|neutral {OFTEN}", subject="person", object="person"
    )
    subject, local = _someone(g, kind, verb.subject, "person"), _someone(g, other, "person")
    tense = _saying(g, verb)
    return g.pair(
        subject=subject,
        verb=_finite(verb, tense, subject, THAT),
        embedded=Clause(local, g.vp(inner, reported(g, inner, tense), gap=True)),
        pronoun=Either(g.pronoun(subject, "acc"), g.reflexive(subject)),
    )


@bound("principle_A_domain_2", edit=Substitution(maybe=("gender", "number")))
def principle_A_domain_2(g: Grammar) -> Pair:  # noqa: N802
    """Emma thinks the boys blamed themselves. / *Emma thinks the boys blamed herself."""
    kind, other = _contrast(g)
    verb, inner = g.verb("that", "bridge"), _reflexive_verb(g, kind)
    local, subject = _someone(g, kind, inner.subject), _someone(g, other, verb.subject, "person")
    tense = _saying(g, verb)
    return g.pair(
        subject=subject,
        verb=_finite(verb, tense, subject),
        embedded=Clause(local, VP(inner.verb, reported(g, inner, tense))),
        reflexive=Either(g.reflexive(local), g.reflexive(subject)),
    )


@binding("principle_A_domain_3", edit=Reordering(), prefix="two", lexically_identical=True)
def principle_A_domain_3(g: Grammar) -> Pair:  # noqa: N802
    """Emma thought the boys blamed themselves. / *The boys thought Emma blamed themselves."""
    kind, other = g.deal(CONTRASTS)
    verb, inner = g.verb("that", "bridge"), g.verb("refl", "to_oneself")
    subject = _someone(g, kind, verb.subject, "person", adjective=0.05)
    local = _someone(g, other, verb.subject, "person", adjective=0.05)
    says = _finite(verb, g.choose(UNIFORM), subject)
    does = _finite(inner, PAST if "stative" in inner.flags else g.choose(UNIFORM), local)
    reflexive = critical(g.reflexive(local))
    return g.pair_of(
        (subject, says, local, does, reflexive), (local, says, subject, does, reflexive)
    )


@binding("principle_A_reconstruction", edit=Reordering(), lexically_identical=True)
def principle_A_reconstruction(g: Grammar) -> Pair:  # noqa: N802
    """It's herself that Emma blamed. / *It's herself that blamed Emma."""
    verb = g.verb("refl", "contrastive")
    subject = _someone(g, g.deal(KINDS), "person", names=0.55, adjective=0.4)
    cleft = (g.word("it's"), g.reflexive(subject), g.choose((REL_THAT, REL_WHO)))
    predicate = _finite(verb, PAST if "stative" in verb.flags else g.choose(UNIFORM), subject)
    return g.pair_of((*cleft, subject, predicate), (*cleft, predicate, subject))
