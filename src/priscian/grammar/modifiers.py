"""Determiner phrases made larger or changed: relative clauses, possessors, pronouns."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

from priscian.errors import GrammarError
from priscian.grammar.draw import Reject, Slot
from priscian.grammar.nominals import (
    AND,
    REL_THAT,
    REL_WHICH,
    REL_WHO,
    WHAT,
    WHO,
    DPOptions,
    Kind,
    Nominals,
)
from priscian.grammar.phrases import DP, VP, Clause, Node, leaves
from priscian.lexicon import Gender, Noun, Number, Word, possessive


class Modifiers(Nominals):
    """Changes and extends noun phrases."""

    # ------------------------------------------------------------ changing a phrase

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
        """*himself*, *herself*, *itself*, *themselves*, chosen by the antecedent by default."""
        key = "pl" if (number or dp.number) == "pl" else gender or self._gender(dp)
        return self._pronoun("refl", key)

    def pronoun(self, dp: DP, case: str = "nom") -> DP:
        """*he*, *her*, *they*: the pronoun for this phrase."""
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


def _check_restrictable(dp: DP) -> None:
    if dp.name:
        raise GrammarError("a name takes no restrictive relative; draw with names=False")
