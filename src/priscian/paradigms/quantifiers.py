"""Strong determiners shun the pivot of *there is*; superlative modifiers shun the scope of *no*."""

from __future__ import annotations

from functools import cache, partial

from priscian.grammar import (
    DP,
    PAST,
    PERFECT,
    PRESENT,
    Either,
    Grammar,
    Inflection,
    Node,
    Pair,
    critical,
    label,
)
from priscian.lexicon import Determiner, Lexicon, Number, Predicate, Selection, Word
from priscian.paradigms.edits import Reordering, SpanSubstitution, Substitution
from priscian.paradigms.registry import paradigm

quantifiers = partial(paradigm, phenomenon="quantifiers", field="semantics")

THERE = Word("there", "there", "func")
AT = Word("at", "at", "prep")
THAN = Word("than", "than", "prep")
PLUPERFECT = Inflection("past", perfect=True)
WILL, MIGHT, MAY, MUST, COULD, SHOULD = (
    Inflection("pres", modal) for modal in ("will", "might", "may", "must", "could", "should")
)

# Strong quantifiers in front of *be there*; an adverb does not make them weak.
STRONG: tuple[tuple[str, Number], ...] = (
    ("every", "sg"),
    ("each", "sg"),
    ("almost every", "sg"),
    ("nearly every", "sg"),
    ("both", "pl"),
    ("all three", "pl"),
    ("all four", "pl"),
    ("most of the", "pl"),
)
PRESENTED = (PAST, PAST, PAST, PRESENT, PRESENT, PERFECT, PLUPERFECT, WILL, MIGHT)
LOCATED = (PAST, PAST, PRESENT, PERFECT, PLUPERFECT, WILL, MIGHT, MAY, MUST, COULD, SHOULD)
# What can be watched: done at a place, now, with things if with anything.
FRAMES = ("transitive", "unerg", "pp")
WEIGHTS = (34.0, 46.0, 20.0)
HANDLERS = 120  # so many kinds of people at most handle such things for a living
TURNED = frozenset({"at", "for", "to"})  # *smiling at*, *waiting for*, *listening to*

MODIFIERS = (("more", "least"), ("fewer", "most"))
COUNTED = (PAST, PAST, PAST, PERFECT, PERFECT, PLUPERFECT)


def _who(g: Grammar, verb: Predicate) -> tuple[Selection | str, ...]:
    """Who may do it; where anyone may, mostly people of everyday life."""
    ordinary = verb.subject.admits_names and g.coin(0.8)
    return ("@everyday&!kin", verb.subject) if ordinary else (verb.subject, "animate&!kin")


def _activity(g: Grammar) -> Predicate:
    """What people or animals may be watched doing."""
    frame = g.weighted(FRAMES, WEIGHTS)
    thing = {"transitive": "some object", "pp": "some physical"}.get(frame)
    return g.verb(
        frame, "!stative !unwatchable", subject="some animate", object=thing, fits=_watchable
    )


def _watchable(verb: Predicate) -> bool:
    if verb.preposition:
        return verb.preposition.text in TURNED
    if verb.object is None or "agentive" in verb.flags:
        return True
    return "state_change" in verb.flags and len(verb.subject.nouns) <= HANDLERS


def _doing(g: Grammar, verb: Predicate, who: DP) -> Node:
    """*selling apples*, *waiting for the bus*; several people seldom handle one thing."""
    if verb.object is None:
        return g.vp(verb).gerund()
    number = g.number(0.85 if who.number == "pl" and verb.frame != "pp" else 0.4)
    kind = g.choose(("the", "bare") if number == "pl" else ("the", "a"))
    dp = g.dp((verb.object, "physical&!body_part"), number, det="the", names=0.2)
    if dp.name or "unique" in dp.noun.flags:
        kind = "the"
    elif dp.noun.count != "count":
        dp, kind = g.with_number(dp, "sg"), "the"
    thing = dp if kind == "the" else g.with_determiner(dp, kind)
    return g.vp(verb, object=thing).gerund()


def _place(g: Grammar) -> tuple[Node, ...]:
    """*near the lake*"""
    near = g.choose(g.lexicon.prepositions("vicinity"))
    return (*near.words, g.dp(near.selects or "place", "sg", det="the", names=False))


@quantifiers("existential_there_quantifiers_1", edit=Substitution("lemma"))
def existential_there_quantifiers_1(g: Grammar) -> Pair:
    """There were many nurses laughing. / *There were most nurses laughing."""
    number = g.number(0.6)
    weak = g.numeral(3, 6) if number == "pl" and g.coin(0.25) else "pivot"
    verb = _activity(g)
    pivot = g.dp(_who(g, verb), number, det=weak, names=False, features="count")
    place = _place(g) if verb.frame == "unerg" and g.coin(0.4) else ()
    determiner = Either(pivot.determiner, g.with_determiner(pivot, "no_pivot").determiner)
    activity = label("activity", _doing(g, verb, pivot), place)
    rest = (label("determiner", determiner), pivot.head, activity)
    return g.pair(THERE, be=g.copular(rest, g.choose(PRESENTED)).agree(pivot))


@quantifiers("existential_there_quantifiers_2", edit=Reordering())
def existential_there_quantifiers_2(g: Grammar) -> Pair:
    """Every nurse was there laughing. / *There was every nurse laughing."""
    strong, number = g.deal(STRONG)
    determiner = tuple(g.word(word, "det") for word in strong.split())
    verb = _activity(g)
    dp = g.dp(_who(g, verb), number, det=determiner, names=False, features="count")
    be = label("be", g.copular((), g.deal(LOCATED)).agree(dp))
    pivot, activity = label("pivot", dp), label("activity", _doing(g, verb, dp))
    return g.pair_of((pivot, be, THERE, activity), (THERE, be, pivot, activity))


def _counting(g: Grammar) -> Predicate:
    """A verb whose objects can be counted; mostly not people, whom one seldom counts."""
    return g.verb(
        "transitive",
        "!stative",
        subject="some animate",
        fits=lambda verb: verb.object is not None and (not verb.object.admits_names or g.coin(0.3)),
    )


def _counted(g: Grammar, verb: Predicate) -> DP:
    """*six old coins*"""
    numeral = g.numeral(3, 8)
    slot = verb.object or "entity"
    anyone = verb.object is not None and verb.object.admits_names
    slots = ("@everyday&!kin", slot) if anyone else (slot, "!body_part")
    dp = g.dp(slots, "pl", det=numeral, names=False, features="count individual")
    return dp if dp.person or g.coin(0.75) else g.described(dp)


@cache
def _positive(lexicon: Lexicon) -> tuple[tuple[Determiner, Number], ...]:
    """Determiners that do not negate, with each number that they go with."""
    known = [entry for entry in lexicon.all_determiners if "positive" in entry.flags]
    singular: list[tuple[Determiner, Number]] = [(entry, "sg") for entry in known if entry.singular]
    plural: list[tuple[Determiner, Number]] = [(entry, "pl") for entry in known if entry.plural]
    return (*singular, *plural)


@quantifiers("superlative_quantifiers_1", edit=SpanSubstitution(2))
def superlative_quantifiers_1(g: Grammar) -> Pair:
    """No nurse met more than six cooks. / *No nurse met at least six cooks."""
    verb = _counting(g)
    subject = g.dp(_who(g, verb), g.number(0.2), det="no", names=False)
    counted = _counted(g, verb)
    comparative, superlative = g.deal(MODIFIERS)
    modifier = Either((g.word(comparative), THAN), (AT, g.word(superlative)))
    counted = g.with_determiner(counted, (label("modifier", modifier), *counted.determiner))
    return g.pair(
        subject=subject,
        verb=g.vp(verb, g.choose(COUNTED), object=counted).agree(subject),
        extra={"crucial_item": f"at {superlative}"},
    )


@quantifiers("superlative_quantifiers_2", edit=Substitution("lemma"), prefix="two")
def superlative_quantifiers_2(g: Grammar) -> Pair:
    """Every nurse met at least six cooks. / *No nurse met at least six cooks."""
    superlative = g.deal(("least", "most"))
    verb = _counting(g)
    determiner, number = g.deal(_positive(g.lexicon))
    subject = g.dp(_who(g, verb), number, det=determiner, names=False)
    either = Either(subject.determiner, g.with_determiner(subject, "no").determiner)
    counted = _counted(g, verb)
    modifier = (critical(AT), g.word(superlative))
    counted = g.with_determiner(counted, (*modifier, *counted.determiner))
    return g.pair(
        subject=(label("determiner", either), subject.head),
        verb=g.vp(verb, g.choose(COUNTED), object=counted).agree(subject),
        extra={"crucial_item": f"at {superlative}"},
    )
