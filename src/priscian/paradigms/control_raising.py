"""Raising predicates give their subject no role; control and tough predicates do otherwise."""

from __future__ import annotations

from functools import partial

from priscian.grammar import (
    BE,
    DP,
    THAT,
    TO,
    VP,
    Clause,
    Either,
    Grammar,
    Inflection,
    Node,
    Pair,
    Reject,
)
from priscian.lexicon import Number, Predicate, Word
from priscian.paradigms.edits import Substitution
from priscian.paradigms.phrases import object_of
from priscian.paradigms.registry import paradigm
from priscian.paradigms.scenes import activity, doing, people

raising = partial(
    paradigm, phenomenon="control_raising", field="syntax_semantics", edit=Substitution("lemma")
)

IN = Word("in", "in", "prep")
SEEN = "person&!kin"
WEAK = "a|some|several|many|a few|two|three|four|five"
FRAMES = ("unerg", "transitive", "pp")
WEIGHTS = (34.0, 54.0, 12.0)
CROWD: tuple[str, Number] = ("several|many|a few", "pl")
PAST, PRESENT = Inflection("past"), Inflection("pres")
PERFECT = Inflection("pres", perfect=True)
MIGHT, WOULD, WILL = (Inflection("pres", modal) for modal in ("might", "would", "will"))
NEGATED = Inflection("past", negation="n't")
TENSES = (PAST, PAST, PAST, PRESENT, PRESENT, PRESENT, PRESENT, MIGHT, NEGATED)
EVENTS = (PAST, PAST, PERFECT, PRESENT, PRESENT, WILL, NEGATED)
COPULAR = (PAST, PAST, PAST, PRESENT, PRESENT, WOULD, NEGATED)


def _tense(g: Grammar, verb: Predicate) -> Inflection:
    """A tense that suits the verb; all of its tenses come equally often."""
    tenses = EVENTS if "discovery" in verb.flags else TENSES
    _, at = g.deal(tuple((verb.lemma, at) for at in range(len(tenses))))
    return tenses[at]


def _news(g: Grammar) -> Clause:
    """Something that others may have an opinion of: *the mayor resigned*, *Emma sold the farm*."""
    frame = g.weighted(("transitive", "unerg", "pp"), (84.0, 10.0, 6.0))
    verb = g.verb(frame, "newsworthy !stative", subject="some person")
    doer = g.dp((verb.subject, SEEN), det="known")
    thing = g.dp((object_of(verb), "!body_part")) if verb.object else None
    if thing and not thing.person and g.coin(0.25):
        thing = g.described(thing)
    return Clause(doer, g.vp(verb, PAST, object=thing))


def _scene(
    g: Grammar, det: str = WEAK, number: Number | None = None, frame: str = ""
) -> tuple[DP, Node]:
    """Some people, and all of *some people doing something*."""
    frame = frame or g.weighted(FRAMES, WEIGHTS)
    together = frame == "unerg" and g.coin(0.5)
    flags = "presence assembling" if together else "presence"
    verb = activity(g, frame, animals=False, pastime=1.0, flags=flags)
    # One notices several people sooner than one.
    several = number or g.number(0.75)
    together = "assembling" in verb.flags
    who = (verb.subject, "@bystander") if together else people(verb, "person")
    some = g.dp(who, several, det=det, names=False, adjective=0.12)
    if together and verb.object is None and g.coin(0.7):
        town = (IN, g.named(kind="place"))
        return some, (some, g.vp(verb).gerund(), town)
    return some, (some, doing(g, verb, some, place=0.9))


def _at_work(g: Grammar) -> tuple[DP, Node]:
    """What one may wish for: people at work rather than somebody who stands about."""
    verb = g.verb(
        "transitive",
        "scenic presence !in_public",
        subject="some person",
        fits=lambda verb: not verb.subject.admits_names,
    )
    some = g.dp(people(verb, "person"), g.number(0.75), det=WEAK, names=False)
    return some, (some, doing(g, verb, some))


def _object_raising(g: Grammar, good: Predicate, expletive: str, embedded: Node) -> Pair:
    subject = g.dp((good.subject, "person"), adjective=0.1)
    bad = g.verb("ctrl_obj", "!objectless", subject=subject)
    tense = _tense(g, good)
    right, wrong = (VP(verb.verb, tense).agree(subject) for verb in (good, bad))
    return g.pair(
        subject=subject,
        verb=Either(right, wrong),
        critical=g.word(expletive),
        embedded=(TO, BE.bare, embedded),
    )


@raising("existential_there_object_raising", prefix="two")
def existential_there_object_raising(g: Grammar) -> Pair:
    """Emma expected there to be two boys singing. / *Emma tempted there to be two boys singing."""
    good = g.verb("raise_obj", "expecting", evenly=True)
    scene = _at_work(g) if "wishing" in good.flags else _scene(g)
    return _object_raising(g, good, "there", scene[1])


@raising("expletive_it_object_raising", prefix="two")
def expletive_it_object_raising(g: Grammar) -> Pair:
    """Emma felt it to be odd that he sang. / *Emma dared it to be odd that he sang."""
    good = g.verb("raise_obj", "holding", evenly=True)
    judged = g.adjective(None, _verdict(good), "pred")
    return _object_raising(g, good, "it", (judged.word, THAT, _news(g)))


def _verdict(verb: Predicate) -> str:
    """The class of adjectives for what one may hold of a matter: *odd*, *likely*, *true*."""
    if "opinion" in verb.flags:
        return "curious|epistemic"
    return "settled" if "establishing" in verb.flags else "assured"


@raising("existential_there_subject_raising")
def existential_there_subject_raising(g: Grammar) -> Pair:
    """There seemed to be two boys singing. / *There tried to be two boys singing."""
    right: Node
    wrong: Node
    if g.coin(0.45):
        good = g.verb("raise_subj", "!bounded", evenly=True)
        bad = g.verb("ctrl_subj")
        if "habitual" in good.flags:
            who, scene = _scene(g, *CROWD, frame="unerg")
        else:
            who, scene = _scene(g)
        tense = g.choose((PAST, PRESENT))
        right, wrong = (VP(verb.verb, tense).agree(who) for verb in (good, bad))
    else:
        raised = g.adjective(None, "foreseen", "pred", evenly=True)
        control = g.adjective(None, "control", "pred")
        who, scene = _scene(g)
        tense = g.choose((PAST, PAST, PRESENT))
        right, wrong = (g.copular(entry, tense).agree(who) for entry in (raised, control))
    return g.pair(
        g.word("there"),
        predicate=Either(right, wrong),
        embedded=(TO, BE.bare, scene),
    )


@raising("tough_vs_raising_1")
def tough_vs_raising_1(g: Grammar) -> Pair:
    """The lid was easy to remove. / *The lid was likely to remove."""
    verb = g.verb("trans", "strict !stative effortful", subject="some person")
    subject = g.dp(object_of(verb), det="known")
    toil = "labor" in verb.flags and not subject.noun.animate
    # Most of what is hard to do is hard work with some thing.
    if not toil and g.coin(0.66):
        raise Reject
    if not subject.noun.animate and g.coin(0.4):
        subject = g.described(subject)
    tough = g.adjective(None, "toil" if toil else "effort", "pred", evenly=True)
    raised = g.adjective(None, "single_event", "pred")
    return g.pair(
        subject=subject,
        predicate=g.copular(Either(tough.word, raised.word), g.choose(COPULAR)).agree(subject),
        embedded=g.vp(verb, gap=True).infinitive(),
    )


@raising("tough_vs_raising_2")
def tough_vs_raising_2(g: Grammar) -> Pair:
    """The boy was likely to wash the cup. / *The boy was easy to wash the cup."""
    raised = g.adjective(None, "prospect", "pred", evenly=True)
    tough = g.adjective(None, "toil", "pred")
    verb = g.verb(
        "trans",
        "!stative !unplanned one_object experience|newsworthy|tallied",
        subject="some person",
    )
    subject = g.dp((verb.subject, "person"), names=0.6, adjective=0.1)
    tense = g.choose((PAST, PAST, PRESENT))
    return g.pair(
        subject=subject,
        predicate=g.copular(Either(raised.word, tough.word), tense).agree(subject),
        embedded=g.vp(verb, object=g.dp((object_of(verb), "!body_part"))).infinitive(),
    )
