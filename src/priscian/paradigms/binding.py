"""Principle A: a reflexive is bound, in its own clause, by a phrase that c-commands it."""

from __future__ import annotations

from functools import partial

from priscian.grammar import (
    DP,
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
    critical,
)
from priscian.lexicon import Predicate, Selection
from priscian.paradigms.edits import Reordering, Substitution
from priscian.paradigms.registry import paradigm

binding = partial(paradigm, phenomenon="binding", field="syntax_semantics")
bound = partial(binding, prefix="one")

# Kinds of antecedent: a singular one has a gender, or *themselves* would do as well.
KINDS = ("m", "f", "pl")
CONTRASTS = tuple((one, other) for one in KINDS for other in KINDS if one != other)
# Verbs that look ahead (*predict*) or want a subjunctive (*recommend*): any tense would not do.
AHEAD = frozenset(
    "anticipate bet decide demand expect fantasize forecast foresee foretell guarantee hope insist "
    "pledge pray predict prefer promise prophesy propose recommend request suggest swear threaten "
    "vow wish".split()
)
# Verbs at ease without *that*.
BRIDGE = frozenset(
    "admit agree assume believe claim confess doubt fear figure forget guess imagine imply know "
    "learn mention presume pretend realize recall remember say sense suppose suspect think "
    "understand worry".split()
)
# A participle of these could stand before an object: *asked a question*, *named the captain*.
DOUBLE = frozenset(
    "allow appoint ask award bet call charge choose consider cost crown declare deem deny elect "
    "envy find fine forgive hand judge label leave make name pay refuse serve teach tell".split()
)
BACKSHIFTED = ("would", "could", "might")
# Tenses whose form does not depend on the subject, so that subjects can be exchanged.
UNIFORM = (
    Inflection("past"),
    Inflection("past"),
    Inflection("past", perfect=True),
    Inflection("pres", modal="might"),
    Inflection("pres", modal="would"),
    Inflection("past", negation="n't"),
)


def _someone(g: Grammar, kind: str, *slots: Selection, names: float = 0.35) -> DP:
    """A phrase that goes with just one reflexive."""
    where = slots or ("person",)
    if kind == "pl":
        return g.dp(where, "pl", names=names, adjective=0.12)
    return g.dp(where, "sg", features=kind, names=names, adjective=0.12)


def _says(verb: Predicate) -> bool:
    return verb.lemma not in AHEAD


def _bridges(verb: Predicate) -> bool:
    return verb.lemma in BRIDGE


def _participle_bars_object(verb: Predicate) -> bool:
    """*himself praised the cook* is out; not *himself hit the ball*, *himself asked a question*."""
    entry = verb.verb
    return (
        verb.lemma not in DOUBLE
        and "ditrans" not in entry.frames
        and entry.past_sg.text not in (entry.bare.text, entry.gerund.text)
    )


def _below(g: Grammar, verb: Predicate, matrix: Inflection) -> Inflection:
    """A tense that is at ease in a clause below this tense."""
    inflection = g.inflection(verb, negation=0.08)
    past = matrix.tense == "past" and not matrix.modal
    if past and inflection.tense == "pres" and inflection.modal not in BACKSHIFTED:
        return Inflection("past", perfect=not inflection.progressive)
    if not past and inflection.tense == "past" and inflection.perfect:
        return Inflection("past")
    return inflection


def _clausal(verb: Predicate, tense: Inflection, subject: DP, *rest: Node) -> Node:
    """The verb that takes the clause, in agreement with its subject."""
    return VP(verb.verb, tense, rest).agree(subject)


@bound("principle_A_c_command", edit=Substitution(maybe=("gender", "number")))
def principle_A_c_command(g: Grammar) -> Pair:  # noqa: N802
    """The man who met Emma blamed himself. / *The man who met Emma blamed herself."""
    kind, other = g.deal(CONTRASTS)
    verb, inner = g.verb("refl"), g.verb("transitive", subject="person", object="person")
    subject, distractor = _someone(g, kind, names=False), _someone(g, other)
    tense = g.choose(("past", "past", "perfect"))
    return g.pair(
        subject=g.relative(subject, g.vp(inner, tense, object=distractor)),
        verb=g.vp(verb).agree(subject),
        reflexive=Either(g.reflexive(subject), g.reflexive(distractor)),
    )


@bound("principle_A_case_1", edit=Substitution("case"))
def principle_A_case_1(g: Grammar) -> Pair:  # noqa: N802
    """Emma said that she fed the cat. / *Emma said that herself fed the cat."""
    verb = g.verb("that", fits=_says)
    subject = _someone(g, g.deal(KINDS), verb.subject)
    tense, inner = g.inflection(verb), g.verb("transitive|prt", subject=subject)
    pronoun = Either(g.pronoun(subject), g.reflexive(subject))
    predicate = g.vp(inner, _below(g, inner, tense)).agree(subject)
    return g.pair(
        subject=subject, verb=_clausal(verb, tense, subject, THAT), pronoun=pronoun, rest=predicate
    )


@bound("principle_A_case_2", edit=Substitution("form"))
def principle_A_case_2(g: Grammar) -> Pair:  # noqa: N802
    """Emma imagined herself feeding the cat. / *Emma imagined herself fed the cat."""
    verb = g.verb("ing")
    subject = _someone(g, g.deal(KINDS), verb.subject)
    inner = g.verb("transitive", "!stative", subject=subject, fits=_participle_bars_object)
    return g.pair(
        subject=subject,
        verb=_clausal(verb, g.inflection(verb), subject),
        reflexive=g.reflexive(subject),
        embedded=(Either(inner.verb.gerund, inner.verb.past(subject.number)), g.object(inner)),
    )


@bound("principle_A_domain_1", edit=Substitution("case"))
def principle_A_domain_1(g: Grammar) -> Pair:  # noqa: N802
    """Emma said that the boys helped her. / *Emma said that the boys helped herself."""
    kind, other = g.deal(CONTRASTS)
    verb = g.verb("that", fits=_says)
    inner = g.verb("transitive", subject="person", object="person")
    subject, local = _someone(g, kind, verb.subject), _someone(g, other)
    tense = g.inflection(verb)
    return g.pair(
        subject=subject,
        verb=_clausal(verb, tense, subject, THAT),
        embedded=Clause(local, g.vp(inner, _below(g, inner, tense), gap=True)),
        pronoun=Either(g.pronoun(subject, "acc"), g.reflexive(subject)),
    )


@bound("principle_A_domain_2", edit=Substitution(maybe=("gender", "number")))
def principle_A_domain_2(g: Grammar) -> Pair:  # noqa: N802
    """Emma thinks the boys blamed themselves. / *Emma thinks the boys blamed herself."""
    kind, other = g.deal(CONTRASTS)
    verb, inner = g.verb("that", fits=_bridges), g.verb("refl")
    subject, local = _someone(g, kind, verb.subject), _someone(g, other)
    tense = g.inflection(verb)
    return g.pair(
        subject=subject,
        verb=_clausal(verb, tense, subject),
        embedded=Clause(local, g.vp(inner, _below(g, inner, tense))),
        reflexive=Either(g.reflexive(local), g.reflexive(subject)),
    )


@binding("principle_A_domain_3", edit=Reordering(), prefix="two", lexically_identical=True)
def principle_A_domain_3(g: Grammar) -> Pair:  # noqa: N802
    """Emma thought the boys blamed themselves. / *The boys thought Emma blamed themselves."""
    kind, other = g.deal(CONTRASTS)
    verb, inner = g.verb("that", fits=_bridges), g.verb("refl")
    subject, local = _someone(g, kind, verb.subject), _someone(g, other, verb.subject)
    says = _clausal(verb, g.choose(UNIFORM), subject)
    does = g.vp(inner, g.choose(UNIFORM)).agree(local)
    reflexive = critical(g.reflexive(local))
    return g.pair_of(
        (subject, says, local, does, reflexive), (local, says, subject, does, reflexive)
    )


@binding("principle_A_reconstruction", edit=Reordering(), lexically_identical=True)
def principle_A_reconstruction(g: Grammar) -> Pair:  # noqa: N802
    """It's herself that Emma blamed. / *It's herself that blamed Emma."""
    verb = g.verb("transitive", "refl", subject="person", object="person")
    subject = _someone(g, g.deal(KINDS))
    cleft = (g.word("it's"), g.reflexive(subject), g.choose((REL_THAT, REL_WHO)))
    predicate = g.vp(verb, gap=True).agree(subject)
    return g.pair_of((*cleft, subject, predicate), (*cleft, predicate, subject))
