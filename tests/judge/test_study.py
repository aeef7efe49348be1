"""Study files: presets that run as they are, and one clear line for every mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from priscian.cli import run
from priscian.errors import DataError, UnknownNameError
from priscian.judge.app.site import render
from priscian.judge.check import has_html, problems
from priscian.judge.frozen import build, decode, encode
from priscian.judge.opening import new_study
from priscian.judge.study import PRESETS, parse_study, preset
from tests.judge.studies import complaints, make

MINIMAL = 'name = "x"\ntask = "choice"\n[items]\nsource = "generated:1"\n'


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_runs_as_it_is(name: str, tmp_path: Path) -> None:
    made = new_study(name, "generated:7,2,adjunct_island,wh_island", tmp_path / "study")
    assert not list(problems(made.frozen.study))
    assert decode(encode(made.frozen)) == made.frozen


def test_an_unknown_preset_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean likert"):
        preset("likret")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("taks = 1\n" + MINIMAL, "no key in study.toml 'taks'; did you mean task"),
        (
            MINIMAL + "[scale]\npoinst = 7",
            r"no key in \[scale\] of study.toml 'poinst'; did you mean points",
        ),
        (MINIMAL + "[[checks.comprehension]]\nqestion = 1", "did you mean question"),
        ('name = "x"\ntask = "rating"\n[items]\n', "no task in study.toml 'rating'; known"),
        (
            MINIMAL + '[scale]\npoints = "7"',
            r"\[scale\]: Expected `int`, got `str`.*points",
        ),
        (MINIMAL + "[scale]\npoints = 12", "scale.points = 12; it takes a number from 2 to 9"),
        (MINIMAL + "[scale]\nmodulus = 0", "scale.modulus = 0; it takes a number greater than 0"),
        (MINIMAL + "[targets]\nresume_within = inf", "targets.resume_within = inf; it takes"),
        (
            MINIMAL + "[checks.texts]\nlikrt = 'x'",
            r"no key in \[checks.texts\] .*'likrt'",
        ),
        (MINIMAL + "[[checks.comprehension]]\nquestion = 'a'", "missing required field `options`"),
        ('name = "x"\n[items]\n', "missing required field `task`"),
        ("name = ", "not valid TOML"),
        (f"seed = {'9' * 5000}\n" + MINIMAL, "TOML"),
        (f"name = {'[' * 5000}", "TOML"),
    ],
)
def test_a_mistake_in_the_file_is_one_line(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said) as caught:
        parse_study(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('language = "english language"', "language"),
        ('demographics = ["shoe_size"]', "demographics: no question 'shoe_size'"),
        ("[pages]\nwelcome = 'a <b>bold</b> word'", "pages.welcome: HTML"),
        ("[exclusion]\nnative = ['en']", "exclusion.native: nobody is asked"),
        ("[exclusion]\nfailed_checks = 1", "the study has no checks"),
        ("[checks]\ngold_per_sitting = 2", "no table of gold"),
        ("[platform]\nkind = 'prolific'", "platform.complete"),
        ("[platform]\nkind = 'sona'", "platform.sona_url"),
        ("[targets]\nstale_after = 0", "targets.stale_after"),
        ("[order]\nsame_in_a_row = -1", "order.same_in_a_row"),
        (
            "[checks]\ninstructed = 99999999999",
            "checks.instructed = 99999999999; it takes",
        ),
        ("[words]\ncontinu = 'Weiter'", "did you mean continue"),
        (
            "[[checks.comprehension]]\nquestion='q'\noptions=['a','b']\nanswer='c'",
            "the answer 'c' is not among",
        ),
    ],
)
def test_every_rule_of_a_study_is_checked(more: str, said: str) -> None:
    text = f"{more}\n{MINIMAL}" if not more.startswith("[") else f"{MINIMAL}{more}"
    assert any(said in line for line in complaints(text))


# as Priscian 0.2.0 computed them
@pytest.mark.parametrize(
    ("task", "sha"), [("choice", "09f6ec74"), ("likert", "c554eaea"), ("magnitude", "2baffd51")]
)
def test_a_study_that_uses_no_new_setting_keeps_its_hash(
    tmp_path: Path, task: str, sha: str
) -> None:
    study = make(tmp_path, task, "[checks]\ninstructed = 1\n")
    assert build(study).hash.startswith(sha)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"Good sentence 3."', '"Gold sentence 3."'),
        ('"side":"left"', '"side":"right"'),
        ('"per_sitting":0', '"per_sitting":1'),
        ('"p4":{"id":"p4"', '"p5":{"id":"p4"'),
        ('"hash":"0', '"hash":"1'),
    ],
)
def test_a_frozen_study_that_was_changed_is_refused(tmp_path: Path, old: str, new: str) -> None:
    body = encode(build(make(tmp_path, "choice", "[checks]\ninstructed = 1\n"))).decode()
    assert decode(body).study.name == "small"
    assert old in body
    with pytest.raises(DataError, match=r"frozen\.json: changed since it was frozen"):
        decode(body.replace(old, new, 1))


def test_an_item_without_its_condition_is_named(tmp_path: Path) -> None:
    table = "id,set,lexicalisation,condition,sentence\n1,a,x,good,A.\n2,a,x,,B.\n"
    with pytest.raises(DataError, match=r"items\.csv:3: an item without its condition"):
        build(make(tmp_path, "likert", items=table))
    table = "id,set,lexicalisation,condition,sentence\n" + "".join(
        f"{n}{c},a,{n},{c},S.\n" for n in range(3) for c in ("good", "bad") if (n, c) != (2, "bad")
    )
    with pytest.raises(DataError, match="no condition 'bad', which others of a have"):
        build(make(tmp_path, "likert", items=table))


def test_an_id_that_is_used_twice_is_named(tmp_path: Path) -> None:
    table = "id,set,good,bad\n1,a,A.,B.\n1,a,C.,D.\n"
    with pytest.raises(DataError, match="the id '1' is used twice"):
        build(make(tmp_path, items=table))


def test_a_list_that_cannot_be_balanced_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"list 3 cannot be balanced: 3 lists"):
        build(make(tmp_path, "likert", "[lists]\nnumber = 3\n"))


def test_a_list_that_cannot_be_ordered_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="list 1 cannot be ordered: it has 4 items of"):
        build(make(tmp_path, "choice", "[order]\nbetween_same_set = 4\n"))


def test_markdown_escapes_everything_else() -> None:
    assert has_html("<script>")
    assert not has_html("a < b")
    assert render('[x](javascript:alert) "<') == "<p>[x](javascript:alert) &quot;&lt;</p>"
    assert render("# T\n\n*a* [b](https://c.d/e)") == (
        '<h2>T</h2>\n<p><em>a</em> <a href="https://c.d/e" rel="noreferrer noopener">b</a></p>'
    )


@pytest.mark.parametrize(
    "words",
    [["status"], ["export", "--out", "x"], ["agreement"], ["backup", "--out", "x"], ["serve"]],
)
def test_a_folder_without_a_study_is_named_and_not_made(
    words: list[str], in_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["judge", words[0], "nowhere", *words[1:]]) == 1
    said = capsys.readouterr().err
    assert "no study 'nowhere/study.toml'; make one with priscian judge new" in said
    assert said.count("\n") == 1
    assert not list(in_folder.iterdir())


def test_the_commands_make_check_and_freeze_a_study(
    in_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["judge", "new", "--preset", "fc", "--on", "generated:1,3,wh_island"]) == 0
    assert run(["judge", "check", "study"]) == 0
    assert "3 items in 2 lists" in capsys.readouterr().out
    assert run(["judge", "freeze", "study"]) == 0
    assert "version 1" in capsys.readouterr().out
    assert run(["judge", "new", "--preset", "fc", "--on", "generated:1,3,wh_island"]) == 2
