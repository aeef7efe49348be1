"""A corpus of trees, one on each line, as action ids; and its batches.

The ids are those of `models/networks/actions.py`. Tokens are words and sentence ends, as in every
other training, so that amounts of training can be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from priscian.errors import DataError, UsageError
from priscian.models.vocabulary import Vocabulary, WordVocabulary
from priscian.training.recipe import TextPart
from priscian.training.rows import Encoded, Ints, Pass
from priscian.training.sources import Learnt
from priscian.trees import Action, actions_of
from priscian.trees.line import parse_tree
from priscian.trees.oracle import OPEN, SHIFT, words_of

PADDING = -1
WHEN = {"most_open": "at once", "most_opening": "before one word"}
"""What the limits of a grammar are about."""


@dataclass(frozen=True, slots=True)
class EncodedTrees(Encoded):
    """Action ids of many trees end to end; ids above `labels` shift a word."""

    labels: int = 0
    predicts: ClassVar[str] = "words and trees"

    @property
    def words(self) -> Ints:
        """Words of each tree."""
        before = np.concatenate([[0], np.cumsum(self.ids > self.labels)])
        found: Ints = np.diff(before[self.starts])
        return found

    @property
    def tokens(self) -> int:
        """Words and sentence ends."""
        return int(np.count_nonzero(self.ids > self.labels)) + len(self)

    def sentences(self, batch_tokens: int, random: np.random.Generator) -> Pass:
        """Trees with about as many actions together."""
        return TreePass(self, batch_tokens, random)


class TreePass:
    """Rows are whole trees of similar length, padded at the end."""

    def __init__(self, data: EncodedTrees, batch_tokens: int, random: np.random.Generator) -> None:
        self.data = data
        self.lengths, self.words = data.lengths, data.words
        order = random.permutation(len(self.lengths))
        order = order[np.argsort(self.lengths[order], kind="stable")]
        groups: list[list[int]] = [[]]
        tokens = 0
        for number, words in zip(order.tolist(), self.words[order].tolist(), strict=True):
            if groups[-1] and tokens + words + 1 > batch_tokens:
                groups.append([])
                tokens = 0
            groups[-1].append(number)
            tokens += words + 1
        self.groups = [np.array(groups[number]) for number in random.permutation(len(groups))]

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, number: int) -> Ints:
        group = self.groups[number]
        rows = np.full((len(group), int(self.lengths[group].max())), PADDING, np.int64)
        for row, tree in enumerate(group.tolist()):
            begin, end = self.data.starts[tree], self.data.starts[tree + 1]
            rows[row, : end - begin] = self.data.ids[begin:end]
        return rows

    def tokens(self, number: int) -> int:
        """Words and sentence ends of a batch."""
        group = self.groups[number]
        return int(self.words[group].sum()) + len(group)


class TreeText:
    """A tree in Penn Treebank brackets on each line."""

    trees: tuple[tuple[str, str], ...] = ()

    def __init__(self, text: TextPart, network: Mapping[str, Any]) -> None:
        if text.tokenizer != "ptb" or text.pack != "sentence":
            raise UsageError(
                "a grammar is trained on the words of its trees; leave out text.tokenizer and "
                "text.pack"
            )
        self.text = text
        self.most_open = int(network.get("most_open", 100))
        self.most_opening = int(network.get("most_opening", 8))
        self._known: dict[str, list[Action]] = {}

    def check(self, line: str, path: Path, number: int) -> None:
        """Refuse what is not a tree, and a tree that the grammar may not build."""
        self._known[line] = actions_of(parse_tree(line, path, number))
        over = self.too_deep(self._known[line])
        if over:
            found = " and ".join(
                f"more than {getattr(self, name)} constituents open {WHEN[name]}" for name in over
            )
            enough = ", ".join(
                f"network.{name} = {_enough(getattr(self, name), depth)}"
                for name, depth in over.items()
            )
            limits = "limit" if len(over) == 1 else "limits"
            raise DataError(
                f"{path}:{number}: a tree deeper than the {limits}: {found}; remove it, or raise "
                f"the {limits}: {enough}"
            )

    def too_deep(self, actions: Sequence[Action]) -> dict[str, int]:
        """The limits that a tree is over, each with the depth of the tree."""
        opened = run = most_open = most_opening = 0
        for action in actions:
            run = run + 1 if action.kind == OPEN else 0
            opened += {OPEN: 1, SHIFT: 0}.get(action.kind, -1)
            most_open, most_opening = max(most_open, opened), max(most_opening, run)
        depths = {"most_open": most_open, "most_opening": most_opening}
        return {name: depth for name, depth in depths.items() if depth > getattr(self, name)}

    def split(self, line: str) -> list[str]:
        """A line is one sentence."""
        return [line]

    def count(self, sentence: str) -> int:
        """Words of a tree."""
        return len(words_of(self._actions(sentence)))

    def learn(self, sentences: Sequence[str]) -> Learnt:
        """Words with UNK classes, and labels, the most frequent first."""
        words: Counter[str] = Counter()
        labels: Counter[str] = Counter()
        for sentence in sentences:
            for action in self._actions(sentence):
                if action.kind != "REDUCE":
                    (words if action.kind == SHIFT else labels)[action.value] += 1
        text = self.text
        vocabulary = WordVocabulary.from_counts(
            words, least=text.min_count, most=text.max_vocab or None, classes=text.unk_classes
        )
        ranked = sorted(labels, key=lambda label: (-labels[label], label))
        return Learnt(vocabulary, {"labels": tuple(ranked)})

    def encode(
        self, learnt: Learnt, sentences: Sequence[str], part: str = "training part"
    ) -> Encoded:
        """Trees as action ids; a tree with a label unseen in training is left out."""
        labels = {label: number for number, label in enumerate(learnt.network["labels"], 1)}
        flat: list[int] = []
        starts = [0]
        kept = [actions for actions in map(self._actions, sentences) if self._fits(actions, labels)]
        for actions in kept:
            flat += _ids(actions, labels, learnt.vocabulary)
            starts.append(len(flat))
        if not kept:
            raise DataError(
                f"the {part} is empty: none of its trees has from 1 to {self.text.max_length} words"
                "; raise text.max_length or add trees"
            )
        return EncodedTrees(
            np.array(flat, np.int32), np.array(starts, np.int64), len(sentences) - len(kept),
            len(labels),
        )  # fmt: skip

    def facts(self, learnt: Learnt, sentences: Sequence[str]) -> dict[str, int]:
        """What is kept of trees."""
        labels = set(learnt.network["labels"])
        kept = [actions for actions in map(self._actions, sentences) if self._fits(actions, labels)]
        words = [word for actions in kept for word in words_of(actions)]
        assert isinstance(learnt.vocabulary, WordVocabulary)
        unknown = sum(not learnt.vocabulary.knows(word) for word in words)
        return {"sentences": len(kept), "words": len(words), "unknown": unknown}

    def _fits(self, actions: Sequence[Action], labels: Mapping[str, int] | set[str]) -> bool:
        return len(words_of(actions)) <= self.text.max_length and all(
            action.value in labels for action in actions if action.kind == OPEN
        )

    def _actions(self, line: str) -> list[Action]:
        found = self._known.get(line)
        if found is None:
            found = self._known[line] = actions_of(parse_tree(line))
        return found


def _enough(limit: int, depth: int) -> int:
    """A limit doubled until it allows a depth.

    >>> _enough(8, 20)
    32
    """
    while limit < depth:
        limit *= 2
    return limit


def _ids(actions: Sequence[Action], labels: Mapping[str, int], vocabulary: Vocabulary) -> list[int]:
    assert isinstance(vocabulary, WordVocabulary)
    kinds = {
        OPEN: lambda value: labels[value],
        SHIFT: lambda value: len(labels) + vocabulary.word_id(value),
    }
    return [kinds[a.kind](a.value) if a.kind in kinds else 0 for a in actions]
