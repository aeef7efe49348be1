"""Phrases as light nodes with features; a tuple of nodes is a phrase without features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Union

from priscian.errors import GrammarError
from priscian.grammar.inflection import Inflection, conjugate, split
from priscian.lexicon import Gender, Noun, Number, Selection, Verb, Word


@dataclass(frozen=True, slots=True)
class DP:
    """A determiner phrase; it keeps its noun, number, gender and person whatever is added to it.

    `noun` is what selection looks at: for a name or a pronoun the bare noun of its sort.
    """

    noun: Noun
    number: Number
    gender: Gender | None
    head: Node
    determiner: tuple[Node, ...] = ()
    modifiers: tuple[Node, ...] = ()
    post: tuple[Node, ...] = ()
    name: bool = False

    @property
    def parts(self) -> tuple[Node, ...]:
        return (*self.determiner, *self.modifiers, self.head, *self.post)

    @property
    def person(self) -> bool:
        """True of people, so that it is *who* and not *what*."""
        return self.noun.person

    def modified(self, *modifiers: Node) -> DP:
        """With adjectives before the noun."""
        return replace(self, modifiers=(*modifiers, *self.modifiers))

    def followed(self, *post: Node) -> DP:
        """With a relative clause, a prepositional phrase or a participle after the noun."""
        return replace(self, post=(*self.post, *post))

    def headless(self) -> DP:
        """What is left when the noun is elided: *three*, *two old*."""
        return replace(self, head=())


@dataclass(frozen=True, slots=True)
class VP:
    """A verb phrase without a subject; `subject` is the selection of possible subjects."""

    verb: Verb
    inflection: Inflection
    complement: tuple[Node, ...] = ()
    subject: Selection | None = None
    adverb: tuple[Node, ...] = ()

    def agree(self, subject: DP | Number) -> tuple[Node, ...]:
        """Finite, in agreement: *has eaten the apple*, *doesn't sleep*."""
        chain = conjugate(self.verb, self.inflection, _number(subject))
        if not self.adverb:
            return (*chain, *self.complement)
        if len(chain) > 1 or self.verb.auxiliary:
            return (chain[0], *self.adverb, *chain[1:], *self.complement)
        return (*self.adverb, *chain, *self.complement)

    def auxiliary(self, subject: DP | Number) -> Word:
        """The auxiliary of a question: *did*, *has*, *should*."""
        return split(self.verb, self.inflection, _number(subject))[0]

    def rest(self, subject: DP | Number = "sg") -> tuple[Node, ...]:
        """What follows the auxiliary and the subject of a question: *eaten the apple*."""
        chain = split(self.verb, self.inflection, _number(subject))[1]
        return (*self.adverb, *chain, *self.complement)

    def invert(self, subject: DP) -> tuple[Node, ...]:
        """In question order: *has the boy eaten the apple*."""
        return (self.auxiliary(subject), subject, *self.rest(subject))

    def bare(self) -> tuple[Node, ...]:
        """*eat the apple*"""
        return (*self.adverb, self.verb.bare, *self.complement)

    def infinitive(self) -> tuple[Node, ...]:
        """*to eat the apple*"""
        return (TO, *self.bare())

    def gerund(self) -> tuple[Node, ...]:
        """*eating the apple*"""
        return (*self.adverb, self.verb.gerund, *self.complement)

    def with_adverb(self, *adverb: Node) -> VP:
        """With an adverb after the first auxiliary, or before the verb: *has never slept*."""
        return replace(self, adverb=adverb)

    def with_inflection(self, inflection: Inflection) -> VP:
        """The same phrase in another tense."""
        return replace(self, inflection=inflection)

    def with_complement(self, *complement: Node) -> VP:
        """The same verb before something else."""
        return replace(self, complement=complement)


@dataclass(frozen=True, slots=True)
class Clause:
    """A subject and the verb phrase that agrees with it."""

    subject: DP
    vp: VP

    @property
    def parts(self) -> tuple[Node, ...]:
        return (self.subject, *self.vp.agree(self.subject))

    def question(self) -> tuple[Node, ...]:
        """With inversion and do-support: *did the boy sleep*."""
        return self.vp.invert(self.subject)


@dataclass(frozen=True, slots=True)
class Either:
    """Where the two sentences of a pair differ."""

    good: Node
    bad: Node


@dataclass(frozen=True, slots=True)
class NamedNode:
    """A constituent whose place in the text is recorded as a span."""

    name: str
    node: Node


Node = Union[Word, DP, Clause, Either, NamedNode, "tuple[Node, ...]"]

TO = Word("to", "to", "to")


def label(name: str, *nodes: Node) -> NamedNode:
    """Record where these words stand: `label("verb", …)`."""
    return NamedNode(name, nodes)


def critical(*nodes: Node) -> NamedNode:
    """The word whose probability the prefix methods compare."""
    return NamedNode("critical", nodes)


def flatten(
    nodes: tuple[Node, ...], good: bool, words: list[Word], marks: list[tuple[str, int, int]]
) -> None:
    """Append the words of one side and the labelled stretches, as word positions."""
    for node in nodes:
        # By type and not by isinstance: this is the innermost loop of generation.
        kind = type(node)
        if kind is Word:
            words.append(node)  # type: ignore[arg-type]
        elif kind is tuple:
            flatten(node, good, words, marks)  # type: ignore[arg-type]
        elif kind is DP or kind is Clause:
            flatten(node.parts, good, words, marks)  # type: ignore[union-attr]
        elif isinstance(node, NamedNode):
            start = len(words)
            flatten((node.node,), good, words, marks)
            marks.append((node.name, start, len(words)))
        elif isinstance(node, Either):
            flatten((node.good if good else node.bad,), good, words, marks)
        else:
            raise GrammarError(f"{node!r} is not a phrase; a VP becomes one with vp.agree(…)")


def leaves(*nodes: Node) -> Iterator[Word]:
    """The words of a phrase, left to right, on the good side."""
    words: list[Word] = []
    flatten(nodes, True, words, [])
    return iter(words)


def _number(subject: DP | Number) -> Number:
    return subject.number if isinstance(subject, DP) else subject
