"""Fit every classifier of every trial and count how it does, paradigm by paradigm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from priscian.analysis.transfer.learners import Classifiers
from priscian.analysis.transfer.record import (
    Learner,
    OwnChoice,
    ParadigmPlace,
    Tally,
    Words,
)
from priscian.analysis.transfer.trials import Trial, count_fits, fits_of, training_pairs
from priscian.threads import cores
from priscian.workers import run_batches

Floats = npt.NDArray[np.float64]
Watch = Callable[[int, int], None]  # classifiers fitted, classifiers in all

REMEDY = "hidden states are kept: run it again, on one core if need be (taskset -c 0)"
TIE = 1e-9
"""Logits that differ by no more are tied."""


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
        return [_tally(trial, paradigms, *key, counts) for key, counts in sums.items()]

    done, total = 0, count_fits(trials, draws)
    found: dict[int, list[Tally]] = {}
    for number, tallies in run_batches(run, range(len(trials)), cores(), REMEDY):
        found[number] = tallies
        done += count_fits([trials[number]], draws)
        watch(done, total)
    return [tally for number in range(len(trials)) for tally in found[number]]


def _tally(
    trial: Trial,
    paradigms: Sequence[ParadigmPlace],
    learner: Learner,
    words: Words,
    target: int,
    counts: Sequence[Floats],
) -> Tally:
    """The sum over draws."""
    right, ties, *sentences = np.sum(counts, 0)
    pairs = int(sum(sentences)) // 2 // len(counts)
    return Tally(
        trial.trained, learner, words, trial.source, trial.size, paradigms[target].uid,
        len(counts), pairs, float(right), int(ties), *map(int, sentences),
    )  # fmt: skip


def count(logits: Floats) -> npt.NDArray[np.float64]:
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
