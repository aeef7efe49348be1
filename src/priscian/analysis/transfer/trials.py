"""What is trained on what and tested on what: trials, and the pairs that each learner gets."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from priscian.analysis.transfer.record import Learner, ParadigmPlace, Trained

Places = npt.NDArray[np.int64]  # (pairs, 2): paradigm and number of each training pair
Draw = tuple[Places, npt.NDArray[np.bool_]]  # training pairs, and which have their labels swapped


@dataclass(frozen=True, slots=True)
class Trial:
    """Training paradigms, by number, and the paradigms to test on.

    `source` names the phenomenon that is trained on, or the phenomenon or paradigm that is left
    out. `size` is the number of pairs of each training paradigm. `quota` is the number of pairs
    that every phenomenon can give where all give equally many.
    """

    trained: Trained
    source: str
    train: tuple[int, ...]
    targets: tuple[int, ...]
    size: int
    quota: int


def list_trials(
    paradigms: Sequence[ParadigmPlace], pairs: int, sizes: Sequence[int]
) -> list[Trial]:
    """Every trial: the matrix, both ways to leave out, and the size curve."""
    members = by_phenomenon(paradigms)
    every = tuple(range(len(paradigms)))
    smallest = min(map(len, members.values()))
    found = [
        Trial("matrix", name, own, every, pairs, smallest * pairs) for name, own in members.items()
    ]
    for name, own in members.items():
        rest = tuple(k for k in every if k not in own)
        quota = _quota(paradigms, rest, pairs)
        found.append(Trial("without_phenomenon", name, rest, own, pairs, quota))
    for k in every:
        rest = tuple(other for other in every if other != k)
        quota = _quota(paradigms, rest, pairs)
        found.append(Trial("without_paradigm", paradigms[k].uid, rest, (k,), pairs, quota))
    for size in sizes:
        if size >= pairs:
            continue  # the full size is in the trials above
        for name, own in members.items():
            rest = tuple(k for k in every if k not in own)
            found.append(Trial("size_without", name, rest, own, size, 0))
            found.append(Trial("size_within", name, own, own, size, 0))
    return found


def by_phenomenon(paradigms: Sequence[ParadigmPlace]) -> dict[str, tuple[int, ...]]:
    """The paradigms of each phenomenon, by number."""
    found: dict[str, list[int]] = {}
    for k, place in enumerate(paradigms):
        found.setdefault(place.phenomenon, []).append(k)
    return {name: tuple(own) for name, own in sorted(found.items())}


def learners_of(trial: Trial) -> tuple[Learner, ...]:
    """The classifiers of a trial; equal sizes say nothing new about a size curve."""
    curve = trial.trained in ("size_without", "size_within")
    return ("probe", "shuffled", "bag") if curve else ("probe", "equal", "shuffled", "bag")


def draws_of(trial: Trial, learner: Learner, draws: int) -> int:
    """How often the random part of a learner is drawn anew.

    Where one paradigm is left out there are many trials, so one draw of each is enough.
    """
    drawn = learner in ("equal", "shuffled")
    return draws if drawn and trial.trained in ("matrix", "without_phenomenon") else 1


def training_pairs(
    trial: Trial, learner: Learner, paradigms: Sequence[ParadigmPlace], seed: int, draw: int
) -> Draw:
    """The training pairs of one fit, and which of them have their two labels swapped."""
    if learner == "equal":
        places = _equal(trial, paradigms, _stream(seed, trial.trained, trial.source, draw))
    else:
        places = np.array([(k, n) for k in trial.train for n in range(trial.size)], np.int64)
    swapped = np.zeros(len(places), bool)
    if learner == "shuffled":
        # of its own for each trial: with common swaps, one lucky draw would move them all
        width = trial.size if not len(places) else int(places[:, 1].max()) + 1
        for k in trial.train:
            own = places[:, 0] == k
            stream = _stream(seed, "swap", trial.trained, trial.source, paradigms[k].uid, draw)
            coins = stream.random(width) < 0.5
            swapped[own] = coins[places[own, 1]]
    return places, swapped


def _equal(trial: Trial, paradigms: Sequence[ParadigmPlace], rng: np.random.Generator) -> Places:
    """As many pairs of every phenomenon, spread evenly over its paradigms."""
    groups: dict[str, list[int]] = {}
    for k in trial.train:
        groups.setdefault(paradigms[k].phenomenon, []).append(k)
    found: list[tuple[int, int]] = []
    for own in groups.values():
        share, rest = divmod(trial.quota, len(own))
        more = set(rng.permutation(len(own))[:rest].tolist())
        for at, k in enumerate(own):
            count = min(trial.size, share + (at in more))
            found += [(k, int(n)) for n in np.sort(rng.permutation(trial.size)[:count])]
    return np.array(found, np.int64)


def _quota(paradigms: Sequence[ParadigmPlace], train: Sequence[int], pairs: int) -> int:
    counts: dict[str, int] = {}
    for k in train:
        counts[paradigms[k].phenomenon] = counts.get(paradigms[k].phenomenon, 0) + pairs
    return min(counts.values())


def _stream(seed: int, *names: object) -> np.random.Generator:
    """Randomness of its own for everything that is drawn."""
    digest = hashlib.sha256("/".join(map(str, (seed, *names))).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


def count_fits(trials: Sequence[Trial], draws: int) -> int:
    """How many classifiers will be fitted."""
    return sum(draws_of(t, learner, draws) for t in trials for learner in learners_of(t))


def fits_of(trial: Trial, draws: int) -> Iterator[tuple[Learner, int]]:
    """Every learner of a trial with the numbers of its draws."""
    for learner in learners_of(trial):
        for draw in range(draws_of(trial, learner, draws)):
            yield learner, draw
