"""What was collected: counted in preregistrations, paid for, exported without tests, undamaged."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from priscian.cli import run
from priscian.errors import StoreError, UsageError
from priscian.files import read_table
from priscian.judge.collected import collect
from priscian.judge.export import export_store, payments, write_payments
from priscian.judge.frozen import Frozen
from priscian.judge.opening import freeze_study, open_store
from priscian.judge.sitting import enter
from priscian.judge.store import Arrival, SentAnswer, Sitting, Store
from priscian.judge.summary import summarise
from tests.judge.studies import make

PROLIFIC = "[platform]\nkind = 'prolific'\ncomplete = 'DONE'\nfailed = 'FAIL'\n"


def sit(
    store: Store, frozen: Frozen, name: str, kind: str = "person", answers: int = 1000
) -> Sitting:
    """Somebody who chooses the good sentence of every pair, and passes every check."""
    with store.backend.transaction():
        sitting = enter(store, frozen, Arrival("prolific", name, kind=kind))
        assert isinstance(sitting, Sitting)
        for trial in store.trials(sitting.id)[:answers]:
            store.answer(sitting.id, frozen.version, SentAnswer(trial.position, trial.side, 1.5))
        store.finish(sitting.id, f"CODE-{name}")
    return sitting


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[tuple[Path, Store, Frozen]]:
    folder = tmp_path / "study"
    tables = "[checks]\ninstructed = 1\n[exclusion]\nfailed_checks = 1\n" + PROLIFIC
    frozen = freeze_study(make(folder, "choice", tables))
    store = open_store(folder)
    yield folder, store, frozen
    store.close()


class TestPreregistration:
    def preregister(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
        assert run(["judge", "preregister", str(folder)]) == 0
        return capsys.readouterr().out.split("## Hypotheses")[0]

    def test_without_answers_it_says_no(
        self, opened: tuple[Path, Store, Frozen], capsys: pytest.CaptureFixture[str]
    ) -> None:
        said = self.preregister(opened[0], capsys)
        assert "\nNo. On 20" in said
        assert "no sitting and no answer" in said

    def test_what_was_collected_is_counted(
        self, opened: tuple[Path, Store, Frozen], capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder, store, frozen = opened
        sit(store, frozen, "ann")
        sit(store, frozen, "bob", answers=5)
        sit(store, frozen, "me", "test")
        said = self.preregister(folder, capsys)
        assert "\nYes. On 20" in said
        assert "had 18 answers:" in said
        assert (
            "version 1 (described here): 18 answers of 2 people in 2 sittings, 1 of them complete"
        ) in said
        assert "1 test sitting of the researcher: not data." in said
        assert "No." not in said

    def test_somebody_who_has_only_begun_is_told_of(
        self, opened: tuple[Path, Store, Frozen], capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder, store, frozen = opened
        sit(store, frozen, "ann", answers=0)
        said = self.preregister(folder, capsys)
        assert "0 answers of 1 person in 1 sitting, 0 of them complete" in said

    def test_a_second_version_tells_of_the_first(
        self, opened: tuple[Path, Store, Frozen], capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder, store, frozen = opened
        sit(store, frozen, "ann")
        study = folder / "study.toml"
        study.write_text(study.read_text().replace('name = "small"', 'name = "small"\nseed = 9'))
        assert freeze_study(folder).version == 2
        said = self.preregister(folder, capsys)
        assert "version 1 (another design): 13 answers of 1 person in 1 sitting" in said
        assert "version 2 (described here): nothing yet" in said
        assert "\nYes." in said

    def test_one_trial_is_singular_and_a_name_with_a_space_is_quoted(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        make(tmp_path / "my study")
        assert run(["judge", "preregister", str(tmp_path / "my study")]) == 0
        said = capsys.readouterr().out
        assert "at least 1 trial between" in said
        assert "1 trials" not in said
        assert "priscian judge export 'my study/' --out results/" in said
        assert "no list is closed" in said  # there is no target, so no list is ever full


class TestPayments:
    def rows(self, folder: Path, out: Path) -> dict[str, dict[str, str]]:
        assert run(["judge", "payments", str(folder), "--out", str(out)]) == 0
        return {str(row["id"]): row for _, row in read_table(out)}

    def test_ids_have_their_codes_and_what_to_do(
        self, opened: tuple[Path, Store, Frozen], tmp_path: Path
    ) -> None:
        folder, store, frozen = opened
        sittings = {
            name: sit(store, frozen, name, answers=5 if name == "bob" else 1000)
            for name in ("ann", "bob", "cy", "dan")
        }
        sit(store, frozen, "me", "test")
        check = next(t for t in store.trials(sittings["cy"].id) if t.kind == "check")
        with store.backend.transaction():
            store.backend.run(
                "UPDATE answers SET response = ? WHERE sitting = ? AND position = ?",
                ("left" if check.side == "right" else "right", sittings["cy"].id, check.position),
            )
            store.note(sittings["dan"].id, {}, "failed")
        found = self.rows(folder, tmp_path / "pay.csv")
        assert {
            name: (row["code"], row["state"], row["decision"], row["reason"])
            for name, row in found.items()
        } == {
            "ann": ("CODE-ann", "complete", "approve", ""),
            "bob": ("", "live", "wait", "not finished"),
            "cy": ("CODE-cy", "complete", "reject", "failed 1 attention check"),
            "dan": ("FAIL", "failed", "reject", "failed the comprehension questions"),
        }

    def test_only_the_owner_can_read_the_file(
        self, opened: tuple[Path, Store, Frozen], tmp_path: Path
    ) -> None:
        folder, store, frozen = opened
        sit(store, frozen, "ann")
        out = tmp_path / "pay.csv"
        out.write_text("old, and readable by all")
        out.chmod(0o644)
        before = os.umask(0)
        try:
            self.rows(folder, out)
        finally:
            os.umask(before)
        assert stat.S_IMODE(out.stat().st_mode) == 0o600

    def test_it_has_no_pseudonym_and_is_not_written_beside_answers(
        self, opened: tuple[Path, Store, Frozen], tmp_path: Path
    ) -> None:
        _, store, frozen = opened
        person = sit(store, frozen, "ann").person
        export_store(store, frozen, tmp_path / "results")
        found = payments(store)
        with pytest.raises(UsageError, match=r"has exported answers .*another folder"):
            write_payments(found, tmp_path / "results" / "pay.csv")
        write_payments(found, tmp_path / "pay.csv")
        assert person not in (tmp_path / "pay.csv").read_text()
        exported = [f.read_text() for f in (tmp_path / "results").iterdir()]
        assert not any("CODE-ann" in text or '"ann"' in text for text in exported)

    def test_who_does_not_count_for_what_they_are_is_paid(self, tmp_path: Path) -> None:
        rules = PROLIFIC + "[exclusion]\nnative = ['English']\n"
        frozen = freeze_study(make(tmp_path, "choice", rules, "demographics=['native_languages']"))
        store = open_store(tmp_path)
        sitting = sit(store, frozen, "ann")
        with store.backend.transaction():
            store.note(sitting.id, {"about": {"native_languages": "Welsh"}})
        [row] = payments(store).rows
        assert (row["decision"], row["reason"]) == ("approve", "does not count: native language")
        store.close()

    def test_people_of_every_version_are_paid(self, opened: tuple[Path, Store, Frozen]) -> None:
        folder, store, frozen = opened
        sit(store, frozen, "ann")
        study = folder / "study.toml"
        study.write_text(study.read_text().replace('name = "small"', 'name = "small"\nseed = 9'))
        sit(store, freeze_study(folder), "bob")
        assert [row["id"] for row in payments(store).rows] == ["ann", "bob"]


def test_tests_are_in_no_table_and_no_figure(
    opened: tuple[Path, Store, Frozen], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, store, frozen = opened
    ann = sit(store, frozen, "ann")
    me = sit(store, frozen, "me", "test")
    done = export_store(store, frozen, tmp_path / "out", keep_excluded=True)
    assert (done.answers, done.tests) == (13, 1)
    for file in done.files:
        assert me.person not in file.read_text(), file
    assert ann.person in (tmp_path / "out" / "choices.csv").read_text()
    summary = summarise(store, frozen)
    assert (summary.complete, summary.answers, summary.tests) == (1, 13, 1)
    assert dict(summary.agreement)["People"] == "1"
    assert run(["judge", "export", str(folder), "--out", str(tmp_path / "again")]) == 0
    assert "13 answers written" in (said := capsys.readouterr().out)
    assert "1 test sitting left out" in said
    assert run(["judge", "agreement", str(folder), "--json"]) == 0
    assert '"raters": 1,' in capsys.readouterr().out
    assert run(["judge", "status", str(folder)]) == 0
    assert "1 test sitting not counted" in capsys.readouterr().out


def test_as_many_answers_are_told_as_rows_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "study"
    frozen = freeze_study(make(folder, "likert", "[checks]\ninstructed = 2\n"))
    store = open_store(folder)
    with store.backend.transaction():
        sitting = enter(store, frozen, Arrival())
        assert isinstance(sitting, Sitting)
        for trial in store.trials(sitting.id):
            said = frozen.materials[trial.item].answer or str(1 + trial.position % 5)
            store.answer(sitting.id, 1, SentAnswer(trial.position, said))
        store.finish(sitting.id, "CODE")
    store.close()
    assert run(["judge", "export", str(folder), "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "12 answers written" in said
    assert "2 answers to checks or practice: in raw.jsonl only" in said
    assert len(read_table(tmp_path / "out" / "answers.csv")) == 12
    assert len((tmp_path / "out" / "raw.jsonl").read_text().splitlines()) == 14


def test_revisions_have_a_table_of_their_own(
    opened: tuple[Path, Store, Frozen], tmp_path: Path
) -> None:
    _, store, frozen = opened
    sitting = sit(store, frozen, "ann")
    first = next(t for t in store.trials(sitting.id) if t.kind == "item")
    other = "left" if first.side == "right" else "right"
    with store.backend.transaction():
        store.answer(sitting.id, 1, SentAnswer(first.position, other, 0.7))
    export_store(store, frozen, tmp_path / "out")
    [(_, row)] = read_table(tmp_path / "out" / "revisions.csv")
    assert (row["item"], row["response"], row["response_time"]) == (first.item, "bad", "0.700")
    assert (row["person"], row["order"]) == (sitting.person, str(first.position))
    assert "revisions.csv" in (tmp_path / "out" / "codebook.md").read_text()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("UPDATE answers SET response = 'leXt' WHERE position = 3", "trial 3 of sitting 1"),
        ("UPDATE trials SET item = 'px' WHERE position = 2", "no item 'px'"),
        ("UPDATE trials SET side = '' WHERE position = 2", "side ''"),
        ("UPDATE answers SET time = 'soon' WHERE position = 1", "time 'soon'"),
        ("UPDATE sittings SET facts = '{\"read\": 1'", "facts of sitting 1 are damaged"),
        ("UPDATE sittings SET facts = '[]'", "facts of sitting 1 are damaged"),
        ("UPDATE studies SET body = substr(body, 1, 100)", "version 1: damaged"),
        ("UPDATE studies SET body = replace(body, 'Good', 'Gold')", "changed since it was frozen"),
    ],
)
def test_a_damaged_row_is_one_line(
    opened: tuple[Path, Store, Frozen], damage: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, store, frozen = opened
    sit(store, frozen, "ann")
    with store.backend.transaction():
        store.backend.run(damage)
    study, out = str(folder), str(folder / "out")
    verbs = {"export": ["--out", out], "payments": ["--out", out], "status": [], "agreement": []}
    for verb, more in verbs.items():
        assert run(["judge", verb, study, *more]) == 1
        told = capsys.readouterr().err
        assert said in told
        assert len(told.strip().splitlines()) == 1
    if "answers" in damage or "trials" in damage:
        with pytest.raises(StoreError, match="restore the database from a backup"):
            collect(store, frozen)
