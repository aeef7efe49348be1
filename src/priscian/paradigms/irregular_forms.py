"""Past and participle of irregular verbs: *broken* describes, *broke* tells."""

from __future__ import annotations

from functools import partial

from priscian.grammar import DP, PAST, VP, Either, Grammar, Pair, critical
from priscian.lexicon import Predicate
from priscian.paradigms.edits import Substitution
from priscian.paradigms.phrases import persistently
from priscian.paradigms.registry import paradigm

irregular = partial(
    paradigm, phenomenon="irregular_forms", field="morphology", edit=Substitution("form")
)
FINITE = "transitive|unerg|unacc|pp|prt"


def _dealt(g: Grammar, frames: str, flags: str = "") -> Predicate:
    """An irregular verb in one of its frames; over many pairs all verbs are equally frequent."""
    return g.verb(frames, f"irregular {flags}", fits=_bare_form_stands_apart, evenly=True)


def _bare_form_stands_apart(predicate: Predicate) -> bool:
    """False of *run* and *beat*, whose bare form is a participle or past as well."""
    verb = predicate.verb
    return verb.bare.text not in (verb.past_sg.text, verb.participle.text)


@irregular("irregular_past_participle_adjectives", prefix="two")
def irregular_past_participle_adjectives(g: Grammar) -> Pair:
    """The stolen necklace was expensive. / *The stole necklace was expensive."""
    verb = _dealt(g, "transitive|unacc", "state_change")
    # *The stolen car* was stolen, *the fallen leaf* fell.
    slots = (verb.object or verb.subject, "!animate|royal|villain")

    def described() -> tuple[DP, VP]:
        dp = g.dp(slots, det="the|demonstrative", names=False)
        tense = g.weighted(("past", "present", "any"), (78.0, 18.0, 4.0))
        judged = g.adjective(dp, "!resultative|mood|nationality", "pred")
        return dp, g.copular(judged, tense, negation=0.08)

    dp, predicate = persistently(g, described)
    form = Either(verb.verb.participle, verb.verb.past(dp.number))
    return g.pair(dp.determiner, form, critical(dp.head), predicate=predicate.agree(dp))


@irregular("irregular_past_participle_verbs", prefix="one")
def irregular_past_participle_verbs(g: Grammar) -> Pair:
    """The nurse forgot the umbrella. / *The nurse forgotten the umbrella."""
    verb = _dealt(g, FINITE, "!rare")
    subject = g.subject(verb, names=0.45)
    vp = g.vp(verb, PAST)
    # Alone, *the vase broken* might be a noun with its participle.
    rest = vp.complement or (g.adverb("occasion", "post").word,)
    form = Either(verb.verb.past(subject.number), verb.verb.participle)
    return g.pair(subject=subject, verb=form, rest=rest)
