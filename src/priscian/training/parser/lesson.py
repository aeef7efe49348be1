"""What the parser learns from: the margin between the treebank's tree and the best other one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from priscian.models.networks.span_parser import SpanParser, all_spans
from priscian.models.parser import ParserWords, batches, best_spans
from priscian.training.parser.treebank import Example
from priscian.training.rows import Encoded

NO_LABEL = -1


def encode_numbers(examples: Sequence[Example]) -> Encoded:
    """Sentences as rows of their own number, one for each word and one more."""
    lengths = np.array([len(example.words) + 1 for example in examples])
    numbers = np.repeat(np.arange(len(examples), dtype=np.int32), lengths)
    return Encoded(numbers, np.concatenate([[0], np.cumsum(lengths)]))


class Lesson(nn.Module):
    """A parser and its treebank, as the training loop calls them."""

    def __init__(self, parser: SpanParser, words: ParserWords, examples: Sequence[Example]) -> None:
        super().__init__()
        self.parser = parser
        self._words, self._examples = words, examples
        self._labels = {label: number for number, label in enumerate(parser.shape.labels)}
        self._tags = {tag: number for number, tag in enumerate(parser.shape.tags)}
        self._read = _read_all(parser, words, examples) if parser.shape.read_along else None

    def forward(self, rows: Tensor, memory: None = None) -> tuple[Tensor, None]:
        """Loss for each word of the sentences whose numbers the rows have: (batch, …) → ().

        Hinge loss: the best tree, where every wrong label counts one more than it scores, against
        the treebank's tree. Only spans in which the two differ have a gradient.
        """
        numbers = rows[:, 0].tolist()
        examples = [self._examples[number] for number in numbers]
        parser = self.parser
        read = None if self._read is None else torch.stack([self._read[n] for n in numbers]).float()
        states = parser.states(self._words.batch([example.words for example in examples]), read)
        gaps = parser.gap_vectors(states)
        gold = self.gold_labels(examples)  # (batch, gaps, gaps)
        guess, cost = self.worst_tree(gaps, gold)
        words = gold.shape[0] * (gold.shape[1] - 1)
        loss = gaps.new_tensor(cost)
        for labels, sign in ((guess, 1), (gold, -1)):
            where = np.nonzero((labels != NO_LABEL) & (guess != gold))
            if len(where[0]):
                spans = torch.from_numpy(np.stack([*where, labels[where]], 1))
                loss = loss + sign * parser.labelled_scores(gaps, spans).sum()
        tags = torch.tensor([self._tags[tag] for example in examples for tag in example.tags])
        tagging = functional.cross_entropy(parser.tag_scores(states).flatten(0, 1), tags)
        return loss / words + parser.shape.tagging * tagging, None

    def gold_labels(self, examples: Sequence[Example]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Labels of the treebank's spans; -1 elsewhere: (batch, gaps, gaps)."""
        gaps = len(examples[0].words) + 1
        gold = np.full((len(examples), gaps, gaps), NO_LABEL, np.int64)
        for row, example in enumerate(examples):
            for (begin, end), label in example.spans.items():
                gold[row, begin, end] = self._labels[label]
        return gold

    @torch.no_grad()
    def worst_tree(
        self, gaps: Tensor, gold: np.ndarray[Any, np.dtype[np.int64]]
    ) -> tuple[np.ndarray[Any, np.dtype[np.int64]], float]:
        """The tree that is best when wrong labels count one more; how many are wrong."""
        words = gold.shape[1] - 1
        begins, ends = all_spans(words)
        scores = self.parser.span_scores(gaps, begins, ends) + 1
        places = (slice(None), begins.numpy(), ends.numpy())
        right = torch.from_numpy(gold[places])  # (batch, spans)
        labelled = right != NO_LABEL
        scores.scatter_add_(2, right.clamp(min=0)[:, :, None], -labelled[:, :, None].float())
        best, labels = scores.max(2)
        empty = labelled.float()  # to leave out a label is wrong as well
        empty[:, words - 1] = -torch.inf  # but a sentence has one
        chosen = torch.where(best > empty, labels, NO_LABEL)
        chart = np.zeros(gold.shape, np.float32)
        chart[places] = torch.maximum(best, empty).numpy()
        guess = np.full(gold.shape, NO_LABEL, np.int64)
        guess[places] = chosen.numpy()
        used = best_spans(chart)
        cost = float(np.count_nonzero(used & (guess != gold)))
        return np.where(used, guess, NO_LABEL), cost


def _read_all(parser: SpanParser, words: ParserWords, examples: Sequence[Example]) -> list[Tensor]:
    """The language model's states of every sentence, which never change: read once, kept small.

    Always in the same batches, so that a resumed training has the same bits.
    """
    found: dict[int, Tensor] = {}
    for numbers in batches([example.words for example in examples]):
        states = parser.read_along(words.batch([examples[number].words for number in numbers]))
        found.update(zip(numbers, states.half().unbind(0), strict=True))
    return [found[number] for number in range(len(examples))]


def copy_language_model(parser: SpanParser, weights: Mapping[str, Any]) -> None:
    """Table of pieces and layers of an LSTM language model of ours."""
    from priscian.models.lstm import Softmax

    table = Softmax(weights).embed(np.arange(parser.shape.pieces))
    with torch.no_grad():
        parser.pieces.copy_(torch.from_numpy(table))
    if parser.shape.read_along:
        prefix = "lstm."
        layers = {
            name.removeprefix(prefix): torch.from_numpy(value)
            for name, value in weights.items()
            if name.startswith(prefix)
        }
        parser.reader.load_state_dict(layers)
