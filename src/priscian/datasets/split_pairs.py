"""Generated pairs for training and for testing: other sentences, with the same or other words.

The content words of the lexicon are dealt into two halves by a hash of their lemma. Training pairs
and one set of test pairs are drawn from the first half, another set of test pairs from the second,
which shares no content lemma with the training pairs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from priscian.datasets.generation import choose_paradigms
from priscian.datasets.pairs import usual_spelling
from priscian.errors import UsageError
from priscian.lexicon import Lexicon
from priscian.lexicon.lexicon import DATA
from priscian.paradigms import Paradigm, find, generate_items

TRAIN_HALF, OTHER_HALF = 0, 1

TextPair = tuple[str, str]  # good, bad
Watch = Callable[[int, int], None]  # paradigms done, paradigms in all


@dataclass(frozen=True, slots=True)
class SplitPairs:
    """The pairs of one paradigm: to train on, to test on with the same words and with others."""

    uid: str
    phenomenon: str
    field: str
    train: tuple[TextPair, ...]
    same: tuple[TextPair, ...]
    other: tuple[TextPair, ...]


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """How many pairs of each paradigm, from which seeds."""

    train: int = 200
    test: int = 100
    seed: int = 1
    test_seed: int = 2

    def __post_init__(self) -> None:
        if self.train < 1 or self.test < 1:
            raise UsageError(
                f"{self.train} training and {self.test} test pairs; give at least one of each"
            )
        if self.seed == self.test_seed:
            raise UsageError(
                f"training and test pairs have one seed, {self.seed}; give another to the test"
            )


def half_of(lemma: str) -> int:
    """The half of the lexicon that a lemma belongs to, 0 or 1.

    >>> half_of("cook"), half_of("nurse")
    (0, 1)
    """
    return hashlib.blake2b(lemma.encode(), digest_size=1).digest()[0] & 1


@lru_cache(maxsize=2)
def half_lexicon(half: int) -> Lexicon:
    """The lexicon with the content words of one half; function words are in both."""
    return Lexicon(DATA, lambda lemma: half_of(lemma) == half)


def split_pairs(
    plan: SplitPlan,
    only: Sequence[str] = (),
    watch: Watch = lambda done, total: None,
) -> list[SplitPairs]:
    """The pairs of some paradigms, by default BLiMP's 67.

    No sentence of a test pair is among the training sentences of its paradigm.
    """
    uids = choose_paradigms(only)
    found = []
    for number, uid in enumerate(uids, 1):
        paradigm = find(uid)
        train = tuple(_draw(paradigm, plan.train, plan.seed, TRAIN_HALF, frozenset()))
        known = {text for pair in train for text in pair}
        found.append(
            SplitPairs(
                paradigm.uid,
                usual_spelling("linguistics_term", paradigm.phenomenon),
                usual_spelling("field", paradigm.field),
                train,
                tuple(_draw(paradigm, plan.test, plan.test_seed, TRAIN_HALF, known)),
                tuple(_draw(paradigm, plan.test, plan.test_seed, OTHER_HALF, known)),
            )
        )
        watch(number, len(uids))
    return found


def _draw(paradigm: Paradigm, n: int, seed: int, half: int, known: Set[str]) -> Iterator[TextPair]:
    """The first `n` pairs of a stream whose sentences are not known."""
    items = generate_items(paradigm, n + len(known), seed, half_lexicon(half))
    pairs = ((item["good"].text, item["bad"].text) for item in items)
    return islice((pair for pair in pairs if known.isdisjoint(pair)), n)


__all__ = ["SplitPairs", "SplitPlan", "TextPair", "half_lexicon", "half_of", "split_pairs"]
