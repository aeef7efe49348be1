"""Constituency trees: the records, and the actions that build one from left to right."""

from priscian.trees.oracle import Action, actions_of, tree_of
from priscian.trees.tree import Tree

__all__ = ["Action", "Tree", "actions_of", "tree_of"]
