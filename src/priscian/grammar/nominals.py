"""Determiner phrases: drawn, modified, possessed, coordinated, turned into pronouns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypedDict, Unpack

from priscian.errors import GrammarError
from priscian.grammar.draw import Draw, Reject, Slot
from priscian.grammar.phrases import DP, VP, Clause, Node, leaves
from priscian.lexicon import Determiner, Gender, Noun, Number, Word, possessive, surname_plural

# How often each kind of determiner is drawn when a paradigm does not care.
NATURAL = {"the": 62.0, "indefinite": 15.0, "demonstrative": 9.0, "possessive": 6.0, "natural": 7.0}
PLURAL_SHARE = 0.4
NAME_SHARE = 0.2
FAMILY_SHARE = 0.3  # of the names, where a plural was asked for
NAMEABLE = frozenset({"m", "f", "gendered", "count", "controller", "individual", "animate"})
THE = Word("the", "the", "det")
AND = Word("and", "and", "conj")
WHO = Word("who", "who", "wh")
WHAT = Word("what", "what", "wh")
REL_WHO = Word("who", "who", "rel")
REL_THAT = Word("that", "that", "rel")
REL_WHICH = Word("which", "which", "rel")

Kind = str | Determiner | Word | tuple[Node, ...]


class DPOptions(TypedDict, total=False):
    """What can be asked of a phrase; see `Nominals.dp`."""

    number: Number | None
    det: Kind
    names: bool | float
    features: str
    adjective: bool | float
    fits: Callable[[Noun], bool] | None


class Nominals(Draw):
    """What a linguist does with nouns."""

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
        """A phrase that the slot admits: *the nurse*, *some old coins*, *Emma*.

        `names` is the chance of a proper name where a person would do; `det` a kind of determiner
        (see `determiner`); `features` and `fits` narrow the choice of noun (see `noun`).
        """
        if names:
            kind = self._kind_of_name(slot, number, features)
            if kind and self.coin(names if kind != "surname" else names * FAMILY_SHARE):
                return self.named(_wanted_gender(features), kind)
        chosen = number or self.number(PLURAL_SHARE)
        try:
            noun = self.noun(slot, chosen, features=features, fits=fits)
        except Reject:
            if number is not None:
                raise
            chosen = "sg" if chosen == "pl" else "pl"
            noun = self.noun(slot, chosen, features=features, fits=fits)
        phrase = self.phrase(noun, chosen, det)
        if adjective and self.coin(float(adjective)):
            return self.described(phrase)
        return phrase

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
        `demonstrative`, `possessive`, `quantifier`, `numeral`, `weak`, `strong`, `bare`, or `any`
        (the natural mixture).
        """
        if isinstance(kind, tuple):
            return kind
        if isinstance(kind, Word):
            return (kind,)
        if isinstance(kind, Determiner):
            return kind.before(noun, number)
        if kind == "bare":
            return ()
        if kind == "any":
            if "unique" in noun.flags:
                return (THE,)
            if noun not in self.select("@owned").members:
                kind = "the|indefinite|demonstrative|natural"
        place = "plural" if number == "pl" else "mass" if noun.mass else "singular"
        pool, weights = self.lexicon.determiners(kind, place, NATURAL)
        if not pool:
            raise Reject
        chosen: Determiner = self.weighted(pool, weights)
        return chosen.before(noun, number)

    # ------------------------------------------------------------ changing a phrase

    def described(self, dp: DP, classes: str = "", position: str = "attr") -> DP:
        """With an adjective that suits the noun: *the rusty gate*."""
        return dp.modified(self.adjective(dp, classes, position).word)

    def with_noun(self, dp: DP, noun: Noun) -> DP:
        """The same phrase about something else: *the nurse* becomes *the lamp*."""
        head = noun.form(dp.number)
        if head is None:
            raise Reject
        return replace(dp, noun=noun, head=head, gender=noun.gender if noun.animate else "n")

    def with_number(self, dp: DP, number: Number) -> DP:
        """The noun in the other number, all else kept: *these boys* becomes *these boy*."""
        head = dp.noun.form(number)
        if head is None:
            raise Reject
        return replace(dp, number=number, head=head)

    def with_determiner(self, dp: DP, kind: Kind) -> DP:
        """The same noun after another determiner."""
        return replace(dp, determiner=self.determiner(dp.noun, dp.number, kind))

    def with_determiner_number(self, dp: DP, number: Number) -> DP:
        """The determiner in the other number, all else kept: *these boys*, *this boys*."""
        word = dp.determiner[0]
        for entry in self.lexicon.all_determiners:
            if isinstance(word, Word) and entry.lemma == word.lemma:
                form = entry.singular if number == "sg" else entry.plural
                if form:
                    return replace(dp, determiner=form)
        raise Reject

    # ------------------------------------------------------------ pronouns

    def reflexive(
        self, dp: DP, *, gender: Gender | None = None, number: Number | None = None
    ) -> Word:
        """*himself*, *herself*, *itself*, *themselves*, by the antecedent unless said otherwise."""
        key = "pl" if (number or dp.number) == "pl" else gender or self._gender(dp)
        return self._pronoun("refl", key)

    def pronoun(self, dp: DP, case: str = "nom") -> DP:
        """*he*, *her*, *they*: the pronoun that goes with the phrase."""
        key = "pl" if dp.number == "pl" else self._gender(dp)
        return DP(dp.noun, dp.number, dp.gender, self._pronoun(case, key))

    def _pronoun(self, case: str, key: str) -> Word:
        entry = self.lexicon.pronouns[key]
        text = {"nom": entry.nominative, "acc": entry.accusative, "refl": entry.reflexive}[case]
        return Word(text, "they", f"pron.{case}.pl" if key == "pl" else f"pron.{case}.{key}.sg")

    def _gender(self, dp: DP) -> Gender:
        if dp.gender is not None:
            return dp.gender
        if not dp.person:
            return "n"
        return "m" if self.coin() else "f"

    def wh(self, what: DP | Noun | Slot) -> Word:
        """*who* for people, *what* for the rest."""
        if isinstance(what, DP):
            return WHO if what.person else WHAT
        if isinstance(what, Noun):
            return WHO if what.person else WHAT
        return WHO if self.select(what).admits_names else WHAT

    # ------------------------------------------------------------ larger phrases

    def relativiser(self, dp: DP) -> Word:
        """*who* or *that* for people, *that* or *which* for the rest."""
        if dp.person:
            return REL_WHO if self.coin(0.7) else REL_THAT
        return REL_THAT if self.coin(0.8) else REL_WHICH

    def relative(self, dp: DP, vp: VP, word: Word | None = None) -> DP:
        """With a subject relative: *the nurse who praised the cook*."""
        _check_restrictable(dp)
        return dp.followed(word or self.relativiser(dp), *vp.agree(dp))

    def object_relative(self, dp: DP, clause: Clause, word: Word | None = None) -> DP:
        """With an object relative; the clause has the gap: *the nurse who the cook praised*."""
        _check_restrictable(dp)
        return dp.followed(word or self.relativiser(dp), clause)

    def coordinate(self, left: DP, right: DP) -> DP:
        """*the boy and Emma*, plural."""
        sort = "person" if left.person and right.person else "entity"
        return DP(self.lexicon.bare(sort), "pl", None, (left, AND, right))

    def possessor(self, dp: DP) -> tuple[Node, ...]:
        """The phrase as a determiner: *the children's*."""
        *before, last = leaves(dp)
        text = possessive(last.text, dp.number == "pl")
        return (*before, Word(text, last.lemma, f"{last.tag}.poss"))

    def possessed(self, dp: DP, owner: DP) -> DP:
        """*the children's kite*"""
        return replace(dp, determiner=self.possessor(owner))

    def gerund(self, owner: DP, vp: VP) -> DP:
        """A gerund with its subject, singular: *the children's eating the cake*."""
        head = (*self.possessor(owner), *vp.gerund())
        return DP(self.lexicon.bare("activity"), "sg", "n", head)

    def relational(self, dp: DP, **options: Unpack[DPOptions]) -> DP:
        """With the complement that the noun takes: *the essay about the war*."""
        complement = self.choose(dp.noun.complements)
        inner = self.dp(complement.selects, **options)
        return dp.followed(complement.preposition, inner)

    def pp(self, kind: str = "locative") -> tuple[Node, ...]:
        """A prepositional phrase, `locative` or `temporal`: *near the lake*, *during the party*."""
        preposition = self.pick(self.lexicon.prepositions(kind))
        inner = self.dp(preposition.selects or "place", det="the", names=False)
        return (*preposition.words, inner)

    def numeral(self, least: int = 2, most: int = 90) -> Word:
        """A number word that the sentence does not have yet: *three*, *eleven*, *forty*."""
        return self.pick(self.lexicon.numerals(least, most)).plural[0]

    def _kind_of_name(
        self, slot: Slot | tuple[Slot, ...], number: Number | None, features: str
    ) -> str:
        """Which names would do where the slots leave it open; none if a feature forbids them."""
        if features and not set(features.split()) <= NAMEABLE:
            return ""
        slots = [self.select(s) for s in (slot if isinstance(slot, tuple) else (slot,))]
        if all(s.admits_names for s in slots):
            return "surname" if number == "pl" else "first"
        if number != "pl" and all(s.admits("settlement") and s.admits("region") for s in slots):
            return "place"
        return ""


def _check_restrictable(dp: DP) -> None:
    if dp.name:
        raise GrammarError("a name takes no restrictive relative; draw with names=False")


def _wanted_gender(features: str) -> Gender | None:
    wanted = features.split()
    return "m" if "m" in wanted else "f" if "f" in wanted else None
