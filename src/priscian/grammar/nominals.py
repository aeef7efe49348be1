"""Determiner phrases, drawn: which noun, which number, which determiner."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypedDict

from priscian.errors import GrammarError
from priscian.grammar.draw import Drawing, Reject, Slot
from priscian.grammar.phrases import DP, Node
from priscian.lexicon import Determiner, Gender, Noun, Number, Selection, Word, surname_plural

# How often each kind of determiner is drawn by default.
NATURAL = (
    ("the", 60.0),
    ("indefinite", 17.0),
    ("demonstrative", 8.0),
    ("this", 6.0),
    ("possessive", 9.0),
    ("natural", 5.0),
)
PLURAL_SHARE = 0.4
NAME_SHARE = 0.35
SEVERAL = 4
FAMILY_SHARE = 0.3  # of the names, where a plural is needed
PEOPLE_SHARE = 0.45  # at least, where both people and things are possible
PEOPLE_WEIGHT = 100  # as many things as have the same weight as people
EVERYDAY_SHARE = 0.7  # where a narrower slot admits several people
ANYONE_SHARE = 0.85  # of the class `anyone` among the people; the rest are `everyday`
JOBLESS_SHARE = 0.35  # of people who are not known by their work, where anybody would do
SINGLE_SHARE = 0.88  # of the singular where the class `singly` would be drawn in the plural
NAMEABLE = frozenset({"m", "f", "gendered", "count", "controller", "individual", "animate"})
MORPHOLOGICAL = frozenset({"regular", "irregular", "m", "f"})
THE = Word("the", "the", "det")
AND = Word("and", "and", "conj")
WHO = Word("who", "who", "wh")
WHAT = Word("what", "what", "wh")
REL_WHO = Word("who", "who", "rel")
REL_THAT = Word("that", "that", "rel")
REL_WHICH = Word("which", "which", "rel")

Kind = str | Determiner | Word | tuple[Node, ...]


class DPOptions(TypedDict, total=False):
    """Options of a phrase; see `Nominals.dp`."""

    number: Number | None
    det: Kind
    names: bool | float
    features: str
    adjective: bool | float
    fits: Callable[[Noun], bool] | None


class Nominals(Drawing):
    """Draws phrases that a slot admits."""

    def dp(
        self,
        slot: Slot | tuple[Slot, ...] = "person",
        number: Number | None = None,
        *,
        det: Kind = "any",
        names: bool | float = NAME_SHARE,
        features: str = "",
        adjective: bool | float = False,
        fits: Callable[[Noun], bool] | None = None,
    ) -> DP:
        """A phrase that the slot admits, or all slots: *the nurse*, *some old coins*, *Emma*.

        Where anybody would do, it is somebody of everyday life. `names` is the chance of a proper
        name then; `det` a kind of determiner (see `determiner`); `features` and `fits` narrow the
        choice of noun (see `noun`).
        """
        slots = slot if isinstance(slot, tuple) else (slot,)
        wanted = self.meet(*slots)
        if wanted.admits_names:
            if self.coin(_share_of_people(wanted)):
                kind = _kind_of_name(number, features)
                if kind and self.coin(names if kind != "surname" else names * FAMILY_SHARE):
                    return self.named(_wanted_gender(features), kind)
                pool = self.meet(wanted, self._people(det, features))
            else:
                pool = self.meet(wanted, "!person")
        else:
            if number != "pl" and _is_place(wanted) and self.coin(names):
                return self.named(kind="place")
            pool = self._usual_people(wanted, det) if _has_people(wanted) else wanted
        try:
            phrase = self._phrase_from(pool, number, det, features, fits)
        except Reject:
            if pool is wanted:
                raise
            phrase = self._phrase_from(wanted, number, det, features, fits)
        if adjective and self.coin(float(adjective)):
            return self.described(phrase)
        return phrase

    def described(self, dp: DP, classes: str = "", position: str = "attr") -> DP:
        """With an adjective that suits the noun: *the rusty gate*, *the young nurse*."""
        # A mood or trait would have to be relevant to the event: *photographed a selfish nurse*.
        if dp.person and not classes:
            pool = self.lexicon.adjectives(position, "unmarked").admitting(dp.noun, None)
            classes = "unmarked" if pool and self.coin(0.75) else "unmarked|nationality"
        return dp.modified(self.adjective(dp, classes, position).word)

    def meet(self, *slots: Slot) -> Selection:
        """What all of these slots admit, as one selection, which is made only once."""
        first, *others = (self.select(slot) for slot in slots)
        for other in others:
            first = _meet(first, other)
        return first

    def _usual_people(self, wanted: Selection, det: Kind) -> Selection:
        """The people of everyday life that a narrower slot admits, mostly, if there are several."""
        others = wanted if det in ("any", "known") else self.meet(wanted, "!@possessed")
        usual = self.meet(others, "@everyday|!person")
        return usual if _has_people(usual) and self.coin(EVERYDAY_SHARE) else others

    def _people(self, det: Kind, features: str) -> str:
        """The people who are drawn where anybody would do."""
        # A feature such as an irregular plural leaves few people, so all of them are used.
        anyone = not set(features.split()) & MORPHOLOGICAL and self.coin(ANYONE_SHARE)
        people = "@anyone" if anyone else "@everyday"
        # Two people known by their work would need a reason to meet: *The chef hugged the pilot*.
        if self.coin(JOBLESS_SHARE) or not self.used.isdisjoint(self.lexicon.occupations):
            people += "&!occupation"
        # Somebody's cousin or boss needs a possessive.
        return people if det in ("any", "known") else f"{people}&!@possessed"

    def _phrase_from(
        self,
        pool: Selection,
        number: Number | None,
        det: Kind,
        features: str,
        fits: Callable[[Noun], bool] | None,
    ) -> DP:
        chosen = number or self.number(PLURAL_SHARE)
        try:
            noun = self.noun(pool, chosen, features=features, fits=fits)
        except Reject:
            if number is not None:
                raise
            chosen = "sg" if chosen == "pl" else "pl"
            noun = self.noun(pool, chosen, features=features, fits=fits)
        if number is None:
            chosen = self._usual_number(noun, chosen)
        return self.phrase(noun, chosen, det)

    def _usual_number(self, noun: Noun, number: Number) -> Number:
        """Plural for bulk nouns (*beans*), singular for what there is one of (*my mother*)."""
        if "bulk" in noun.flags and noun.plural:
            return "pl"
        alone = "sole" in noun.flags or noun.count == "both" or "government" in noun.sorts
        if not alone and number == "pl" and noun in self.select("@singly").members:
            alone = self.coin(SINGLE_SHARE)
        return "sg" if alone and noun.singular else number

    def phrase(self, noun: Noun, number: Number, det: Kind = "any") -> DP:
        """A phrase of just this noun: *these violins*."""
        head = noun.form(number)
        if head is None:
            raise GrammarError(f"{noun.lemma!r} has no {number} form; ask for a noun that has one")
        gender: Gender | None = noun.gender if noun.animate else "n"
        return DP(noun, number, gender, head, self.determiner(noun, number, det))

    def named(self, gender: Gender | None = None, kind: str = "first") -> DP:
        """A person, a place or a family by name: *Emma*, *Vienna*, *the Carters*."""
        name = self.name(gender, kind)
        if kind == "surname":
            word = Word(surname_plural(name.lemma), name.lemma, "name.pl")
            return DP(self.lexicon.bare("person"), "pl", None, word, (THE,), name=True)
        sort = {"first": "person", "place": "settlement", "institution": "institution"}[kind]
        number, gender = name.number, name.gender if kind == "first" else "n"
        return DP(self.lexicon.bare(sort), number, gender, name.word, name=True)

    def determiner(self, noun: Noun, number: Number, kind: Kind = "any") -> tuple[Node, ...]:
        """A determiner that fits the noun.

        Kinds, joined with `|`: a lemma (`the`, `every`, `no`), `indefinite`, `definite`,
        `demonstrative`, `possessive`, `quantifier`, `numeral`, `weak`, `strong`, `bare`; or `any`,
        the natural mixture, and `known`, the definite ones of it.
        """
        if isinstance(kind, tuple):
            return kind
        if isinstance(kind, Word):
            return (kind,)
        if isinstance(kind, Determiner):
            return kind.before(noun, number)
        if kind in ("any", "known"):
            kind = self._usual_kind(noun, known=kind == "known")
        if kind == "bare":
            return ()
        place = "plural" if number == "pl" else "mass" if noun.mass else "singular"
        pool, weights = self.lexicon.determiners(kind, place, NATURAL)
        if not pool:
            raise Reject
        chosen: Determiner = self.weighted(pool, weights)
        return chosen.before(noun, number)

    def _usual_kind(self, noun: Noun, known: bool) -> str:
        """The kinds of determiner that are natural with this noun."""
        if "unique" in noun.flags:
            return "the"
        if "sole" in noun.flags:
            return "my|your|his|her"
        # *our foot* would be a strange thing.
        if "body_part" in noun.sorts:
            return "my|your|his|her"
        if noun in self.select("@possessed").members:
            return "possessive"
        if noun.mass and noun in self.select("@bare_mass").members:
            return "bare"
        # *that* alone might look like a complementiser.
        kinds = "the|this" if known else "the|demonstrative"
        if noun in self.select("@owned").members:
            kinds += "|possessive"
        # *the cake* and *the government* are more natural than *some cake* and *a government*.
        if known or noun.count == "both" or "institution" in noun.sorts:
            return kinds
        return f"{kinds}|indefinite|natural"

    def numeral(self, least: int = 2, most: int = 90) -> Word:
        """A number word that is not yet in the sentence: *three*, *eleven*, *forty*."""
        return self.pick(self.lexicon.numerals(least, most)).plural[0]


@cache
def _meet(one: Selection, other: Selection) -> Selection:
    return one & other


@cache
def _share_of_people(selection: Selection) -> float:
    things = sum(not noun.person for noun in selection.nouns)
    return max(PEOPLE_SHARE, PEOPLE_WEIGHT / (PEOPLE_WEIGHT + things)) if things else 1.0


@cache
def _has_people(selection: Selection) -> bool:
    return sum(noun.person for noun in selection.nouns) >= SEVERAL


@cache
def _is_place(selection: Selection) -> bool:
    return selection.admits("settlement") and selection.admits("region")


@cache
def _kind_of_name(number: Number | None, features: str) -> str:
    """Which kind of name is possible; none if a feature forbids names."""
    if not set(features.split()) <= NAMEABLE:
        return ""
    return "surname" if number == "pl" else "first"


def _wanted_gender(features: str) -> Gender | None:
    wanted = features.split()
    return "m" if "m" in wanted else "f" if "f" in wanted else None
