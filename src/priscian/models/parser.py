"""Trees of sentences by a trained parser: its network scores spans, CKY finds the best tree.

It reads a word as pieces, characters, last letters and shape.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError
from priscian.files import read_json, write_json
from priscian.models.folder import PARSER, load_network, read_config
from priscian.models.plstm import BYTES, WordPieces, split_words
from priscian.trees import TaggedWord, Tree
from priscian.trees.spans import tree_from_spans

if TYPE_CHECKING:
    from priscian.models.networks.span_parser import SpanParser, WordBatch


FILE = "vocabulary.json"
LONGEST = 20
"""Characters of a word that are read: the first and the last ten."""
BEYOND = 2
"""Padding after the longest word: windows of three see one with a character and one without, so
that a word has the same vector whatever other words are in its batch."""
SUFFIX = 3
SHAPES = 48
CACHED = 200_000
PADDING, UNKNOWN, BEGIN, END = range(4)
"""Characters that are not characters."""
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
FILES = ("config.json", "model.safetensors", "vocabulary.json")
"""What parsing reads."""
BATCH_SPANS = 12_000
"""Spans that are scored together: what they need stays in the cache."""
NO_LABEL = -1


@dataclass(frozen=True, slots=True)
class WordType:
    """What the network sees of a word."""

    known: int
    suffix: int
    shape: int
    characters: tuple[int, ...]
    pieces: tuple[int, ...]


class _Facts(msgspec.Struct, frozen=True):
    """What `vocabulary.json` has."""

    kind: str
    words: list[str]
    suffixes: list[str]
    characters: str
    pieces: list[str]
    merges: list[str]


class ParserWords:
    """The words, last letters and characters of a treebank, and the pieces of a language model."""

    def __init__(
        self, words: Sequence[str], suffixes: Sequence[str], characters: str, pieces: WordPieces
    ) -> None:
        self.words, self.suffixes, self.characters = tuple(words), tuple(suffixes), characters
        self.pieces = pieces
        self._words = {word: number for number, word in enumerate(self.words, 1)}
        self._suffixes = {suffix: number for number, suffix in enumerate(self.suffixes, 1)}
        self._characters = {char: number for number, char in enumerate(characters, END + 1)}
        self._types: dict[tuple[str, bool], WordType] = {}

    @classmethod
    def learn(
        cls, sentences: Iterable[Sequence[str]], pieces: WordPieces, *, least: int = 2
    ) -> ParserWords:
        """What occurs at least `least` times; last letters need to occur five times more often."""
        words: Counter[str] = Counter()
        for sentence in sentences:
            words.update(map(str, sentence))
        suffixes: Counter[str] = Counter()
        characters: Counter[str] = Counter()
        for word, count in words.items():
            suffixes[word.lower()[-SUFFIX:]] += count
            for char in word:
                characters[char] += count
        return cls(
            _often(words, least), _often(suffixes, 5 * least),
            "".join(_often(characters, 5 * least)), pieces,
        )  # fmt: skip

    @classmethod
    def load(cls, folder: Path) -> ParserWords:
        """From `vocabulary.json`."""
        facts = read_json(folder / FILE, _Facts)
        merges = [merge.split(" ") for merge in facts.merges]
        known = set(facts.pieces)
        if not known.issuperset(BYTES) or any(len(merge) != 2 for merge in merges):
            raise ModelError(
                f"{folder / FILE} is not a parser's vocabulary: its pieces lack some bytes or a "
                "merge is not two pieces; copy the folder again"
            )
        pieces = WordPieces(tuple(facts.pieces), tuple((first, second) for first, second in merges))
        return cls(facts.words, facts.suffixes, facts.characters, pieces)

    def save(self, folder: Path) -> None:
        """Write `vocabulary.json`."""
        merges = [" ".join(merge) for merge in self.pieces.merges]
        facts = _Facts(
            "parser", list(self.words), list(self.suffixes), self.characters,
            list(self.pieces.tokens), merges,
        )  # fmt: skip
        write_json(folder / FILE, msgspec.to_builtins(facts))

    @property
    def sizes(self) -> dict[str, Any]:
        """Keys of the network's shape."""
        return {
            "vocabulary": len(self.words) + 1,
            "suffixes": len(self.suffixes) + 1,
            "characters": len(self.characters) + END + 1,
            "pieces": len(self.pieces.tokens),
            "shapes": SHAPES,
        }

    def knows(self, word: str) -> bool:
        """Whether a word has a vector of its own."""
        return word in self._words

    def type_of(self, word: str, initial: bool) -> WordType:
        """A word, which may open its sentence."""
        found = self._types.get((word, initial))
        if found is None:
            found = self._look_at(word, initial)
            if len(self._types) < CACHED:
                self._types[word, initial] = found
        return found

    def _look_at(self, word: str, initial: bool) -> WordType:
        half = LONGEST // 2
        kept = word if len(word) <= LONGEST else word[:half] + word[-half:]
        characters = (self._characters.get(char, UNKNOWN) for char in kept)
        pieces: list[int] = []
        for at, part in enumerate(split_words(word)):
            pieces += self.pieces.word(part.form, initial and at == 0)
        return WordType(
            self._words.get(word, 0),
            self._suffixes.get(word.lower()[-SUFFIX:], 0),
            shape_of(word, initial),
            (BEGIN, *characters, END),
            tuple(pieces) or (0,),
        )

    def batch(self, sentences: Sequence[Sequence[str]]) -> WordBatch:
        """Sentences of the same number of words, as the network takes them."""
        import torch

        from priscian.models.networks.span_parser import WordBatch

        numbers: dict[WordType, int] = {}
        rows: list[list[int]] = []
        sequences: list[list[int]] = []
        ends: list[list[int]] = []
        for sentence in sentences:
            types = [self.type_of(word, at == 0) for at, word in enumerate(sentence)]
            rows.append([numbers.setdefault(kind, len(numbers)) for kind in types])
            sequence, mine = [0], [0]
            for kind in types:
                sequence += kind.pieces
                mine.append(len(sequence) - 1)
            sequences.append(sequence)
            ends.append(mine)
        kinds = list(numbers)
        counts = [len(kind.pieces) for kind in kinds]
        offsets = np.cumsum([0, *counts[:-1]])
        return WordBatch(
            types=torch.tensor(rows),
            known=torch.tensor([kind.known for kind in kinds]),
            suffixes=torch.tensor([kind.suffix for kind in kinds]),
            shapes=torch.tensor([kind.shape for kind in kinds]),
            characters=torch.from_numpy(_padded([kind.characters for kind in kinds], BEYOND)),
            pieces=torch.tensor([piece for kind in kinds for piece in kind.pieces]),
            offsets=torch.from_numpy(offsets),
            sequence=torch.from_numpy(_padded(sequences)),
            ends=torch.tensor(ends),
        )


def shape_of(word: str, initial: bool) -> int:
    """Case of a word, whether it opens its sentence, and what it is written with, as one number.

    >>> [shape_of(word, False) for word in ("dog", "USA", "Dog", "iPod", "well-known", "3", ",")]
    [0, 2, 4, 6, 16, 24, 24]
    """
    letters = any(char.isalpha() for char in word)
    if word.islower() or not letters:
        case = 0
    elif word.isupper() and len(word) > 1:
        case = 1
    else:
        case = 2 if word[:1].isupper() else 3
    hyphen = 2 if "-" in word else 0
    kind = hyphen if letters and not any(char.isdigit() for char in word) else 3
    return 8 * kind + 2 * case + initial


def _often(counts: Mapping[str, int], least: int) -> list[str]:
    kept = [name for name, count in counts.items() if count >= least]
    return sorted(kept, key=lambda name: (-counts[name], name))


def _padded(rows: Sequence[Sequence[int]], more: int = 0) -> np.ndarray[Any, np.dtype[np.int64]]:
    made = np.zeros((len(rows), max(map(len, rows)) + more), np.int64)
    for number, row in enumerate(rows):
        made[number, : len(row)] = row
    return made


def best_spans(scores: Floats) -> Flags:
    """Which spans the best binary tree of each sentence has.

    `scores` (batch, gaps, gaps) has what each span adds to its tree, from gap i to gap j > i. With

        best(i, j) = scores(i, j) + max over k of best(i, k) + best(k, j)

    the splits of all spans of one width are slices of two charts, one by where spans begin and one
    by where they end; both by width.
    """
    batch, gaps, _ = scores.shape
    words = gaps - 1
    begun = np.zeros((batch, gaps, gaps), np.float32)  # best by begin and width
    ended = np.zeros((batch, gaps, gaps), np.float32)  # best by end and width
    splits = np.zeros((batch, gaps, gaps), np.int64)
    places = np.arange(gaps)
    for width in range(1, words + 1):
        begins = places[: gaps - width]
        best = scores[:, begins, begins + width]
        if width > 1:
            both = begun[:, : gaps - width, 1:width] + ended[:, width:, width - 1 : 0 : -1]
            at = both.argmax(2)
            splits[:, : gaps - width, width] = begins + 1 + at
            best = best + np.take_along_axis(both, at[:, :, None], 2)[:, :, 0]
        begun[:, : gaps - width, width] = best
        ended[:, width:, width] = best
    return _follow(splits)


def _follow(splits: Ints) -> Flags:
    """Spans that are reached from the whole sentence: (batch, gaps, gaps)."""
    batch, gaps, _ = splits.shape
    words = gaps - 1
    used = np.zeros((batch, gaps, gaps), np.bool_)
    used[:, 0, words] = True
    for width in range(words, 1, -1):
        begins = np.arange(gaps - width)
        rows, begin = np.nonzero(used[:, begins, begins + width])
        middle = splits[rows, begin, width]
        used[rows, begin, middle] = True
        used[rows, middle, begin + width] = True
    return used


class Parser:
    """A network and the words that it knows."""

    def __init__(self, network: SpanParser, words: ParserWords) -> None:
        self.network, self.words = network, words
        self.labels, self.tags = network.shape.labels, network.shape.tags

    @classmethod
    def load(cls, folder: Path) -> Parser:
        """The parser of a folder that `priscian parse --train` has written."""
        check_folder(folder)
        network: SpanParser = load_network(folder, PARSER)
        words = ParserWords.load(folder)
        for name, size in words.sizes.items():
            if getattr(network.shape, name) != size:
                raise ModelError(
                    f"{folder}: {name} is {getattr(network.shape, name)} in config.json but "
                    f"{size} in vocabulary.json; copy the folder again"
                )
        return cls(network, words)

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Tree]:
        """The best tree of each sentence, a list of words; none is empty."""
        import torch

        found: dict[int, Tree] = {}
        was = self.network.training
        self.network.eval()
        with torch.inference_mode():
            for group in batches(sentences):
                trees = self._batch([sentences[number] for number in group])
                found.update(zip(group, trees, strict=True))
        self.network.train(was)
        return [found[number] for number in range(len(sentences))]

    def _batch(self, sentences: Sequence[Sequence[str]]) -> list[Tree]:
        """Trees of sentences with the same number of words."""
        from priscian.models.networks.span_parser import all_spans

        network, count = self.network, len(sentences[0])
        states = network.states(self.words.batch(sentences))
        begins, ends = all_spans(count)
        scores, labels = network.span_scores(network.gap_vectors(states), begins, ends).max(2)
        tags = network.tag_scores(states).argmax(2).numpy()
        chart = np.zeros((len(sentences), count + 1, count + 1), np.float32)
        chosen = np.full(chart.shape, NO_LABEL, np.int64)
        places = (slice(None), begins.numpy(), ends.numpy())
        chosen[places] = np.where(scores.numpy() > 0, labels.numpy(), NO_LABEL)
        chosen[:, 0, count] = labels.numpy()[:, count - 1]  # a sentence has a label
        chart[places] = np.maximum(scores.numpy(), 0)
        used = best_spans(chart) & (chosen != NO_LABEL)
        spans: list[dict[tuple[int, int], str]] = [{} for _ in sentences]
        rows, starts, stops = (part.tolist() for part in np.nonzero(used))
        for row, begin, end, label in zip(rows, starts, stops, chosen[used].tolist(), strict=True):
            spans[row][begin, end] = self.labels[label]
        return [
            tree_from_spans(self._tagged(words, mine), found)
            for words, mine, found in zip(sentences, tags.tolist(), spans, strict=True)
        ]

    def _tagged(self, words: Sequence[str], tags: Sequence[int]) -> list[TaggedWord]:
        return [TaggedWord(word, self.tags[tag]) for word, tag in zip(words, tags, strict=True)]


def check_folder(folder: Path) -> None:
    """Refuse a folder without a finished parser."""
    for name in FILES:
        if not (folder / name).is_file():
            raise ModelError(
                f"{folder} has no {name} of a finished parser; train one: "
                f"priscian parse `train=trees.txt.xz` `out={folder}`"
            )
    read_config(folder, (PARSER,))


def batches(sentences: Sequence[Sequence[str]]) -> Iterator[list[int]]:
    """Numbers of sentences with the same number of words, some at a time."""
    by_length: dict[int, list[int]] = {}
    for number, sentence in enumerate(sentences):
        by_length.setdefault(len(sentence), []).append(number)
    for length, numbers in sorted(by_length.items()):
        rows = max(1, BATCH_SPANS * 2 // (length * (length + 1)))
        rows = min(rows, 512)
        yield from (numbers[at : at + rows] for at in range(0, len(numbers), rows))
