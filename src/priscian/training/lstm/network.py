"""The recurrent model in torch: two LSTM layers and an adaptive softmax tied to the input.

Rare tokens have narrow embeddings (Grave et al. 2017; Baevski & Auli 2019): the commonest stand
in the head, the others in bands that the head predicts first, so that a token costs little.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a network."""

    cutoffs: tuple[int, ...]  # where each band ends; the last is the vocabulary's size
    widths: tuple[int, ...]  # of the embeddings of each band; the first is the model's own
    hidden: int
    layers: int = 2


class Network(nn.Module):
    """Predicts the next token of sentences."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        width = shape.widths[0]
        begins = (0, *shape.cutoffs[:-1])
        self.tables = nn.ParameterList(
            nn.Parameter(torch.randn(end - begin, size) * 0.5 * size**-0.5)
            for begin, end, size in zip(begins, shape.cutoffs, shape.widths, strict=True)
        )
        self.maps = nn.ParameterList(
            nn.Parameter(torch.randn(size, width) * size**-0.5) for size in shape.widths[1:]
        )
        self.bands = nn.Parameter(torch.randn(len(shape.widths) - 1, width) * 0.5 * width**-0.5)
        self.biases = nn.ParameterList(
            nn.Parameter(torch.zeros(end - begin))
            for begin, end in zip(begins, shape.cutoffs, strict=True)
        )
        self.band_bias = nn.Parameter(torch.zeros(len(shape.widths) - 1))
        self.lstm = nn.LSTM(width, shape.hidden, shape.layers)
        self.out = nn.Linear(shape.hidden, width)
        for name, value in self.lstm.named_parameters():
            if name.startswith("bias_ih"):
                nn.init.zeros_(value)
                with torch.no_grad():  # remember at first: the forget gates stand open
                    value[shape.hidden : 2 * shape.hidden] = 1.0
            elif name.startswith("bias_hh"):
                nn.init.zeros_(value)

    def embed(self, ids: Tensor) -> Tensor:
        """Embeddings of ids of any shape, narrow ones widened."""
        flat = ids.reshape(-1)
        first = self.tables[0]
        result = functional.embedding(flat.clamp(max=len(first) - 1), first)
        begin = len(first)
        for table, widen in zip(list(self.tables)[1:], self.maps, strict=True):
            where = ((flat >= begin) & (flat < begin + len(table))).nonzero()[:, 0]
            if len(where):
                wide = functional.embedding(flat[where] - begin, table) @ widen
                result = result.index_copy(0, where, wide)
            begin += len(table)
        # Tied tables are small at first, for the softmax; the LSTM wants inputs of about one.
        scale: float = self.shape.widths[0] ** 0.5
        scaled: Tensor = result.view(*ids.shape, -1) * scale
        return scaled

    def forward(self, ids: Tensor) -> Tensor:
        """States (length, sentences, width) that predict the token after each."""
        states, _ = self.lstm(self.embed(ids))
        result: Tensor = self.out(states)
        return result

    def logprobs(self, states: Tensor, targets: Tensor) -> Tensor:
        """log p of each target, given its state: (n, width), (n,) -> (n,)."""
        head = len(self.tables[0])
        weight = torch.cat([self.tables[0], self.bands])
        logits = functional.linear(states, weight, torch.cat([self.biases[0], self.band_bias]))
        cutoffs = torch.tensor(self.shape.cutoffs[:-1])
        band = torch.bucketize(targets, cutoffs, right=True)  # 0 is the head
        first = torch.where(band == 0, targets, head + band - 1)
        result = -functional.cross_entropy(logits, first, reduction="none")
        begin = head
        for number, (table, bias, widen) in enumerate(
            zip(list(self.tables)[1:], list(self.biases)[1:], self.maps, strict=True), 1
        ):
            where = (band == number).nonzero()[:, 0]
            if len(where):
                narrow = states[where] @ widen.T
                inner = functional.linear(narrow, table, bias)
                found = -functional.cross_entropy(inner, targets[where] - begin, reduction="none")
                result = result.index_add(0, where, found)
            begin += len(table)
        return result

    def loss(self, batch: Tensor) -> Tensor:
        """Mean surprisal in nats of a batch (length, sentences) with its boundaries."""
        states = self(batch[:-1])
        return -self.logprobs(states.reshape(-1, states.shape[-1]), batch[1:].reshape(-1)).mean()
