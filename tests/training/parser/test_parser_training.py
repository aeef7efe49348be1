"""A parser from a treebank: parts, resume with the same bits, folders that parse."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from priscian.errors import DataError, ModelError, PriscianError, UsageError

torch = pytest.importorskip("torch")

from tests.swapped_files import swap_everywhere  # noqa: E402

import priscian  # noqa: E402
from priscian.files import plain  # noqa: E402
from priscian.training.corpora import hash_text  # noqa: E402
from priscian.training.parser.api import resolve_parser_recipe  # noqa: E402
from priscian.training.parser.treebank import read_examples, read_treebank  # noqa: E402
from priscian.trees import leaves  # noqa: E402


def test_blocks_of_lines_are_divided_18_to_1_to_1(tmp_path: Path) -> None:
    path = tmp_path / "trees.txt"
    path.write_text("".join(f"(S (NN w{number}))\n" for number in range(1000)))
    made = read_treebank([path], 100)
    assert [len(part) for part in (made.train, made.dev, made.test)] == [900, 50, 50]
    assert [part[0].words[0] for part in (made.train, made.dev, made.test)] == [
        "w0",
        "w900",
        "w950",
    ]
    path.write_text("".join(f"(S (NN w{number}))\n" for number in range(40)))
    made = read_treebank([path], 100)
    assert [len(part) for part in (made.train, made.dev, made.test)] == [36, 2, 2]


def test_long_trees_are_not_trained_on_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "trees.txt"
    path.write_text("(S (NN a) (NN b) (NN c))\n" + "(S (NN a))\n" * 39)
    made = read_treebank([path], 2)
    assert (len(made.train), made.left_out) == (35, 1)


def test_a_small_grammar_is_learnt(trained: Path, trees: Path) -> None:
    card = json.loads((trained / "card.json").read_text())
    assert card["dev"]["f1"] == card["test"]["f1"] == 100
    assert card["treebank"]["trees"] == 90
    found, left_out = priscian.evaluate_parser(trained, trees, part="test")
    assert (found.shares() | plain(found), left_out) == (card["test"], 0)
    assert priscian.evaluate_parser(trained, trees, longest=7)[1] > 0


def test_the_folder_has_all_that_a_training_leaves(trained: Path) -> None:
    for name in ("config.json", "model.safetensors", "vocabulary.json", "recipe.toml"):
        assert (trained / name).is_file(), name
    lines = [json.loads(line) for line in (trained / "log.jsonl").read_text().splitlines()]
    assert any("dev_f1" in line for line in lines)


def test_texts_are_parsed_with_tags(trained: Path) -> None:
    [tree, other] = priscian.parse("The dog sees the cat. The child of the dog likes it.", trained)
    assert str(tree) == "(S (NP The dog) (VP sees (NP the cat)) .)"
    assert [getattr(word, "tag", "") for word in leaves(tree)][:3] == ["DT", "NN", "VBZ"]
    assert "(NP (NP The child) (PP of (NP the dog)))" in str(other)


def test_a_training_that_was_stopped_ends_with_the_same_bits(
    trained: Path,
    trees: Path,
    small: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Killed(Exception):
        pass

    def stop(moment: Any) -> None:
        if moment.step == 7:
            raise Killed

    out = tmp_path / "model"
    with monkeypatch.context() as patch:
        patch.setattr("priscian.training.loop.SAVE_EVERY", 0.0)
        with pytest.raises(Killed):
            priscian.train_parser(trees, out, overrides=small, report=stop)
    assert (out / "training" / "state.pt").is_file()
    assert not (out / "model.safetensors").exists()
    priscian.train_parser([], out, resume=True)
    for name in ("model.safetensors", "vocabulary.json", "config.json"):
        assert (out / name).read_bytes() == (trained / name).read_bytes(), name


def test_another_treebank_cannot_resume(
    trained: Path, trees: Path, small: dict[str, Any], tmp_path: Path
) -> None:
    copy = tmp_path / "trees.txt"
    copy.write_bytes(trees.read_bytes())
    out = tmp_path / "model"
    with pytest.raises(RuntimeError):
        priscian.train_parser(copy, out, overrides=small, report=_fail)
    copy.write_text("(S (NN other))\n" + copy.read_text())
    with pytest.raises(UsageError, match="has changed since; name a new `out=`"):
        priscian.train_parser([], out, resume=True)
    with pytest.raises(UsageError, match="continue it with `resume=True`"):
        priscian.train_parser(trees, trained, overrides=small)


def test_a_training_that_never_began_does_not_bind_its_folder(
    trees: Path, small: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("priscian.training.parser.job.build", _fail)
        with pytest.raises(RuntimeError):
            priscian.train_parser(trees, tmp_path / "m", overrides=small)
    other = tmp_path / "other.txt"
    other.write_text(trees.read_text().replace("cat", "cow"))
    with pytest.raises(RuntimeError):  # not refused, and begun
        priscian.train_parser(other, tmp_path / "m", overrides=small, report=_fail)


def _fail(*_: Any) -> None:
    raise RuntimeError


def test_a_tree_may_have_several_lines_as_in_the_penn_treebank(tmp_path: Path) -> None:
    one, several = tmp_path / "one.txt", tmp_path / "several.mrg"
    one.write_text("(ROOT (S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .)))\n" * 20)
    tree = "( (S \n    (NP-SBJ (DT The) (NN cat) )\n    (VP (VBZ sleeps) )\n    (. .) ))\n"
    several.write_text("\n" + tree * 20)
    assert read_examples([several]) == read_examples([one])
    several.write_text(tree * 3 + tree.replace("))\n", ")\n") + tree)
    with pytest.raises(
        DataError, match=r"several\.mrg:13: the tree that begins here is not closed"
    ):
        read_examples([several])


def test_a_parser_trains_on_the_cpu_where_there_is_a_gpu_too() -> None:
    made = resolve_parser_recipe("small", {"corpus.files": ["trees.txt"]})
    assert made.machine.device == "cpu"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (X a))\n(S (X a)\n", r"trees.txt:2: the tree that begins here is not closed; add 1"),
        ("(S (X a)))\n", r"trees.txt:1: a closing bracket too many; delete it"),
        ("(S (X a))\n()\n", r"trees.txt:2: a tree is empty; give it a word or delete it"),
        ("(S (X a))\n(S (NP))\n", r"trees.txt:2: 'NP' is empty; give it a word or delete it"),
        (
            "(X " * 201 + "a" + ")" * 201,
            r"trees.txt:1: .* more than 200 deep; add the closing bracket that is missing, or del",
        ),
        ("\n \n", r"trees.txt: no trees; give a file of bracketed trees"),
        ("(S (X a))\n" * 19, r"19 trees are too few to hold out dev and test parts; give at least"),
    ],
)
def test_bad_trees_are_one_line_with_file_and_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "trees.txt"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        priscian.train_parser(path, tmp_path / "out")
    assert not (tmp_path / "out" / "recipe.toml").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"corpus.size": "1M"}, "leave out corpus.size"),
        ({"network.hiden": 3}, "did you mean hidden"),
        ({"network.labels": ["NP"]}, "no key in"),
        ({"network.layers": 1000}, "network.layers = 1000; it takes 1 to 16"),
        ({"machine.precision": "bfloat16"}, "trained in float32"),
        ({"training.patience": 2}, "measured by F1 there; use a fixed number of epochs"),
        (
            {"text.max_length": 1},
            "no tree of the training part has at most 1 words; raise text.",
        ),
    ],
)
def test_recipes_that_make_no_parser_are_refused(
    changes: dict[str, Any], message: str, trees: Path, small: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(PriscianError, match=message):
        priscian.train_parser(trees, tmp_path / "out", overrides=small | changes)


def test_a_folder_of_another_kind_is_refused(tmp_path: Path) -> None:
    for name in ("config.json", "model.safetensors", "vocabulary.json"):
        (tmp_path / name).write_text('{"architecture": "lstm"}')
    with pytest.raises(ModelError, match="holds lstm, not a parser; train one"):
        priscian.parse("A dog barks.", tmp_path)
    with pytest.raises(ModelError, match=r"has no config\.json of a finished parser; train one"):
        priscian.parse("A dog barks.", tmp_path / "nowhere")


def test_a_treebank_that_is_swapped_while_it_is_read_gives_one_version_or_an_error(
    trees: Path, tmp_path: Path
) -> None:
    path = tmp_path / "trees.txt"
    path.write_bytes(trees.read_bytes())

    def make() -> tuple[Any, str]:
        found = read_treebank([path], 100)
        return found.files, repr(found.train)

    outcomes, opened = swap_everywhere(path, path.read_bytes().replace(b"cat", b"cow"), make)
    assert "refused" in outcomes
    assert opened == 1, "a treebank is read once"


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize("begin", [b"", b"\xef\xbb\xbf"])
def test_the_hash_of_a_treebank_is_that_of_a_corpus_of_trees(
    begin: bytes, end: bytes, tmp_path: Path
) -> None:
    """It is recognised as what a grammar was trained on."""
    path = tmp_path / "trees.txt"
    path.write_bytes(begin + b"\n".join([b"(S (X a))"] * 40) + end)
    ((name, mark),) = read_treebank([path], 9).files
    assert (name, mark) == ("trees.txt", hash_text(path))
    packed = tmp_path / "trees.txt.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_treebank([packed], 9).files[0][1] == mark


def test_a_state_of_another_treebank_is_not_gone_on_with(
    trees: Path, small: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, out = tmp_path / "trees.txt", tmp_path / "model"
    copy.write_bytes(trees.read_bytes())
    monkeypatch.setattr("priscian.training.loop.SAVE_EVERY", 0.0)

    def stop(moment: Any) -> None:
        if moment.step == 3:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        priscian.train_parser(copy, out, overrides=small, report=stop)
    copy.write_bytes(trees.read_bytes().replace(b"(NP-SBJ (NP", b"(NP-OBJ (NP", 1).replace(
        b"(NN cat)", b"(NN dog)", 3
    ))  # fmt: skip
    (out / "training" / "treebank.json").unlink()
    with pytest.raises(UsageError, match=r"the corpus of the training in .* has changed since"):
        priscian.train_parser([], out, resume=True)
