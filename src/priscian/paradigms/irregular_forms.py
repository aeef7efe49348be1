"""Past and participle of irregular verbs: *broken* describes, *broke* tells."""

from __future__ import annotations

from functools import cache, partial

from priscian.grammar import PAST, Either, Grammar, Pair, critical
from priscian.lexicon import Lexicon, Predicate
from priscian.paradigms.edits import Substitution
from priscian.paradigms.registry import paradigm

irregular = partial(
    paradigm, phenomenon="irregular_forms", field="morphology", edit=Substitution("form")
)
FINITE = "transitive|unerg|unacc|pp|prt"
WHEN = ("again", "yesterday", "suddenly", "early")


@cache
def _by_verb(lexicon: Lexicon, frames: str, flags: str) -> tuple[tuple[Predicate, ...], ...]:
    """The frames of each verb; not of *run* and *beat*, whose bare form is a participle or past."""
    verbs: dict[str, list[Predicate]] = {}
    for predicate in lexicon.predicates(frames, f"irregular {flags}").entries:
        verb = predicate.verb
        if verb.bare.text not in (verb.past_sg.text, verb.participle.text):
            verbs.setdefault(verb.lemma, []).append(predicate)
    return tuple(tuple(predicates) for predicates in verbs.values())


def _dealt(g: Grammar, frames: str, flags: str = "") -> Predicate:
    """An irregular verb in one of its frames; over many pairs each verb comes as often."""
    verb = g.choose(g.deal(_by_verb(g.lexicon, frames, flags)))
    g.used.add(verb.lemma)
    return verb


@irregular("irregular_past_participle_adjectives", prefix="two")
def irregular_past_participle_adjectives(g: Grammar) -> Pair:
    """The stolen necklace was expensive. / *The stole necklace was expensive."""
    verb = _dealt(g, "transitive|unacc", "state_change")
    # *The stolen car* was stolen, *the fallen leaf* fell.
    slots = (verb.object,) if verb.object else (verb.subject, "!person")
    dp = g.dp(slots, det="the|demonstrative", names=False)
    if g.coin(0.92):
        tense = g.weighted(("past", "present", "any"), (78.0, 18.0, 4.0))
        predicate = g.copular(g.adjective(dp, position="pred"), tense, negation=0.08)
    else:
        predicate = g.vp("intransitive", "past", subject=dp)
    form = Either(verb.verb.participle, verb.verb.past(dp.number))
    return g.pair(dp.determiner, form, critical(dp.head), predicate=predicate.agree(dp))


@irregular("irregular_past_participle_verbs", prefix="one")
def irregular_past_participle_verbs(g: Grammar) -> Pair:
    """The nurse forgot the umbrella. / *The nurse forgotten the umbrella."""
    verb = _dealt(g, FINITE)
    subject = g.subject(verb, names=0.45)
    vp = g.vp(verb, PAST)
    # Alone, *the vase broken* might be a noun with its participle.
    rest = vp.complement or (g.word(g.choose(WHEN), "adv"),)
    form = Either(verb.verb.past(subject.number), verb.verb.participle)
    return g.pair(subject=subject, verb=form, rest=rest)
