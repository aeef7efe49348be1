"""A small transfer analysis from synthetic states: three phenomena, two paradigms each."""

from __future__ import annotations

import numpy as np

from priscian.analysis.transfer.record import ParadigmPlace, TransferRecord
from priscian.analysis.transfer.train import Floats32, Probes, count_own, run_trials
from priscian.analysis.transfer.transfer import Transfer
from priscian.analysis.transfer.trials import list_trials
from priscian.datasets.split_pairs import SplitPairs

PLACES = tuple(
    ParadigmPlace(f"{phenomenon}_{n}", phenomenon, field)
    for phenomenon, field in (("agree", "morphology"), ("bind", "syntax"), ("gap", "syntax"))
    for n in (1, 2)
)
TRAIN, TEST, WIDTH = 60, 100, 24


def states(seed: int, pairs: int, effects: np.ndarray) -> Floats32:
    """Noise, and for each paradigm an effect that good sentences have and bad ones lack."""
    rng = np.random.default_rng(seed)
    made = rng.normal(size=(len(effects), pairs, 2, WIDTH))
    made[:, :, 0] += effects[:, None] / 2
    made[:, :, 1] -= effects[:, None] / 2
    return made.astype(np.float32)


def effect_of(*features: int | None, size: float = 6.0) -> np.ndarray:
    """One feature for each phenomenon, or none: (paradigms, width)."""
    effects = np.zeros((len(PLACES), WIDTH))
    for phenomenon, feature in enumerate(features):
        if feature is not None:
            effects[2 * phenomenon : 2 * phenomenon + 2, feature] = size
    return effects


def texts() -> list[SplitPairs]:
    """Sentences for the bag of n-grams: in each paradigm one word marks the bad ones."""
    return [
        SplitPairs(
            p.uid, p.phenomenon, p.field,
            *(
                tuple((f"{w} {n} ok", f"{w} {n} {p.phenomenon}") for n in range(count))
                for w, count in (("a", TRAIN), ("b", TEST), ("c", TEST))
            ),
        )
        for p in PLACES
    ]  # fmt: skip


def analyse(
    train: np.ndarray, test: np.ndarray | None = None, *, draws: int = 2, own: bool = True
) -> Transfer:
    """The analysis of states with these effects on training and on test pairs."""
    from priscian.analysis.transfer.train import Bags

    shown = train if test is None else test
    probes = Probes(
        states(1, TRAIN, train),
        {"same": states(2, TEST, shown), "other": states(3, TEST, shown)},
        0.1,
    )
    trials = list_trials(PLACES, TRAIN, (10, 30))
    tallies = run_trials(trials, PLACES, probes, Bags(texts()), seed=1, draws=draws)
    pairs = {"same": {p.uid: p.same for p in texts()}, "other": {p.uid: p.other for p in texts()}}
    every = {t for some in pairs.values() for own in some.values() for pair in own for t in pair}
    choices = count_own({text: -len(text) for text in every}, pairs, 1e-6) if own else ()
    record = TransferRecord(
        encoder="synthetic", view="1-mean", chosen_by="", c=0.1, pairs=TRAIN, test_pairs=TEST,
        seed=1, test_seed=2, draws=draws, sizes=(10, 30), model="short" if own else "",
        paradigms=PLACES, tallies=tuple(tallies), own=tuple(choices),
    )  # fmt: skip
    return Transfer.of(record)
