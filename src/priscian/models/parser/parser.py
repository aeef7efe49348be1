"""Trees of sentences by a trained parser: its network scores spans, CKY finds the best tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError
from priscian.models.folder import read_config
from priscian.models.networks.loading import load_network, read_shape
from priscian.models.parser.words import ParserWords
from priscian.trees import Tree, Word
from priscian.trees.spans import tree_from_spans

if TYPE_CHECKING:
    from priscian.models.networks.span_parser import SpanParser

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

ARCHITECTURE = "span-parser"
FILES = ("config.json", "model.safetensors", "vocabulary.json")
"""What parsing reads."""
BATCH_SPANS = 12_000
"""Spans that are scored together: what they need stays in the cache."""
NO_LABEL = -1


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
        network = load_network(folder, ARCHITECTURE, _build)
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

    def _tagged(self, words: Sequence[str], tags: Sequence[int]) -> list[Word]:
        return [Word(word, self.tags[tag]) for word, tag in zip(words, tags, strict=True)]


def check_folder(folder: Path) -> None:
    """Refuse a folder without a finished parser."""
    for name in FILES:
        if not (folder / name).is_file():
            raise ModelError(
                f"{folder} has no {name} of a finished parser; train one: "
                f"priscian parse `train=trees.txt.xz` `out={folder}`"
            )
    read_config(folder, (ARCHITECTURE,))


def batches(sentences: Sequence[Sequence[str]]) -> Iterator[list[int]]:
    """Numbers of sentences with the same number of words, some at a time."""
    by_length: dict[int, list[int]] = {}
    for number, sentence in enumerate(sentences):
        by_length.setdefault(len(sentence), []).append(number)
    for length, numbers in sorted(by_length.items()):
        rows = max(1, BATCH_SPANS * 2 // (length * (length + 1)))
        rows = min(rows, 512)
        yield from (numbers[at : at + rows] for at in range(0, len(numbers), rows))


def _build(sizes: Mapping[str, Any]) -> SpanParser:
    from priscian.models.networks.span_parser import SpanParser, SpanParserShape

    return SpanParser(read_shape(SpanParserShape, sizes))
