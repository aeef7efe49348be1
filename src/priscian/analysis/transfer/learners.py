"""The two kinds of classifiers: a probe on hidden states, and a bag of n-grams on texts.

Both learn from sentences of chosen training pairs and give every test sentence a logit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from priscian.analysis.transfer.record import WORDS, Words
from priscian.analysis.transfer.trials import Places
from priscian.datasets.split_pairs import SplitPairs, TextPair
from priscian.stats.logistic import RidgeFit, fit_ridge
from priscian.training.classifiers.baselines import OFTEN, bag_vocabulary
from priscian.training.classifiers.probe import ROUGH, fit_probe
from priscian.training.classifiers.states import LONGEST, count_ngrams

Floats = npt.NDArray[np.float64]
Floats32 = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]

BAG_C = 1.0


class Classifiers(Protocol):
    """Fits one kind of classifier; logits are those of every test pair: (paradigms, pairs, 2)."""

    def logits(self, places: Places, swapped: Bools) -> Mapping[Words, Floats]:
        """Train on some pairs."""
        ...


def labels_of(swapped: Bools) -> list[bool]:
    """Labels of good and bad sentences in turn; those of a swapped pair are the other way round.

    >>> labels_of(np.array([False, True]))
    [True, False, False, True]
    """
    return [bool(label) for swap in swapped for label in (not swap, swap)]


@dataclass(frozen=True, slots=True)
class Probes:
    """Logistic regressions on states: of training pairs and of test pairs, by words.

    All arrays are (paradigms, pairs, 2, width), the good sentence first.
    """

    train: Floats32
    test: Mapping[Words, Floats32]
    c: float

    def logits(self, places: Places, swapped: Bools) -> Mapping[Words, Floats]:
        """Standardise the states of the training sentences, fit, and read the test sentences."""
        width = self.train.shape[-1]
        states = self.train[places[:, 0], places[:, 1]].reshape(-1, width)
        head = fit_probe(states, labels_of(swapped), self.c, gradient=ROUGH)
        return {
            words: head.logits(x.reshape(-1, width)).reshape(x.shape[:3])
            for words, x in self.test.items()
        }


class Bags:
    """Logistic regressions on counts of n-grams, of those that two training sentences have."""

    def __init__(self, pairs: Sequence[SplitPairs], c: float = BAG_C) -> None:
        train = _flat([p.train for p in pairs])
        vocabulary = bag_vocabulary(train, often=1)
        self.c = c
        self._shape = (len(pairs), len(pairs[0].train))
        self._counts: Any = count_ngrams(train, vocabulary, LONGEST)  # (sentences, n-grams)
        self._test: dict[Words, Any] = {}
        self._test_shape: dict[Words, tuple[int, ...]] = {}
        for words in WORDS:
            own = [getattr(p, words) for p in pairs]
            self._test[words] = count_ngrams(_flat(own), vocabulary, LONGEST)
            self._test_shape[words] = (len(pairs), len(own[0]), 2)

    def logits(self, places: Places, swapped: Bools) -> Mapping[Words, Floats]:
        """Count, fit, and read the test sentences; an unknown n-gram counts for nothing."""
        pair = places[:, 0] * self._shape[1] + places[:, 1]
        rows = self._counts[np.stack([2 * pair, 2 * pair + 1], 1).ravel()]
        often = np.flatnonzero(np.asarray((rows > 0).sum(0)).ravel() >= OFTEN)
        fit = fit_ridge(rows[:, often], labels_of(swapped), self.c, gradient=ROUGH)
        weights = np.zeros(rows.shape[1])
        weights[often] = fit.weights
        whole = RidgeFit(weights, fit.intercept)
        return {
            words: whole.logits(x).reshape(self._test_shape[words])
            for words, x in self._test.items()
        }


def _flat(sets: Sequence[Sequence[TextPair]]) -> list[str]:
    return [text for pairs in sets for pair in pairs for text in pair]
