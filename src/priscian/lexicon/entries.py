"""Lexicon entries: one per row, with all word forms already inflected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from priscian.lexicon.selection import Selection
from priscian.lexicon.words import Gender, Number, Word


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
