"""What is trained on what: no paradigm is ever on both sides, and sizes are what they say."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from priscian.analysis.transfer.record import ParadigmPlace
from priscian.analysis.transfer.trials import (
    Trial,
    count_fits,
    fits_of,
    list_trials,
    training_pairs,
)
from priscian.datasets.reference import blimp_taxonomy

BLIMP = [ParadigmPlace(uid, p, f) for uid, (f, p) in blimp_taxonomy().items()]
TRIALS = list_trials(BLIMP, 200, (10, 100, 200))


def of(kind: str) -> list[Trial]:
    return [trial for trial in TRIALS if trial.trained == kind]


def test_blimp_has_12_rows_12_and_67_left_out_and_two_curves() -> None:
    assert Counter(t.trained for t in TRIALS) == {
        "matrix": 12, "without_phenomenon": 12, "without_paradigm": 67, "size_without": 24,
        "size_within": 24,
    }  # fmt: skip
    assert {t.size for t in of("size_without")} == {10, 100}  # 200 is the trial without a size
    assert count_fits(TRIALS, 5) == sum(len(list(fits_of(t, 5))) for t in TRIALS)


def test_what_is_left_out_is_not_trained_on() -> None:
    for trial in (*of("without_phenomenon"), *of("without_paradigm"), *of("size_without")):
        assert not set(trial.train) & set(trial.targets)
        assert set(trial.train) | set(trial.targets) == set(range(67))
    for trial in of("matrix"):
        assert {BLIMP[k].phenomenon for k in trial.train} == {trial.source}
        assert trial.targets == tuple(range(67))


@pytest.mark.parametrize("kind", ["matrix", "without_phenomenon", "without_paradigm"])
def test_equal_sizes_give_every_phenomenon_the_same_number_of_pairs(kind: str) -> None:
    counts = set()
    for trial in of(kind):
        places, swapped = training_pairs(trial, "equal", BLIMP, 1, 0)
        assert len({tuple(place) for place in places.tolist()}) == len(places)
        assert not swapped.any()
        found = Counter(BLIMP[k].phenomenon for k in places[:, 0].tolist())
        assert len(set(found.values())) == 1
        counts |= set(found.values())
    # the smallest phenomena have two paradigms, or one where the other is left out
    assert counts == ({400} if kind != "without_paradigm" else {200, 400})


def test_each_draw_of_equal_sizes_has_other_pairs_and_is_repeated_exactly() -> None:
    trial = next(t for t in of("matrix") if t.source == "island_effects")
    first, again, second = (training_pairs(trial, "equal", BLIMP, 1, d)[0] for d in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, second)


def test_smaller_sizes_are_parts_of_larger_ones() -> None:
    small, large = (
        {tuple(p) for p in training_pairs(t, "probe", BLIMP, 1, 0)[0].tolist()}
        for t in TRIALS
        if t.trained == "size_within" and t.source == "binding"
    )
    assert small < large
    assert len(small) == 7 * 10
    assert len(large) == 7 * 100


def test_about_half_of_the_pairs_are_swapped_and_others_in_every_trial() -> None:
    one, two = of("without_paradigm")[:2]
    drawn = [training_pairs(trial, "shuffled", BLIMP, 1, 0) for trial in (one, two)]
    first, second = (
        dict(zip(map(tuple, places.tolist()), swapped.tolist(), strict=True))
        for places, swapped in drawn
    )
    shared = first.keys() & second.keys()
    assert len(shared) > 0.9 * len(first)
    alike = sum(first[pair] == second[pair] for pair in shared) / len(shared)
    assert abs(sum(first.values()) / len(first) - 0.5) < 0.02
    assert abs(alike - 0.5) < 0.02
