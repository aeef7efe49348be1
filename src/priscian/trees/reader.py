"""Constituency trees in the brackets of the Penn Treebank, read and written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from priscian.errors import DataError, counted
from priscian.files import open_unpacked, shown, steady
from priscian.trees.tree import ESCAPES, TaggedWord, Tree

DEEPEST = 200
"""Phrases inside each other; real trees have 30."""
LONGEST_LINE = 1 << 20
RATIO = 25
"""How many times its size a packed file of trees may unfold to."""

_BOM = b"\xef\xbb\xbf"
_TOP = re.compile(r"\((ROOT|TOP|S1)?\s*\(")
"""How a line begins that begins a tree and cannot go on with one."""
_TOKEN = re.compile(r"[()]|[^\s()]+")
_BRACKETS = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
}  # fmt: skip
_ESCAPED = re.compile("|".join(_BRACKETS))
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "—": "-", "–": "-"})
_QUOTES = {"``": '"', "''": '"', "`": "'"}

_ONE_SPELLING = _PLAIN | str.maketrans({"`": "'", '"': "''", "“": "''", "”": "''"})


@dataclass(slots=True)
class _Open:
    """A bracket that is not closed yet."""

    label: str
    line: int
    parts: list[Tree | str] = field(default_factory=list)
    has_token: bool = False
    """Whether the first part is a bare word, so that the label is its tag."""


class Digest(Protocol):
    """A hash that grows."""

    def update(self, data: bytes, /) -> None:
        """Add bytes."""
        ...


def read_trees(
    path: Path, *, join_hyphens: bool = False, digest: Digest | None = None
) -> Iterator[Tree]:
    """The trees of a file, plain or packed (.gz, .xz), in order; `digest` gets the text.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "trees.txt"
    >>> _ = file.write_text("(ROOT (S (NP-SBJ (PRP I)) (VP (VBP see) (NP (-LRB- -LRB-)))))")
    >>> [str(tree) for tree in read_trees(file)]
    ['(ROOT (S (NP I) (VP see (NP -LRB-))))']
    """
    count = 0
    for tree in parse_trees(_lines(path, digest), path, join_hyphens=join_hyphens):
        count += 1
        yield tree
    if not count:
        raise DataError(f"{path}: no trees; give a file of bracketed trees: (S (NP …) (VP …))")


def parse_trees(
    lines: Iterable[tuple[int, str]], path: Path, *, join_hyphens: bool = False
) -> Iterator[Tree]:
    """The trees of numbered lines; `path` is the file that errors name."""
    stack: list[_Open] = []
    for line, text in lines:
        if stack and _TOP.match(text):
            raise _unclosed(path, stack)
        tokens = _TOKEN.findall(text)
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token == "(":
                named = at + 1 < len(tokens) and tokens[at + 1] not in "()"
                stack.append(_Open(tokens[at + 1] if named else "", line))
                at += 1 + named
                if len(stack) > DEEPEST:
                    raise DataError(
                        f"{path}:{line}: phrases are nested more than {DEEPEST} deep; add the "
                        "closing bracket that is missing, or delete the tree"
                    )
            elif token == ")":
                if not stack:
                    raise DataError(f"{path}:{line}: a closing bracket too many; delete it")
                done = _close(path, line, stack, join_hyphens)
                at += 1
                if done is not None:
                    yield done
            else:
                if not stack:
                    raise DataError(
                        f"{path}:{line}: {shown(token)} is outside of all brackets; delete it"
                    )
                inner = stack[-1]  # the word's tag was taken for a label
                if inner.parts or not inner.label:
                    raise _untagged(path, line, token)
                form = _QUOTES.get(token)
                if form is None:
                    form = _ESCAPED.sub(lambda found: _BRACKETS[found[0]], token).translate(_PLAIN)
                inner.parts.append(TaggedWord(form, inner.label))
                inner.has_token = True
                at += 1
    if stack:
        raise _unclosed(path, stack)


def _unclosed(path: Path, stack: list[_Open]) -> DataError:
    return DataError(
        f"{path}:{stack[0].line}: the tree that begins here is not closed; add "
        f"{counted(len(stack), 'closing bracket')}"
    )


def _lines(path: Path, digest: Digest | None) -> Iterator[tuple[int, str]]:
    with steady([path]), open_unpacked(path, ratio=RATIO) as (stream, _):
        number = 0
        while raw := stream.readline(LONGEST_LINE):
            number += 1
            if len(raw) == LONGEST_LINE:
                raise DataError(f"{path}:{number}: a line of a megabyte; write one tree a line")
            if digest is not None:  # the same for a packed file, and one without a last line feed
                digest.update(raw.removeprefix(_BOM) if number == 1 else raw)
                digest.update(b"" if raw.endswith(b"\n") else b"\n")
            try:
                text = raw.removeprefix(_BOM).decode()
            except UnicodeDecodeError:
                raise DataError(f"{path}:{number}: not valid UTF-8; save it as UTF-8") from None
            if "\0" in text:
                raise DataError(f"{path}:{number}: a zero byte; save it as plain UTF-8 text")
            yield number, text


def _untagged(path: Path, line: int, token: str) -> DataError:
    return DataError(f"{path}:{line}: {shown(token)} has no tag of its own; write it as (TAG word)")


def _close(path: Path, line: int, stack: list[_Open], join: bool) -> Tree | None:
    """End the innermost bracket; the whole tree if it was the outermost."""
    inner = stack.pop()
    label, parts = inner.label, inner.parts
    made: Tree | str | None
    if not parts:
        what = shown(label) if label else "a tree"
        raise DataError(f"{path}:{line}: {what} is empty; give it a word or delete it")
    if inner.has_token:
        if len(parts) > 1:
            raise _untagged(path, inner.line, str(parts[0]))
        made = None if label == "-NONE-" else parts[0]
    else:
        kept = [part for part in parts if part != _NOTHING]
        kept = _join_hyphens(kept) if join else kept
        plain = re.split(r"[-=|]", label, maxsplit=1)[0] or label or "ROOT"  # NP-SBJ=2 is NP
        made = Tree(plain, tuple(kept)) if kept else None
    if stack:
        stack[-1].parts.append(_NOTHING if made is None else made)
        return None
    if made is None or isinstance(made, str):
        raise DataError(f"{path}:{inner.line}: a tree without a phrase; write (S (TAG word))")
    return made


_NOTHING = Tree("", ())
"""What is left of an empty category."""


def one_spelling(text: str) -> str:
    """A text with one sign for each kind of quotation mark, dash and bracket.

    A text and the words that are read from its tree, without spaces, are then the same.

    >>> one_spelling("``Rock`n-LRB-"), one_spelling("“Rock'n(")
    ("''Rock'n(", "''Rock'n(")
    """
    return _ESCAPED.sub(lambda found: _BRACKETS[found[0]], text).translate(_ONE_SPELLING)


def _join_hyphens(parts: list[Tree | str]) -> list[Tree | str]:
    """well, HYPH, known as sisters become one word, with the tag of the last."""
    found: list[Tree | str] = []
    for part in parts:
        before = found[-1] if found else None
        if (
            isinstance(part, TaggedWord)
            and isinstance(before, TaggedWord)
            and "HYPH" in (part.tag, before.tag)
        ):
            found[-1] = TaggedWord(before + part, part.tag)
        else:
            found.append(part)
    return found


TOPS = frozenset({"ROOT", "TOP", "S1"})
"""Labels of a node that only marks the top; it is taken away where it has one child."""
NOWHERE = Path("tree")


def parse_tree(text: str, path: Path = NOWHERE, line: int = 1) -> Tree:
    """The tree of a line; errors name the file and the line.

    >>> print(parse_tree("(ROOT (S (NP-SBJ (PRP They)) (VP (VBP bark)) (. .)))"))
    (S (NP They) (VP bark) .)
    """
    missing = text.count("(") - text.count(")")
    if missing > 0:
        raise DataError(
            f"{path}:{line}: the tree that begins here is not closed; add "
            f"{counted(missing, 'closing bracket')}, or join its lines: one tree on each line"
        )
    found = list(parse_trees([(line, text)], path, join_hyphens=True))
    if len(found) != 1:
        what = "several trees" if found else "an empty tree"
        raise DataError(f"{path}:{line}: {what} on a line; write one tree on each line")
    return without_top(found[0])


def without_top(tree: Tree) -> Tree:
    """A tree without nodes that only mark the top."""
    while tree.label in TOPS and len(tree.children) == 1 and isinstance(tree.children[0], Tree):
        tree = tree.children[0]
    return tree


NO_TAG = "XX"
"""The tag of a word that has none; the Penn Treebank's own for an unknown one."""


def bracketed(tree: Tree, top: str = "ROOT") -> str:
    """One line, every word with its tag, everything under a node that marks the top.

    >>> they, bracket = TaggedWord("They", "PRP"), TaggedWord("(", "-LRB-")
    >>> bracketed(Tree("S", (Tree("NP", (they,)), "bark", bracket)))
    '(ROOT (S (NP (PRP They)) (XX bark) (-LRB- -LRB-)))'
    """
    parts: list[str] = []
    ahead: list[Tree | str | None] = [tree]  # None closes a constituent
    while ahead:
        node = ahead.pop()
        if node is None:
            parts[-1] += ")"
        elif isinstance(node, str):
            tag = node.tag if isinstance(node, TaggedWord) else NO_TAG
            parts.append(f"({tag.translate(ESCAPES)} {node.translate(ESCAPES)})")
        else:
            parts.append(f"({node.label}")
            ahead += [None, *reversed(node.children)]
    return f"({top} {' '.join(parts)})"
