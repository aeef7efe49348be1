"""What the lines of a corpus hold, and how they become token ids: plain text, or trees.

A source knows the sentences of a line, their words and their ids; everything else in a training
(nested subsets, batches, loop, checkpoints) is the same for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from priscian.errors import UsageError
from priscian.files import shown
from priscian.models.vocabulary import BpeVocabulary, Vocabulary, WordVocabulary
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
from priscian.training.amounts import parse_amount
from priscian.training.corpora import split_sentences
from priscian.training.recipe import TextPart
from priscian.training.rows import Encoded, encode

TRAINED = ("training part", "extra text")
"""Parts that the network is trained on."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """What is learnt from a corpus before training: a vocabulary, and more for the network."""

    vocabulary: Vocabulary
    network: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the network's shape that the corpus decides, such as labels."""


class Source(Protocol):
    """How a corpus is read."""

    trees: tuple[tuple[str, str], ...]
    """Name and hash of the files with the trees of a text, where they are apart from it."""

    def check(self, line: str, path: Path, number: int) -> None:
        """Refuse a line that is not what it should be; errors name its file and number."""
        ...

    def split(self, line: str) -> list[str]:
        """Sentences of a line."""
        ...

    def count(self, sentence: str) -> int:
        """Words of a sentence."""
        ...

    def learn(self, sentences: Sequence[str]) -> Learnt:
        """Vocabulary and labels."""
        ...

    def encode(
        self, learnt: Learnt, sentences: Sequence[str], part: str = "training part"
    ) -> Encoded:
        """Ids of sentences; those that are too long are left out and counted."""
        ...

    def facts(self, learnt: Learnt, sentences: Sequence[str]) -> dict[str, int]:
        """Held-out sentences that `encode` keeps, their words, and how many are unknown."""
        ...


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
        if words == "ptb":
            text = self.text
            return Learnt(
                WordVocabulary.learn(
                    sentences,
                    least=text.min_count,
                    most=text.max_vocab or None,
                    classes=text.unk_classes,
                )
            )
        raise UsageError(f"text.tokenizer = {shown(self.text.tokenizer)}; it takes ptb or bpe:N")

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
