"""Results of other tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from priscian import analyse
from priscian.datasets.graded_read import read_graded
from priscian.errors import DataError
from priscian.judge.imports import import_results


def test_jspsych_ratings_become_a_graded_folder(tmp_path: Path) -> None:
    trials = [{"subject": "s1", "trial_type": "instructions", "rt": 100}] + [
        {"subject": s, "item": f"i{n}", "condition": c, "stimulus": f"<p>Item {n} {c}.</p>",
         "response": 6 - 4 * (c == "bad") + (s == "s2"), "rt": 1200}
        for s in ("s1", "s2") for n in range(2) for c in ("good", "bad")
    ]  # fmt: skip
    file = tmp_path / "data.json"
    file.write_text(json.dumps(trials))
    done = import_results(file, "jspsych", tmp_path / "out")
    assert (done.answers, done.skipped) == (8, 1)
    graded = read_graded(tmp_path / "out")
    assert graded.sentences[0].text == "Item 0 good."
    assert graded.human_deltas() == pytest.approx([2.0, 2.0])


def test_pcibex_columns_are_named_in_comments(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text(
        "# Results on today.\n# 1. Results reception time.\n"
        "# 2. MD5 hash of participant's IP address.\n# 3. Parameter.\n# 4. Value.\n"
        "# 5. item.\n# 6. set.\n"
        "1,ann,_Trial_,Start,p1,a\n1,ann,Choice,good,p1,a\n1,bob,Choice,bad,p1,a\n"
    )
    assert import_results(file, "pcibex", tmp_path / "out").answers == 2
    found = analyse.human(tmp_path / "out" / "choices.csv", rule="none")
    assert (found.individual, found.raters) == (0.5, 2)


def test_blimps_mturk_file_gives_the_same_agreement(shared: Path, tmp_path: Path) -> None:
    released = shared / "data" / "blimp" / "human_responses.csv"
    assert import_results(released, "mturk", tmp_path / "out").answers == 8669
    found = analyse.human(tmp_path / "out" / "choices.csv")
    assert (f"{100 * found.individual:.2f}", found.majority_pairs) == ("88.56", 323)


def test_a_file_without_answers_says_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('[{"rt": 3}]')
    with pytest.raises(DataError, match="no answers to items; rows need a participant"):
        import_results(tmp_path / "x.json", "jspsych", tmp_path / "out")
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(DataError, match="broken JSON"):
        import_results(tmp_path / "x.json", "jspsych", tmp_path / "out")
