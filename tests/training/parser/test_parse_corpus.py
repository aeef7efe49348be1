"""Trees for a corpus: a line for each sentence, whole or not there, nothing silently left out."""

from __future__ import annotations

import json
import lzma
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import priscian  # noqa: E402
from priscian.errors import DataError, ModelError, RunError, UsageError  # noqa: E402
from priscian.files.folder import lock_file  # noqa: E402
from priscian.training.parser import corpus as corpus_module  # noqa: E402
from priscian.trees import leaves, read_trees  # noqa: E402

NAMES = ("Ann", "Bob", "Cy")


@pytest.fixture
def parser(trained: Path) -> Path:
    """The folder of a parser, which has never seen these words."""
    return trained


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """26 sentences on 13 lines; two are long."""
    monkeypatch.setattr(corpus_module, "CHUNK", 4)
    draw = random.Random(1)
    lines = []
    for number in range(13):
        words = " ".join(["far"] * (40 if number in (3, 9) else draw.randint(0, 4)))
        lines.append(f'{draw.choice(NAMES)} runs {words} away. "It isn\'t (so) far!"\n')
    path = tmp_path / "text.txt"
    path.write_text("".join(lines))
    return path


def test_every_sentence_has_a_line_in_order_or_is_counted(
    parser: Path, text: Path, tmp_path: Path
) -> None:
    out = tmp_path / "trees.txt.xz"
    seen: list[tuple[int, int]] = []
    found = priscian.parse_corpus(
        text, parser, out, longest=30, workers=1, progress=lambda *moment: seen.append(moment)
    )
    assert (found.trees, found.left_out, found.resumed) == (24, 2, 0)
    assert found.places == (f"{text}:4 (44 words)", f"{text}:10 (44 words)")
    lines = lzma.decompress(out.read_bytes()).decode().splitlines()
    trees = list(read_trees(out))
    assert len(lines) == len(trees) == 24
    words = [list(leaves(tree)) for tree in trees]
    assert sum(map(len, words)) == found.words
    assert words[1] == ['"', "It", "is", "n't", "(", "so", ")", "far", "!", '"']
    firsts = [
        first
        for number, line in enumerate(text.read_text().splitlines())
        for first in ([] if number in (3, 9) else [line.split()[0]]) + ['"']
    ]
    assert [sentence[0] for sentence in words] == firsts
    assert seen[0] == (0, 26)
    assert seen[-1] == (26, 26)
    assert not (tmp_path / "trees.txt.xz.parts").exists()


@pytest.mark.parametrize("name", ["trees.txt", "trees.txt.gz", "trees.txt.xz"])
def test_two_processes_write_the_same_as_one(
    name: str, parser: Path, text: Path, tmp_path: Path
) -> None:
    priscian.parse_corpus(text, parser, tmp_path / name, workers=2)
    priscian.parse_corpus(text, parser, tmp_path / f"one-{name}", workers=1)
    assert (tmp_path / name).read_bytes() == (tmp_path / f"one-{name}").read_bytes()


def test_a_run_that_was_stopped_goes_on_with_what_is_missing(
    parser: Path, text: Path, tmp_path: Path
) -> None:
    out, whole = tmp_path / "trees.txt", tmp_path / "whole.txt"
    priscian.parse_corpus(text, parser, whole, workers=1)

    def stop(done: int, total: int) -> None:
        if done >= 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        priscian.parse_corpus(text, parser, out, workers=1, progress=stop)
    assert not out.exists()
    found = priscian.parse_corpus(text, parser, out, workers=1)
    assert found.resumed == 12
    assert found.trees == 26
    assert out.read_bytes() == whole.read_bytes()


def test_parts_of_other_work_are_not_used(parser: Path, text: Path, tmp_path: Path) -> None:
    out = tmp_path / "trees.txt"

    def stop(done: int, total: int) -> None:
        if done >= 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        priscian.parse_corpus(text, parser, out, workers=1, progress=stop)
    assert priscian.parse_corpus(text, parser, out, longest=30, workers=1).resumed == 0


def test_two_runs_do_not_write_one_file(parser: Path, text: Path, tmp_path: Path) -> None:
    out = tmp_path / "trees.txt"
    lock = lock_file(tmp_path / "trees.txt.parts" / "lock", "")
    with pytest.raises(RunError, match=r"another priscian parse is writing .*give another"):
        priscian.parse_corpus(text, parser, out, workers=1)
    lock.release()
    assert priscian.parse_corpus(text, parser, out, workers=1).trees == 26
    assert not (tmp_path / "trees.txt.parts").exists()


def test_a_folder_is_no_file_for_trees(parser: Path, text: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is a folder; name a file such as .*trees\.txt\.xz"):
        priscian.parse_corpus(text, parser, tmp_path)
    assert not tmp_path.with_name(f"{tmp_path.name}.parts").exists()


def test_a_folder_in_the_way_is_not_deleted(parser: Path, text: Path, tmp_path: Path) -> None:
    (tmp_path / "trees.txt.parts").mkdir()
    with pytest.raises(UsageError, match="is in the way; delete it or give another `out=`"):
        priscian.parse_corpus(text, parser, tmp_path / "trees.txt")


@pytest.mark.slow
def test_a_killed_run_leaves_no_output_and_goes_on(parser: Path, tmp_path: Path) -> None:
    text, out = tmp_path / "text.txt", tmp_path / "trees.txt"
    text.write_text("Ann runs far far away. Bob runs.\n" * 8000)
    command = [sys.executable, "-m", "priscian", "parse", str(text), "--model", str(parser)]
    command += ["--out", str(out), "--workers", "1"]
    process = subprocess.Popen(command)
    parts = tmp_path / "trees.txt.parts"
    while not list(parts.glob("0*.json")):  # written after its trees
        assert process.poll() is None
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not out.exists()
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["trees"] == 16_000
    assert found["resumed"] >= 2000


def test_a_long_sentence_is_refused_by_parse_with_a_remedy(parser: Path) -> None:
    with pytest.raises(DataError, match=r"a sentence of 7 words is over the limit of 5 .* divide"):
        priscian.parse("Ann runs far far far away.", parser, longest=5)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", {}, "no text to parse"),
        ("\n\n", {}, "no text to parse"),
        ("Ann runs.\n", {"longest": 0}, "`longest=0` leaves no sentence"),
        ("Ann runs.\n", {"longest": 5000}, "give 1,000 at most"),
        ("Ann runs.\n", {"workers": -1}, "`workers=-1` is invalid"),
        ("Ann runs.\n", {"workers": 0}, "`workers=0` is invalid"),
    ],
)
def test_texts_that_give_no_tree_are_refused(
    content: str, options: dict[str, Any], message: str, parser: Path, tmp_path: Path
) -> None:
    path = tmp_path / "text.txt"
    path.write_text(content)
    with pytest.raises((DataError, UsageError), match=message):
        priscian.parse_corpus(path, parser, tmp_path / "out.txt", **options)


@pytest.mark.parametrize("link", ["", "symbolic", "hard"])
def test_a_corpus_is_never_replaced_by_its_trees(link: str, parser: Path, tmp_path: Path) -> None:
    text = out = tmp_path / "text.txt"
    text.write_text("Ann runs.\n")
    if link:
        out = tmp_path / "trees.txt"
        (out.symlink_to if link == "symbolic" else out.hardlink_to)(text)
    with pytest.raises(UsageError, match=r"would replace the text .*; name another file"):
        priscian.parse_corpus([text], parser, out, workers=1)
    assert text.read_text() == "Ann runs.\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"words": 3}, r"vocabulary\.json: Expected `array`, got `int`"),
        ({"pieces": ["<s>"]}, "its pieces lack some bytes"),
        ({"merges": ["a"]}, "a merge is not two pieces"),
        ({"words": ["the"]}, r"vocabulary is 11 in config\.json but 2 in vocabulary\.json; copy"),
    ],
)
def test_a_damaged_vocabulary_is_one_line(
    change: dict[str, Any], message: str, parser: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(parser, tmp_path / "copy"))
    facts = json.loads((folder / "vocabulary.json").read_text())
    (folder / "vocabulary.json").write_text(json.dumps(facts | change))
    with pytest.raises(priscian.PriscianError, match=message):
        priscian.parse("Ann runs.", folder)


def test_a_parser_is_no_language_model_and_says_so(parser: Path) -> None:
    with pytest.raises(ModelError, match=r"holds a parser, which gives trees .* priscian parse"):
        priscian.load_model(str(parser))


@pytest.mark.parametrize(
    ("config", "told"),
    [
        (
            {"architecture": "rnng"},
            r"model holds a grammar, not a parser; train one: priscian parse `train=TREES` "
            r"`out=DIR`; trees of the grammar itself: priscian surprisal rnng:.*model `file=FILE` ",
        ),
        ({"architecture": "lstm"}, "model holds lstm, not a parser; train one: priscian parse `t"),
        ({"model_type": "gpt2"}, "holds a model of another kind, not a parser; train one: pris"),
    ],
)
def test_a_folder_without_a_parser_is_refused_before_anything_is_written(
    config: dict[str, str], told: str, text: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("model.safetensors", "vocabulary.json"):
        (folder / name).touch()
    (folder / "config.json").write_text(json.dumps(config))
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ModelError, match=told):
        priscian.parse_corpus(text, folder, tmp_path / "trees.txt")
    assert sorted(tmp_path.iterdir()) == before


class TestVerb:
    """`priscian parse` as a user types it."""

    Run = Callable[..., tuple[int, str, str]]

    @pytest.fixture
    def run(self, capsys: pytest.CaptureFixture[str]) -> Run:
        from priscian.cli import run

        def call(*arguments: object) -> tuple[int, str, str]:
            code = run(["parse", *map(str, arguments)])
            said = capsys.readouterr()
            return code, said.out, said.err

        return call

    def test_it_says_what_was_parsed_and_what_was_left_out(
        self, run: Run, parser: Path, text: Path, tmp_path: Path
    ) -> None:
        out = tmp_path / "trees.txt"
        code, said, _ = run(text, "--model", parser, "--out", out, "--longest", 30, "--workers", 1)
        assert code == 0
        assert "24 trees" in said
        assert "2 sentences of more than 30 words left out" in said
        assert "raise --longest" in said

    def test_a_test_prints_what_evalb_would(self, run: Run, parser: Path, tmp_path: Path) -> None:
        trees = tmp_path / "gold.txt"
        trees.write_text("(S (NP (NNP Ann)) (VP (VBZ runs) (ADVP (RB away))) (. .))\n" * 3)
        code, said, _ = run("--model", parser, "--test", trees, "--json")
        assert code == 0
        found = json.loads(said)
        assert (found["sentences"], found["gold"], found["left_out"]) == (3, 12, 0)
        code, said, _ = run("--model", parser, "--test", trees)
        assert f"{found['f1']:.2f}" in said

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((), "give text FILES, or --train TREES, or --test TREES"),
            (("a.txt", "--test", "b.txt"), "one of them"),
            (("a.txt", "--out", "b.txt"), "give --model with the folder of a parser"),
            (("a.txt", "--model", "m"), "give --out with a file for the trees"),
            (("--train", "b.txt"), "give --out with a folder for the parser"),
            (("--train", "b.txt", "--out", "o", "--recipe", "paper"), "one built-in recipe"),
            (("a.txt", "--passes", "3"), "--epochs is an option of --train, not of parsing"),
            (("a.txt", "--resume"), "--resume is an option of --train, not of parsing"),
            (("a.txt", "--set", "a.b=1"), "--set is an option of --train, not of parsing"),
            (("a.txt", "--part", "dev"), "--part is an option of --test, not of parsing"),
            (("a.txt", "--part", "all"), "--part is an option of --test, not of parsing"),
            (("--train", "a", "--model", "m"), "of parsing and --test, not of --train"),
            (("--train", "a", "--longest", "150"), "of parsing and --test, not of --train"),
            (("--train", "a", "--workers", "2"), "--workers is an option of parsing, not of"),
            (("--test", "a", "--out", "o"), "--out is an option of parsing and --train, not of"),
            (("--test", "a", "--seed", "0"), "--seed is an option of --train, not of --test"),
            (("--test", "a", "--workers", "2"), "--workers is an option of parsing, not of"),
        ],
    )
    def test_wrong_usage_is_one_line(
        self, arguments: tuple[str, ...], message: str, run: Run
    ) -> None:
        code, _, said = run(*arguments)
        assert code == 2
        assert message in said
        assert said.count("\n") == 1


def test_a_parser_that_is_replaced_while_it_is_loaded_parses_nothing(
    parser: Path, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its trees would be kept, and gone on with, as those of the parser that was hashed."""
    own, out = tmp_path / "own", tmp_path / "trees.txt"
    shutil.copytree(parser, own)
    load = corpus_module.Parser.load

    def replaced(folder: Path) -> Any:
        data = bytearray((own / "model.safetensors").read_bytes())
        data[-40:] = bytes(40)
        (own / "new").write_bytes(data)
        (own / "new").replace(own / "model.safetensors")
        return load(folder)

    with monkeypatch.context() as patch:
        patch.setattr(corpus_module.Parser, "load", replaced)
        with pytest.raises(DataError, match=r"model\.safetensors changed while it was read; run"):
            priscian.parse_corpus(text, own, out, workers=1)
    assert not out.exists()
    assert not list((tmp_path / "trees.txt.parts").glob("*.trees"))


@pytest.mark.parametrize("name", ["work.json", "000000.json"])
def test_damaged_notes_of_the_parts_are_one_line_with_a_remedy(
    name: str, parser: Path, text: Path, tmp_path: Path
) -> None:
    out = tmp_path / "trees.txt"

    def stop(done: int, total: int) -> None:
        if done >= 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        priscian.parse_corpus(text, parser, out, workers=1, progress=stop)
    (tmp_path / "trees.txt.parts" / name).write_text('{"mark": 3, "trees": "x"}')
    with pytest.raises(DataError, match=rf"{name}: Expected .*parts, and all is parsed again"):
        priscian.parse_corpus(text, parser, out, workers=1)
    shutil.rmtree(tmp_path / "trees.txt.parts")
    assert priscian.parse_corpus(text, parser, out, workers=1).resumed == 0
