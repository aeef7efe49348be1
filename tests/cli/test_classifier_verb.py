"""`priscian train classifier` over the command line, and what it refuses in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Command
from tests.training.classifiers.toy_cola import write_cola


@pytest.fixture
def cola(in_folder: Path) -> str:
    return f"cola:{write_cola(in_folder / 'cola')}"


def test_from_training_to_the_table_and_its_pictures(priscian: Command, cola: str) -> None:
    done = priscian("train", "classifier", "--method", "ngrams", "--on", cola, "--out", "bag")
    assert done.code == 0
    assert "use it as classifier:bag" in done.out
    assert "chosen on in-domain dev" in done.out
    shown = priscian("analyse", "cola", "bag", "--figures", "pictures")
    assert shown.code == 0
    for part in (
        "people",
        "0.697 (0.042)",
        "BERT-large-cased",
        "Adjunct",
        "Figures written to pictures",
    ):
        assert part in shown.out
    assert "unseen" in shown.out
    assert "bag: the training sentences include no tested sentence" in shown.out
    assert Path("pictures/cola-major.svg").is_file()
    found = json.loads(priscian("analyse", "cola", "bag", "--json").out)
    assert found["restarts"]["models"]["bag"]["restarts"] == 1
    assert found["restarts"]["models"]["bag"]["unseen"]["out-of-domain test"]["n"] == 40
    assert len(found["restarts"]["notes"]) == 2
    again = priscian("train", "classifier", "--method", "ngrams", "--on", cola, "--out", "bag")
    assert again.code == 1
    assert "continue it with --resume" in again.err


def test_a_classifier_that_is_gone_is_named_below_the_adc(priscian: Command, cola: str) -> None:
    rows = ("sentence,rating,acceptable,phenomenon,lexicalisation", "Ann saw a dog.,1,1,a,1",
            "Ann saw saw a dog.,-1,0,a,1", "Ben fed a cat.,.9,1,b,1",
            "Ben fed fed a cat.,-.8,0,b,1",
            "Cleo met Dan.,.5,1,c,1", "Cleo met met Dan.,-.5,0,c,1")  # fmt: skip
    Path("rated.csv").write_text("\n".join(rows))
    priscian("train", "classifier", "--method", "ngrams", "--on", cola, "--out", "bag")
    priscian("score", "classifier:bag", "--on", "graded:rated.csv", "--out", "run")
    Path("bag").rename("moved")
    done = priscian("analyse", "adc", "run")
    assert done.code == 0, done.err
    assert "classifier:bag is not shown three ways: no classifier in" in done.out


def test_the_papers_selection_is_named(priscian: Command, cola: str) -> None:
    given = ["--method", "majority", "--on", cola, "--out", "m", "--select", "paper"]
    done = priscian("train", "classifier", *given)
    assert "chosen on out-of-domain test, as the paper did" in done.out
    assert "1 collapsed" in done.out
    assert "test (as the paper)" in priscian("analyse", "cola", "m", "--features", "none").out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--encoder", "builtin:ngram"], "has no hidden states to train on"),
        (["--encoder", "MASKED", "--layer", "40"], "has no layer 40; it has 0 (embeddings) to 2"),
        (
            ["--encoder", "MASKED", "--on", "cola:nowhere"],
            "give the folder of CoLA's public",
        ),
        (["--encoder", "MASKED", "--on", "sg"], "give --on cola:DIR"),
        (["--method", "ngrams", "--without-source", "zz99"], "have no source 'zz99'"),
        (["--method", "ngrams", "--seed", "-1"], "it takes a number from 0 to 4,294,967,295"),
        (["--method", "ngrams", "--layer", "1"], "reads no hidden states; leave --layer out"),
        (
            ["--method", "logp", "--encoder", "builtin:ngram", "--pooling", "mean"],
            "reads no hidden states; leave --pooling out",
        ),
        (["--method", "prob"], "did you mean probe?"),
        (["--encoder", "MASKED", "--restarts", "3"], "leave --restarts out"),
    ],
)
def test_bad_input_is_one_line_with_a_remedy(
    arguments: list[str],
    told: str,
    priscian: Command,
    cola: str,
    masked: Callable[..., Path],
) -> None:
    given = [str(masked()) if a == "MASKED" else a for a in arguments]
    on = [] if "--on" in given else ["--on", cola]
    done = priscian("train", "classifier", *given, *on, "--out", "x", "--quiet")
    assert done.code in (1, 2)
    assert len(done.complaints) == 1
    assert told in done.complaints[0]


def test_a_threshold_is_not_recommended_as_a_model(priscian: Command, cola: str) -> None:
    given = ["--method", "logp", "--encoder", "builtin:ngram", "--on", cola, "--out", "lp"]
    done = priscian("train", "classifier", *given)
    assert done.code == 0
    assert done.out.rstrip().endswith("restart-1")
    assert "classifier:lp" not in done.out


def test_one_class_is_one_line(priscian: Command, cola: str) -> None:
    file = Path("cola/cola_in_domain_train.csv")
    file.write_text(file.read_text().replace(",0,,", ",1,,"))
    done = priscian("train", "classifier", "--method", "ngrams", "--on", cola, "--out", "x")
    assert done.code == 1
    assert "a classifier needs acceptable and unacceptable ones" in done.complaints[-1]


def test_a_classifier_asked_for_surprisals_is_one_line(priscian: Command, cola: str) -> None:
    priscian("train", "classifier", "--method", "majority", "--on", cola, "--out", "m", "--quiet")
    Path("text.txt").write_text("Go.\n")
    for verb in (["surprisal", "m", "Go."], ["perplexity", "m", "text.txt"]):
        done = priscian(*verb)
        assert done.code == 1
        assert len(done.complaints) == 1
        assert "has no surprisals of tokens or regions; use a language model" in done.complaints[0]
    done = priscian("score", "m", "--on", "generated-sg:7,2,mvrr")
    assert done.code == 2
    assert "has one number for a whole sentence" in done.complaints[0]
