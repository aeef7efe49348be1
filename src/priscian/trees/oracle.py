"""Trees as actions from left to right, and back (Dyer et al. 2016).

NT(label) opens a constituent, SHIFT puts a word into the one opened last, REDUCE closes that one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from priscian.errors import DataError
from priscian.trees.tree import Tree

OPEN, SHIFT, REDUCE = "NT", "SHIFT", "REDUCE"


class Action(NamedTuple):
    """One step; `value` is the label of NT and the word of SHIFT."""

    kind: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.kind}({self.value})" if self.value else self.kind


def actions_of(tree: Tree) -> list[Action]:
    """The actions that build a tree, from the top down.

    >>> print(*actions_of(Tree("S", (Tree("NP", ("dogs",)), "bark"))))
    NT(S) NT(NP) SHIFT(dogs) REDUCE SHIFT(bark) REDUCE
    """
    found: list[Action] = []
    ahead: list[Tree | str | None] = [tree]  # None closes a constituent
    while ahead:
        node = ahead.pop()
        if node is None:
            found.append(Action(REDUCE))
        elif isinstance(node, str):
            found.append(Action(SHIFT, node))
        elif not node.children:
            raise DataError(f"a tree has an empty {node.label}; remove the constituent")
        else:
            found.append(Action(OPEN, node.label))
            ahead += [None, *reversed(node.children)]
    return found


def tree_of(actions: Iterable[Action]) -> Tree:
    """The tree that actions build.

    >>> print(tree_of([Action("NT", "NP"), Action("SHIFT", "dogs"), Action("REDUCE")]))
    (NP dogs)
    """
    stack: list[tuple[str, list[Tree | str]]] = []
    done: Tree | None = None
    for number, action in enumerate(actions, 1):
        if done is not None or (action.kind != OPEN and not stack):
            raise _misplaced(number, action)
        if action.kind == OPEN:
            stack.append((action.value, []))
        elif action.kind == SHIFT:
            stack[-1][1].append(action.value)
        else:
            label, children = stack.pop()
            if not children:
                raise _misplaced(number, action)
            made = Tree(label, tuple(children))
            if stack:
                stack[-1][1].append(made)
            else:
                done = made
    if done is None:
        raise DataError("the actions leave a constituent open; add REDUCE")
    return done


def words_of(actions: Sequence[Action]) -> list[str]:
    """The words that actions shift."""
    return [action.value for action in actions if action.kind == SHIFT]


def _misplaced(number: int, action: Action) -> DataError:
    return DataError(
        f"action {number}, {action}, cannot stand there; a constituent begins with NT, has a word "
        "or more, and ends with REDUCE"
    )
