"""Phrases that several paradigms share: people of everyday life, known things, question words."""

from __future__ import annotations

from functools import cache
from typing import Unpack

from priscian.grammar import DP, WHAT, WHO, Grammar, Reject, Word
from priscian.grammar.draw import Slot
from priscian.grammar.nominals import DPOptions
from priscian.lexicon import Noun, Predicate, Selection

THAT_ONE = Word("that", "that", "det.sg")
ACTOR = "(animate&!infant)|(institution&!document)"
# Other quantifiers would raise a question of scope.
PLAIN = "definite|indefinite|several"


def object_of(verb: Predicate) -> Selection:
    """What a transitive verb selects."""
    assert verb.object is not None
    return verb.object


@cache
def asks_for(verb: Predicate, wh: Word) -> bool:
    """True if *who* or *what* is how one would ask for the object."""
    nouns = object_of(verb).nouns
    if wh is WHO:
        return sum(map(human, nouns)) >= 0.3 * len(nouns)
    return sum(human(noun) or "institution" in noun.sorts for noun in nouns) <= 0.5 * len(nouns)


def phrase(g: Grammar, *slots: Slot, **options: Unpack[DPOptions]) -> DP:
    """What these slots admit, but of people rather those of everyday life: *our cook*, *Emma*."""
    names = float(options.get("names", 0.3))
    selection = g.select(_meet(*(g.select(slot).text for slot in slots)))
    if selection.admits_names:
        if _people(selection) == "only" or g.coin(0.6):
            if g.coin(names):
                return g.named()
            selection = g.select(_meet(selection.text, "@everyday"))
        else:
            selection = g.select(_meet(selection.text, "!person"))
    elif _people(selection) == "some":
        usual = g.select(_meet(selection.text, "@everyday|!person"))
        selection = usual if _people(usual) != "none" else selection
    options["names"] = False
    dp = g.dp(selection, **options)
    return _usual(g, dp) if options.get("det", "any") == "any" else dp


def _usual(g: Grammar, dp: DP) -> DP:
    """With a determiner and a number that go well with the noun."""
    noun, sorts = dp.noun, dp.noun.sorts
    alone = "sole" in noun.flags or noun.count == "both" or "government" in sorts
    if alone and dp.number == "pl" and noun.singular:
        dp = g.with_determiner(g.with_number(dp, "sg"), "the")
    if noun.mass and noun in g.select("@bare_mass").members:
        return g.with_determiner(dp, "bare")
    if "body_part" in sorts:
        raise Reject  # *his knee*, but whose?
    if "sole" in noun.flags:
        return g.with_determiner(dp, "my|your|his|her")
    if "kin" in sorts and "standalone" not in noun.flags:
        return g.with_determiner(dp, "possessive")
    unsure = noun.count == "both" or "institution" in sorts
    return _determined(g, dp, "definite" if unsure else PLAIN)


def head(g: Grammar, *slots: Slot, **options: Unpack[DPOptions]) -> DP:
    """A phrase that a relative clause may narrow down: *the cook*, not *our mother*."""
    options["names"], options["det"], options["fits"] = 0.0, "the", restrictable
    return phrase(g, *slots, **options)


def restrictable(noun: Noun) -> bool:
    """True of what *the* or *which* may single out: not *the sun that*, *which wife*."""
    if "unique" in noun.flags or "sole" in noun.flags:
        return False
    return "kin" not in noun.sorts or "standalone" in noun.flags


@cache
def _meet(*texts: str) -> str:
    """What all of these select, as one selection, so that its nouns are looked up once."""
    return "&".join(f"({text})" for text in texts)


def definite(g: Grammar, *slots: Slot, **options: Unpack[DPOptions]) -> DP:
    """As `phrase`, and known: *the nurse*, *Emma*, *your neighbors*, never *a king*.

    After *what* an indefinite article would make an exclamation (*what a king*), and *that* would
    look like a complementiser.
    """
    dp = _determined(g, phrase(g, *slots, **options), "definite")
    return g.with_determiner(dp, "the") if dp.determiner[:1] == (THAT_ONE,) else dp


def _determined(g: Grammar, dp: DP, kinds: str) -> DP:
    """With *the*, unless the determiner is of one of these kinds."""
    first = dp.determiner[0] if dp.determiner else None
    if isinstance(first, Word) and first.lemma not in g.lexicon.determiner_lemmas(kinds):
        return g.with_determiner(dp, "the")
    return dp


@cache
def _people(selection: Selection) -> str:
    """Whether it selects people: `only`, `some` (at least four nouns) or `none`."""
    people = sum(noun.person for noun in selection.nouns)
    if people and people == len(selection.nouns) and selection.admits_names:
        return "only"
    return "some" if people >= 4 else "none"


def human(noun: Noun) -> bool:
    """True of people, and of babies, who are no persons to verbs that ask for an actor."""
    return noun.person or "infant" in noun.sorts


def filler(noun: Noun, verb: Predicate) -> Word:
    """*who* for people and for what acts as they do where they would fit too; else *what*."""
    if human(noun):
        return WHO
    people = verb.object is not None and verb.object.admits_names
    return WHO if people and "institution" in noun.sorts else WHAT
