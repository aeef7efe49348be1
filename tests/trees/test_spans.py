"""Trees as labelled spans, and back; trees as lines that are read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.trees import TaggedWord, Tree, leaves
from priscian.trees.reader import bracketed, parse_tree
from priscian.trees.spans import labelled_spans, tree_from_spans

WORDS = st.sampled_from(["the", "dogs", "bark", "(", ")", '"', "well-known"]).map(
    lambda form: TaggedWord(form, {"(": "-LRB-", ")": "-RRB-", '"': "``"}.get(form, "NN"))
)
LABELS = st.sampled_from(["S", "NP", "S+VP"])
TREES = st.recursive(
    st.builds(Tree, LABELS, st.lists(WORDS, min_size=1, max_size=3).map(tuple)),
    lambda inner: st.builds(
        Tree, LABELS, st.lists(inner | WORDS, min_size=1, max_size=3).map(tuple)
    ),
    max_leaves=12,
)


@given(TREES)
def test_spans_make_the_tree_that_they_were_read_from(tree: Tree) -> None:
    assert tree_from_spans(list(leaves(tree)), labelled_spans(tree)) == tree


@given(TREES)
def test_a_written_tree_is_read_back_with_its_tags(tree: Tree) -> None:
    back = parse_tree(bracketed(tree))
    assert back == tree
    assert [w.tag for w in leaves(back)] == [w.tag for w in leaves(tree)]  # type: ignore[attr-defined]


def test_a_chain_is_one_label_and_only_over_the_same_words() -> None:
    tree = parse_tree("(S (VP (TO to) (VP (VB go) (ADVP (RB home)))))")
    assert labelled_spans(tree) == {(2, 3): "ADVP", (1, 3): "VP", (0, 3): "S VP"}


def test_spans_without_a_whole_are_refused() -> None:
    with pytest.raises(ValueError, match="do not make one tree"):
        tree_from_spans(["a", "b"], {(0, 1): "NP"})
