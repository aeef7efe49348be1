"""`--boundary corrected` and unknown words on the command line."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Command
from tests.runs.test_unknown import ARPA, PAIRS
from tests.small_suites import choice, save

from priscian.records import Text
from priscian.scoring import ScoreStore, score_texts

BIT = math.log(2)


def test_words_are_corrected(priscian: Command, model: str) -> None:
    text = "Nobody remembers naïve café-owners."
    plain = json.loads(priscian("surprisal", model, text, "--words", "--json").out)
    done = priscian("surprisal", model, text, "--words", "--boundary", "corrected", "--json")
    got = json.loads(done.out)
    assert got["boundary"] == "corrected"
    assert "boundary" not in plain
    asked = Text(text)
    scores = score_texts(model, [asked], ScoreStore(), boundary=[asked]).scores[asked]
    masses = scores.channels["boundary"]
    at = dict(zip(scores.starts, masses, strict=False))
    edges = [at[0], *(at[w["start"] - 1] for w in plain["pieces"][1:]), masses[-1]]
    for number, word in enumerate(plain["pieces"]):
        wanted = word["surprisal"] + (edges[number] - edges[number + 1]) / BIT
        assert got["pieces"][number]["surprisal"] == pytest.approx(wanted, abs=1e-3)
    again = json.loads(priscian("surprisal", model, text, "--words", "--json").out)
    assert again == plain


def test_suites_are_corrected_and_say_so(priscian: Command, model: str, in_folder: Path) -> None:
    suites = save(in_folder / "small", choice())
    done = priscian("score", model, "--on", f"sg:{suites}", "--boundary", "corrected", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)[0]["boundary"] == "corrected"


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (("surprisal", "MODEL", "Go.", "--boundary", "corrected"), 2, "add --words"),
        (("surprisal", "MODEL", "Go.", "--words", "--boundary", "on"), 2,
         "--boundary takes plain or corrected, not 'on'"),
        (("surprisal", "builtin:ngram", "Go.", "--words", "--boundary", "corrected"), 1,
         "builtin:ngram cannot be corrected for leading spaces"),
        (("score", "builtin:ngram", "--on", "generated-sg:1,1,cleft", "--boundary", "corrected"), 1,
         "builtin:ngram has no tokens with leading spaces"),
        (("score", "MODEL", "--on", "pairs:pairs.csv", "--boundary", "corrected"), 2,
         "is for regions of suites"),
        (("surprisal", "UNMARKED", "Go.", "--words", "--boundary", "corrected"), 1,
         "does not mark leading spaces"),
    ],
)  # fmt: skip
def test_what_cannot_be_corrected_is_told_in_one_line(
    arguments: tuple[str, ...],
    code: int,
    line: str,
    priscian: Command,
    model: str,
    pairs: Path,
    causal: Callable[..., Path],
    masked: Callable[..., Path],
) -> None:
    known = {"MODEL": model, "UNMARKED": f"hf:{causal('gpt2')}?tokenizer={masked()}&bos=none"}
    done = priscian(*(known.get(a, a) for a in arguments))
    assert done.code == code
    assert len(done.complaints) == 1
    assert line in done.complaints[0]


@pytest.mark.filterwarnings("ignore:.*worse than guessing")
def test_pairs_that_differ_in_unknown_words_are_told_in_one_line(
    priscian: Command, in_folder: Path
) -> None:
    (in_folder / "t.arpa").write_text(ARPA)
    (in_folder / "odd.csv").write_text(PAIRS)
    done = priscian("score", "ngram:t.arpa", "--on", "pairs:odd.csv", "--out", "run")
    told = [x for x in done.out.splitlines() if "unknown words" in x]
    assert len(told) == 1
    assert "2 of 4 pairs differ in unknown words (most in odd: 2 of 4)" in told[0]
    (in_folder / "all.csv").write_text("good,bad\nThe nurse has,The nurse had\n")
    done = priscian("score", "ngram:t.arpa", "--on", "pairs:all.csv", "--out", "all")
    assert done.out.count("they say little about grammar\n") == 1  # and no accuracy of nothing
    save(in_folder / "small", choice())
    done = priscian("score", "ngram:t.arpa", "--on", "sg:small", "--out", "suites")
    assert "2 of 2 items differ in unknown words (most in choice: 2 of 2)\n" in done.out
    (in_folder / "even.csv").write_text("good,bad\nThe nurse has,nurse The has\n")
    done = priscian("score", "ngram:t.arpa", "--on", "pairs:even.csv", "--out", "two")
    assert "unknown words" not in done.out
