"""The two kinds of classifiers, and what they are worth: fit each of every trial and count.

A probe on hidden states and a bag of n-grams on texts learn from the sentences of chosen training
pairs, and give every test sentence a logit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from priscian.analysis.transfer.record import (
    WORDS,
    Learner,
    OwnChoice,
    ParadigmPlace,
    Tally,
    Words,
)
from priscian.analysis.transfer.trials import Places, Trial, count_fits, fits_of, training_pairs
from priscian.datasets.split_pairs import SplitPairs, TextPair
from priscian.models.classifier.heads import LONGEST, count_ngrams
from priscian.stats.logistic import RidgeFit, fit_ridge
from priscian.threads import cores
from priscian.training.classifiers.fits import OFTEN, bag_vocabulary
from priscian.training.classifiers.probe import ROUGH, fit_probe
from priscian.workers import run_batches

Floats = npt.NDArray[np.float64]
Floats32 = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]

BAG_C = 1.0
Watch = Callable[[int, int], None]  # classifiers fitted, classifiers in all

REMEDY = "hidden states are kept: run it again, on one core if need be (taskset -c 0)"
TIE = 1e-9
"""Logits that differ by no more are tied."""


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


def run_trials(
    trials: Sequence[Trial],
    paradigms: Sequence[ParadigmPlace],
    probes: Classifiers,
    bags: Classifiers,
    *,
    seed: int = 1,
    draws: int = 5,
    watch: Watch = lambda done, total: None,
) -> list[Tally]:
    """The counts of every trial, learner, set of words and target, summed over draws.

    Every core fits the classifiers of one trial at a time; the result does not depend on that.
    """

    def run(number: int) -> list[Tally]:
        trial = trials[number]
        sums: dict[tuple[Learner, Words, int], list[Floats]] = {}
        for learner, draw in fits_of(trial, draws):
            places, swapped = training_pairs(trial, learner, paradigms, seed, draw)
            kind = bags if learner == "bag" else probes
            for words, values in kind.logits(places, swapped).items():
                for target in trial.targets:
                    sums.setdefault((learner, words, target), []).append(count(values[target]))
        tallies = []
        for (learner, words, target), counts in sums.items():
            right, ties, *sentences = np.sum(counts, 0)  # over draws
            pairs = int(sum(sentences)) // 2 // len(counts)
            tally = Tally(
                trial.trained, learner, words, trial.source, trial.size, paradigms[target].uid,
                len(counts), pairs, float(right), int(ties), *map(int, sentences),
            )  # fmt: skip
            tallies.append(tally)
        return tallies

    done, total = 0, count_fits(trials, draws)
    found: dict[int, list[Tally]] = {}
    for number, tallies in run_batches(run, range(len(trials)), cores(), REMEDY):
        found[number] = tallies
        done += count_fits([trials[number]], draws)
        watch(done, total)
    return [tally for number in range(len(trials)) for tally in found[number]]


def count(logits: Floats) -> Floats:
    """Right and tied pairs, then right and wrong labels of sentences, of logits (pairs, 2).

    >>> count(np.array([[2.0, 1.0], [-1.0, -3.0], [0.5, 0.5]])).tolist()
    [2.5, 1.0, 2.0, 1.0, 2.0, 1.0]
    """
    good, bad = logits[:, 0], logits[:, 1]
    ties = np.abs(good - bad) <= TIE
    right = ((good > bad) & ~ties).sum() + ties.sum() / 2
    labels = ((good > 0).sum(), (bad <= 0).sum(), (bad > 0).sum(), (good <= 0).sum())
    return np.array([right, ties.sum(), *labels], np.float64)


def count_own(
    scores: Mapping[str, float],
    sets: Mapping[Words, Mapping[str, Sequence[tuple[str, str]]]],
    tie: float,
) -> list[OwnChoice]:
    """How often a model's own score is higher for the good sentence, by words and paradigm."""
    found = []
    for words, paradigms in sets.items():
        for uid, pairs in paradigms.items():
            gaps = [scores[good] - scores[bad] for good, bad in pairs]
            ties = sum(abs(gap) <= tie for gap in gaps)
            right = sum(gap > tie for gap in gaps) + ties / 2
            found.append(OwnChoice(words, uid, len(pairs), right, ties))
    return found
