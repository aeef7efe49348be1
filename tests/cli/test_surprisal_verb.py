"""`priscian surprisal`: tables for reading-time work, JSON lines, colours."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from priscian import load_model

Command = Callable[..., Any]
TEXTS = ["Nobody in the village doesn't remember naïve café-owners.", "Two  spaces and\ta tab."]
HEADER = "text\tline\tindex\tword\tstart\tend\tlength\tsurprisal"


def table(out: str) -> list[dict[str, str]]:
    assert out.split("\n")[0] == HEADER
    return list(csv.DictReader(io.StringIO(out, newline=""), delimiter="\t"))


def test_tokens_have_the_bits_that_the_model_gives(priscian: Command, model: str) -> None:
    done = priscian("surprisal", model, *TEXTS)
    assert (done.code, done.err) == (0, "")
    rows = table(done.out)
    loaded = load_model(model)
    for number, text in enumerate(TEXTS, 1):
        mine = [r for r in rows if r["text"] == str(number)]
        wanted = loaded.surprisals(text)
        assert [float(r["surprisal"]) for r in mine] == pytest.approx(
            [bits for _, bits in wanted], abs=1e-3
        )
        assert [text[int(r["start"]) : int(r["end"])] for r in mine] == [t for t, _ in wanted]
        assert [int(r["index"]) for r in mine] == list(range(1, len(mine) + 1))


def test_words_stand_where_they_stand_and_sum_to_the_text(priscian: Command, model: str) -> None:
    rows = table(priscian("surprisal", model, *TEXTS, "--words").out)
    loaded = load_model(model)
    for number, text in enumerate(TEXTS, 1):
        mine = [r for r in rows if r["text"] == str(number)]
        assert [r["word"] for r in mine] == text.split()
        for row in mine:
            start, end = int(row["start"]), int(row["end"])
            assert text[start:end] == row["word"]
            assert int(row["length"]) == len(row["word"]) == end - start
        total = sum(float(r["surprisal"]) for r in mine)
        assert total == pytest.approx(-loaded.logprob(text) / math.log(2), abs=1e-3)


def test_a_word_is_the_sum_of_its_pieces(priscian: Command, model: str) -> None:
    text = "She was looking at us!"
    tokens = table(priscian("surprisal", model, text).out)
    words = table(priscian("surprisal", model, text, "--words").out)
    assert len(tokens) > len(words)
    for word in words:
        # a space belongs to the word that follows it
        inside = [
            float(t["surprisal"])
            for t in tokens
            if int(word["start"]) <= int(t["end"]) - len(t["word"].lstrip()) < int(word["end"])
        ]
        assert float(word["surprisal"]) == pytest.approx(sum(inside), abs=1e-5)


def test_json_lines_hold_the_same(priscian: Command, model: str) -> None:
    rows = table(priscian("surprisal", model, TEXTS[0], "--words").out)
    done = priscian("surprisal", model, TEXTS[0], "--words", "--json")
    found = json.loads(done.out)
    assert found["text"] == TEXTS[0]
    assert [p["word"] for p in found["pieces"]] == [r["word"] for r in rows]
    assert [p["surprisal"] for p in found["pieces"]] == [float(r["surprisal"]) for r in rows]


def test_without_bos_the_first_token_has_no_number(priscian: Command, model: str) -> None:
    rows = table(priscian("surprisal", f"{model}&bos=none", "Go now, go.").out)
    assert rows[0]["surprisal"] == ""
    assert all(r["surprisal"] for r in rows[1:])
    found = json.loads(priscian("surprisal", f"{model}&bos=none", "Go now, go.", "--json").out)
    assert found["pieces"][0]["surprisal"] is None


def test_texts_come_from_a_file_one_a_line(priscian: Command, model: str) -> None:
    Path("in.txt").write_text("\ufeffGo now.\n\n  \nRain again.\n", "utf-8")
    rows = table(priscian("surprisal", model, "--words", "--file", "in.txt").out)
    assert [(r["text"], r["line"], r["word"]) for r in rows] == [
        ("1", "1", "Go"), ("1", "1", "now."), ("2", "4", "Rain"), ("2", "4", "again."),
    ]  # fmt: skip


def test_texts_come_from_standard_input(priscian: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO("Go now.\n\nNaïve “café”.\n".encode())

    monkeypatch.setattr("sys.stdin", Stdin())
    rows = table(priscian("surprisal", "builtin:ngram", "--words", "--file", "-").out)
    assert [(r["line"], r["word"]) for r in rows] == [
        ("1", "Go"), ("1", "now."), ("3", "Naïve"), ("3", "“café”."),
    ]  # fmt: skip


def test_a_file_gets_the_whole_table(priscian: Command) -> None:
    Path("in.txt").write_text('He said "no".\nTwice.\n\nThen he left.\n', "utf-8")
    asked = ("surprisal", "builtin:lstm", "--also", "builtin:ngram", "--words", "--entropy",
             "--frequency", "builtin:ngram", "--previous", "1", "--passages")  # fmt: skip
    done = priscian(*asked, "--file", "in.txt", "--out", "out.csv")
    assert (done.code, done.out) == (0, "out.csv  7 rows\n")
    with Path("out.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [(r["passage"], r["line"], r["word"]) for r in rows] == [
        ("1", "1", "He"), ("1", "1", "said"), ("1", "1", '"no".'), ("1", "2", "Twice."),
        ("2", "4", "Then"), ("2", "4", "he"), ("2", "4", "left."),
    ]  # fmt: skip
    assert [r["prev_surprisal_builtin_lstm"] for r in rows][:2] == [
        "", rows[0]["surprisal_builtin_lstm"],
    ]  # fmt: skip
    assert all(float(r["entropy_builtin_ngram"]) > 0 for r in rows)


def test_slips_are_noticed_and_answered_with_the_right_command(priscian: Command) -> None:
    Path("stories.txt").write_text("Go now.\n")
    for arguments, told in (
        (("builtin:lstm", "stories.txt"), "priscian surprisal builtin:lstm --file stories.txt"),
        (("builtin:lstm", "builtin:ngram", "Go."), "builtin:lstm --also builtin:ngram"),
        (("builtin:lstm", "smollm2"), "'smollm2' is a model, not a text"),
        (("The keys are here.",), 'name the model first: priscian surprisal builtin:lstm "The'),
        (("builtin:lstm", "Go.", "--passages"), "add --file FILE"),
    ):
        done = priscian("surprisal", *arguments)
        (line,) = done.complaints
        assert (done.code, done.out) == (2, "")
        assert told in line


def test_a_context_changes_the_bits_and_is_not_shown(priscian: Command, model: str) -> None:
    alone = table(priscian("surprisal", model, "was looking at us!", "--words").out)
    context = "Nobody in the village "
    after = table(
        priscian("surprisal", model, "was looking at us!", "--words", "--context", context).out
    )
    assert [r["word"] for r in after] == [r["word"] for r in alone]
    assert [r["start"] for r in after] == [r["start"] for r in alone]
    assert [r["surprisal"] for r in after] != [r["surprisal"] for r in alone]


def test_a_terminal_gets_words_and_bits(
    priscian: Command, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("priscian.cli.screen.is_terminal", lambda: True)
    done = priscian("surprisal", model, "Go now.", "--words", "--context", "Rain. ")
    rows = table(priscian("surprisal", model, "Go now.", "--words", "--context", "Rain. ",
                          "--tsv").out)  # fmt: skip
    bits = [float(r["surprisal"]) for r in rows]
    lines = done.out.splitlines()
    assert lines[0].strip() == "after 'Rain. '"
    assert lines[1].strip() == f"Go {bits[0]:.1f}  now. {bits[1]:.1f}  = {sum(bits):.1f} bits"


def test_the_masked_model_too(priscian: Command, masked: Callable[..., Path]) -> None:
    done = priscian("surprisal", f"mlm:{masked()}", "Nobody was looking.", "--words")
    assert [r["word"] for r in table(done.out)] == ["Nobody", "was", "looking."]


@pytest.mark.parametrize(
    ("bits", "colour"), [(0.5, "grey50"), (2, "green3"), (9.9, "orange3"), (99, "bold red1")]
)
def test_the_less_expected_the_warmer(bits: float, colour: str) -> None:
    from priscian.cli.screen import shade

    assert shade(bits) == colour
