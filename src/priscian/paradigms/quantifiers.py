"""Strong determiners are out after *there is*, superlative modifiers in the scope of *no*."""

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
    Pair,
    critical,
    label,
)
from priscian.lexicon import Determiner, Lexicon, Number, Predicate, Word
from priscian.paradigms.edits import Reordering, SpanSubstitution, Substitution
from priscian.paradigms.registry import paradigm
from priscian.paradigms.scenes import activity, doing, people

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
PRESENTED = (PAST, PAST, PAST, PAST, PRESENT, PRESENT, PRESENT, WILL, MIGHT)
LOCATED = (PAST, PAST, PAST, PRESENT, PRESENT, PLUPERFECT, WILL, MIGHT, MUST)
MODIFIERS = (("more", "least"), ("fewer", "most"))
COUNTED = (PAST, PAST, PAST, PERFECT, PERFECT, PLUPERFECT)


@quantifiers("existential_there_quantifiers_1", edit=Substitution("lemma"))
def existential_there_quantifiers_1(g: Grammar) -> Pair:
    """There were many nurses laughing. / *There were most nurses laughing."""
    number = g.number(0.6)
    weak = g.numeral(3, 6) if number == "pl" and g.coin(0.25) else "pivot"
    verb = activity(g)
    pivot = g.dp(people(verb), number, det=weak, names=False, features="count", adjective=0.2)
    determiner = Either(pivot.determiner, g.with_determiner(pivot, "no_pivot").determiner)
    rest = label("activity", doing(g, verb, pivot, place=0.7))
    phrase = (label("determiner", determiner), pivot.modifiers, pivot.head, rest)
    return g.pair(THERE, be=g.copular(phrase, g.choose(PRESENTED)).agree(pivot))


@quantifiers("existential_there_quantifiers_2", edit=Reordering())
def existential_there_quantifiers_2(g: Grammar) -> Pair:
    """Every nurse was there laughing. / *There was every nurse laughing."""
    strong, number = g.deal(STRONG)
    determiner = tuple(g.word(word, "det") for word in strong.split())
    verb = activity(g)
    dp = g.dp(people(verb), number, det=determiner, names=False, features="count", adjective=0.2)
    be = label("be", g.copular((), g.deal(LOCATED)).agree(dp))
    pivot, rest = label("pivot", dp), label("activity", doing(g, verb, dp, place=0.5))
    return g.pair_of((pivot, be, THERE, rest), (THERE, be, pivot, rest))


def _counting(g: Grammar) -> Predicate:
    """What people do to several things, or now and then to several people."""
    return g.verb(
        "transitive",
        "tallied !stative",
        subject="some person",
        fits=lambda verb: verb.object is not None and not verb.object.admits_names,
    )


def _counted(g: Grammar, verb: Predicate) -> DP:
    """*six old coins*"""
    numeral = g.numeral(3, 8)
    # Nobody keeps count of the houses, cars and machines that one person deals with.
    slots = (verb.object or "entity", "!(body_part|home|vehicle|machine|place|kin)&!=phone")
    dp = g.dp(slots, "pl", det=numeral, names=False, features="count individual")
    return dp if dp.person or g.coin(0.9) else g.described(dp)


@cache
def _positive(lexicon: Lexicon) -> tuple[tuple[Determiner, Number], ...]:
    """Determiners that do not negate, with each number they allow."""
    known = [entry for entry in lexicon.all_determiners if "positive" in entry.flags]
    singular: list[tuple[Determiner, Number]] = [(entry, "sg") for entry in known if entry.singular]
    plural: list[tuple[Determiner, Number]] = [(entry, "pl") for entry in known if entry.plural]
    return (*singular, *plural)


@quantifiers("superlative_quantifiers_1", edit=SpanSubstitution(2))
def superlative_quantifiers_1(g: Grammar) -> Pair:
    """No nurse met more than six cooks. / *No nurse met at least six cooks."""
    verb = _counting(g)
    subject = g.dp(people(verb), g.number(0.2), det="no", names=False)
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
    subject = g.dp(people(verb), number, det=determiner, names=False)
    either = Either(subject.determiner, g.with_determiner(subject, "no").determiner)
    counted = _counted(g, verb)
    modifier = (critical(AT), g.word(superlative))
    counted = g.with_determiner(counted, (*modifier, *counted.determiner))
    return g.pair(
        subject=(label("determiner", either), subject.head),
        verb=g.vp(verb, g.choose(COUNTED), object=counted).agree(subject),
        extra={"crucial_item": f"at {superlative}"},
    )
