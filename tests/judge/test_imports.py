"""Results of other tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from priscian import analyse
from priscian.cli import run
from priscian.datasets.graded_read import read_graded
from priscian.errors import DataError
from priscian.files import read_table
from priscian.judge.imports import Form, import_results


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


HEAD = (
    "# Results on today.\n# Columns below this comment are as follows:\n"
    "# 1. Results reception time.\n# 2. MD5 hash of participant's IP address.\n"
    "# 3. Controller name.\n# 4. Order number of item.\n# 5. Inner element number.\n# 6. Label.\n"
    "# 7. Latin Square Group.\n# 8. PennElementType.\n# 9. PennElementName.\n# 10. Parameter.\n"
    "# 11. Value.\n# 12. EventTime.\n"
)
ITEM = "# 13. item.\n# 14. condition.\n# 15. Comments.\n"
SENTENCE = "# 13. item.\n# 14. condition.\n# 15. sentence.\n# 16. Comments.\n"


def pcibex(tmp_path: Path, sentences: bool, people: int = 2) -> Path:
    """PCIbex's results: trials begin, something is printed, a scale is answered 1.25 s later."""
    lines = [HEAD + (SENTENCE if sentences else ITEM)]
    for person in range(people):
        shown = [(item, condition) for item in ("i1", "i2") for condition in ("good", "bad")]
        for n, (item, condition) in enumerate(shown):
            now = 1_600_000_000_000 + 100_000 * person + 10_000 * n
            text = f"Item {item}%2C {condition}.," if sentences else ""
            start = f"{1000 + person},hash,PennController,{n},0,trial,NULL"
            end = f"{item},{condition},{text}NULL\n"
            lines.append(f"{start},PennController,{n},_Trial_,Start,{now},{end}")
            if n == 1:
                lines.append(f"{start},Canvas,pair,Print,NA,{now + 500},{end}")
            rating = (6 if condition == "good" else 2) + person
            lines.append(f"{start},Scale,answer,Choice,{rating},{now + 1750},{end}")
            lines.append(f"{start},PennController,{n},_Trial_,End,{now + 2000},{end}")
    file = tmp_path / "results.csv"
    file.write_text("".join(lines), "utf-8")
    return file


def test_pcibex_ratings_have_their_sentences_times_and_order(tmp_path: Path) -> None:
    done = import_results(pcibex(tmp_path, True), "pcibex", tmp_path / "out")
    assert done.answers == 8
    graded = read_graded(tmp_path / "out")
    assert [s.text for s in graded.sentences][:2] == ["Item i1, good.", "Item i1, bad."]
    assert graded.human_deltas() == pytest.approx([2.0, 2.0])
    rows = [row for _, row in read_table(tmp_path / "out" / "answers.csv")]
    assert len({row["participant"] for row in rows}) == 2, "one address, two submissions"
    assert [row["order"] for row in rows] == ["1", "2", "3", "4"] * 2
    # from the beginning of the trial, or from what was printed in it
    assert [row["response_time"] for row in rows[:4]] == ["1.750", "1.250", "1.750", "1.750"]


def test_an_id_is_not_taken_for_the_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = pcibex(tmp_path, False), tmp_path / "out"
    with pytest.raises(DataError, match=r"no sentence for condition good of item i1, only its id"):
        import_results(file, "pcibex", out)
    assert not out.exists()
    items = tmp_path / "items.csv"
    items.write_text("item,condition,sentence\ni1,good,A.\ni1,bad,B.\ni2,good,C.\n")
    with pytest.raises(DataError, match=r"no sentence for condition bad of item i2, which .* has"):
        import_results(file, "pcibex", out, items)
    items.write_text(items.read_text() + "i2,bad,D.\n")
    words = ["judge", "import", str(file), "--form", "pcibex", "--out", str(out)]
    assert run([*words, "--items", str(items)]) == 0
    assert [s.text for s in read_graded(out).sentences] == ["A.", "B.", "C.", "D."]
    assert run(words) == 1
    assert "give items, a table of item, condition and sentence" in capsys.readouterr().err


def test_the_order_number_of_a_trial_is_not_its_item(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text(
        "# 1. Time results were received.\n# 2. MD5 hash of participant's IP address.\n"
        "# 3. Item number.\n# 4. Parameter.\n# 5. Value.\n1,ann,7,Choice,good\n"
    )
    with pytest.raises(DataError, match="no answers to items"):
        import_results(file, "pcibex", tmp_path / "out")


def test_an_item_with_two_sentences_is_refused(tmp_path: Path) -> None:
    trials = [
        {"subject": "s", "item": 1, "stimulus": text, "response": 3} for text in ("One.", "Two.")
    ]
    file = tmp_path / "data.json"
    file.write_text(json.dumps(trials))
    with pytest.raises(DataError, match=r"1 has two sentences \(One. / Two.\)"):
        import_results(file, "jspsych", tmp_path / "out")


def test_jspsych_times_and_order_are_kept(tmp_path: Path) -> None:
    trials = [
        {"subject": s, "item": f"i{n}", "set": "a", "response": "good", "rt": 1200 + n}
        for s in ("s1", "s2")
        for n in (4, 2)
    ]
    file = tmp_path / "data.json"
    file.write_text(json.dumps(trials))
    import_results(file, "jspsych", tmp_path / "out")
    rows = [row for _, row in read_table(tmp_path / "out" / "choices.csv")]
    assert [(r["item"], r["order"], r["response_time"]) for r in rows[:2]] == [
        ("i4", "1", "1.204"),
        ("i2", "2", "1.202"),
    ]


@pytest.mark.parametrize("form", ["jspsych", "pcibex", "mturk"])
@pytest.mark.parametrize("name", ["nofile", "nofile.csv", "nofile.json"])
def test_a_file_that_is_not_there_is_said_so(tmp_path: Path, form: Form, name: str) -> None:
    with pytest.raises(DataError, match=r"no file .*nofile"):
        import_results(tmp_path / name, form, tmp_path / "out")


def test_a_file_without_answers_says_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('[{"rt": 3}]')
    with pytest.raises(DataError, match="no answers to items; rows need a participant"):
        import_results(tmp_path / "x.json", "jspsych", tmp_path / "out")
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(DataError, match="broken JSON"):
        import_results(tmp_path / "x.json", "jspsych", tmp_path / "out")
