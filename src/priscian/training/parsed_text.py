"""Plain text whose sentences have trees in another file, so that a grammar reads what others read.

The parts of a corpus are chosen by its text alone. A grammar that is trained on the trees of that
text then has the same subsets, the same dev and test parts and the same words as the models that
are trained on the text itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from priscian.errors import DataError
from priscian.models.ngram.tokenise import Tokenisation, WordSplitter
from priscian.training.corpora import read_blocks, split_sentences
from priscian.training.recipe import TextPart
from priscian.training.tree_source import TreeText
from priscian.trees import Action
from priscian.trees.oracle import SHIFT, words_of


class ParsedText(TreeText):
    """A paragraph on each line; the tree of a sentence is found by its words.

    Spaces do not count: a treebank may have `well - known` where our word is `well-known`.
    """

    def __init__(
        self, text: TextPart, network: Mapping[str, Any], trees: Sequence[str | Path]
    ) -> None:
        super().__init__(text, network)
        self.files = [Path(name) for name in trees]
        self._splitter = WordSplitter(Tokenisation())
        self._trees: dict[str, str] = {}
        for path, first, block in read_blocks(self.files):
            for number, line in enumerate(block.decode().split("\n")[:-1], first):
                if line.strip():
                    self._add(line.strip(), path, number)

    def _add(self, line: str, path: Path, number: int) -> None:
        TreeText.check(self, line, path, number)
        self._trees.setdefault("".join(words_of(self._known.pop(line))), line)

    def check(self, line: str, path: Path, number: int) -> None:
        """Every line is text."""

    def split(self, line: str) -> list[str]:
        """Sentences of a paragraph."""
        return split_sentences(line)

    def count(self, sentence: str) -> int:
        """Penn Treebank tokens, as for plain text."""
        return len(self._splitter.split(sentence))

    def _actions(self, line: str) -> list[Action]:
        """The actions of a sentence's tree; a sentence that is too long needs none."""
        if line not in self._known:
            words = self._splitter.words(line)
            tree = self._trees.get("".join(words))
            if tree is not None:
                self._known[line] = super()._actions(tree)
            elif not 0 < len(words) <= self.text.longest:
                self._known[line] = [Action(SHIFT, word) for word in words]
            else:
                names = ", ".join(map(str, self.files))
                raise DataError(
                    f"no tree in {names} for the sentence {line[:80]!r}; parse the corpus with "
                    "priscian parse, which keeps its words, and name the file that it writes"
                )
        return self._known[line]
