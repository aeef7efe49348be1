"""Agreement of a study's people, and the accuracy of one of them and of their majority."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from math import isnan
from pathlib import Path

import pytest

from priscian.cli import run
from priscian.judge.frozen import Frozen
from priscian.judge.opening import freeze_study, open_store
from priscian.judge.sitting import enter
from priscian.judge.store import Arrival, SentAnswer, Sitting, Store
from priscian.judge.summary import agreement_of, majorities, summarise
from tests.judge.studies import make

PAIRS = "id,set,good,bad\n" + "".join(
    f"p{n},{'abcd'[n % 4]},Good sentence {n}.,Bad sentence {n}.\n" for n in range(40)
)


def judged(folder: Path, people: int, accuracy: float) -> Frozen:
    """A study that so many people of that accuracy have answered."""
    frozen = freeze_study(make(folder, items=PAIRS))
    store = open_store(folder)
    rng = random.Random(5)
    for number in range(people):
        with store.backend.transaction():
            sitting = enter(store, frozen, Arrival("none", f"id{number}"))
            assert isinstance(sitting, Sitting)
            for trial in store.trials(sitting.id):
                other = {"left": "right", "right": "left"}[trial.side]
                said = trial.side if rng.random() < accuracy else other
                store.answer(sitting.id, 1, SentAnswer(trial.position, said, 1.5, 0, "script"))
            store.finish(sitting.id, "CODE")
    store.close()
    return frozen


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[tuple[Store, Frozen]]:
    frozen = judged(tmp_path / "study", 20, 0.9)
    store = open_store(tmp_path / "study")
    yield store, frozen
    store.close()


def test_people_of_90_per_cent_accuracy_agree(opened: tuple[Store, Frozen]) -> None:
    # P = .9² + .1² = .82, κ = .64; 20 people of 40 pairs: one standard error is about .04
    store, frozen = opened
    found = agreement_of(frozen, list(store.answers()))
    assert found.raw == pytest.approx(0.82, abs=0.08)
    assert found.fleiss_kappa == pytest.approx(2 * found.raw - 1, abs=1e-12)
    assert found.krippendorff_alpha == pytest.approx(found.fleiss_kappa, abs=0.001)
    assert found.icc2k > 0.95
    assert found.split_half > 0.95
    shown = dict(summarise(store, frozen).agreement)
    assert shown["Fleiss’ κ"] == f"{found.fleiss_kappa:.3f}"
    assert summarise(store, frozen).agreement_note == found.note


def test_the_command_says_what_is_compared_and_whose_accuracy_it_prints(
    opened: tuple[Store, Frozen], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["judge", "agreement", str(tmp_path / "study")]) == 0
    said = capsys.readouterr().out
    assert "Two people agree" in said
    assert "Choices are compared by which of the two sentences was chosen" in said
    assert "Accuracy of one person: " in said
    assert "Accuracy of the majority of 3 people: " in said
    assert "Needed for the majority of all in 95 % of pairs: " in said
    assert run(["judge", "agreement", str(tmp_path / "study"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    right = sum(a.response == a.side for a in opened[0].answers())
    assert found["majorities"][0]["good"] == pytest.approx(right / 800)
    assert found["people_needed"] == found["majorities"][-1]["people"]
    assert run(["judge", "status", str(tmp_path / "study")]) == 0
    said = capsys.readouterr().out
    assert "inactive" in said
    assert "no limit" in said
    assert "Choices are compared by which" in said


def test_majorities_by_hand() -> None:
    units = {
        "a": {"x": 1.0, "y": 1.0, "z": 0.0},
        "b": {"x": 1.0, "y": 1.0, "z": 1.0},
        "c": {"x": 0.0, "y": 0.0, "z": 1.0},
    }
    one, three = majorities(units)
    # two thirds of all: two or three of three drawn with probability 3·(4/9)(1/3) + 8/27 = 20/27
    assert (one.people, three.people) == (1, 3)
    assert one.good == pytest.approx((2 / 3 + 1 + 1 / 3) / 3)
    assert one.same == pytest.approx((2 / 3 + 1 + 2 / 3) / 3)
    assert three.good == pytest.approx((20 / 27 + 1 + 7 / 27) / 3)
    assert three.same == pytest.approx((20 / 27 + 1 + 20 / 27) / 3)


def test_one_person_is_no_majority() -> None:
    [alone] = majorities({"a": {"x": 1.0}, "b": {"x": 0.0}})
    assert (alone.people, alone.good) == (1, 0.5)
    assert isnan(alone.same)
    assert majorities({}) == []


def test_intervals_of_accuracy_are_wider_than_those_of_independent_answers(
    opened: tuple[Store, Frozen],
) -> None:
    from priscian.stats.proportions import wilson

    store, frozen = opened
    found = summarise(store, frozen)
    assert [row[1] for row in found.accuracy] == [200] * 4  # 20 people, 10 pairs
    for p, low, high in found.intervals:
        independent = wilson(p, 200)
        assert low < independent[0] < p < independent[1] < high
