"""Tense, modality, aspect and negation as one value that both sentences of a pair share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from priscian.lexicon import Number, Verb, Word


@dataclass(frozen=True, slots=True)
class Inflection:
    """`Inflection("pres", perfect=True)` is *has eaten*, `Inflection(modal="can")` *can eat*."""

    tense: Literal["past", "pres"] = "past"
    modal: str = ""
    perfect: bool = False
    progressive: bool = False
    negation: Literal["", "n't", "not"] = ""

    @property
    def has_auxiliary(self) -> bool:
        """True if an auxiliary stands before a lexical verb."""
        return bool(self.modal or self.perfect or self.progressive or self.negation)

    @property
    def agrees(self) -> bool:
        """True if a lexical verb phrase shows the number of its subject."""
        if self.modal:
            return False
        if self.progressive and not self.perfect:
            return True
        return self.tense == "pres"


PAST = Inflection("past")
PRESENT = Inflection("pres")
PERFECT = Inflection("pres", perfect=True)
NOT = Word("not", "not", "neg")
# Contractions that spelling rules do not give.
CONTRACTED = {"will": "won't", "can": "can't", "shall": "shan't"}
UNCONTRACTED = frozenset({"may", "might", "am"})


def _auxiliary(lemma: str, bare: str, forms: str) -> Verb:
    present_sg, present_pl, past_sg, past_pl, gerund, participle = forms.split()
    return Verb(
        lemma=lemma,
        bare=Word(bare, lemma, "aux.bare"),
        present_sg=Word(present_sg, lemma, "aux.pres.sg"),
        present_pl=Word(present_pl, lemma, "aux.pres.pl"),
        past_sg=Word(past_sg, lemma, "aux.past.sg" if past_sg != past_pl else "aux.past"),
        past_pl=Word(past_pl, lemma, "aux.past.pl" if past_sg != past_pl else "aux.past"),
        gerund=Word(gerund, lemma, "aux.ing"),
        participle=Word(participle, lemma, "aux.en"),
        frames={},
        flags=frozenset({"stative"}),
        irregular=True,
        auxiliary=True,
    )


BE = _auxiliary("be", "be", "is are was were being been")
HAVE = _auxiliary("have", "have", "has have had had having had")
DO = _auxiliary("do", "do", "does do did did doing done")


@cache
def modal_word(lemma: str) -> Word:
    """*can*, *should*, *might* …"""
    return Word(lemma, lemma, "aux.modal")


@cache
def contracted(word: Word) -> Word:
    """*did* gives *didn't*, *will* gives *won't*."""
    return Word(CONTRACTED.get(word.text, f"{word.text}n't"), word.lemma, f"{word.tag}.neg")


@cache
def conjugate(verb: Verb, inflection: Inflection, number: Number) -> tuple[Word, ...]:
    """The finite verb group: (*has*, *been*, *eating*), (*didn't*, *sleep*), (*slept*,)."""
    chain = _positive(verb, inflection, number)
    if not inflection.negation:
        return chain
    if len(chain) == 1 and not verb.auxiliary:
        chain = _with_do(verb, inflection, number)
    return (*_negated(chain[0], inflection), *chain[1:])


@cache
def split(verb: Verb, inflection: Inflection, number: Number) -> tuple[Word, tuple[Word, ...]]:
    """The auxiliary that a question puts first (*do* if there is none), and the rest."""
    chain = _positive(verb, inflection, number)
    if len(chain) == 1 and not verb.auxiliary:
        chain = _with_do(verb, inflection, number)
    first, *rest = (*_negated(chain[0], inflection), *chain[1:])
    return first, tuple(rest)


def _negated(auxiliary: Word, inflection: Inflection) -> tuple[Word, ...]:
    if inflection.negation == "n't" and auxiliary.text not in UNCONTRACTED:
        return (contracted(auxiliary),)
    return (auxiliary, NOT) if inflection.negation else (auxiliary,)


def _with_do(verb: Verb, inflection: Inflection, number: Number) -> tuple[Word, ...]:
    return (_tensed(DO, inflection, number), verb.bare)


def _tensed(verb: Verb, inflection: Inflection, number: Number) -> Word:
    return verb.past(number) if inflection.tense == "past" else verb.present(number)


def _positive(verb: Verb, inflection: Inflection, number: Number) -> tuple[Word, ...]:
    layers = [HAVE] if inflection.perfect else []
    layers += [BE] if inflection.progressive else []
    layers += [verb]
    words: list[Word] = []
    form = "finite"
    if inflection.modal:
        words.append(modal_word(inflection.modal))
        form = "bare"
    for layer in layers:
        match form:
            case "finite":
                words.append(_tensed(layer, inflection, number))
            case "bare":
                words.append(layer.bare)
            case "participle":
                words.append(layer.participle)
            case _:
                words.append(layer.gerund)
        # HAVE is followed by a participle, BE by a gerund; the last layer by nothing.
        form = "participle" if layer is HAVE else "gerund"
    return tuple(words)
