"""A verb decides which arguments there are, and what kind of thing may fill them."""

from __future__ import annotations

from functools import partial

from priscian.grammar import BE, BY, DP, Either, Grammar, Inflection, Pair, Reject, critical
from priscian.lexicon import Predicate
from priscian.paradigms.edits import Substitution
from priscian.paradigms.registry import paradigm

argument = partial(
    paradigm, phenomenon="argument_structure", field="syntax", edit=Substitution("lemma")
)

# Things that stand for nobody: not *the chair*, *the throne*, *the village*, *the newspaper*, nor
# what people wield, wear or order (*the boot kicked him*, *the ham sandwich wants to pay*).
INERT = (
    "fruit|vegetable&!=vegetable|textile&!=flag,banner,bandage,blindfold|kitchenware|"
    "furniture&!=chair,desk,table,bench,throne,counter,mirror,cradle|"
    "container&!=bottle,coffin,tank,cage,locker,safe,wallet,purse|"
    "natural_object&!=beehive,anthill,nest,boulder,fossil,stick,snowball|"
    "=kite,frisbee,marble,balloon,seesaw,domino"
)
# After *by* there must be neither a place (*by the sofa*) nor a measure (*by the spoon*).
INERT_AFTER_BY = (
    "fruit|vegetable&!=vegetable|=pillow,cushion,napkin,handkerchief,washcloth,pillowcase,placemat,"
    "quilt,towel,blanket,ribbon,rag,whisk,colander,grater,peeler,chopstick,corkscrew,strainer,"
    "spatula,wok,skillet,pan,fork,pebble,feather,seashell,twig,petal,acorn,pinecone,thorn,eggshell,"
    "snowflake,icicle,leaf,seed,kite,frisbee,balloon,domino,envelope,jar,teapot,lampshade"
)
# What can follow an intransitive verb without being its object (*slept the whole day*, *giggled
# an answer*) would make the bad sentences fair.
OBJECT = "entity&!(time|amount|speech|information|language|music|literature|trip)"


def _with_thing(g: Grammar, agent: DP, things: str) -> DP:
    """*the nurse* turned into *the carrot*."""
    return g.with_noun(agent, g.noun(things, agent.number, features="count inanimate"))


def _intransitive(g: Grammar, frame: str, *whose: DP) -> Predicate:
    """A verb that never has an object, of which one of these could be the subject."""
    for dp in whose:
        try:
            return g.verb(frame, "strict", subject=dp)
        except Reject:
            continue
    return g.verb(frame, "strict")


def _verbs(
    g: Grammar,
    subject: DP,
    good: Predicate,
    bad: Predicate,
    theme: DP | None = None,
    tense: Inflection | None = None,
) -> Pair:
    """The same clause with either verb, in one tense."""
    tense = tense or g.inflection(good, bad)
    right, wrong = (g.vp(verb, tense, gap=True).agree(subject) for verb in (good, bad))
    if theme is None:
        return g.pair(subject=subject, verb=Either(right, wrong))
    # The noun of the object is what the two prefixes foretell, not its determiner.
    rest = (*theme.determiner, *theme.modifiers, critical(theme.head), *theme.post)
    return g.pair(subject=subject, verb=Either(right, wrong), object=rest)


def _passives(
    g: Grammar, theme: DP, good: Predicate, bad: Predicate, agent: DP | None = None
) -> Pair:
    """The same passive clause with the participle of either verb."""
    tense = g.inflection(BE)
    right, wrong = (g.passive(verb, tense, agent).agree(theme) for verb in (good, bad))
    return g.pair(subject=theme, predicate=Either(right, wrong))


@argument("animate_subject_passive", prefix="one")
def animate_subject_passive(g: Grammar) -> Pair:
    """The pilot was thanked by the nurse. / *The pilot was thanked by the carrot."""
    verb = g.verb("trans|optobj", "agentive !nopass")
    theme = g.object(verb, adjective=0.15)
    agent = g.subject(verb, names=False, features="count animate")
    return g.pair(
        subject=theme,
        verb=g.passive(verb).agree(theme),
        agent=(BY, Either(agent, _with_thing(g, agent, INERT_AFTER_BY))),
    )


@argument("animate_subject_trans", prefix="two")
def animate_subject_trans(g: Grammar) -> Pair:
    """The nurse thanked the pilot. / *The carrot thanked the pilot."""
    verb = g.verb("trans|optobj", "agentive")
    agent = g.subject(verb, names=False, features="count animate")
    return g.pair(
        subject=Either(agent, _with_thing(g, agent, INERT)),
        predicate=g.vp(verb).agree(agent),
    )


@argument("causative")
def causative(g: Grammar) -> Pair:
    """The boy opened the box. / *The boy twinkled the box."""
    good = g.verb("alt")
    subject, theme = g.subject(good), g.dp((good.object or "entity", OBJECT), adjective=0.2)
    bad = _intransitive(g, "strict_intransitive", theme, subject)
    return _verbs(g, subject, good, bad, theme)


@argument("drop_argument")
def drop_argument(g: Grammar) -> Pair:
    """The children ate. / *The children devoured."""
    good = g.verb("drop")
    subject = g.subject(good, adjective=0.15)
    return _verbs(g, subject, good, g.verb("trans", "strict", subject=subject))


@argument("inchoative")
def inchoative(g: Grammar) -> Pair:
    """The gate opened. / *The gate dismantled."""
    good = g.verb("inch")
    theme = g.subject(good, adjective=0.2)
    bad = g.verb("trans", "strict !stative", object=theme)
    # *The gate won't paint*: modals, negation and habits invite a middle.
    kind = g.weighted(("past", "perfect", "progressive"), (60.0, 22.0, 18.0))
    tense = g.inflection(good, bad, kind=kind, negation=0.0)
    return _verbs(g, theme, good, bad, tense=tense)


@argument("intransitive")
def intransitive(g: Grammar) -> Pair:
    """The guests danced. / *The guests resembled."""
    good = g.verb("intransitive")
    subject = g.subject(good, adjective=0.25)
    return _verbs(g, subject, good, g.verb("trans", "strict", subject=subject))


@argument("passive_1")
def passive_1(g: Grammar) -> Pair:
    """The singer was praised by the critic. / *The singer was snored by the critic."""
    good = g.verb("transitive", "!nopass")
    theme = g.dp((good.object or "entity", OBJECT))
    agent = g.subject(good)
    bad = _intransitive(g, "unerg", agent, theme)
    return _passives(g, theme, good, bad, agent)


@argument("passive_2")
def passive_2(g: Grammar) -> Pair:
    """The singer was praised. / *The singer was snored."""
    good = g.verb("transitive", "!nopass")
    theme = g.dp((good.object or "entity", OBJECT), adjective=0.2)
    return _passives(g, theme, good, _intransitive(g, "unerg", theme))


@argument("transitive", prefix="two")
def transitive(g: Grammar) -> Pair:
    """The girl saw the lake. / *The girl yawned the lake."""
    good = g.verb("transitive")
    subject = g.subject(good)
    bad = g.verb("strict_intransitive", "strict", subject=subject)
    theme = g.dp((good.object or "entity", OBJECT), adjective=0.15)
    return _verbs(g, subject, good, bad, theme)
