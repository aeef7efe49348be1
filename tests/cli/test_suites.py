"""Suites on the command line: score, show, export, and one line for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Command
from tests.small_suites import choice, garden, save


@pytest.fixture
def suites(in_folder: Path) -> Path:
    return save(in_folder / "small", garden(), choice())


@pytest.fixture
def run(priscian: Command, suites: Path, model: str) -> Path:
    done = priscian("score", model, "--on", f"sg:{suites}", "--out", "run")
    assert done.code == 0, done.err
    assert "SG score (mean of 2 suites)" in done.out
    return Path("run")


def test_summaries_are_printed_as_json(priscian: Command, suites: Path, model: str) -> None:
    done = priscian("score", model, "--on", f"sg:{suites}", "--json", "--tie", "fail",
                    "--predictions", "all", "--punctuation", "detached")  # fmt: skip
    (summary,) = json.loads(done.out)
    assert summary["suites"]["choice"]["n"] == 2
    assert (summary["tie"], summary["predictions"]) == ("wrong", "all")
    assert summary["punctuation"] == "detached"


def test_an_item_is_shown_with_regions_and_surprisals(priscian: Command, run: Path) -> None:
    done = priscian("show", "sg/garden", "--item", "2", "--run", run)
    assert done.code == 0, done.err
    for part in ("item 2", "5 main verb", "the lawyer", "plain", "tiny"):
        assert part in done.out
    rows = json.loads(priscian("show", "sg/garden", "--item", "2", "--run", run, "--json").out)
    told = rows[0]["conditions"]["plain"]
    assert told["text"] == "While she painted the lawyer forgot us."
    assert told["regions"][4] == "forgot"
    assert len(told["surprisal"]["tiny"]) == 6
    assert told["surprisal"]["tiny"][2] == 0.0


def test_a_file_is_shown_without_a_run(priscian: Command, suites: Path) -> None:
    done = priscian("show", suites / "choice.json", "-n", "1")
    assert "The nurse" in done.out
    assert "Some geese" not in done.out
    assert "(2;%good%)<(2;%bad%)" in done.out


def test_means_are_drawn(priscian: Command, run: Path) -> None:
    done = priscian("show", "sg/garden", "--run", run, "--plot", "plot.svg")
    assert "mean surprisal by region, in bits (3 items)" in done.out
    drawn = Path("plot.svg").read_text()
    assert drawn.startswith("<svg")
    assert "main verb" in drawn
    assert "garden" not in drawn  # the caption of a paper names the suite
    assert priscian("show", "sg/garden", "--run", run, "--plot", "plot.png").code == 0
    assert Path("plot.png").read_bytes().startswith(b"\x89PNG")
    rows = json.loads(priscian("show", "sg/garden", "--run", run, "--json").out)
    assert len(rows["tiny"]) == 4 * 6


def test_an_evaluated_suite_is_exported(priscian: Command, run: Path) -> None:
    done = priscian("export", run, "--format", "syntaxgym", "--out", "evaluated")
    assert done.code == 0, done.err
    data = json.loads(Path("evaluated/tiny/small/choice.json").read_text())
    region = data["items"][0]["conditions"][0]["regions"][0]
    assert region["metric_value"]["sum"] > 0


def test_suites_are_listed(priscian: Command) -> None:
    rows = json.loads(priscian("list", "suites", "--json").out)
    mvrr = next(row for row in rows if row["suite"] == "mvrr")
    assert mvrr["circuit"] == "Garden-Path Effects"
    assert mvrr["chance"] == "0.292"
    assert "“Disambiguator” is more surprising in reduced_ambig than in" in mvrr["prediction"]


def test_a_shown_suite_says_its_formula_in_words(priscian: Command) -> None:
    done = priscian("show", "sg/number_prep", "-n", "1")
    said = " ".join(done.out.split())
    assert (
        "prediction: “matrix_v” is less surprising in match_sing than in mismatch_sing, and" in said
    )
    assert "formula: ((6;%match_sing%)<(6;%mismatch_sing%))" in said


class TestBadInput:
    def test_a_broken_suite_is_one_line_and_the_others_go_on(
        self, priscian: Command, suites: Path, model: str
    ) -> None:
        broken = garden("broken")
        del broken["items"][1]["conditions"][2]
        save(suites, broken)
        done = priscian("score", model, "--on", f"sg:{suites}", "--out", "run")
        assert done.code == 1
        (line,) = done.complaints
        assert "broken.json: item 2: condition 'plain' is missing" in line
        summary = json.loads(Path("run/tiny/small/summary.json").read_text())
        assert summary["suites"].keys() == {"garden", "choice"}

    def test_two_broken_suites_are_two_lines(
        self, priscian: Command, suites: Path, model: str
    ) -> None:
        save(suites, choice("odd", ("(2;%fine%)<(2;%bad%)",)), choice("far", ("(9;%bad%)<1",)))
        done = priscian("score", model, "--on", f"sg:{suites}", "--out", "run")
        assert done.code == 1
        far, odd = done.complaints
        assert "far.json: prediction 0: no region 9" in far
        assert "odd.json: prediction 0, character 5: no condition 'fine'" in odd

    def test_a_table_that_lacks_a_sentence(self, priscian: Command, suites: Path) -> None:
        rows = [f"{s} {v} {e}\t{w}\t1" for s, v, e in (("The nurse", "has", "forgotten"),)
                for w in f"{s} {v} {e}".split()]  # fmt: skip
        Path("t.tsv").write_text("\n".join(["sentence\ttoken\tsurprisal", *rows]) + "\n")
        done = priscian("score", "surprisals:t.tsv", "--on", f"sg:{suites}", "--out", "run")
        assert done.code == 1
        assert len(done.complaints) == 1
        assert "item 1, condition 'bad': t.tsv: no surprisals of the sentence" in done.err

    @pytest.mark.parametrize(
        ("arguments", "code", "says"),
        [
            (("score", "MODEL", "--on", "sg:gone"), 1, "no file or folder 'gone'"),
            (("score", "MODEL", "--on", "sg:small", "--tie", "maybe"), 2, "no tie rule 'maybe'"),
            (("score", "MODEL", "--on", "sg:small", "--eos", "x"), 2, "--eos takes"),
            (("score", "MODEL", "--on", "sg:small", "--suites", "31"), 2, "none of the suites"),
            (("show", "sg/garden", "--plot", "a.svg"), 2, "add --run RUN"),
            (("show", "sg/gardn", "--item", "1"), 2, "no suite 'gardn'"),
            (("show", "small/choice.json", "--item", "7"), 1, "has no item 7; its items are 1 to"),
            (("show", "adjunct_island", "--item", "7"), 2, "need a suite"),
            (("show", "sg/garden", "--run", "gone"), 1, "not a run folder"),
        ],
    )
    def test_a_mistake_is_one_line(
        self, priscian: Command, suites: Path, model: str, arguments: tuple[str, ...], code: int,
        says: str,
    ) -> None:  # fmt: skip
        done = priscian(*(model if a == "MODEL" else a for a in arguments))
        assert done.code == code, done.err
        (line,) = done.complaints
        assert says in line

    def test_a_plot_of_another_kind_is_refused(self, priscian: Command, run: Path) -> None:
        done = priscian("show", "sg/garden", "--run", run, "--plot", "plot.gif")
        assert done.code == 2
        assert "does not end in .svg, .png or .pdf" in done.complaints[0]
