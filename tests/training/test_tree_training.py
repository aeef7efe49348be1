"""Grammars in the training frame: corpora of trees, resume, folders that score and build trees."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from priscian.errors import DataError, PriscianError, PriscianWarning, UsageError
from priscian.records import Text

torch = pytest.importorskip("torch")

import priscian  # noqa: E402
from priscian.cli.parse import ParsingOptions, parse_command  # noqa: E402
from priscian.cli.surprisal import SurprisalInput, SurprisalOutput, surprisal_command  # noqa: E402
from priscian.models import TreeModel, load, model_key, parse_model, traits_of  # noqa: E402
from priscian.runs.surprisal.words import SurprisalOptions  # noqa: E402
from priscian.training.corpora import read_texts  # noqa: E402
from priscian.training.job import train  # noqa: E402
from priscian.training.recipe import TextPart  # noqa: E402
from priscian.training.rows import SentencePass  # noqa: E402
from priscian.training.sources import EncodedTrees, TreeText  # noqa: E402
from priscian.training.subsets import read_corpus  # noqa: E402
from priscian.trees import leaves  # noqa: E402
from priscian.trees.evalb import evalb  # noqa: E402
from priscian.trees.reader import parse_tree  # noqa: E402

NOUNS = ("cat", "dog", "child", "teacher")
VERBS = ("sees", "likes", "finds")
SMALL: dict[str, Any] = {
    "network.embedding": 64, "network.hidden": 64, "network.dropout": 0.0,
    "training.tokens": 4800, "training.batch_tokens": 100, "training.learning_rate": 2e-2,
    "checkpoints.at": [800],
}  # fmt: skip


def sentence(draw: random.Random) -> str:
    def phrase() -> str:
        noun = f"(NP (DT the) (NN {draw.choice(NOUNS)}))"
        return f"(NP-SBJ {noun} (PP (IN of) {phrase()}))" if draw.random() < 0.2 else noun

    return f"(ROOT (S {phrase()} (VP (VBZ {draw.choice(VERBS)}) {phrase()}) (. .)))"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draw = random.Random(1)
    path = tmp_path_factory.mktemp("trees") / "trees.txt"
    path.write_text("".join(f"{sentence(draw)}\n" for _ in range(300)))
    return path


@pytest.fixture(scope="module")
def trained(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("grammar") / "model"
    train("rnng", out, corpus=[corpus], recipe="tiny", overrides=SMALL)
    return out


def source() -> TreeText:
    return TreeText(TextPart(), {})


def test_the_best_trees_of_a_grammar_are_compared_with_a_treebank(
    trained: Path, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = corpus.read_text().splitlines()[:12]
    gold = [parse_tree(line) for line in lines]
    told = r"was trained on most trees of trees\.txt"
    with pytest.warns(PriscianWarning, match=told):
        found, left_out = priscian.evaluate_parser(trained, corpus, limit=12)
    model = load(f"rnng:{trained}")
    assert isinstance(model, TreeModel)
    trees = model.best_trees([Text(" ".join(leaves(tree))) for tree in gold])
    assert (found, left_out) == (evalb(zip(gold, trees, strict=True)), 0)
    assert found.f1 > 60
    assert found.tagging is None  # a grammar knows no parts of speech
    with pytest.warns(PriscianWarning, match=told):
        parse_command(model=trained, test=[corpus], parsing=ParsingOptions(limit=12), quiet=True)
    shown = capsys.readouterr().out
    assert "12 trees" in shown
    assert "tagging" not in shown
    with pytest.raises(UsageError, match="limit of 0 trees"):
        priscian.evaluate_parser(trained, corpus, limit=0)


class TestCorpus:
    def test_sizes_nest_and_count_the_words_of_trees(self, corpus: Path) -> None:
        read = read_corpus([corpus], source=source())
        small, large = read.subset(100, 1), read.subset(500, 1)
        assert large[: len(small)] == small
        words = [sum(map(read.source.count, part)) for part in (small, large)]
        assert 100 <= words[0] < 120
        assert 500 <= words[1] < 520

    def test_trees_become_action_ids(self) -> None:
        reader = TreeText(TextPart(min_count=1), {})
        lines = ["(ROOT (S (NP (PRP They)) (VP (VBP bark))))", "(S (NP (DT The) (NNS They)))"]
        learnt = reader.learn(lines)
        data = reader.encode(learnt, lines)
        assert isinstance(data, EncodedTrees)
        labels, words = learnt.network["labels"], learnt.vocabulary.words  # type: ignore[attr-defined]
        assert labels == ("NP", "S", "VP")
        ids = {word: len(labels) + number for number, word in enumerate(words)}
        first = [2, 1, ids["They"], 0, 3, ids["bark"], 0, 0]
        assert data.ids.tolist() == [*first, 2, 1, ids["The"], ids["They"], 0, 0]
        assert data.starts.tolist() == [0, 8, 14]
        assert (data.tokens, data.words.tolist()) == (6, [2, 2])

    def test_a_pass_has_every_tree_once_and_depends_on_its_random_numbers_alone(
        self, corpus: Path
    ) -> None:
        reader = source()
        lines = [line for _, line in read_texts([corpus])[0].numbered()]
        data = reader.encode(reader.learn(lines), lines)
        assert isinstance(data, EncodedTrees)
        passes = [SentencePass(data, 64, np.random.default_rng(seed)) for seed in (5, 5, 6)]
        rows = [[r.tolist() for n in range(len(p)) for r in p[n]] for p in passes]
        assert rows[0] == rows[1]
        assert rows[0] != rows[2]
        given = [data.ids[a:b].tolist() for a, b in zip(data.starts, data.starts[1:], strict=False)]
        kept = [[a for a in row if a >= 0] for row in rows[0]]
        assert sorted(kept) == sorted(given)
        assert sum(passes[0].tokens(n) for n in range(len(passes[0]))) == data.tokens
        assert max(passes[0].tokens(n) for n in range(len(passes[0]))) <= 64

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("(S (NP a)", r"trees\.txt:2: the tree .* is not closed; add 1 closing bracket"),
            ("(S (NP a)))", r"trees\.txt:2: a closing bracket too many; delete it"),
            ("(S (NP a) (VP))", r"trees\.txt:2: 'VP' is empty; give it a word or delete it"),
            ("()", r"trees\.txt:2: a tree is empty"),
            ("They bark.", r"trees\.txt:2: 'They' is outside of all brackets"),
            ("(S (X a)) (S (X b))", r"trees\.txt:2: several trees on a line"),
            (
                "(S " * 101 + "(X a) (X b)" + ")" * 101,
                "more than 100 .* at once and more than 8 .* before one word; remove it, or raise "
                "the limits: network.most_open = 200, network.most_opening = 128$",
            ),
            (
                "(S " * 19 + "(X a) (X b)" + ")" * 19,
                "more than 8 constituents open before one word; .*network.most_opening = 32$",
            ),
            (
                "(S (X a) (X b) " * 101 + "(X a)" + ")" * 101,
                "deeper than the limit: more than 100 .*network.most_open = 200",
            ),
        ],
    )
    def test_bad_trees_are_one_line_with_file_and_line(
        self, line: str, message: str, tmp_path: Path
    ) -> None:
        path = tmp_path / "trees.txt"
        path.write_text(f"(S (NP (DT a) (NN b)))\n{line}\n")
        with pytest.raises(DataError, match=message) as caught:
            read_corpus([path], source=source())
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("depth", [9, 16, 17, 20, 100, 101, 180])
    def test_the_limits_that_are_suggested_are_enough(self, depth: int, tmp_path: Path) -> None:
        path = tmp_path / "trees.txt"
        path.write_text("(S " * depth + "(X a)" + ")" * depth + "\n")
        with pytest.raises(DataError) as caught:
            read_corpus([path], source=source())
        given = re.findall(r"network\.(\w+) = (\d+)", str(caught.value))
        limits = {name: int(value) for name, value in given}
        with pytest.raises(DataError, match="1 paragraphs are too few"):
            read_corpus([path], source=TreeText(TextPart(), limits))

    def test_other_words_than_those_of_the_trees_are_refused(self, corpus: Path) -> None:
        with pytest.raises(UsageError, match=r"leave out text\.tokenizer"):
            train(
                "rnng", "x", corpus=[corpus], recipe="tiny", overrides={"text.tokenizer": "bpe:300"}
            )

    def test_long_trees_and_unseen_labels_are_left_out_and_counted(self) -> None:
        reader = TreeText(TextPart(max_length=3), {})
        learnt = reader.learn(["(S (X a) (X b) (X c))"])
        lines = ["(S (X a) (X b) (X c))", "(S (X a) (X b) (X c) (X d))", "(NP (X a) (X b))"]
        data = reader.encode(learnt, lines)
        assert (len(data), data.left_out) == (1, 2)


def test_a_trained_grammar_scores_texts_and_builds_their_trees(trained: Path) -> None:
    card = json.loads((trained / "card.json").read_text())
    first = json.loads((trained / "tokens-800" / "card.json").read_text())
    assert 1 < card["dev"]["perplexity"] < first["dev"]["perplexity"] < 1e4
    assert card["dev"]["of"] == "words and trees"
    spec = parse_model(str(trained))
    assert str(spec).startswith("rnng:")
    assert traits_of(spec).trees
    model = load(f"rnng:{trained}?beam=30,5,8")
    assert isinstance(model, TreeModel)
    texts = [Text("the cat sees the dog."), Text("the zebra sees the dog."), Text("the cat sees")]
    known, unknown, begun = model.score(texts)  # type: ignore[union-attr]
    assert begun.logps == pytest.approx(known.logps[:3], abs=1e-4)
    assert all(logp <= 0 for logp in (*known.logps, *unknown.logps))
    assert model.oov_counts(texts) == [0, 1, 0]  # type: ignore[union-attr]
    assert unknown.logps[1] < known.logps[1]
    ends = model.score_ends(texts)  # type: ignore[union-attr]
    assert ends[0] > ends[2]
    trees = [str(tree) for tree in model.best_trees(texts)]
    assert trees[0] == "(S (NP the cat) (VP sees (NP the dog)) .)"
    assert " zebra" in trees[1]


def test_the_loss_of_training_bounds_what_the_beam_finds(trained: Path, corpus: Path) -> None:
    """Words alone are more probable than words with one tree."""
    card = json.loads((trained / "card.json").read_text())
    model = load(f"rnng:{trained}?beam=300,5,100")
    dev = read_corpus([corpus], source=source()).dev
    texts = [Text(" ".join(leaves(parse_tree(line)))) for line in dev]
    logps = [sum(s.logps) for s in model.score(texts)]  # type: ignore[union-attr]
    nats = -sum(logps) - sum(model.score_ends(texts))  # type: ignore[union-attr]
    tokens = card["dev"]["words"] + card["dev"]["sentences"]
    assert nats / tokens <= card["dev"]["nats_per_token"] + 1e-3
    assert nats / tokens == pytest.approx(card["dev"]["nats_per_token"], rel=0.5)


def test_the_key_has_the_beam(trained: Path) -> None:
    plain, same, other = (
        model_key(f"rnng:{trained}{more}") for more in ("", "?beam=100,5,10", "?beam=50,5,10")
    )
    assert plain == same
    assert plain != other


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hidden", 0), ("labels", ["S"]), ("labels", None), ("embedding", "64"), ("most_open", 0),
        ("most_opening", None), ("vocabulary", 3), ("history", "full"), ("nothing", 1),
    ],
)  # fmt: skip
def test_a_changed_configuration_is_one_line(
    key: str, value: object, trained: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("model.safetensors", "vocabulary.json"):
        (folder / name).write_bytes((trained / name).read_bytes())
    config = json.loads((trained / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, key: value}))
    with pytest.raises(PriscianError, match="weights do not fit the network") as caught:
        load(f"rnng:{folder}")
    assert "\n" not in str(caught.value)


def test_a_text_that_is_too_long_is_one_line(trained: Path) -> None:
    with pytest.raises(PriscianError, match="has 301 words, but a grammar reads 300"):
        list(load(str(trained)).score([Text("cat " * 301)]))  # type: ignore[union-attr]


class TestSurprisal:
    TREE = "(S (NP the cat) (VP sees (NP the dog)) .)"
    TEXT = "the cat sees the dog."

    @pytest.fixture(autouse=True)
    def cache(self, trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PRISCIAN_CACHE", str(trained.parent / "cache"))

    def test_trees_are_beside_the_table(
        self, trained: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Only the table is on standard output, so that a pipe can be read."""
        surprisal_command(
            f"rnng:{trained}?beam=20,5,5", self.TEXT, output=SurprisalOutput(trees=True)
        )
        said = capsys.readouterr()
        assert [line.count("\t") for line in said.out.splitlines()] == [7] * 7
        assert said.err.endswith(f"{self.TREE}\n")

    def test_trees_are_shown_if_the_table_is_in_a_file(
        self, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        output = SurprisalOutput(trees=True, out=tmp_path / "t.tsv")
        surprisal_command(f"rnng:{trained}?beam=20,5,5", self.TEXT, output=output)
        assert capsys.readouterr().out.endswith(f"\n{self.TREE}\n")

    @pytest.mark.parametrize("words", [False, True])
    def test_json_has_the_tree_of_each_model(
        self, words: bool, trained: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        models = [f"rnng:{trained}?beam=20,5,5&name={name}" for name in ("a", "b-b")]
        options, output = SurprisalOptions(words=words), SurprisalOutput(trees=True, json=True)
        surprisal_command(models[0], self.TEXT, options=options, output=output)
        assert json.loads(capsys.readouterr().out)["tree"] == self.TREE
        given = SurprisalInput(also=models[1:])
        surprisal_command(models[0], self.TEXT, given=given, options=options, output=output)
        found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        if words:
            assert [(row["tree_a"], row["tree_b_b"]) for row in found] == [(self.TREE, self.TREE)]
        else:
            models = [(row["model"], row["tree"]) for row in found]
            assert models == [("a", self.TREE), ("b-b", self.TREE)]

    def test_brackets_of_a_text_are_escaped_in_its_tree(
        self, trained: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        output = SurprisalOutput(trees=True, json=True)
        with pytest.warns(PriscianWarning, match=r"does not know 3 words \(a, '\(', '\)'\)"):
            surprisal_command(f"rnng:{trained}?beam=20,5,5", "the cat (sees) a dog.", output=output)
        tree = json.loads(capsys.readouterr().out)["tree"]
        assert tree.count("(") == tree.count(")")
        assert [w for w in tree.replace("(", " (").replace(")", " ").split() if w[0] != "("] == [
            "the", "cat", "-LRB-", "sees", "-RRB-", "a", "dog", ".",
        ]  # fmt: skip

    def test_trees_of_passages_are_refused(self, tmp_path: Path) -> None:
        """A tree is of one line, but surprisals depend on the lines before it."""
        file = tmp_path / "in.txt"
        file.write_text("the cat sees the dog.\nthe dog sees the cat.\n")
        with pytest.raises(UsageError, match=r"--trees .* --passages .*; leave out one of the two"):
            surprisal_command(
                "rnng:nowhere",
                given=SurprisalInput(file=file, passages=True),
                output=SurprisalOutput(trees=True),
            )

    def test_a_model_without_trees_is_refused(self) -> None:
        with pytest.raises(UsageError, match="builtin:ngram builds no trees"):
            surprisal_command("builtin:ngram", "A text.", output=SurprisalOutput(trees=True))


def test_a_stopped_training_ends_with_the_same_bits(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {
        **SMALL, "network.embedding": 16, "network.hidden": 16, "network.dropout": 0.2,
        "network.history": "full", "training.tokens": 1200, "training.batch_tokens": 200,
        "checkpoints.at": [600],
    }  # fmt: skip
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    train("rnng", whole, corpus=[corpus], recipe="tiny", overrides=options)
    monkeypatch.setattr("priscian.training.loop.SAVE_EVERY", 0.0)

    class Stop(Exception):
        pass

    def report(moment: Any) -> None:
        if moment.tokens > 700:
            raise Stop

    with pytest.raises(Stop):
        train("rnng", broken, corpus=[corpus], recipe="tiny", overrides=options, report=report)
    train("rnng", broken, corpus=[corpus], recipe="tiny", overrides=options, resume=True)
    for name in ("", "tokens-600", "tokens-1200"):
        weights = [(at / name / "model.safetensors").read_bytes() for at in (whole, broken)]
        assert weights[0] == weights[1]


def test_the_papers_recipe_trains(corpus: Path, tmp_path: Path) -> None:
    options = {
        **SMALL, "training.tokens": "", "training.epochs": 0.04, "checkpoints.at": "none",
        "training.batch_tokens": 1, "training.learning_rate": 0.1,
    }  # fmt: skip
    card = train("rnng", tmp_path / "m", corpus=[corpus], recipe="paper", overrides=options)
    assert card["steps"] > 8  # one sentence a step
