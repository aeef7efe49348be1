"""What is planted in synthetic states is found, and nothing else."""

from __future__ import annotations

import pytest
from tests.analysis.transfer.small_transfer import analyse, effect_of

from priscian.analysis.transfer.transfer import Transfer

NAMES = ("agree", "bind", "gap")


@pytest.fixture(scope="module")
def shared() -> Transfer:
    return analyse(effect_of(0, 0, 0))


def test_one_linear_feature_is_found_everywhere(shared: Transfer) -> None:
    for scope in ("own", "others", "without_phenomenon", "without_paradigm"):
        for words in ("same", "other"):
            cell = shared.overall(scope, "probe", words)
            assert cell.mcc is not None
            assert cell.mcc > 0.95
            assert cell.accuracy > 0.95
        assert shared.overall(scope, "equal").accuracy > 0.95


def test_shuffled_labels_are_not_learned(shared: Transfer) -> None:
    assert shared.overall("own", "shuffled").accuracy < 0.8


def test_labels_without_a_feature_give_no_correlation() -> None:
    nothing = analyse(effect_of(None, None, None), draws=1)
    cells = [
        nothing.overall(scope, learner, words)
        for scope in ("others", "without_phenomenon")
        for learner in ("probe", "equal")
        for words in ("same", "other")
    ]
    assert all(cell.mcc is not None and abs(cell.mcc) < 0.05 for cell in cells)


def test_effects_of_their_own_stay_in_their_own_cells() -> None:
    found = analyse(effect_of(0, 1, 2, size=4.0))
    for one in NAMES:
        for other in NAMES:
            accuracy = found.cell(one, other).accuracy
            assert accuracy > 0.95 if one == other else abs(accuracy - 0.5) < 0.2
    assert found.overall("own").accuracy - found.overall("without_phenomenon").accuracy > 0.3


def test_a_planted_effect_of_one_phenomenon_appears_only_in_its_row() -> None:
    # all test pairs carry the feature that only `agree` has in training
    train = effect_of(0, 1, 2, size=4.0)
    found = analyse(train, train + effect_of(None, 0, 0, size=4.0))
    assert all(found.cell("agree", other).accuracy > 0.95 for other in NAMES)
    for one in ("bind", "gap"):
        for other in set(NAMES) - {one}:
            assert abs(found.cell(one, other).accuracy - 0.5) < 0.3
    largest = found.asymmetries[0]
    assert largest.source == "agree"
    assert largest.difference > 0.2


def test_the_same_seed_gives_the_same_counts(shared: Transfer) -> None:
    assert analyse(effect_of(0, 0, 0)).record == shared.record
