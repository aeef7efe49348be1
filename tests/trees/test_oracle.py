"""Trees as actions, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import DataError
from priscian.trees import Action, Tree, actions_of, tree_of
from priscian.trees.oracle import words_of

WORDS = st.sampled_from(["the", "dogs", "bark", "("])
LABELS = st.sampled_from(["S", "NP", "VP"])
TREES = st.recursive(
    st.builds(Tree, LABELS, st.lists(WORDS, min_size=1, max_size=3).map(tuple)),
    lambda inner: st.builds(
        Tree, LABELS, st.lists(inner | WORDS, min_size=1, max_size=3).map(tuple)
    ),
    max_leaves=12,
)


@given(TREES)
def test_actions_build_the_tree_that_they_were_read_from(tree: Tree) -> None:
    assert tree_of(actions_of(tree)) == tree


def test_actions_go_from_the_top_down_and_from_left_to_right() -> None:
    tree = Tree("S", (Tree("NP", ("the", "dogs")), Tree("VP", ("bark",)), "."))
    assert " ".join(map(str, actions_of(tree))) == (
        "NT(S) NT(NP) SHIFT(the) SHIFT(dogs) REDUCE NT(VP) SHIFT(bark) REDUCE SHIFT(.) REDUCE"
    )
    assert words_of(actions_of(tree)) == ["the", "dogs", "bark", "."]


def test_a_deep_tree_needs_no_recursion() -> None:
    tree: Tree = Tree("X", ("a",))
    for _ in range(5000):
        tree = Tree("X", (tree,))
    actions = actions_of(tree)
    assert len(actions) == 2 * 5001 + 1
    assert actions_of(tree_of(actions)) == actions


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ("SHIFT:a", r"action 1, SHIFT\(a\), cannot stand there"),
        ("NT:S REDUCE", "action 2, REDUCE, cannot stand there"),
        ("NT:S SHIFT:a REDUCE REDUCE", "action 4"),
        ("NT:S SHIFT:a", "leave a constituent open"),
    ],
)
def test_actions_that_build_no_tree_are_named(actions: str, message: str) -> None:
    parts = [Action(*part.split(":")) for part in actions.split()]
    with pytest.raises(DataError, match=message):
        tree_of(parts)


def test_an_empty_constituent_is_refused() -> None:
    with pytest.raises(DataError, match="an empty NP"):
        actions_of(Tree("S", ("a", Tree("NP", ()))))
