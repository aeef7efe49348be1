"""`priscian analyse adc`, and graded data under `priscian score`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Command

from priscian.datasets.generation import generate_set

SENTENCES = (
    "id,sentence,rating,acceptable,phenomenon,lexicalisation\n"
    "g1,She has admired us!,1.0,1,order,1\nb1,Us she admired has!,-1.0,0,order,1\n"
    "g2,Go now.,0.2,1,order,2\nb2,Now the go.,0.5,0,order,2\n"
)
SCORES = "id,m,n\ng1,2,1\nb1,-2,3\ng2,1,0\nb2,-1,-4\n"


@pytest.fixture
def rated(in_folder: Path) -> Path:
    (in_folder / "scores.csv").write_text(SCORES)
    path = in_folder / "rated.csv"
    path.write_text(SENTENCES)
    return path


def test_json(priscian: Command, rated: Path) -> None:
    done = priscian("analyse", "adc", rated, "--scores", "scores.csv", "--json")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    assert list(found) == ["pairs", "models", "pearson"]
    assert found["pairs"] == 2
    assert found["models"]["m"]["blimp"] == 1.0
    assert list(found["models"]["n"]["adc"]) == ["0.5", "1.0", "5.0"]
    assert found["pearson"]["human"]["human"] == 1.0


def test_two_sources_are_shown_apart(priscian: Command, in_folder: Path) -> None:
    rows = [line.split(",", 5) for line in SENTENCES.splitlines()]
    sources = ["source", "one", "one", "two", "two"]
    table = [",".join([*row, source]) for row, source in zip(rows, sources, strict=True)]
    (in_folder / "rated.csv").write_text("\n".join(table) + "\n")
    (in_folder / "scores.csv").write_text(SCORES)
    done = priscian("analyse", "adc", "rated.csv", "--scores", "scores.csv")
    assert "By source" in done.out
    assert [w in done.out for w in ("one", "two")] == [True, True]


def test_a_table_pictures_and_lists(priscian: Command, rated: Path, in_folder: Path) -> None:
    done = priscian(
        "analyse", "adc", rated, "--scores", "scores.csv", "--compare", "m,n", "--delta", "1,3",
        "--figures", "pictures", "--lists", "lists", "--form-pairs", "phenomenon",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "ADC, δ = 3.0" in done.out
    assert "recall 1.0000, precision 1.0000" in done.out
    assert (in_folder / "pictures" / "scatter.svg").is_file()
    assert (in_folder / "lists" / "m-not-n.csv").is_file()


def test_a_run_folder_is_enough(priscian: Command, rated: Path) -> None:
    """The data and the scores are those of the run."""
    scored = priscian("score", "builtin:ngram", "builtin:lstm", "--on", f"graded:{rated}",
                      "--out", "run")  # fmt: skip
    assert scored.code == 0, scored.err
    done = priscian("analyse", "adc", "run", "--json")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    assert set(found["models"]) == {"builtin:lstm", "builtin:ngram"}
    beside = json.loads(priscian("analyse", "adc", rated, "--scores", "run", "--json").out)
    assert (found["pairs"], found["models"]) == (beside["pairs"], beside["models"])


def test_a_run_without_ratings_says_what_is_needed(priscian: Command, pairs: Path) -> None:
    priscian("score", "builtin:ngram", "--on", f"pairs:{pairs}", "--out", "run")
    done = priscian("analyse", "adc", "run")
    (line,) = done.complaints
    assert done.code == 2
    assert "run has no result on graded data; score with --on li-adger:DIR or graded:FILE" in line


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (("--delta", "0"), 2, "δ = 0: the allowed deviation must be above 0"),
        (("--delta", "-1"), 2, "δ = -1: the allowed deviation must be above 0"),
        (("--delta", "half"), 2, "not numbers separated by commas"),
        (("--rule", "stric"), 2, "no rule 'stric'; did you mean strict?"),
        (("--ddof", "3"), 2, "ddof is 0 or 1"),
        (("--compare", "m"), 2, "--compare takes two models"),
        (("--compare", "m,k"), 2, "no model 'k'"),
        (("--form-pairs", "none.json"), 1, "no file 'none.json'"),
    ],
)
def test_bad_options(
    priscian: Command, rated: Path, arguments: tuple[str, ...], code: int, line: str
) -> None:
    done = priscian("analyse", "adc", rated, "--scores", "scores.csv", *arguments)
    assert done.code == code
    assert len(done.complaints) == 1
    assert line in done.complaints[0]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("-1.0,0,", "low,0,", "the rating is 'low', not a number"),
        ("-1.0,0,", ",0,", "sentence 'b1' of the pair g1 / b1 has no rating"),
        ("b2,Now", "g2,Now", "id 'g2' is used for several sentences"),
    ],
)
def test_bad_ratings(priscian: Command, rated: Path, old: str, new: str, line: str) -> None:
    rated.write_text(SENTENCES.replace(old, new))
    done = priscian("analyse", "adc", rated, "--scores", "scores.csv")
    assert done.code == 1
    assert len(done.complaints) == 1
    assert line in done.complaints[0]


def test_constant_scores(priscian: Command, rated: Path, in_folder: Path) -> None:
    (in_folder / "scores.csv").write_text("id,m\ng1,1\nb1,1\ng2,1\nb2,1\n")
    done = priscian("analyse", "adc", rated, "--scores", "scores.csv")
    assert (done.code, len(done.complaints)) == (1, 1)
    assert "m: all 4 scores are 1, so z-scores are undefined" in done.complaints[0]


def test_nothing_there(priscian: Command) -> None:
    done = priscian("analyse", "adc", "nowhere")
    assert (done.code, len(done.complaints)) == (1, 1)
    assert "no file or folder 'nowhere'" in done.complaints[0]


class TestScore:
    def test_a_model_on_graded_data(
        self, priscian: Command, model: str, rated: Path, in_folder: Path
    ) -> None:
        done = priscian("score", model, "--on", f"graded:{rated}", "--out", "run", "--json")
        assert done.code == 0, done.err
        (summary,) = json.loads(done.out)
        graded = summary["graded"]
        assert (graded["pairs"], graded["rated_pairs"], graded["sentences"]) == (2, 2, 4)
        assert list(graded["adc"]) == ["0.5", "1.0", "5.0"]
        assert summary["methods"]["full"]["overall"]["accuracy"] == graded["blimp"]["accuracy"]
        again = priscian("analyse", "adc", rated, "--scores", "run", "--json")
        found = json.loads(again.out)["models"]["tiny"]
        assert found["blimp"] == graded["blimp"]["accuracy"]
        assert found["adc"] == {d: a["accuracy"] for d, a in graded["adc"].items()}

    def test_scores_from_elsewhere(self, priscian: Command, rated: Path, in_folder: Path) -> None:
        done = priscian(
            "score", "--from-scores", "scores.csv", "--on", f"graded:{rated}", "--out", "run"
        )
        assert done.code == 0, done.err
        assert "ADC, δ = 0.5" in done.out
        summary = json.loads((in_folder / "run" / "m" / "rated" / "summary.json").read_text())
        assert summary["graded"]["blimp"]["accuracy"] == 1.0
        assert json.loads((in_folder / "run" / "run.json").read_text())["status"] == "finished"

    def test_scores_from_elsewhere_on_plain_pairs(self, priscian: Command, pairs: Path) -> None:
        Path("s.csv").write_text(
            "sentence,m\nShe has admired us!,-1\nUs she admired has!,-2\n"
            "Go now.,-3\nNow the go.,-2\n"
        )
        done = priscian("score", "--from-scores", "s.csv", "--on", f"pairs:{pairs}", "--json")
        (summary,) = json.loads(done.out)
        assert summary["methods"]["full"]["overall"]["accuracy"] == 0.5
        assert "graded" not in summary

    def test_scores_of_whole_sentences_judge_no_prefixes(
        self, priscian: Command, in_folder: Path
    ) -> None:
        uid = "anaphor_number_agreement"
        made = generate_set(uid, n=4, seed=7)
        texts = [s.text for item in made.items for s in item.conditions.values()]
        rows = "".join(f'"{text}",{-number}\n' for number, text in enumerate(texts))
        Path("s.csv").write_text(f"sentence,m\n{rows}")
        done = priscian("score", "--from-scores", "s.csv", "--on", f"generated:7,4,{uid}", "--json")
        (summary,) = json.loads(done.out)
        assert list(summary["methods"]) == ["full"]

    def test_a_score_that_is_missing(self, priscian: Command, pairs: Path) -> None:
        Path("s.csv").write_text("sentence,m\nShe has admired us!,-1\n")
        done = priscian("score", "--from-scores", "s.csv", "--on", f"pairs:{pairs}")
        assert (done.code, len(done.complaints)) == (1, 1)
        assert "m has no score for 'Us she admired has!'" in done.complaints[0]

    def test_scores_and_a_model_at_once(self, priscian: Command, pairs: Path) -> None:
        done = priscian("score", "smollm2", "--from-scores", "s.csv", "--on", f"pairs:{pairs}")
        assert done.code == 2
        assert "--from-scores takes no model" in done.complaints[0]

    def test_pairs_without_ratings_are_told(
        self, priscian: Command, model: str, rated: Path
    ) -> None:
        rated.write_text(SENTENCES.replace("-1.0,0,", ",0,"))
        done = priscian("score", model, "--on", f"graded:{rated}", "--out", "run", "--json")
        assert done.code == 0
        assert "1 of 2 pairs have a sentence without a rating" in done.err
        (summary,) = json.loads(done.out)
        assert summary["graded"]["rated_pairs"] == 1

    def test_our_own_set_has_no_ratings(self, priscian: Command, model: str) -> None:
        done = priscian("score", model, "--on", "graded:textbook", "--limit", "1", "--out", "run")
        assert done.code == 0, done.err
        assert "without ratings" in done.out


def test_scores_from_elsewhere_have_no_measure(priscian: Command, rated: Path) -> None:
    done = priscian(
        "score", "--from-scores", "scores.csv", "--on", f"graded:{rated}", "--measure", "slor"
    )
    assert done.code == 2
    assert done.complaints == [
        "priscian: --from-scores takes scores as they are; leave --measure out"
    ]
