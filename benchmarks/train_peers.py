"""Peers of our training: a nanoGPT-style loop and a step-by-step ON-LSTM, written plainly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

Rows = Sequence[Tensor]


class NanoBlock(nn.Module):
    """A block as most small GPT-2 programs have it."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.gelu = nn.GELU(approximate="tanh")

    def forward(self, x: Tensor) -> Tensor:
        batch, time, width = x.shape
        parts = self.attn(self.ln_1(x)).split(width, dim=2)
        query, key, value = (
            part.view(batch, time, self.heads, width // self.heads).transpose(1, 2)
            for part in parts
        )
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.proj(mixed.transpose(1, 2).contiguous().view(batch, time, width))
        return x + self.down(self.gelu(self.up(self.ln_2(x))))


class NanoGpt(nn.Module):
    """GPT-2 with whole logits and one cross-entropy."""

    def __init__(self, vocabulary: int, layers: int, width: int, heads: int, reach: int) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(reach, width)
        self.blocks = nn.ModuleList(NanoBlock(width, heads) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.wte.weight

    def forward(self, rows: Tensor) -> Tensor:
        x = self.wte(rows[:, :-1]) + self.wpe(torch.arange(rows.shape[1] - 1))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.ln_f(x))
        return functional.cross_entropy(
            logits.view(-1, logits.size(-1)), rows[:, 1:].reshape(-1), ignore_index=-1
        )

    def take(self, ours: dict[str, Tensor]) -> None:
        """Begin with the weights of our network."""
        names = {"attn": "attn.c_attn", "proj": "attn.c_proj", "up": "mlp.c_fc",
                 "down": "mlp.c_proj", "ln_1": "ln_1", "ln_2": "ln_2"}  # fmt: skip
        with torch.no_grad():
            self.wte.weight.copy_(ours["transformer.wte.weight"])
            self.wpe.weight.copy_(ours["transformer.wpe.weight"])
            for number, block in enumerate(self.blocks):
                for mine, theirs in names.items():
                    part = getattr(block, mine)
                    weight = ours[f"transformer.h.{number}.{theirs}.weight"]
                    part.weight.copy_(weight.t() if weight.dim() == 2 else weight)
                    part.bias.copy_(ours[f"transformer.h.{number}.{theirs}.bias"])


class PlainOnLstm(nn.Module):
    """The equations of Shen et al. (2019), one word after the other, as they are printed."""

    def __init__(self, vocabulary: int, widths: Sequence[int], chunk: int) -> None:
        super().__init__()
        self.chunk = chunk
        self.table = nn.Embedding(vocabulary, widths[0])
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        sizes = list(pairwise(widths))
        self.given = nn.ModuleList(nn.Linear(a, 4 * b + 2 * (b // chunk)) for a, b in sizes)
        self.before = nn.ModuleList(
            nn.Linear(b, 4 * b + 2 * (b // chunk), bias=False) for _, b in sizes
        )

    def forward(self, rows: Tensor) -> Tensor:
        xs = list(self.table(rows[:, :-1].t()) * self.table.embedding_dim**0.5)
        for given, before in zip(self.given, self.before, strict=True):
            size = before.in_features
            h = c = xs[0].new_zeros(len(rows), size)
            after = []
            for x in xs:
                h, c = self.step(given(x) + before(h), c)
                after.append(h)
            xs = after
        logits = functional.linear(torch.stack(xs), self.table.weight, self.bias)
        return functional.cross_entropy(
            logits.view(-1, len(self.bias)), rows[:, 1:].t().reshape(-1)
        )

    def step(self, gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        n = c.shape[1] // self.chunk
        z1, z2, o, g, i, f = gates.split([n, n, *[c.shape[1]] * 4], dim=1)
        forget = torch.cumsum(torch.softmax(z1, -1), -1).repeat_interleave(self.chunk, 1)
        write = (1 - torch.cumsum(torch.softmax(z2, -1), -1)).repeat_interleave(self.chunk, 1)
        overlap = forget * write
        f_hat = torch.sigmoid(f) * overlap + (forget - overlap)
        i_hat = torch.sigmoid(i) * overlap + (write - overlap)
        c = f_hat * c + i_hat * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c

    def take(self, ours: dict[str, Tensor]) -> None:
        """Begin with the weights of our network."""
        with torch.no_grad():
            self.table.weight.copy_(ours["words.tables.0"])
            for number, (given, before) in enumerate(zip(self.given, self.before, strict=True)):
                given.weight.copy_(ours[f"layers.{number}.input_weight"])
                given.bias.copy_(ours[f"layers.{number}.bias"])
                before.weight.copy_(ours[f"layers.{number}.hidden_weight"])


def train_plainly(
    network: nn.Module, rows: Rows, rates: Sequence[float], betas: tuple[float, float], decay: float
) -> Iterator[float]:
    """The usual loop: zero, forward, backward, clip, step; the loss of each step."""
    matrices = [p for p in network.parameters() if p.dim() > 1]
    others = [p for p in network.parameters() if p.dim() <= 1]
    groups = [{"params": matrices, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=rates[0], betas=betas)
    network.train()
    for batch, rate in zip(rows, rates, strict=True):
        for group in optimiser.param_groups:
            group["lr"] = rate
        loss = network(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        yield loss.item()
