"""`priscian generate sg`: suites as SyntaxGym files."""

from __future__ import annotations

import json

import pytest
from tests.cli.conftest import Command

from priscian.suites import Suite, find, generate_suite
from priscian.suites.registry import CATALOGUE

pytestmark = pytest.mark.usefixtures("catalogues")


def test_suites_are_written_with_a_manifest(priscian: Command, tmp_path) -> None:
    out = tmp_path / "sg"
    only = "number_prep,npi_src_any"
    done = priscian("generate", "sg", "--seed", "5", "--only", only, "-n", "4", "--out", str(out))
    assert done.code == 0, done.err
    assert "8 items of 2 suites" in done.out
    assert sorted(path.name for path in out.iterdir()) == [
        "manifest.json", "npi_src_any.json", "number_prep.json",
    ]  # fmt: skip
    assert json.loads((out / "number_prep.json").read_text()) == generate_suite("number_prep", 4, 5)


def test_an_unknown_suite_and_a_file_of_paradigms_are_refused(priscian: Command, tmp_path) -> None:
    out = str(tmp_path / "sg")
    done = priscian("generate", "sg", "--seed", "1", "--only", "number_prop", "--out", out)
    assert done.code == 2
    assert "number_prep" in done.err
    done = priscian("generate", "sg", "--seed", "1", "--paradigms", "mine.py", "--out", out)
    assert done.code == 2
    assert "--paradigms goes with blimp" in done.err


def test_a_suite_that_runs_dry_is_one_line_and_the_others_are_written(
    priscian: Command, tmp_path, monkeypatch
) -> None:
    known = find("number_orc")
    dry = Suite("dry", "None", ("a",), ("(1;%x%)>0",), lambda g: {"x": ["cats"]}, "dry")
    monkeypatch.setitem(CATALOGUE.entries, "dry", dry)
    out = tmp_path / "sg"
    only = f"dry,{known.name}"
    done = priscian("generate", "sg", "--seed", "1", "--only", only, "-n", "2", "--out", str(out))
    assert done.code == 1
    assert "dry: only 1 items that differ enough, not 2" in done.err
    assert "1 of 2 suites could not be generated" in done.err
    assert sorted(path.name for path in out.iterdir()) == ["manifest.json", "number_orc.json"]


def test_a_suite_of_ones_own_is_shown_and_written(priscian: Command, tmp_path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from priscian.suites import suite\n\n\n"
        '@suite("mine", circuit="Mine", regions=["who", "what"], predictions=["(2;%a%)<(2;%b%)"])\n'
        "def mine(g):\n"
        '    """The nurse waits. / *The nurse wait."""\n'
        '    noun, verb = g.noun("person"), g.verb("unerg", subject="person")\n'
        '    who = f"the {noun.singular.text}"\n'
        '    return {"a": [who, verb.lemma + "ed"], "b": [who, verb.lemma]}\n',
        encoding="utf-8",
    )
    shown = priscian("show", "sg/mine", "--suites", str(file), "-n", "1")
    assert shown.code == 0, shown.err
    assert "mine (Mine)" in shown.out
    beyond = priscian("show", "sg/number_prep", "--item", "150")
    assert (beyond.code, "item 150" in beyond.out) == (0, True)
    out = tmp_path / "out"
    words = ("generate", "sg", "--suites", str(file), "--seed", "1", "-n", "5", "--out", str(out))
    done = priscian(*words)
    assert done.code == 0, done.err
    assert sorted(path.name for path in out.iterdir()) == ["manifest.json", "mine.json"]
    wrong = priscian("generate", "blimp", "--suites", str(file), "--seed", "1", "--out", str(out))
    assert wrong.code == 2
    assert "--suites goes with sg" in wrong.err


def test_a_suite_with_words_for_one_item_can_be_shown(priscian: Command, tmp_path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from priscian.suites import suite\n\n\n"
        '@suite("begun", circuit="Mine", regions=["a"], predictions=["(1;%x%)<(1;%y%)"])\n'
        'def begun(g):\n    return {"x": ["cats sleep"], "y": ["cats sleeps"]}\n',
        encoding="utf-8",
    )
    shown = priscian("show", "sg/begun", "--suites", str(file), "-n", "1")
    assert (shown.code, shown.complaints) == (0, [])
    assert "Cats sleeps" in shown.out
