"""What the lines of a corpus hold, and how they become token ids: plain text, or trees.

A source knows the sentences of a line, their words and their ids; everything else in a training
(nested subsets, batches, loop, checkpoints) is the same for all of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from priscian.errors import DataError, UsageError
from priscian.models.vocabulary import BpeVocabulary, Vocabulary, WordVocabulary
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
from priscian.training.amounts import parse_amount
from priscian.training.corpora import read_texts, split_sentences
from priscian.training.recipe import TextPart
from priscian.training.rows import Encoded, Ints, encode
from priscian.trees import Action, actions_of
from priscian.trees.oracle import OPEN, SHIFT, words_of
from priscian.trees.reader import one_spelling, parse_tree

TRAINED = ("training part", "extra text")
"""Parts that the network is trained on."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """What is learnt from a corpus before training: a vocabulary, and more for the network."""

    vocabulary: Vocabulary
    network: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the network's shape that the corpus decides, such as labels."""


class PlainText:
    """A paragraph on each line."""

    trees: tuple[tuple[str, str], ...] = ()

    def __init__(self, text: TextPart, *, limited: bool = False) -> None:
        """`limited`: the network cannot read more than `longest` tokens, so dev and test too."""
        self.text, self.limited = text, limited
        self._splitter = WordSplitter(Tokenisation())

    def check(self, line: str, path: Path, number: int) -> None:
        """Every line is text."""

    def split(self, line: str) -> list[str]:
        """Sentences of a paragraph."""
        return split_sentences(line)

    def count(self, sentence: str) -> int:
        """Penn Treebank tokens."""
        return len(self._splitter.split(sentence))

    def learn(self, sentences: Sequence[str]) -> Learnt:
        """Whole words with UNK classes, or BPE."""
        words, _, size = self.text.tokenizer.partition(":")
        if words == "bpe":
            size_wanted = parse_amount(size or "8192", "text.tokenizer")
            return Learnt(BpeVocabulary.learn(sentences, size_wanted))
        text = self.text
        vocabulary = WordVocabulary.learn(
            sentences,
            least=text.min_count,
            most=text.max_vocab or None,
            classes=text.unk_classes,
        )
        return Learnt(vocabulary)

    def encode(
        self, learnt: Learnt, sentences: Sequence[str], part: str = "training part"
    ) -> Encoded:
        """Each sentence between two boundaries; `longest` is for training."""
        longest = self.text.max_length if part in TRAINED else self._longest_held
        return encode(learnt.vocabulary, sentences, longest, part)

    @property
    def _longest_held(self) -> int | None:
        """All models are measured on the same sentences, unless they cannot read them."""
        return self.text.max_length if self.limited else None

    def facts(self, learnt: Learnt, sentences: Sequence[str]) -> dict[str, int]:
        """What is kept of sentences that are held out."""
        vocabulary, most = learnt.vocabulary, self._longest_held or math.inf
        kept = [s for s in sentences if 0 < len(vocabulary.encode(s).ids) <= most]
        return {
            "sentences": len(kept),
            "words": vocabulary.count_words(kept),
            "unknown": sum(vocabulary.unknown(s) for s in kept),
        }


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

    def groups(self, batch_tokens: int, random: np.random.Generator) -> list[Ints]:
        """Numbers of trees of similar length, with about this many words together."""
        lengths, words_of_trees = self.lengths, self.words
        order = random.permutation(len(lengths))
        order = order[np.argsort(lengths[order], kind="stable")]
        found: list[list[int]] = [[]]
        tokens = 0
        for number, words in zip(order.tolist(), words_of_trees[order].tolist(), strict=True):
            if found[-1] and tokens + words + 1 > batch_tokens:
                found.append([])
                tokens = 0
            found[-1].append(number)
            tokens += words + 1
        return [np.array(group) for group in found]

    def rows(self, group: Ints) -> Ints:
        """Trees, one in each row, padded at the end."""
        rows = np.full((len(group), int(self.lengths[group].max())), PADDING, np.int64)
        for row, tree in enumerate(group.tolist()):
            begin, end = self.starts[tree], self.starts[tree + 1]
            rows[row, : end - begin] = self.ids[begin:end]
        return rows

    def tokens_of(self, group: Ints) -> int:
        """Words and sentence ends of a group."""
        return int(np.count_nonzero(self.rows(group) > self.labels)) + len(group)


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
        vocabulary = learnt.vocabulary
        assert isinstance(vocabulary, WordVocabulary)
        flat: list[int] = []
        starts = [0]
        kept = [actions for actions in map(self._actions, sentences) if self._fits(actions, labels)]
        for actions in kept:
            for kind, value in actions:
                if kind == OPEN:
                    flat.append(labels[value])
                else:
                    flat.append(len(labels) + vocabulary.word_id(value) if kind == SHIFT else 0)
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
                words = words_of(actions_of(parse_tree(line, file.path, number)))
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


TextSource = PlainText | TreeText
"""How a corpus is read: lines are checked, split, counted, learnt from and encoded."""
