"""No command writes its result over what it reads, or over answers that people gave."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.judge.studies import make

from priscian.files import write_text
from priscian.judge.opening import freeze_study, open_store

Command = Callable[..., Any]
TEXT = "The dog barks.\nThe cat sleeps.\n" * 20


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("train ngram --corpus text.txt --order 2 --out text.txt", "--out=text.txt would replace"),
        ("train ngram --corpus text.txt --order 2 --out m.pngm --arpa text.txt", "--arpa=text.txt"),
        ("train ngram --corpus text.txt --order 2 --out m.pngm --arpa m.pngm", "--arpa=m.pngm"),
        ("train ngram --corpus text.txt --order 2 --out link.pngm", "would replace the text"),
        ("surprisal builtin:ngram --file texts.tsv --out texts.tsv", "would replace the text"),
        ("judge import choices.csv --form jspsych --out .", "would replace the file choices.csv"),
    ],
)
def test_what_is_read_is_never_replaced(arguments: str, says: str, priscian: Command) -> None:
    Path("text.txt").write_text(TEXT)
    Path("link.pngm").hardlink_to("text.txt")
    Path("texts.tsv").write_text("It rains.\n")
    Path("choices.csv").write_text("subject,item,condition,response\ns1,i1,good,5\n")
    before = digests(Path.cwd())
    done = priscian(*arguments.split())
    (line,) = done.complaints
    assert done.code == 2
    assert says.replace("=", " ", 1) in line.replace("=", " ", 1), line
    assert digests(Path.cwd()) == before


@pytest.mark.parametrize("name", ["run.json", "builtin-ngram/pairs/items.parquet"])
@pytest.mark.parametrize("more", [(), ("--format", "md")])
def test_a_report_never_replaces_the_run_that_it_shows(
    name: str, more: tuple[str, ...], priscian: Command
) -> None:
    Path("pairs.csv").write_text("good,bad\nIt rains.,It rain.\n")
    priscian("score", "builtin:ngram", "--on", "pairs:pairs.csv", "--out", "run", "--quiet")
    before = digests(Path("run"))
    done = priscian("report", "run", "--out", f"run/{name}", *more)
    assert (done.code, len(done.complaints)) == (2, 1)
    assert "would replace data of run" in done.complaints[0]
    assert digests(Path("run")) == before
    assert priscian("report", "run", "--out", "run/report.html").code == 0
    assert priscian("report", "run", "--out", "run/report.html").code == 0


@pytest.mark.parametrize("file", ["study.toml", "frozen.json", "judge.sqlite", "items.csv"])
@pytest.mark.parametrize("verb", ["payments", "preregister", "backup"])
def test_a_study_and_its_answers_are_never_replaced(
    verb: str, file: str, priscian: Command
) -> None:
    folder = make(Path("study"))
    freeze_study(folder)
    open_store(folder).close()
    before = digests(folder)
    assert file in {path.name for path in folder.iterdir()}
    done = priscian("judge", verb, "study", "--out", f"study/{file}")
    assert (done.code, len(done.complaints)) == (2, 1)
    assert "would replace the study's own file" in done.complaints[0]
    assert digests(folder) == before


def test_answers_are_not_exported_into_the_study(priscian: Command) -> None:
    folder = make(Path("study"))
    freeze_study(folder)
    open_store(folder).close()
    before = digests(folder)
    done = priscian("judge", "export", "study", "--out", "study")
    assert (done.code, len(done.complaints)) == (2, 1)
    assert "is the folder of a study; name one of its own" in done.complaints[0]
    assert digests(folder) == before


@pytest.mark.parametrize(
    "arguments",
    [
        "train lstm tiny --corpus none.txt --tokens 100 --out file/m",
        "parse --train none.txt --out file/m",
        "train ngram --corpus none.txt --out file/m.pngm",
    ],
)
def test_a_place_that_cannot_be_written_is_named_before_anything_is_read(
    arguments: str, priscian: Command
) -> None:
    write_text(Path("file"), "x")
    done = priscian(*arguments.split())
    (line,) = done.complaints
    assert line.startswith("priscian: cannot write to the folder file")
    assert line.endswith("file is a file; choose another place")


def test_an_ngram_model_is_a_file(priscian: Command) -> None:
    Path("text.txt").write_text(TEXT)
    Path("model").mkdir()
    done = priscian("train", "ngram", "--corpus", "text.txt", "--out", "model")
    assert done.complaints == [
        "priscian: --out model is a folder; name a file such as model/model.pngm"
    ]
