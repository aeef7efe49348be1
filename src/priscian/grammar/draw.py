"""Every draw of a word: one stream of randomness, cached pools, nothing twice in a sentence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from typing import Protocol, TypeVar

from priscian.grammar.phrases import DP
from priscian.lexicon import (
    Adjective,
    Adverb,
    EntryPool,
    Gender,
    Lexicon,
    Name,
    Noun,
    Number,
    Predicate,
    Selection,
    Word,
)

T = TypeVar("T")
TRIES = 24  # random draws before the whole pool is searched


class Reject(Exception):
    """Raised when a draw cannot be completed; the generator starts the pair again."""


class HasLemma(Protocol):
    """Anything that has a lemma."""

    @property
    def lemma(self) -> str: ...


E = TypeVar("E", bound=HasLemma)
P = TypeVar("P", Predicate, Adjective)
Slot = str | Selection
What = DP | Noun | str


@cache
def _bounds(weights: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(accumulate(weights))


class Drawing:
    """The random half of a grammar. All randomness comes from `random()`, so streams are stable."""

    def __init__(self, lexicon: Lexicon, random: Callable[[], float]) -> None:
        self.lexicon = lexicon
        self.random = random
        self.used: set[str] = set()
        self._decks: dict[tuple[object, ...], list[object]] = {}

    def begin(self) -> None:
        """Forget the lemmas of the previous sentence."""
        self.used.clear()

    # ------------------------------------------------------------ chance

    def coin(self, probability: float = 0.5) -> bool:
        """True with this probability."""
        return self.random() < probability

    def choose(self, options: Sequence[T]) -> T:
        """One of these, each equally likely."""
        if not options:
            raise Reject
        return options[int(self.random() * len(options))]

    def weighted(self, options: Sequence[T], weights: tuple[float, ...]) -> T:
        """One of these, in proportion to the weights."""
        bounds = _bounds(weights)
        return options[bisect_right(bounds, self.random() * bounds[-1], hi=len(options) - 1)]

    def deal(self, options: tuple[T, ...]) -> T:
        """One of these, dealt from a shuffled deck: over many pairs all are equally frequent."""
        deck: list[T] = self._decks.setdefault(options, [])  # type: ignore[assignment]
        if not deck:
            deck.extend(options)
            for last in range(len(deck) - 1, 0, -1):
                other = int(self.random() * (last + 1))
                deck[last], deck[other] = deck[other], deck[last]
        return deck.pop()

    def number(self, plural: float = 0.5) -> Number:
        """Plural with this probability."""
        return "pl" if self.random() < plural else "sg"

    def pick(self, pool: Sequence[E], fits: Callable[[E], bool] | None = None) -> E:
        """An entry of the pool that fits and whose lemma or synonym is not yet in the sentence."""
        if not pool:
            raise Reject
        random, size, used = self.random, len(pool), self.used
        for _ in range(TRIES):
            entry = pool[int(random() * size)]
            if entry.lemma not in used and (fits is None or fits(entry)):
                self._use(entry.lemma)
                return entry
        left = [e for e in pool if e.lemma not in used and (fits is None or fits(e))]
        entry = self.choose(left)
        self._use(entry.lemma)
        return entry

    def _use(self, lemma: str) -> None:
        """Keep the lemma, and words of the same meaning, out of the rest of the sentence."""
        self.used.add(lemma)
        self.used.update(self.lexicon.synonyms.get(lemma, ()))

    # ------------------------------------------------------------ words of the open classes

    def select(self, slot: Slot) -> Selection:
        """The selection, parsed if given as text."""
        return self.lexicon.select(slot) if isinstance(slot, str) else slot

    def noun(
        self,
        slot: Slot | tuple[Slot, ...] = "entity",
        number: Number | None = None,
        *,
        features: str = "",
        fits: Callable[[Noun], bool] | None = None,
    ) -> Noun:
        """A noun that the slot admits, or all slots if there are several.

        `features` narrows the choice, by names joined with spaces: `m`, `f`, `neuter`, `gendered`,
        `regular`, `irregular`, `count`, `controller` (neither collective nor of variable number),
        `relational`, `animate`, `inanimate`.
        """
        slots = slot if isinstance(slot, tuple) else (slot,)
        first, *others = (self.select(s) for s in slots)
        pool = self.lexicon.nouns(first, number, features)
        if others:
            test = fits

            def fits(noun: Noun) -> bool:
                return all(noun in other.members for other in others) and (
                    test is None or test(noun)
                )

        return self.pick(pool, fits)

    def name(self, gender: Gender | None = None, kind: str = "first") -> Name:
        """A proper name."""
        return self.pick(self.lexicon.names(kind, gender))

    def verb(
        self,
        frame: str,
        flags: str = "",
        *,
        also: str = "",
        subject: What | None = None,
        object: What | None = None,  # noqa: A002
        fits: Callable[[Predicate], bool] | None = None,
        evenly: bool = False,
    ) -> Predicate:
        """A verb in a frame: `g.verb("trans|optobj", "refl !stative", subject=dp)`.

        `flags` names flags and classes of the lexicon (`telling`, `!rare`, `neutral|social`) and
        what follows from a verb's row: `irregular` (past and participle differ), `eventive` (a
        gerund can be its subject), `one_object` (no second object), `narrow` (not what anybody
        may do to anybody). `also` names further frames that the verb must have, or must not
        (`!that`). `subject` and `object` must be admitted: phrases, nouns, or a sort: anything of
        it (`person`) or something of it (`some animal`). With `evenly` the verbs are dealt, so
        that over many pairs all verbs of a small class are equally frequent.
        """
        sort_of_subject = subject if isinstance(subject, str) else ""
        sort_of_object = object if isinstance(object, str) else ""
        pool = self.lexicon.predicates(frame, flags, also, sort_of_subject, sort_of_object)
        whom = None if subject is None or isinstance(subject, str) else _noun_of(subject)
        what = None if object is None or isinstance(object, str) else _noun_of(object)
        if evenly:
            return self._dealt(pool, whom, what, fits)
        return self._admitting(pool, whom, what, fits)

    def adjective(
        self,
        of: What | None = None,
        classes: str = "",
        position: str = "attr",
        *,
        evenly: bool = False,
    ) -> Adjective:
        """An adjective that may describe this: `g.adjective(dp, "colour|size !stage")`.

        With `evenly` they are dealt, so that all adjectives of a small class are equally frequent.
        """
        pool = self.lexicon.adjectives(position, classes, of if isinstance(of, str) else "")
        noun = None if of is None or isinstance(of, str) else _noun_of(of)
        if evenly:
            return self._dealt(pool, noun, None, None)
        return self._admitting(pool, noun, None, None)

    def _dealt(
        self,
        pool: EntryPool[P],
        subject: Noun | None,
        object: Noun | None,  # noqa: A002
        fits: Callable[[P], bool] | None,
    ) -> P:
        """The next entry of a shuffled deck of lemmas, if it admits these nouns."""
        uses = self.deal(pool.by_lemma)
        admitted = pool.admitting(subject, object) if subject or object else uses
        return self.pick([use for use in uses if use in admitted], fits)

    def _admitting(
        self,
        pool: EntryPool[P],
        subject: Noun | None,
        object: Noun | None,  # noqa: A002
        fits: Callable[[P], bool] | None,
    ) -> P:
        """As `pick`, for entries that admit these nouns."""
        if subject is None and object is None:
            return self.pick(pool.entries, fits)
        entries, subjects, objects = pool.entries, pool.subjects, pool.objects
        random, size = self.random, len(entries)
        for _ in range(TRIES if size else 0):
            at = int(random() * size)
            if (
                (subject is None or subject in subjects[at])
                and (object is None or object in objects[at])
                and entries[at].lemma not in self.used
                and (fits is None or fits(entries[at]))
            ):
                self._use(entries[at].lemma)
                return entries[at]
        return self.pick(pool.admitting(subject, object), fits)

    def adverb(self, kind: str, position: str = "pre") -> Adverb:
        """An adverb of a class: `g.adverb("frequency|evidential")`."""
        return self.pick(self.lexicon.adverbs(kind, position))

    def word(self, text: str, tag: str = "func") -> Word:
        """A function word: `g.word("before")`."""
        return _function_word(text, tag)


@cache
def _function_word(text: str, tag: str) -> Word:
    return Word(text, text.lower(), tag)


def _noun_of(what: DP | Noun | str) -> Noun:
    if isinstance(what, DP):
        return what.noun
    assert isinstance(what, Noun)
    return what
