"""Trees in brackets: what is read, what is refused, and how brackets are scored."""

from __future__ import annotations

import lzma
from pathlib import Path
from random import Random
from statistics import fmean

import pytest

from priscian.errors import DataError
from priscian.trees import (
    TaggedWord,
    Tree,
    f1,
    leaves,
    random_split,
    read_trees,
    right_branching,
    spans_of,
    split_by_distance,
)
from priscian.trees.reader import DEEPEST


def read(tmp_path: Path, text: str, *, join_hyphens: bool = False) -> list[Tree]:
    file = tmp_path / "trees.txt"
    file.write_text(text, "utf-8")
    return list(read_trees(file, join_hyphens=join_hyphens))


def words(tree: Tree) -> list[str]:
    return list(leaves(tree))


class TestReading:
    def test_functions_are_taken_off_labels(self, tmp_path: Path) -> None:
        text = "(ROOT (S-NOM-SBJ (NP=2 (PRP$ my)) (PP-LOC-PRD (IN in)) (X|Y (NN x))))"
        found = read(tmp_path, text)[0]
        assert str(found) == "(ROOT (S (NP my) (PP in) (X x)))"

    def test_brackets_and_quotes_are_plain(self, tmp_path: Path) -> None:
        text = (
            "(NP (-LRB- -LRB-) (NN -LRB-a-RRB-) (-RRB- -RRB-) (`` ``) ('' '') (`` “) ('' ’)"
            " (SYM -LSB-))"
        )
        assert words(read(tmp_path, text)[0]) == ["(", "(a)", ")", '"', '"', '"', "'", "["]

    @pytest.mark.parametrize(
        ("text", "tree"),
        [
            ("(S (X (X a)) (VP (VB b)))", "(S (X a) (VP b))"),
            ("(X (X a))", "(X a)"),
            ("(S (X (X (X a))))", "(S (X (X a)))"),
            ("(S (-NONE- (-NONE- *)) (X b))", "(S b)"),
        ],
    )
    def test_a_phrase_may_have_the_name_of_its_only_word_s_tag(
        self, text: str, tree: str, tmp_path: Path
    ) -> None:
        assert str(read(tmp_path, text)[0]) == tree

    def test_trees_may_run_over_lines_and_begin_without_a_label(self, tmp_path: Path) -> None:
        found = read(
            tmp_path, "( (S\n  (NP (PRP It))\n  (VP (VBZ rains))) )\n\n(X (NN a)) (X (NN b))"
        )
        assert [str(tree) for tree in found] == [
            "(ROOT (S (NP It) (VP rains)))", "(X a)", "(X b)",
        ]  # fmt: skip

    def test_empty_categories_go_with_the_phrases_that_have_nothing_else(
        self, tmp_path: Path
    ) -> None:
        text = "(S (NP-SBJ (-NONE- *-1)) (VP (VB go) (SBAR (-NONE- 0) (S (-NONE- *T*)))))"
        assert str(read(tmp_path, text)[0]) == "(S (VP go))"

    def test_hyphenated_words_are_joined_if_asked(self, tmp_path: Path) -> None:
        text = (
            "(NP (DT a) (RB well) (HYPH -) (VBN known) (NN man)"
            " (X x) (HYPH -) (X y) (HYPH -) (X z))"
        )
        assert words(read(tmp_path, text)[0])[:4] == ["a", "well", "-", "known"]
        found = read(tmp_path, text, join_hyphens=True)[0]
        assert words(found) == ["a", "well-known", "man", "x-y-z"]
        joined = found.children[1]
        assert isinstance(joined, TaggedWord)
        assert joined.tag == "VBN"

    def test_packed_files_are_read(self, tmp_path: Path) -> None:
        (tmp_path / "t.xz").write_bytes(lzma.compress(b"(S (NN a))"))
        assert [str(tree) for tree in read_trees(tmp_path / "t.xz")] == ["(S a)"]

    @pytest.mark.parametrize(
        ("text", "line", "message"),
        [
            ("(S (NN a))\n(S (NP (NN b))\n(S (NN c))", 2, "not closed; add 1 closing bracket"),
            ("(S (NN a)))", 1, "a closing bracket too many"),
            ("(S (NN a))\n()", 2, "a tree is empty"),
            ("(S (NN a))\n(S (NP) (NN b))", 2, "'NP' is empty"),
            ("(S (NN a) b)", 1, "'b' has no tag of its own"),
            ("(S (NN a))\nstray (S (NN b))", 2, "outside of all brackets"),
            ("(S (NN a b))", 1, "'b' has no tag"),
            ("(S\n(NP a (NN b)))", 2, "'a' has no tag"),
            ("(NN a)", 1, "without a phrase"),
            ("(S (NN a))\n(S (-NONE- *))", 2, "without a phrase"),
            ("(S " * (DEEPEST + 1), 1, "nested more than"),
            ("(S (NN a))\n(S (NN \0))", 2, "zero byte"),
        ],
    )
    def test_what_is_no_tree_is_named_with_its_line(
        self, text: str, line: int, message: str, tmp_path: Path
    ) -> None:
        with pytest.raises(DataError, match=message) as caught:
            read(tmp_path, text)
        assert f"trees.txt:{line}:" in str(caught.value)

    def test_files_without_trees(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="no trees"):
            read(tmp_path, "\n\n")
        with pytest.raises(DataError, match="check the path"):
            list(read_trees(tmp_path / "nowhere"))
        (tmp_path / "latin").write_bytes(b"(S (NN a))\n(S (NN \xf6))")
        with pytest.raises(DataError, match="latin:2: not valid UTF-8"):
            list(read_trees(tmp_path / "latin"))


class TestBrackets:
    def test_spans_leave_out_punctuation_words_and_the_whole(self, tmp_path: Path) -> None:
        text = "(S (NP (DT the) (NN cat)) (, ,) (VP (VBZ sees) (NP (DT a) (NN dog)) (. .)))"
        found = spans_of(read(tmp_path, text)[0])
        assert found.words == 5
        assert found.spans == {(0, 2), (2, 5), (3, 5)}

    def test_f1_by_hand(self) -> None:
        gold = frozenset({(0, 2), (2, 5), (3, 5)})
        assert f1(gold, right_branching(5)) == pytest.approx(2 / 3)  # (1,5), (2,5), (3,5)
        assert f1(gold, gold) == 1
        assert f1(frozenset(), frozenset()) == 1
        assert f1(frozenset(), gold) == f1(gold, frozenset()) == 0

    def test_splitting_by_distance_by_hand(self) -> None:
        # the cat | sees | a dog: largest at sees, which stands before the rest of its part
        assert split_by_distance([0.5, 0.1, 0.9, 0.4, 0.2]) == {(0, 2), (2, 5), (3, 5)}
        # falling distances branch to the right, rising ones to the left
        assert split_by_distance([0.9, 0.8, 0.7, 0.6]) == right_branching(4)
        assert split_by_distance([0.1, 0.2, 0.3, 0.4]) == {(0, 2), (0, 3)}

    @pytest.mark.parametrize("count", [1, 2, 3, 10])
    def test_binary_trees_have_as_many_spans_as_words_less_two(self, count: int) -> None:
        random = Random(2)
        telling = max(count - 2, 0)
        assert len(random_split(count, random)) == telling
        assert len(split_by_distance([random.random() for _ in range(count)])) == telling
        assert len(right_branching(count)) == telling


def test_gum_has_the_published_counts_and_baselines(shared: Path) -> None:
    trees = list(read_trees(shared / "corpora" / "trees_gum.txt.xz"))
    assert len(trees) == 14_597
    assert sum(len(words(tree)) for tree in trees) == 251_725
    gold = [own for own in map(spans_of, trees) if own.words > 1]
    random = Random(1)
    right = fmean(f1(own.spans, right_branching(own.words)) for own in gold)
    assert round(100 * right, 1) == 49.2
    trees_at_random = fmean(f1(own.spans, random_split(own.words, random)) for own in gold)
    assert 100 * trees_at_random == pytest.approx(24.0, abs=0.5)
    distances = fmean(
        f1(own.spans, split_by_distance([random.random() for _ in range(own.words)]))
        for own in gold
    )
    assert 100 * distances == pytest.approx(28.0, abs=0.8)
