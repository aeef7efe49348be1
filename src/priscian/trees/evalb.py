"""Labelled recall, precision and F1, as EVALB counts them with its parameter file COLLINS.

Words with the tags of commas, colons, quotes and full stops are taken out of both trees, then
constituents left without a word. A node that only marks the top does not count, nor do tags. ADVP
and PRT are the same label. A constituent is right if the other tree has one with the same label and
words; each answers for one only. Tagging accuracy is that of the words that are left. Counts are
summed over sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import compress
from typing import Annotated

from msgspec import Struct

from priscian.errors import DataError
from priscian.files import HIDDEN
from priscian.trees.tree import TaggedWord, Tree, leaves

DELETED_TAGS = frozenset({",", ":", "``", "''", ".", "-NONE-"})
DELETED_LABELS = frozenset({"TOP", "ROOT", "S1", ""})
"""EVALB's file names TOP, as the Penn Treebank's top was called; other treebanks have others."""
EQUAL_LABELS = {"PRT": "ADVP"}

Bracket = tuple[str, int, int]


class Evalb(Struct, frozen=True, kw_only=True):
    """Counts over sentences; shares are in percent."""

    sentences: int
    words: int
    """Words that are not taken out."""
    gold: int
    """Constituents of the treebank's trees."""
    guessed: int
    matched: int
    complete: int
    """Sentences with all constituents right and none too many."""
    tagged: Annotated[int | None, HIDDEN]
    """Words with the right tag; None if the guesses have no tags."""

    @property
    def recall(self) -> float:
        """Share of the treebank's constituents that were found."""
        return _percent(self.matched, self.gold)

    @property
    def precision(self) -> float:
        """Share of the constituents found that the treebank has."""
        return _percent(self.matched, self.guessed)

    @property
    def f1(self) -> float:
        """Harmonic mean of recall and precision."""
        return _percent(2 * self.matched, self.gold + self.guessed)

    @property
    def complete_match(self) -> float:
        """Share of sentences that are right as a whole."""
        return _percent(self.complete, self.sentences)

    @property
    def tagging(self) -> float | None:
        """Share of words with the right tag; None if the guesses have no tags."""
        return None if self.tagged is None else _percent(self.tagged, self.words)

    def shares(self) -> dict[str, float]:
        """What EVALB prints, without tagging if there are no tags."""
        names = ("recall", "precision", "f1", "complete_match", "tagging")
        found = {name: getattr(self, name) for name in names}
        return {name: round(share, 2) for name, share in found.items() if share is not None}


def evalb(pairs: Iterable[tuple[Tree, Tree]]) -> Evalb:
    """Compare trees, each the treebank's and a guess over the same words.

    >>> from priscian.trees.reader import parse_tree
    >>> gold = parse_tree("(S (NP (PRP They)) (VP (VBP see) (NP (NNS dogs))) (. .))")
    >>> guess = parse_tree("(S (NP (PRP They)) (VP (VBP see)) (NP (NNS dogs)) (. .))")
    >>> round(evalb([(gold, guess)]).f1, 2)
    75.0
    """
    counts = Counter[str]()
    for number, (gold, guess) in enumerate(pairs, 1):
        right, made = list(leaves(gold)), list(leaves(guess))
        if right != made:
            raise DataError(
                f"sentence {number} has other words in the two trees ({' '.join(right)[:60]} / "
                f"{' '.join(made)[:60]}); compare trees of the same sentences in the same order"
            )
        # what is punctuation is for the treebank to say: a wrong tag must not move words
        kept = [_tag(word) not in DELETED_TAGS for word in right]
        ours, theirs = brackets(gold, kept), brackets(guess, kept)
        matched = (ours & theirs).total()
        same = [_tag(a) == _tag(b) for a, b in zip(right, made, strict=True)]
        counts.update(
            sentences=1, gold=ours.total(), guessed=theirs.total(), matched=matched,
            complete=int(ours == theirs), words=sum(kept), tagged=sum(compress(same, kept)),
            tags=sum(bool(_tag(word)) for word in made),
        )  # fmt: skip
    names = ("sentences", "gold", "guessed", "matched", "complete", "words")
    tagged = counts["tagged"] if counts["tags"] else None
    return Evalb(**{name: counts[name] for name in names}, tagged=tagged)


def brackets(tree: Tree, kept: list[bool]) -> Counter[Bracket]:
    """Label, begin and end of each constituent, counted over the words that are kept."""
    found: Counter[Bracket] = Counter()
    number = at = 0  # of all words, of those kept
    stack: list[tuple[str, int]] = []
    ahead: list[Tree | str | None] = [tree]  # None closes a constituent
    while ahead:
        node = ahead.pop()
        if node is None:
            label, begin = stack.pop()
            if at > begin and label not in DELETED_LABELS:
                found[EQUAL_LABELS.get(label, label), begin, at] += 1
        elif isinstance(node, str):
            at += kept[number]
            number += 1
        else:
            stack.append((node.label, at))
            ahead += [None, *reversed(node.children)]
    return found


def _tag(word: str) -> str:
    return word.tag if isinstance(word, TaggedWord) else ""


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 100.0
