"""Whatever is put in: one line that says what, where and what to do, and an exit code."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

Command = Callable[..., Any]
GOOD = '{"sentence_good": "Go now.", "sentence_bad": "Now the go."}\n'

# what a file holds, the data string, and what the complaint must say
DATA = {
    "broken line": (GOOD + '{"sentence_good": "Go\n', "blimp:in.jsonl", "in.jsonl:2: broken JSON"),
    "not an object": (GOOD + "[1, 2]\n", "blimp:in.jsonl", "in.jsonl:2: not a JSON object"),
    "missing key": (
        GOOD + '{"sentence_good": "Go."}\n',
        "blimp:in.jsonl",
        "in.jsonl:2: no 'sentence_bad'",
    ),
    "empty sentence": (
        GOOD + '{"sentence_good": "Go.", "sentence_bad": " "}\n',
        "blimp:in.jsonl",
        "in.jsonl:2: 'sentence_bad' is empty; write the sentence or delete the row",
    ),
    "no text": (
        GOOD + '{"sentence_good": "Go.", "sentence_bad": 3}\n',
        "blimp:in.jsonl",
        "in.jsonl:2: 'sentence_bad' is 3, not a text",
    ),
    "empty file": ("", "blimp:in.jsonl", "the file is empty"),
    "not UTF-8": ("caf\udce9", "blimp:in.jsonl", "in.jsonl:1: byte 0xe9 is not valid UTF-8"),
    "no such columns": ("a,b\nx,y\n", "pairs:in.csv", "name them with --good COLUMN --bad COLUMN"),
    "uneven table": ("good,bad\nGo.,Now,go\n", "pairs:in.csv", "in.csv:2: 3 cells where"),
    "no such file": ("", "blimp:none.jsonl", "no file or folder 'none.jsonl'"),
}


@pytest.mark.parametrize("case", DATA)
def test_bad_data_is_one_line_and_makes_no_folder(case: str, priscian: Command, model: str) -> None:
    content, string, told = DATA[case]
    name = string.partition(":")[2]
    if name != "none.jsonl":
        Path(name).write_bytes(content.encode("utf-8", "surrogateescape"))
    done = priscian("score", model, "--on", string, "--out", "run")
    assert done.code == 1
    (line,) = done.complaints
    assert line.startswith("priscian: ")
    assert told in line
    assert not Path("run").exists()


USAGE = {
    "no model": (("score", "--on", "pairs:pairs.csv"), "name at least one model"),
    "no data": (("score", "MODEL"), "--on"),
    "unknown kind of data": (("score", "MODEL", "--on", "blmp:x"), "did you mean blimp"),
    "unknown provider": (("score", "hff:x", "--on", "pairs:pairs.csv"), "did you mean hf"),
    "unknown option": (("score", "MODEL&dtypo=x", "--on", "pairs:pairs.csv"), "no option 'dtypo'"),
    "unknown flag": (("score", "MODEL", "--on", "pairs:pairs.csv", "--lmit", "3"), "--lmit"),
    "unknown measure": (
        ("score", "MODEL", "--on", "pairs:pairs.csv", "--measure", "surprise"),
        "did you mean surprisal",
    ),
    "unknown tie rule": (
        ("score", "MODEL", "--on", "pairs:pairs.csv", "--tie", "maybe"),
        "no tie rule 'maybe'",
    ),
    "a limit of nothing": (
        ("score", "MODEL", "--on", "pairs:pairs.csv", "--limit", "0"),
        "a limit of 0 items leaves nothing",
    ),
    "a limit that is no number": (
        ("score", "MODEL", "--on", "pairs:pairs.csv", "--limit", "few"),
        "few",
    ),
    "workers": (
        ("score", "MODEL", "--on", "pairs:pairs.csv", "--workers", "0"),
        "--workers takes a whole number from 1, or auto",
    ),
    "batch": (
        ("score", "MODEL", "--on", "pairs:pairs.csv", "--batch-tokens", "big"),
        "--batch-tokens takes a whole number from 1, or auto",
    ),
    "one column": (
        ("score", "MODEL", "--on", "pairs:pairs.csv", "--good", "good"),
        "--good good without --bad",
    ),
    "resume without a folder": (
        ("score", "MODEL", "--on", "pairs:pairs.csv", "--resume"),
        "--resume needs --out",
    ),
    "data of one name": (
        ("score", "MODEL", "--on", "pairs:pairs.csv", "--on", "pairs:./pairs.csv"),
        "two data sets are called 'pairs'",
    ),
    "harness model without a name": (
        ("score", "--model-args", "dtype=float32", "--on", "pairs:pairs.csv"),
        "--model-args needs pretrained=ID",
    ),
    "surprisal of nothing": (("surprisal", "MODEL"), "give a text in quotes, or --file"),
    "surprisal of an empty text": (("surprisal", "MODEL", "Go.", " "), "text 2 is empty"),
    "unknown format": (("export", "run", "--format", "xml"), "xml"),
}


@pytest.mark.parametrize("case", USAGE)
@pytest.mark.usefixtures("pairs")
def test_wrong_usage_is_one_line_and_exit_code_2(case: str, priscian: Command, model: str) -> None:
    arguments, told = USAGE[case]
    done = priscian(*(a.replace("MODEL", model) for a in arguments))
    assert (done.code, done.out) == (2, "")
    (line,) = done.complaints
    assert told in line
    assert not Path("runs").exists()


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)


class TestModels:
    @pytest.mark.usefixtures("offline")
    @pytest.mark.parametrize("string", ["priscian-test/none", "hf:priscian-test/none@step3"])
    def test_no_network_says_how_to_use_a_local_folder(
        self, string: str, priscian: Command, pairs: Path
    ) -> None:
        done = priscian("score", string, "--on", f"pairs:{pairs}", "--out", "run")
        (line,) = done.complaints
        assert done.code == 1
        assert "give a local folder instead: hf:PATH" in line

    def test_unknown_models_and_revisions(
        self, priscian: Command, pairs: Path, causal: Callable[..., Path]
    ) -> None:
        folder = causal("gpt2")
        for string, told in (
            ("./none/at/all", "no file or folder ./none/at/all"),
            (f"hf:{folder}@step7", "has no checkpoint folder 'step7'"),
            (f"hf:{folder}?dtype=int3", "dtype 'int3' is not one of"),
            (f"hf:{folder}?bos=<none>", "no token '<none>' to use as BOS"),
            (f"mlm:{folder}", f"causal model; write hf:{folder}"),
        ):
            done = priscian("surprisal", string, "Go now.")
            (line,) = done.complaints
            assert done.code == 1
            assert told in line
        swept = priscian("score", folder, "--revisions", "step*", "--on", f"pairs:{pairs}")
        assert "no revision or checkpoint folder that matches 'step*'" in swept.complaints[0]
        assert priscian("score", "./none/at/all", "--on", f"pairs:{pairs}").code == 1
        assert not Path("runs").exists()

    def test_a_text_that_is_too_long(
        self, priscian: Command, causal: Callable[..., Path], in_folder: Path
    ) -> None:
        model = f"hf:{causal('gpt2', n_positions=8)}"
        Path("long.csv").write_text(f"good,bad\n{'Rain ' * 20},Go.\n")
        done = priscian("score", model, "--on", "pairs:long.csv")
        (line,) = done.complaints
        assert done.code == 1
        assert "the model reads 8: 'Rain Rain" in line

    def test_nan_names_the_text(
        self, priscian: Command, causal: Callable[..., Path], in_folder: Path
    ) -> None:
        folder = shutil.copytree(causal("gpt2"), in_folder / "broken")
        weights = {k: v.clone() for k, v in load_file(folder / "model.safetensors").items()}
        weights["transformer.ln_f.weight"].fill_(torch.nan)
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
        done = priscian("surprisal", folder, "Go now.")
        (line,) = done.complaints
        assert done.code == 1
        assert "NaN" in line
        assert "'Go now.'" in line


class TestFolders:
    def test_a_run_folder_that_exists(self, priscian: Command, model: str, pairs: Path) -> None:
        Path("full").mkdir()
        Path("full/thesis.tex").write_text("x")
        done = priscian("score", model, "--on", f"pairs:{pairs}", "--out", "full")
        assert done.code == 1
        assert done.complaints == ["priscian: full exists and is not empty; give another --out"]

    def test_a_folder_that_is_no_run(self, priscian: Command, pairs: Path, model: str) -> None:
        for arguments in (
            ("export", ".", "--format", "csv"),
            ("cite", "."),
            ("score", model, "--on", f"pairs:{pairs}", "--out", ".", "--resume"),
        ):
            done = priscian(*arguments)
            assert done.code == 1
            (line,) = done.complaints
            assert line.startswith("priscian: . is not a run folder: it has no run.json")

    def test_a_place_that_cannot_be_written(
        self, priscian: Command, model: str, pairs: Path
    ) -> None:
        done = priscian("score", model, "--on", f"pairs:{pairs}", "--out", f"{pairs}/run")
        (line,) = done.complaints
        assert done.code == 1
        assert "change --out" in line

    def test_a_text_file_that_is_not_there(self, priscian: Command, model: str) -> None:
        done = priscian("surprisal", model, "--file", "none.txt")
        assert (done.code, done.complaints) == (1, ["priscian: no file none.txt"])
        Path("latin.txt").write_bytes(b"caf\xe9\n")
        done = priscian("surprisal", model, "--file", "latin.txt")
        assert (done.code, len(done.complaints)) == (1, 1)
        assert "not UTF-8 (byte 3); convert it" in done.err


def _refuse(*_: object) -> None:
    raise AssertionError("a model was loaded")


class TestDisk:
    def test_a_full_disk_keeps_what_was_scored(
        self, priscian: Command, model: str, pairs: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import polars

        def full(self: object, path: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        asked = ("score", model, "--on", f"pairs:{pairs}", "--out", "run", "--quiet")
        with monkeypatch.context() as patch:
            patch.setattr(polars.DataFrame, "write_parquet", full)
            done = priscian(*asked)
        (line,) = done.complaints
        assert done.code == 1
        assert "free some space" in line
        assert json.loads(priscian("cache", "list", "--json").out)["models"][0]["texts"] == 4
        with monkeypatch.context() as patch:
            patch.setattr(
                "priscian.models.ResolvedModel.load", _refuse
            )  # nothing is computed again
            assert priscian(*asked, "--resume").code == 0
        assert json.loads(Path("run/run.json").read_text())["models"]["tiny"]["computed"] == 4

    def test_any_other_full_disk_says_so(
        self, priscian: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full() -> None:
            raise OSError(errno.ENOSPC, "No space left on device", "somewhere")

        monkeypatch.setattr("priscian.cli.cite.references", full)
        done = priscian("cite")
        assert done.code == 1
        assert done.complaints[0].startswith("priscian: the disk is full: somewhere; free some")

    def test_a_cache_that_cannot_be_made(
        self, priscian: Command, model: str, pairs: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PRISCIAN_CACHE", str(pairs / "cache"))
        done = priscian("surprisal", model, "Go.")
        assert done.code == 1
        assert "set PRISCIAN_CACHE to a folder that can be written" in done.complaints[0]


class TestTheEdge:
    def test_the_unexpected_is_one_line_too(
        self, priscian: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail() -> None:
            raise ZeroDivisionError("a\nb")

        monkeypatch.setattr("priscian.cli.cite.references", fail)
        monkeypatch.delenv("PRISCIAN_DEBUG", raising=False)
        done = priscian("cite")
        assert done.code == 1
        (line,) = done.complaints
        assert line.startswith("priscian: unexpected ZeroDivisionError: a b; set PRISCIAN_DEBUG=1")
        monkeypatch.setenv("PRISCIAN_DEBUG", "1")
        with pytest.raises(ZeroDivisionError):
            priscian("cite")

    def test_an_interrupt_says_how_to_go_on(
        self, priscian: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def stop(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("priscian.cli.score.score_command", stop)
        done = priscian("score")
        assert done.code == 130
        assert "--resume" in done.complaints[0]

    def test_a_reader_that_goes_away_is_no_traceback(self) -> None:
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run(
            [sys.executable, "-c", "from priscian.cli import main; main()", "list", "datasets"],
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        os.close(write)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr

    def test_a_repair_of_the_data_is_a_note(
        self, priscian: Command, model: str, in_folder: Path
    ) -> None:
        Path("same.csv").write_text("good,bad\nGo now.,Now go.\nRain.,Rain.\n")
        done = priscian("score", model, "--on", "pairs:same.csv", "--out", "run")
        assert (done.code, done.complaints) == (0, [])
        assert "priscian: note: same.csv: 1 pair has identical sentences" in done.err
        assert "1 of 2 items tie by full; counted as wrong" in done.out
