"""Constituency trees: records, a reader, the actions that build one, scoring of brackets."""

from priscian.trees.oracle import Action, actions_of, tree_of
from priscian.trees.reader import read_trees
from priscian.trees.spans import (
    Bracketing,
    f1,
    random_split,
    right_branching,
    spans_of,
    split_by_distance,
)
from priscian.trees.tree import TaggedWord, Tree, leaves

__all__ = [
    "Action",
    "Bracketing",
    "TaggedWord",
    "Tree",
    "actions_of",
    "f1",
    "leaves",
    "random_split",
    "read_trees",
    "right_branching",
    "spans_of",
    "split_by_distance",
    "tree_of",
]
