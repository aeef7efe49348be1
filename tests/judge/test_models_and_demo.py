"""Models as raters, preregistration and the demo."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from priscian import analyse
from priscian.cli import run
from priscian.errors import UsageError
from priscian.files import read_table
from priscian.judge.answer import Asked, answer_study
from priscian.judge.export import export_store
from priscian.judge.opening import freeze_study, open_store
from priscian.records import Text
from priscian.scoring.store import ScoreStore
from tests.judge.studies import make


def by_rule(texts: Sequence[Text]) -> Mapping[Text, float]:
    """A model that prefers good sentences, the answer A by a little, and high numbers."""

    def score(text: Text) -> float:
        if text.text == " A":
            first = text.context.split("A: ")[1]
            return (1.0 if first.startswith("Good") else -1.0) + 0.5
        if text.text.strip().isdigit():
            return math.log(int(text.text))
        return 0.0 if text.text == " B" else -float(not text.text.startswith("Good"))

    return {text: score(text) for text in texts}


def test_a_model_chooses_by_probability_and_stands_beside_people(tmp_path: Path) -> None:
    frozen = freeze_study(make(tmp_path / "study"))
    store = open_store(tmp_path / "study")
    for _ in range(2):  # the second time replaces the first
        done = answer_study(store, frozen, "rule", by_rule, Asked())
        assert (done.answers, done.bias) == (12, None)
    export_store(store, frozen, tmp_path / "out")
    counts = store.counts(1, 60)
    store.close()
    rows = [row for _, row in read_table(tmp_path / "out" / "choices.csv")]
    assert len(rows) == 12
    assert {(r["kind"], r["rater"], r["response"]) for r in rows} == {
        ("model", "rule/probability", "good")
    }
    found = analyse.human(tmp_path / "out" / "choices.csv", rule="none", raters="models")
    assert found.individual == 1.0
    assert all(c.complete == 0 for c in counts), "models take no place of people"


def test_prompted_pairs_are_asked_in_both_orders_and_the_bias_is_told(tmp_path: Path) -> None:
    frozen = freeze_study(make(tmp_path))
    store = open_store(tmp_path)
    done = answer_study(store, frozen, "rule", by_rule, Asked("prompt"))
    one, two = (1 / (1 + math.exp(-x)) for x in (1.5, -0.5))
    assert done.bias == pytest.approx((one + two) / 2 - 0.5, abs=1e-12)
    assert all(a.response == a.side for a in store.answers())
    store.close()


def test_a_prompted_scale_has_its_likeliest_point_and_its_mean(tmp_path: Path) -> None:
    frozen = freeze_study(make(tmp_path / "study", "likert"))
    store = open_store(tmp_path / "study")
    answer_study(store, frozen, "rule", by_rule, Asked("prompt"))
    export_store(store, frozen, tmp_path / "out")
    rows = [row for _, row in read_table(tmp_path / "out" / "model_answers.csv")]
    assert len(rows) == 24
    assert {r["rating"] for r in rows} == {"7"}
    # p(k) = k/28, so that the mean is Σk²/28 = 140/28
    assert all(math.isclose(float(r["expected"]), 5.0) for r in rows)
    drawn = answer_study(store, frozen, "rule", by_rule, Asked("prompt", 3, 1.0))
    assert drawn.answers == 72
    said = {a.response for a in store.answers() if a.person.startswith("rule/prompt#")}
    assert len(said) > 1
    store.close()


def test_a_magnitude_is_the_modulus_times_the_ratio_of_probabilities_per_word(
    tmp_path: Path,
) -> None:
    frozen = freeze_study(make(tmp_path / "study", "magnitude"))
    store = open_store(tmp_path / "study")

    def score(texts: Sequence[Text]) -> dict[Text, float]:
        # "The reference." −4 nats over 2 words; sentences of 4 words −12 (good) or −16 (bad)
        return {
            t: -4.0 if "reference" in t.text else -12.0 if "good" in t.text else -16.0
            for t in texts
        }

    done = answer_study(store, frozen, "rule", score, Asked())
    assert done.answers == 24
    export_store(store, frozen, tmp_path / "out")
    store.close()
    rows = [row for _, row in read_table(tmp_path / "out" / "model_answers.csv")]
    wanted = {"good": 100 * math.exp(-3 + 2), "bad": 100 * math.exp(-4 + 2)}
    texts = {r["id"]: r for _, r in read_table(tmp_path / "out" / "sentences.csv")}
    for row in rows:
        assert float(row["rating"]) == pytest.approx(wanted[texts[row["id"]]["condition"]])


def test_a_tie_counts_as_wrong(tmp_path: Path) -> None:
    frozen = freeze_study(make(tmp_path))
    store = open_store(tmp_path)
    answer_study(store, frozen, "flat", lambda texts: dict.fromkeys(texts, -1.0), Asked())
    assert all(a.response != a.side for a in store.answers())
    store.close()


@pytest.mark.parametrize(
    ("task", "asked", "said"),
    [
        ("likert", Asked(), "`mode=prompt`"),
        ("magnitude", Asked("prompt"), "`mode=probability`"),
        ("magnitude", Asked(raters=3, temperature=1.0), "not drawn"),
        ("choice", Asked(raters=3), "`temperature=1`"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    tmp_path: Path, task: str, asked: Asked, said: str
) -> None:
    frozen = freeze_study(make(tmp_path, task))
    store = open_store(tmp_path)
    with pytest.raises(UsageError, match=said):
        answer_study(store, frozen, "rule", by_rule, asked)
    store.close()


def test_the_scores_of_a_model_that_answers_are_kept(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRISCIAN_CACHE", str(in_folder / "cache"))
    make(in_folder / "study")
    assert run(["judge", "answer", "study", "--model", "builtin:ngram"]) == 0
    with ScoreStore.default() as scores:
        assert scores.models()


def test_a_preregistration_has_the_hash_the_size_and_the_commands(
    in_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make(in_folder / "study", "choice", "[targets]\nsittings_per_list = 15\n")
    frozen = freeze_study(in_folder / "study")
    assert run(["judge", "preregister", "study"]) == 0
    text = capsys.readouterr().out
    assert frozen.hash in text
    assert "15 sittings for each of 2 lists: 30 sittings." in text
    for line in text.split("```")[1].strip().splitlines():
        assert line.startswith("priscian ")
    assert "who did not finish" in text


def test_the_demo_and_the_commands_after_it(
    in_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["judge", "demo", "--port", "0", "--raters", "4", "--leave"]) == 0
    assert "4 simulated people gave" in capsys.readouterr().out
    assert run(["judge", "status", "judge-demo/study"]) == 0
    assert "4 complete" in capsys.readouterr().out
    assert run(["judge", "answer", "judge-demo/study", "--model", "builtin:ngram"]) == 0
    assert run(["judge", "export", "judge-demo/study", "--out", "out"]) == 0
    assert run(["judge", "agreement", "judge-demo/study", "--json"]) == 0
    capsys.readouterr()
    assert run(["judge", "agreement", "judge-demo/study"]) == 0
    said = capsys.readouterr().out
    assert "Krippendorff’s α (nominal)" in said
    assert "nan" not in said
    assert run(["judge", "backup", "judge-demo/study", "--out", "copy.sqlite"]) == 0
    capsys.readouterr()
    assert run(["judge", "forget", "judge-demo/study", "nobody"]) == 1
    assert "nobody has this" in capsys.readouterr().err
    kinds = {row["kind"] for _, row in read_table(in_folder / "out" / "choices.csv")}
    assert kinds == {"person", "model"}
    assert run(["analyse", "human", "out/choices.csv", "--rule", "none"]) == 0
