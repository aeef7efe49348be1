"""Lexicon entries: one per row, with all word forms already inflected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from priscian.errors import LexiconError
from priscian.lexicon.selection import Selection

Number = Literal["sg", "pl"]
Gender = Literal["m", "f", "n"]

# A tag is a category followed by values; each value belongs to one feature.
FEATURES: Mapping[str, str] = {
    **dict.fromkeys(("sg", "pl"), "number"),
    **dict.fromkeys(("m", "f", "n"), "gender"),
    **dict.fromkeys(("bare", "pres", "past", "modal", "ing", "en", "to"), "form"),
    **dict.fromkeys(("nom", "acc", "refl", "poss"), "case"),
    **dict.fromkeys(("neg", "pos"), "polarity"),
    **dict.fromkeys(("weak", "strong"), "strength"),
}
CONTENT = frozenset({"noun", "verb", "adj", "adv", "name"})


@dataclass(frozen=True, slots=True)
class Word:
    """A leaf of a phrase: `Word("children", "child", "noun.pl")`."""

    text: str
    lemma: str
    tag: str

    @property
    def category(self) -> str:
        return self.tag.partition(".")[0]

    @property
    def is_content(self) -> bool:
        """True of nouns, verbs, adjectives, adverbs and names."""
        return _is_content(self.tag)


@cache
def _is_content(tag: str) -> bool:
    return tag.partition(".")[0] in CONTENT


@cache
def features(tag: str) -> Mapping[str, str]:
    """`aux.past.sg` is category aux, form past, number sg."""
    category, *values = tag.split(".")
    return {"category": category, **{FEATURES[value]: value for value in values}}


def other_number(number: Number) -> Number:
    """Singular for plural and plural for singular."""
    return "pl" if number == "sg" else "sg"


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A noun lemma. `sorts` holds its own sorts and all above them."""

    lemma: str
    singular: Word | None
    plural: Word | None
    sorts: frozenset[str]
    gender: Gender | None = None
    count: str = "count"
    irregular: bool = False
    complements: tuple[Complement, ...] = ()
    flags: frozenset[str] = frozenset()

    def form(self, number: Number) -> Word | None:
        """The word form of that number, if there is one."""
        return self.singular if number == "sg" else self.plural

    @property
    def mass(self) -> bool:
        """True of *furniture*; not of *cake*, which can be counted as well."""
        return self.count == "mass"

    @property
    def animate(self) -> bool:
        return "animate" in self.sorts

    @property
    def person(self) -> bool:
        return "person" in self.sorts or "infant" in self.sorts


@dataclass(frozen=True, slots=True, eq=False)
class Complement:
    """What a relational noun takes: *essay about the war*."""

    preposition: Word
    selects: Selection


@dataclass(frozen=True, slots=True, eq=False)
class Name:
    """A proper name: `first`, `surname`, `place` or `institution`."""

    word: Word
    kind: str
    gender: Gender | None
    number: Number

    @property
    def lemma(self) -> str:
        return self.word.lemma


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """A verb lemma with its forms and frames."""

    lemma: str
    bare: Word
    present_sg: Word
    present_pl: Word
    past_sg: Word
    past_pl: Word
    gerund: Word
    participle: Word
    frames: Mapping[str, tuple[Predicate, ...]]
    flags: frozenset[str] = frozenset()
    irregular: bool = False
    variable: bool = False
    auxiliary: bool = False

    def present(self, number: Number) -> Word:
        return self.present_sg if number == "sg" else self.present_pl

    def past(self, number: Number) -> Word:
        return self.past_sg if number == "sg" else self.past_pl

    @property
    def distinct_participle(self) -> bool:
        """True of *broke/broken*: irregular, fixed in usage, past and participle differ."""
        different = self.past_sg.text != self.participle.text
        return self.irregular and not self.variable and different


@dataclass(frozen=True, slots=True, eq=False)
class Predicate:
    """A verb in one of its frames, with what it selects.

    Besides the frames of the lexicon there are three derived ones: `inch` is the intransitive use
    of an `alt` verb (its subject is what `alt` has as object), `drop` the objectless use of
    `optobj`, `refl` the use of a verb flagged `refl` with a reflexive, whose subject is any person.
    """

    verb: Verb
    frame: str
    subject: Selection
    object: Selection | None = None
    goal: Selection | None = None
    preposition: Word | None = None
    particle: Word | None = None

    @property
    def possible(self) -> bool:
        """False if no noun of the lexicon can fill one of its slots."""
        slots = (self.subject, self.object, self.goal)
        return all(slot is None or slot.members for slot in slots)

    def use(self, frame: str) -> Predicate:
        """The same verb in another of its frames: `verb.use("wh")`."""
        return self.verb.frames[frame][0]

    @property
    def lemma(self) -> str:
        return self.verb.lemma

    @property
    def flags(self) -> frozenset[str]:
        return self.verb.flags


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """An adjective with the nouns it describes and its classes."""

    word: Word
    position: str
    selects: Selection
    classes: frozenset[str]

    @property
    def lemma(self) -> str:
        return self.word.lemma

    @property
    def attributive(self) -> bool:
        return self.position != "pred"

    @property
    def predicative(self) -> bool:
        return self.position != "attr"


@dataclass(frozen=True, slots=True, eq=False)
class Determiner:
    """A determiner and its words before a singular, plural or mass noun; empty if impossible.

    `restrictor` and `scope` are `up`, `down` or `none`: what it does to entailments.
    """

    lemma: str
    kind: str
    singular: tuple[Word, ...]
    plural: tuple[Word, ...]
    mass: tuple[Word, ...]
    strength: str = ""
    restrictor: str = ""
    scope: str = ""
    flags: frozenset[str] = frozenset()
    value: int = 0  # of a numeral

    def before(self, noun: Noun, number: Number) -> tuple[Word, ...]:
        """The words before this noun; empty if the two cannot combine (*many*, *furniture*)."""
        if number == "pl":
            return self.plural
        return self.mass if noun.mass else self.singular


@dataclass(frozen=True, slots=True, eq=False)
class Pronoun:
    """A personal pronoun in its cases."""

    nominative: str
    accusative: str
    possessive: str
    reflexive: str
    person: int
    number: str
    gender: str


@dataclass(frozen=True, slots=True, eq=False)
class Preposition:
    """A preposition (*next to*), its kinds and what it takes."""

    lemma: str
    words: tuple[Word, ...]
    kinds: frozenset[str]
    selects: Selection | None


@dataclass(frozen=True, slots=True, eq=False)
class Adverb:
    """An adverb, its classes and its position: `pre` or `post` the verb, `both`, or neither."""

    word: Word
    position: str
    classes: frozenset[str]
    note: str = ""

    @property
    def lemma(self) -> str:
        return self.word.lemma


# ---------------------------------------------------------------- tests of single entries

HAPPENINGS = frozenset({"event", "speech", "information", "idea"})
# Flags computed from a verb's forms and frames; no table lists them.
DERIVED_FLAGS = ("irregular", "eventive", "one_object", "narrow")


def admits(slot: Selection | None, sort: str) -> bool:
    """`person`: anything of the sort is admitted; `some person`: something of it is."""
    if slot is None:
        return False
    some, _, name = sort.rpartition(" ")
    return slot.admits_some(name) if some else slot.admits(name)


def is_kind(determiner: Determiner, kind: str) -> bool:
    """True if the determiner is of this kind; see `Lexicon.determiners`."""
    match kind:
        case "weak" | "strong":
            # *no*, *few* and *neither* negate the sentence, so they are drawn only by name.
            return determiner.strength == kind and determiner.scope != "down"
        case "indefinite":
            return determiner.lemma in ("a", "some")
        case "definite":
            return determiner.lemma == "the" or determiner.kind in ("demonstrative", "possessive")
    return kind in (determiner.lemma, determiner.kind) or kind in determiner.flags


def holds(flags: Sequence[str], has: Callable[[str], bool]) -> bool:
    """True if all these hold: `rare`, `!rare` (it must not), `rare|vague` (either)."""
    for flag in flags:
        unwanted = flag.startswith("!")
        for name in (flag[1:] if unwanted else flag).split("|"):
            if has(name):
                if unwanted:
                    return False
                break
        else:
            if not unwanted:
                return False
    return True


def flagged(predicate: Predicate, flags: Sequence[str]) -> bool:
    """True if the verb has these flags and classes; see `holds`."""
    known = predicate.flags
    return holds(flags, lambda name: name in known or _has_derived(predicate, name))


def _has_derived(predicate: Predicate, name: str) -> bool:
    if name not in DERIVED_FLAGS:
        return False
    match name:
        case "irregular":
            return predicate.verb.distinct_participle
        case "eventive":
            # *annoy*: events can be its subject and people its object, so a gerund fits
            return (
                predicate.object is not None
                and predicate.object.admits_names
                and any(noun.sorts & HAPPENINGS for noun in predicate.subject.nouns)
            )
        case "one_object":
            # No place is left for a gap beside the object: not *what she taught him*.
            return "ditrans" not in predicate.verb.frames and "second_object" not in predicate.flags
        case "narrow":
            # Not everybody can do it to everybody.
            return not (predicate.subject.admits_names and admits(predicate.object, "person"))
    return False


def has_feature(noun: Noun, feature: str) -> bool:
    """True if the noun has this feature; see `Grammar.noun`."""
    match feature:
        case "m" | "f":
            return noun.gender == feature
        case "neuter":
            return noun.gender is None
        case "gendered":
            return noun.gender is not None or not noun.animate
        case "regular":
            return _both_numbers(noun) and not noun.irregular
        case "irregular":
            return _both_numbers(noun) and noun.irregular and _distinct(noun)
        case "count":
            return _both_numbers(noun) and noun.count == "count"
        case "controller":
            return "collective" not in noun.flags and (noun.plural is None or _distinct(noun))
        case "relational":
            return bool(noun.complements)
        case "animate":
            return noun.animate
        case "inanimate":
            return not noun.animate and "institution" not in noun.sorts
        case "individual":
            return "unique" not in noun.flags
    raise LexiconError(f"no noun feature {feature!r}; see Grammar.noun")


def _both_numbers(noun: Noun) -> bool:
    return noun.singular is not None and noun.plural is not None


def _distinct(noun: Noun) -> bool:
    """False of *sheep* and *scissors*, which show no contrast of number."""
    if noun.singular is None or noun.plural is None:
        return noun.singular is not None
    return noun.singular.text != noun.plural.text
