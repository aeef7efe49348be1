"""The LSTM language model (Hochreiter & Schmidhuber 1997; Zaremba et al. 2014)."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn

from priscian.files.convert import Count, Share
from priscian.models.networks.word_tables import Bands, WordTables, bands_for, linear_cross_entropy

Memory = tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class LstmShape:
    """Sizes of a network."""

    vocabulary: int
    embedding: Count = 256
    hidden: Count = 320
    layers: Count = 2
    dropout: Share = 0.0
    tied: bool = True
    softmax: str = "adaptive"
    """`full`, `adaptive` or `adaptive:2000,10000`; an untied output is always full."""


class Lstm(nn.Module):
    """Predicts the next word from a state that has read all words before it."""

    def __init__(self, shape: LstmShape, bands: Bands | None = None) -> None:
        super().__init__()
        self.shape = shape
        softmax = shape.softmax if shape.tied else "full"
        self.words = WordTables(bands or bands_for(shape.vocabulary, shape.embedding, softmax))
        drop = shape.dropout if shape.layers > 1 else 0.0
        self.lstm = nn.LSTM(shape.embedding, shape.hidden, shape.layers, dropout=drop)
        self.drop = nn.Dropout(shape.dropout)
        if shape.tied:
            self.out = nn.Linear(shape.hidden, shape.embedding)
        else:
            self.decoder = nn.Linear(shape.hidden, shape.vocabulary)
            nn.init.uniform_(self.decoder.weight, -0.1, 0.1)
            nn.init.zeros_(self.decoder.bias)
        for name, value in self.lstm.named_parameters():
            if "bias" in name:
                nn.init.zeros_(value)
            if name.startswith("bias_ih"):
                with torch.no_grad():  # remember at first: the forget gates stand open
                    value[shape.hidden : 2 * shape.hidden] = 1.0

    def forward(self, rows: Tensor, memory: Memory | None = None) -> tuple[Tensor, Memory]:
        """Mean surprisal of tokens 1… of each row, and the state after them: (batch, time) → ()."""
        states, after = self.read(rows[:, :-1], memory)
        flat = states.reshape(-1, states.shape[-1])
        targets = rows[:, 1:].t().reshape(-1)
        if self.shape.tied:
            loss = self.words.loss(flat, targets)
        else:
            loss = linear_cross_entropy(flat, self.decoder.weight, targets, self.decoder.bias)
        return loss, (after[0].detach(), after[1].detach())

    def read(self, ids: Tensor, memory: Memory | None = None) -> tuple[Tensor, Memory]:
        """States (time, batch, width) that predict the token after each, and the last state."""
        states, after = self.lstm(self.drop(self.words.embed(ids.t())), memory)
        states = self.drop(states)
        return self.out(states) if self.shape.tied else states, after

    def config(self) -> dict[str, object]:
        """`config.json`: the architecture and its sizes."""
        return {"architecture": "lstm", **asdict(self.shape)}
