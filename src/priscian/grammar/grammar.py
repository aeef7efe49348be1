"""The grammar that a paradigm receives: it draws words, builds phrases and makes pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from priscian.grammar.draw import Reject
from priscian.grammar.phrases import NamedNode, Node, leaves
from priscian.grammar.realise import NOTHING, Pair, Utterance, realise
from priscian.grammar.verbals import Verbals
from priscian.lexicon import Lexicon, Word, load_lexicon
from priscian.records import Sentence

BEFORE_VERB = frozenset({"adj", "adv", "aux", "rel", "to"})
BEFORE_NOUN = frozenset({"adj", "det", "num", "prt"})
TO_COME = frozenset({"will", "won't", "would", "might", "may", "can", "could", "should", "must"})
UNIVERSAL = frozenset({"every", "each", "all", "both"})


class Grammar(Verbals):
    """Everything a paradigm needs, with one source of randomness.

    >>> g = Grammar(seed=1)
    >>> verb = g.verb("trans", "refl")
    >>> subject = g.subject(verb)
    >>> g.sentence(subject, g.vp(verb, "past", object=subject).agree(subject)).text[-1]
    '.'
    """

    def __init__(self, lexicon: Lexicon | None = None, seed: int | Random = 0) -> None:
        stream = seed if isinstance(seed, Random) else Random(seed)
        super().__init__(lexicon or load_lexicon(), stream.random)

    def sentence(self, *nodes: Node, end: str = ".", **labelled: Node) -> Sentence:
        """A single sentence; named arguments become spans."""
        return realise(_named(nodes, labelled), end=end).sentence()

    def length(self, *nodes: Node) -> int:
        """How many words a phrase has."""
        return sum(1 for _ in leaves(*nodes))

    def pair(
        self,
        *nodes: Node,
        end: str = ".",
        extra: Mapping[str, object] = NOTHING,
        **labelled: Node,
    ) -> Pair:
        """Two sentences that differ only in the `Either` inside: `g.pair(subject, Either(a, b))`.

        Named arguments become spans: `g.pair(subject=dp, verb=Either(a, b))`.
        """
        whole = _named(nodes, labelled)
        return self._checked(realise(whole, True, end), realise(whole, False, end), extra)

    def pair_of(
        self,
        good: tuple[Node, ...],
        bad: tuple[Node, ...],
        end: str = ".",
        bad_end: str = "",
        extra: Mapping[str, object] = NOTHING,
    ) -> Pair:
        """Two sentences made of the same phrases in another order."""
        return self._checked(realise(good, True, end), realise(bad, False, bad_end or end), extra)

    def _checked(self, good: Utterance, bad: Utterance, extra: Mapping[str, object]) -> Pair:
        # Different words with the same spelling (*found* of *find* and *found*) make no pair.
        if good.texts == bad.texts and good.words != bad.words and good.end == bad.end:
            raise Reject
        # *a* against *an* would be a second difference, made by spelling alone.
        if _articles(good) != _articles(bad):
            raise Reject
        if _scope_clash(good) or self._crowded(good) or self._untimely(good):
            raise Reject
        return Pair(good, bad, extra)

    def _crowded(self, side: Utterance) -> bool:
        """True of several who do what takes one: *some men buttoned a shirt*, *married men*."""
        words = side.words
        for at, word in enumerate(words):
            alone = word.lemma in self.lexicon.singlehanded
            if word.category == "verb" and (alone or word.lemma in self.lexicon.one_each):
                before, (after, passive) = _doer(words, at), _patient(words, at)
                if before and after:
                    doer, thing = (after, before) if passive else (before, after)
                    if not alone:
                        return doer.tag.endswith(".pl") or thing.tag.endswith(".pl")
                    one = thing.tag == "noun.sg" and thing.lemma in self.lexicon.countables
                    if one and doer.tag.endswith(".pl"):
                        return True
        return False

    def _untimely(self, side: Utterance) -> bool:
        """True of *will attend the recent parade* and *postponed the recent parade*."""
        bygone, ahead = self.lexicon.bygone, self.lexicon.ahead
        return any(word.lemma in bygone for word in side.words) and any(
            word.text in TO_COME or word.lemma in ahead for word in side.words
        )


def _named(nodes: tuple[Node, ...], labelled: Mapping[str, Node]) -> tuple[Node, ...]:
    return (*nodes, *(NamedNode(name, node) for name, node in labelled.items()))


def _doer(words: Sequence[Word], at: int) -> Word | None:
    """The noun before a verb, over auxiliaries and the like: *the boys who have often sung*."""
    at -= 1
    while at > 0 and words[at].category in BEFORE_VERB:
        at -= 1
    return words[at] if words[at].category in ("noun", "name", "pron") else None


def _patient(words: Sequence[Word], at: int) -> tuple[Word | None, bool]:
    """The first noun after a verb, and whether it follows *by*."""
    passive = False
    for word in words[at + 1 :]:
        if word.category in ("noun", "name"):
            return word, passive
        passive = passive or word.lemma == "by"
        if not passive and word.category not in BEFORE_NOUN:
            break
    return None, False


def _scope_clash(side: Utterance) -> bool:
    """True of *Every cook didn't …* (two readings) and *didn't see some doors* (no natural one)."""
    universal = negated = False
    for word in side.words:
        if word.tag == "neg" or word.tag.endswith(".neg"):
            if universal:
                return True
            negated = True
        elif word.category == "det":
            if word.lemma in UNIVERSAL:
                universal = True
            elif negated and word.lemma == "some":
                return True
    return False


def _articles(side: Utterance) -> int:
    return side.texts.count("an") + (side.texts[0] == "An")
