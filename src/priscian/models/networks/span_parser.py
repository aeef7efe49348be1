"""A parser that scores spans (Stern et al. 2017; Gaddy et al. 2018).

A bidirectional LSTM reads the words. With f and b its states at the gaps between words, a span from
gap i to gap j with label l scores

    s(i, j, l) = w_l · ReLU(W [f_j − f_i ; b_i − b_j]) + c_l,    s(i, j, no label) = 0

and the best tree is the one whose spans score most. Unary chains (S over VP) are one label.

A word is what it is made of: pieces, whose table comes from a language model; a vector of its own
if the treebank has it often enough; its characters; its last letters; its shape. The language model
itself, which reads from left to right and is not trained further, gives its states as well. Part of
speech is a second task.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from priscian.errors import UsageError
from priscian.files.convert import Count, Finite, Share

MOST_LAYERS = 16
SCALE = 0.25
"""Makes the language model's table, whose values are about 3, as large as other vectors."""


@dataclass(frozen=True, slots=True)
class SpanParserShape:
    """Sizes of a network."""

    vocabulary: int
    """Words with a vector of their own, and 0 for all others."""
    labels: tuple[str, ...] = ()
    """Chains of labels: NP, `S VP`."""
    tags: tuple[str, ...] = ()
    pieces: int = 0
    characters: int = 0
    suffixes: int = 0
    shapes: int = 0
    piece_width: int = 256
    reader_units: int = 320
    """Units of each layer of the language model that reads along."""
    reader_layers: int = 2
    read_along: bool = True
    context: Count = 128
    """Width of what is taken from the reader."""
    filters: Count = 128
    """Width of what is taken from a word's characters."""
    hidden: Count = 256
    """Units of each layer, in each direction."""
    layers: Count = 2
    span: Count = 250
    dropout: Share = 0.4
    word_dropout: Share = 0.15
    """Share of words that are read without their own vector while training."""
    tagging: Finite = 0.5
    """Weight of the loss of tags."""


@dataclass(frozen=True, slots=True)
class WordBatch:
    """A batch of sentences with the same number of words; types are what differs among words."""

    types: Tensor  # (batch, words): which type each word is
    known: Tensor  # (types,): ids of vectors of their own, 0 for none
    suffixes: Tensor  # (types,)
    shapes: Tensor  # (types,)
    characters: Tensor  # (types, longest), padded with 0
    pieces: Tensor  # pieces of all types, end to end
    offsets: Tensor  # (types,): where the pieces of each begin
    sequence: Tensor  # (batch, most + 1): pieces of each sentence after the boundary, padded
    ends: Tensor  # (batch, words + 1): where the boundary and each word end in `sequence`


class SpanParser(nn.Module):
    """Scores labelled spans and tags of words."""

    def __init__(self, shape: SpanParserShape) -> None:
        super().__init__()
        self.shape = shape
        for name in ("layers", "reader_layers"):
            if not 1 <= getattr(shape, name) <= MOST_LAYERS:
                raise UsageError(
                    f"network.{name} = {getattr(shape, name)}; it takes 1 to {MOST_LAYERS}"
                )
        width, wide = shape.piece_width, shape.hidden
        self.pieces = nn.Parameter(torch.zeros(shape.pieces, width), requires_grad=False)
        self.own = nn.Parameter(torch.zeros(shape.vocabulary, width))
        self.characters = nn.Embedding(shape.characters, 48, padding_idx=0)
        self.convolution = nn.Conv1d(48, shape.filters, 3, padding=1)
        self.suffixes = nn.Embedding(shape.suffixes, 48)
        self.shapes = nn.Embedding(shape.shapes, 16)
        inputs = width + shape.filters + 48 + 16
        self.edges = nn.Parameter(torch.randn(2, inputs) * 0.1)  # before and after a sentence
        if shape.read_along:
            self.reader = nn.LSTM(width, shape.reader_units, shape.reader_layers)
            self.reader.requires_grad_(False)
            self.context = nn.Linear(shape.reader_units, shape.context)
            inputs += shape.context
        self.layers = nn.ModuleList(
            nn.LSTM(inputs if n == 0 else 2 * wide, wide, bidirectional=True)
            for n in range(shape.layers)
        )
        self.gaps = nn.Linear(2 * wide, shape.span)
        self.labels = nn.Linear(shape.span, len(shape.labels))
        self.tags = nn.Linear(2 * wide, len(shape.tags))
        self.drop = nn.Dropout(shape.dropout)

    # ------------------------------------------------------------ words

    def embed(self, words: WordBatch) -> Tensor:
        """Vectors of words with an edge at either end: (batch, words + 2, inputs)."""
        own = self.own[words.known]
        if self.training:
            kept = torch.rand(len(own), 1) >= self.shape.word_dropout
            own = own * kept.to(own.dtype)
        letters = self.convolution(self.characters(words.characters).transpose(1, 2))
        parts = [
            SCALE * functional.embedding_bag(words.pieces, self.pieces, words.offsets) + own,
            torch.relu(letters.amax(2)),
            self.suffixes(words.suffixes),
            self.shapes(words.shapes),
        ]
        types = torch.cat(parts, 1)  # (types, inputs)
        batch = len(words.types)
        first, last = (edge.expand(batch, 1, -1) for edge in self.edges)
        return torch.cat([first, types[words.types], last], 1)

    @torch.no_grad()
    def read_along(self, words: WordBatch) -> Tensor:
        """The language model's states at both edges and after each word: (batch, words + 2, …)."""
        states, _ = self.reader(self.pieces[words.sequence.t()])  # time first is faster
        ends = torch.cat([words.ends, words.ends[:, -1:]], 1).t()[:, :, None]
        found: Tensor = states.gather(0, ends.expand(-1, -1, states.shape[2]))
        return found.transpose(0, 1)

    def states(self, words: WordBatch, read: Tensor | None = None) -> Tensor:
        """States of the last layer, forward and backward: (batch, words + 2, 2 · hidden).

        `read` has what `read_along` gives, if that is known already.
        """
        x = self.embed(words)
        if self.shape.read_along:
            x = torch.cat([x, self.context(self.read_along(words) if read is None else read)], 2)
        x = x.transpose(0, 1)
        for layer in self.layers:
            x, _ = layer(self.drop(x))
        found: Tensor = self.drop(x)
        return found.transpose(0, 1)

    # ------------------------------------------------------------ spans

    def gap_vectors(self, states: Tensor) -> Tensor:
        """W of the states at each gap: (batch, words + 1, span).

        The map is linear, so a span's hidden layer is a difference of two of these.
        """
        ahead, back = states.chunk(2, 2)
        return functional.linear(torch.cat([ahead[:, :-1], -back[:, 1:]], 2), self.gaps.weight)

    def span_scores(self, gaps: Tensor, begins: Tensor, ends: Tensor) -> Tensor:
        """Scores of all labels of spans: (batch, gaps, span), (n,), (n,) → (batch, n, labels)."""
        hidden = torch.relu(gaps[:, ends] - gaps[:, begins] + self.gaps.bias)
        return self.labels(hidden)  # type: ignore[no-any-return]

    def labelled_scores(self, gaps: Tensor, spans: Tensor) -> Tensor:
        """Scores of spans with a label: sentence, begin, end, label of each: (n, 4) → (n,)."""
        sentence, begin, end, label = spans.unbind(1)
        hidden = torch.relu(gaps[sentence, end] - gaps[sentence, begin] + self.gaps.bias)
        return (hidden * self.labels.weight[label]).sum(1) + self.labels.bias[label]

    def tag_scores(self, states: Tensor) -> Tensor:
        """Scores of tags of words: (batch, words, tags)."""
        return self.tags(states[:, 1:-1])  # type: ignore[no-any-return]

    def config(self) -> dict[str, object]:
        """`config.json`: the architecture and its sizes."""
        sizes = asdict(self.shape) | {n: list(getattr(self.shape, n)) for n in ("labels", "tags")}
        return {"architecture": "span-parser", **sizes}


def all_spans(words: int) -> tuple[Tensor, Tensor]:
    """Begins and ends of all spans over this many words."""
    begins, ends = torch.triu_indices(words + 1, words + 1, 1)
    return begins, ends
