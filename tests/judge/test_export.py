"""Exports: what analyse human and analyse adc read, against hand computations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from priscian import analyse
from priscian.cli import run
from priscian.datasets.choices import read_choices
from priscian.datasets.graded_read import read_graded, read_ratings
from priscian.errors import DataError, UsageError
from priscian.files import read_table
from priscian.judge.export import export_store
from priscian.judge.frozen import Frozen, decode
from priscian.judge.opening import freeze_study, open_store
from priscian.judge.simulate import Habits, answer, labels_of
from priscian.judge.sitting import enter
from priscian.judge.store import Arrival, SentAnswer, Sitting, Store
from priscian.judge.summary import agreement_of, majorities, units_of
from tests.judge.process import Process, free_port
from tests.judge.replay import approved, make_study, replay
from tests.judge.studies import make


def fill(store: Store, frozen: Frozen, people: int, says: str = "") -> list[Sitting]:
    """Simulated people without a server; `says` is one answer for all."""
    import random

    labels = labels_of(frozen)
    sittings = []
    for number in range(people):
        rng = random.Random(number)
        with store.backend.transaction():
            sitting = enter(store, frozen, Arrival("none", f"id{number}"))
            assert isinstance(sitting, Sitting)
            for trial in store.trials(sitting.id):
                material = frozen.materials[trial.item]
                shown = [material.conditions.get(trial.condition, "")]
                if frozen.study.task == "choice":
                    pair = [material.conditions["good"], material.conditions["bad"]]
                    shown = pair if trial.side == "left" else pair[::-1]
                said = says or answer(frozen.study, shown, labels, Habits(), rng)
                store.answer(sitting.id, 1, SentAnswer(trial.position, said, 1.5, 0, "script"))
            store.finish(sitting.id, "CODE")
        sittings.append(sitting)
    return sittings


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[list[Store]]:
    stores: list[Store] = []
    yield stores
    for store in stores:
        store.close()


def study(
    folder: Path, opened: list[Store], task: str, tables: str = "", top: str = ""
) -> tuple[Store, Frozen]:
    frozen = freeze_study(make(folder, task, tables, top))
    opened.append(open_store(folder))
    return opened[-1], frozen


def by_hand(file: Path) -> dict[str, float]:
    """Mean z by sentence: (x − mean) / population deviation of the participant."""
    people: dict[str, list[tuple[str, float]]] = {}
    for _, row in read_table(file):
        people.setdefault(str(row["participant"]), []).append(
            (str(row["id"]), float(row["rating"]))
        )
    found: dict[str, list[float]] = {}
    for rows in people.values():
        values = [v for _, v in rows]
        mean = sum(values) / len(values)
        deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))
        for name, value in rows:
            found.setdefault(name, []).append((value - mean) / deviation)
    return {name: sum(z) / len(z) for name, z in found.items()}


@pytest.mark.parametrize("task", ["likert", "magnitude", "binary"])
def test_z_scores_are_those_computed_by_hand(
    tmp_path: Path, opened: list[Store], task: str
) -> None:
    store, frozen = study(tmp_path / "study", opened, task, "[checks]\ninstructed = 1\n")
    fill(store, frozen, 8)
    done = export_store(store, frozen, tmp_path / "out")
    expected = by_hand(tmp_path / "out" / "answers.csv")
    found = read_ratings(tmp_path / "out" / "answers.csv")
    assert found.keys() == expected.keys()
    assert all(abs(found[i].mean - z) < 1e-12 for i, z in expected.items())
    assert (done.answers, done.apart) == (8 * 12, 8)
    assert len(read_table(tmp_path / "out" / "answers.csv")) == done.answers
    graded = read_graded(tmp_path / "out")
    assert len(graded.pairs) == 12
    assert sum(graded.human_deltas()) > 0


@pytest.mark.parametrize("task", ["likert", "magnitude", "binary"])
def test_adc_runs_on_an_export(tmp_path: Path, opened: list[Store], task: str) -> None:
    store, frozen = study(tmp_path / "study", opened, task)
    fill(store, frozen, 6)
    export_store(store, frozen, tmp_path / "out")
    out = tmp_path / "run"
    words = ["score", "builtin:ngram", "--on", f"graded:{tmp_path / 'out'}", "--out", str(out)]
    assert run(words) == 0
    assert run(["analyse", "adc", str(out), "--json"]) == 0


def test_logarithms_name_no_task(tmp_path: Path, opened: list[Store]) -> None:
    store, frozen = study(tmp_path / "study", opened, "magnitude")
    fill(store, frozen, 4)
    export_store(store, frozen, tmp_path / "raw")
    export_store(store, frozen, tmp_path / "log", transform="log")
    raw, log = (
        [row for _, row in read_table(tmp_path / name / "answers.csv")] for name in ("raw", "log")
    )
    assert {r["task"] for r in raw} == {"magnitude"}
    assert {r["task"] for r in log} == {""}
    for one, other in zip(raw, log, strict=True):
        assert math.isclose(float(other["rating"]), math.log(float(one["rating"]) / 100))
    assert read_ratings(tmp_path / "log" / "answers.csv")
    other, plain = study(tmp_path / "likert", opened, "likert")
    with pytest.raises(UsageError, match="magnitude"):
        export_store(other, plain, tmp_path / "no", transform="log")


class TestExclusion:
    RULES = (
        "[checks]\ninstructed = 1\n[exclusion]\nfailed_checks = 1\nmedian_time_below = 1.0\n"
        "native = ['German']\n"
    )

    def test_every_rule_leaves_its_people_out(self, tmp_path: Path, opened: list[Store]) -> None:
        store, frozen = study(
            tmp_path, opened, "likert", self.RULES, 'demographics = ["native_languages"]'
        )
        sittings = fill(store, frozen, 6)
        german = {"about": {"native_languages": "Dutch, german"}}
        with store.backend.transaction():
            for sitting in sittings[:5]:
                store.note(sitting.id, german)
            checks = [t for t in store.trials(sittings[0].id) if t.kind == "check"]
            wrong = "7" if checks[0].response != "7" else "1"
            run_sql = store.backend.run
            run_sql("UPDATE answers SET response = ? WHERE sitting = ? AND position = ?",
                    (wrong, sittings[0].id, checks[0].position))  # fmt: skip
            run_sql("UPDATE answers SET time = 0.1 WHERE sitting = ?", (sittings[1].id,))
            run_sql("DELETE FROM answers WHERE sitting = ? AND position = 1", (sittings[2].id,))
            store.note(sittings[2].id, {}, "live")
            run_sql(
                "UPDATE answers SET response = '4' WHERE sitting = ? AND position NOT IN "
                "(SELECT position FROM trials WHERE sitting = ? AND kind = 'check')",
                (sittings[3].id, sittings[3].id),
            )
        done = export_store(store, frozen, tmp_path / "out")
        reasons = {e.person: e.reason for e in done.excluded}
        assert [reasons.get(s.person) for s in sittings] == [
            "failed 1 attention check",
            "median time below 1 s",
            "incomplete",
            "the same answer throughout",
            None,
            "native language not given",
        ]
        told = [row["reason"] for _, row in read_table(tmp_path / "out" / "excluded.csv")]
        assert sorted(told) == sorted(reasons.values())
        rows = read_table(tmp_path / "out" / "answers.csv")
        assert {row["participant"] for _, row in rows} == {sittings[4].person}
        everything = (tmp_path / "out" / "raw.jsonl").read_text().splitlines()
        assert len(everything) == 6 * 13 - 1
        assert "native" in (tmp_path / "out" / "codebook.md").read_text()


def test_models_count_only_when_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "choices.csv"
    file.write_text(
        "set,item,rater,response,kind\na,1,ann,good,person\na,1,gpt,bad,model\na,1,bob,good,\n"
    )
    assert analyse.human(file, rule="none").individual == 1.0
    assert analyse.human(file, rule="none", raters="models").individual == 0.0
    assert analyse.human(file, rule="none", raters="all").individual == pytest.approx(2 / 3)
    assert read_choices(file).left_out == {"answers of models": 1}
    file.write_text("set,item,rater,response,kind\na,1,ann,good,robot\n")
    with pytest.raises(DataError, match=r"choices\.csv:2: the kind is 'robot'"):
        read_choices(file)


def test_agreement_of_a_study(tmp_path: Path, opened: list[Store]) -> None:
    store, frozen = study(tmp_path, opened, "choice")
    fill(store, frozen, 6)
    answers = list(store.answers())
    found = agreement_of(frozen, answers)
    assert (found.raters, found.units) == (6, 12)
    assert -1 < found.krippendorff_alpha <= 1
    sizes = majorities(units_of(frozen, answers))
    assert [m.people for m in sizes] == [1, 3, 5][: len(sizes)]


def replayed(shared: Path, tmp_path: Path, sittings: int | None) -> tuple[Path, Path]:
    """Export of so many sittings, and their part of the released file."""
    import csv

    released = shared / "data" / "blimp" / "human_responses.csv"
    rows = approved(released)[:sittings]
    folder = tmp_path / "study"
    numbers = make_study(rows, folder)
    freeze_study(folder)
    process = Process(folder, free_port())
    process.start()
    try:
        replay(process.url, rows, numbers)
    finally:
        process.stop()
    store = open_store(folder)
    frozen = decode(store.body(1))
    export_store(store, frozen, tmp_path / "out")
    store.close()
    part = tmp_path / "part.csv"
    with part.open("w", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]), quoting=csv.QUOTE_ALL)
        out.writeheader()
        out.writerows(rows)
    return tmp_path / "out" / "choices.csv", part


def test_some_of_blimps_sittings_replayed_give_the_same_agreement(
    shared: Path, tmp_path: Path
) -> None:
    ours, theirs = replayed(shared, tmp_path, 40)
    found, expected = (analyse.human(f, rule="none") for f in (ours, theirs))
    assert found.individual == expected.individual
    assert (found.majority_pairs, found.pairs) == (expected.majority_pairs, expected.pairs)


@pytest.mark.slow
def test_blimps_sittings_replayed_give_the_published_agreement(
    shared: Path, tmp_path: Path
) -> None:
    ours, _ = replayed(shared, tmp_path, None)
    found = analyse.human(ours)
    assert f"{100 * found.individual:.2f}" == "88.56"
    assert (found.majority_pairs, found.pairs) == (323, 335)
    assert found.raters == 342
