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
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
from priscian.training.corpora import read_texts, split_sentences
from priscian.training.recipe import TextPart
from priscian.training.rows import Encoded
from priscian.training.sources import Learnt
from priscian.training.tree_source import TreeText
from priscian.trees import Action, actions_of
from priscian.trees.line import parse_tree
from priscian.trees.oracle import OPEN, SHIFT, words_of
from priscian.trees.reader import one_spelling

MISSING = 0.05
"""Share of the words that may be in sentences without a tree: others would train on more text."""


class ParsedText(TreeText):
    """A paragraph on each line; the tree of a sentence is found by its words.

    Spaces do not count: a treebank may have `well - known` where our word is `well-known`. Nor do
    kinds of quotation marks. `priscian parse` leaves out long sentences, so a sentence without a
    tree that is longer than all trees is left out and counted, and so is one whose tree is deeper
    than the grammar allows, which a parser makes now and then.
    """

    def __init__(
        self, text: TextPart, network: Mapping[str, Any], trees: Sequence[str | Path]
    ) -> None:
        super().__init__(text, network)
        self.files = [Path(name) for name in trees]
        self._splitter = WordSplitter(Tokenisation())
        self._trees: dict[str, str] = {}
        self._longest_tree = 0
        found = read_texts(self.files)
        self.trees = tuple(file.mark for file in found)
        for file in found:
            for number, line in file.numbered():
                self._add(line, file.path, number)

    def _add(self, line: str, path: Path, number: int) -> None:
        words = words_of(actions_of(parse_tree(line, path, number)))
        self._trees.setdefault(one_spelling("".join(words)), line)
        self._longest_tree = max(self._longest_tree, len(words))

    def check(self, line: str, path: Path, number: int) -> None:
        """Every line is text."""

    def split(self, line: str) -> list[str]:
        """Sentences of a paragraph."""
        return split_sentences(line)

    def count(self, sentence: str) -> int:
        """Penn Treebank tokens, as for plain text."""
        return len(self._splitter.split(sentence))

    def encode(
        self, learnt: Learnt, sentences: Sequence[str], part: str = "training part"
    ) -> Encoded:
        """Trees as action ids; refused if many words are in sentences without a tree."""
        fitting = [s for s in sentences if 0 < self.count(s) <= self.text.max_length]
        missing = [s for s in fitting if not _is_tree(self._actions(s))]
        words, lacking = (sum(map(self.count, part)) for part in (fitting, missing))
        if lacking > MISSING * words:
            raise DataError(
                f"{len(missing):,} of {len(fitting):,} sentences of the {part} ({lacking:,} of "
                f"{words:,} words) have no tree in {self._names}, where no tree has more than "
                f"{self._longest_tree} words; parse the corpus with priscian parse "
                f"`longest={self.text.max_length}`"
            )
        return super().encode(learnt, sentences, part)

    @property
    def _names(self) -> str:
        return ", ".join(map(str, self.files))

    def _fits(self, actions: Sequence[Action], labels: Mapping[str, int] | set[str]) -> bool:
        return _is_tree(actions) and not self.too_deep(actions) and super()._fits(actions, labels)

    def _actions(self, line: str) -> list[Action]:
        """The actions of a sentence's tree; of one that is too long, only its words."""
        if line not in self._known:
            words = self._splitter.words(line)
            tree = self._trees.get(one_spelling("".join(words)))
            if tree is not None:
                self._known[line] = _with_words(super()._actions(tree), words)
            elif not 0 < len(words) <= min(self.text.max_length, self._longest_tree):
                self._known[line] = [Action(SHIFT, word) for word in words]
            else:
                raise DataError(
                    f"no tree in {self._names} for the sentence {line[:80]!r}; parse the corpus "
                    "with priscian parse, which keeps its words, and name the file that it writes"
                )
        return self._known[line]


def _is_tree(actions: Sequence[Action]) -> bool:
    return bool(actions) and actions[0].kind == OPEN


def _with_words(actions: list[Action], words: Sequence[str]) -> list[Action]:
    """The text's own words in the tree, where both have the same, so that other models know them.

    A tree has plain quotation marks where a text may have a backtick.
    """
    own = words_of(actions)
    if own == words or list(map(one_spelling, own)) != list(map(one_spelling, words)):
        return actions
    given = iter(words)
    return [Action(SHIFT, next(given)) if a.kind == SHIFT else a for a in actions]
