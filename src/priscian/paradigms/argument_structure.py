"""A verb decides which arguments there are, and what kind of thing may fill them."""

from __future__ import annotations

from functools import partial

from priscian.grammar import (
    BY,
    DP,
    PAST,
    PERFECT,
    Either,
    Grammar,
    Inflection,
    Node,
    Pair,
    Reject,
    critical,
)
from priscian.lexicon import Predicate
from priscian.paradigms.edits import Substitution
from priscian.paradigms.phrases import persistently
from priscian.paradigms.registry import paradigm

argument = partial(
    paradigm, phenomenon="argument_structure", field="syntax", edit=Substitution("lemma")
)

AGENT = "the|indefinite|demonstrative"
# Tenses for what happens once. Ability, negation and habits invite a middle (*it won't paint*).
PLUPERFECT = Inflection("past", perfect=True)
EVENTS = (PAST, PERFECT, PLUPERFECT, Inflection(modal="might"))
EVENT_WEIGHTS = (54.0, 20.0, 12.0, 14.0)
# Passives tell what was done; *should be robbed* and *is robbed* are seldom said.
NOT_DONE = Inflection("past", negation="n't")
DEEDS = (PAST, PERFECT, PLUPERFECT, NOT_DONE, Inflection(modal="will"), Inflection(modal="might"))
DEED_WEIGHTS = (58.0, 18.0, 10.0, 4.0, 5.0, 5.0)


def _with_thing(g: Grammar, agent: DP, things: str) -> DP:
    """*the nurse* turned into *the carrot*."""
    return g.with_noun(agent, g.noun(things, agent.number, features="count inanimate"))


def _intransitive(g: Grammar, frame: str, *whose: DP) -> Predicate:
    """A verb that never takes an object and admits one of these as subject."""
    for dp in whose:
        try:
            return g.verb(frame, "strict", subject=dp)
        except Reject:
            continue
    return g.verb(frame, "strict")


def _tense(g: Grammar, *verbs: Predicate) -> Inflection:
    """Never progressive: *was demanding* and *was damaging* need no object."""
    kind = g.weighted(("past", "perfect", "modal", "present"), (66.0, 22.0, 8.0, 4.0))
    return g.inflection(*verbs, kind=kind)


def _verbs(
    g: Grammar,
    subject: DP,
    good: Predicate,
    bad: Predicate,
    tense: Inflection,
    theme: Node = (),
) -> Pair:
    """The same clause with either verb, in one tense."""
    right, wrong = (g.vp(verb, tense, gap=True).agree(subject) for verb in (good, bad))
    return g.pair(subject=subject, verb=Either(right, wrong), object=theme)


def _says_enough(verb: Predicate) -> bool:
    """False of *The cowboys watered* and *The belt fastened*, which leave something unsaid."""
    return ("adverbial" not in verb.flags) if verb.frame != "drop" else "unspoken" in verb.flags


def _physical(verb: Predicate) -> bool:
    """Not *mention* and *describe*, which take any object at all and would be drawn too often."""
    return not verb.verb.frames.keys() & {"that", "wh"}


def _passives(
    g: Grammar, theme: DP, good: Predicate, bad: Predicate, agent: DP | None = None
) -> Pair:
    """The same passive clause with the participle of either verb."""
    tense = g.weighted(DEEDS, DEED_WEIGHTS)
    right, wrong = (g.passive(verb, tense, agent).agree(theme) for verb in (good, bad))
    return g.pair(subject=theme, predicate=Either(right, wrong))


@argument("animate_subject_passive", prefix="one")
def animate_subject_passive(g: Grammar) -> Pair:
    """The pilot was thanked by the nurse. / *The pilot was thanked by the carrot."""
    verb = g.verb("trans|optobj", "agentive !nopass|rare|stative|vague")
    theme = g.object(verb, adjective=0.15)
    agent = g.subject(verb, names=False, features="count animate", det=AGENT)
    return g.pair(
        subject=theme,
        verb=g.passive(verb, g.weighted(DEEDS, DEED_WEIGHTS)).agree(theme),
        agent=(BY, Either(agent, _with_thing(g, agent, "@inert_after_by"))),
    )


@argument("animate_subject_trans", prefix="two")
def animate_subject_trans(g: Grammar) -> Pair:
    """The nurse thanked the pilot. / *The carrot thanked the pilot."""
    # Half of the verbs admit any person as subject; otherwise a few nouns would be too frequent.
    verb = g.verb("trans|optobj", "agentive !rare", subject="person" if g.coin() else None)
    anyone = verb.subject.admits_names
    slots = (verb.subject, "@everyday|!person") if anyone else (verb.subject,)
    number = g.number(0.4)
    # This is the word that varies, so all admitted nouns are equally likely.
    agent = g.phrase(g.noun((*slots, "!@sole"), number, features="count animate"), number)
    return g.pair(
        subject=Either(agent, _with_thing(g, agent, "@inert")),
        predicate=g.vp(verb).agree(agent),
    )


@argument("causative")
def causative(g: Grammar) -> Pair:
    """The boy opened the box. / *The boy twinkled the box."""
    good = g.verb("alt")
    subject, theme = (
        g.subject(good),
        g.dp((good.object or "entity", "@argument&!body_part"), adjective=0.1),
    )
    bad = _intransitive(g, "strict_intransitive", theme, subject)
    return _verbs(g, subject, good, bad, g.inflection(good, bad), theme)


@argument("drop_argument")
def drop_argument(g: Grammar) -> Pair:
    """The children ate. / *The children devoured."""
    good = g.verb("drop", "unspoken")
    subject = g.subject(good, adjective=0.15)
    bad = g.verb("trans", "strict", subject=subject)
    return _verbs(g, subject, good, bad, _tense(g, good, bad))


@argument("inchoative")
def inchoative(g: Grammar) -> Pair:
    """The gate opened. / *The gate dismantled."""
    good = g.verb("inch", "!adverbial", evenly=True)

    def drawn() -> tuple[DP, Predicate]:
        theme = g.subject(good, adjective=0.2)
        return theme, g.verb("trans", "strict !stative", object=theme, fits=_physical)

    theme, bad = persistently(g, drawn)
    return _verbs(g, theme, good, bad, g.weighted(EVENTS, EVENT_WEIGHTS))


@argument("intransitive")
def intransitive(g: Grammar) -> Pair:
    """The guests danced. / *The guests resembled."""
    good = g.verb("intransitive", fits=_says_enough, evenly=True)
    subject = g.subject(good, adjective=0.25)
    bad = g.verb("trans", "strict", subject=subject)
    return _verbs(g, subject, good, bad, _tense(g, good, bad))


@argument("passive_1")
def passive_1(g: Grammar) -> Pair:
    """The singer was praised by the critic. / *The singer was snored by the critic."""
    good = g.verb("transitive", "!nopass|rare|perceiving|stative|vague")
    theme = g.dp((good.object or "entity", "@argument", "!body_part"))
    agent = g.subject(good)
    bad = _intransitive(g, "unerg", agent, theme)
    return _passives(g, theme, good, bad, agent)


@argument("passive_2")
def passive_2(g: Grammar) -> Pair:
    """The singer was praised. / *The singer was snored."""
    good = g.verb("transitive", "!nopass|rare|perceiving|stative|vague")
    theme = g.dp((good.object or "entity", "@argument&!body_part"), adjective=0.2)
    return _passives(g, theme, good, _intransitive(g, "unerg", theme))


@argument("transitive", prefix="two")
def transitive(g: Grammar) -> Pair:
    """The girl saw the lake. / *The girl yawned the lake."""
    good = g.verb("transitive", "!rare|vague")
    subject = g.subject(good)
    bad = g.verb("strict_intransitive", "strict", subject=subject)
    theme = g.dp((good.object or "entity", "@argument&!body_part"), adjective=0.15)
    # The two prefixes predict the noun of the object, not its determiner.
    rest = (*theme.determiner, *theme.modifiers, critical(theme.head))
    return _verbs(g, subject, good, bad, g.inflection(good, bad), rest)
