"""GPT-2 (Radford et al. 2019): a Transformer decoder with the layer norm before each part.

Parameters have the names and shapes of Transformers' `GPT2LMHeadModel`, so that a trained folder
is an ordinary Hugging Face folder.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from priscian.files.convert import Count, Share
from priscian.models.networks.word_tables import linear_cross_entropy

EPSILON = 1e-5
SHORT = 256
"""Tokens for which the table of attention weights is small."""


@dataclass(frozen=True, slots=True)
class Gpt2Shape:
    """Sizes of a network."""

    vocabulary: int
    layers: Count = 6
    width: Count = 256
    heads: Count = 8
    positions: Count = 128
    dropout: Share = 0.0


class Projection(nn.Module):
    """An affine map whose weight is stored as (inputs, outputs), as in GPT-2's files."""

    def __init__(self, inputs: int, outputs: int, deviation: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inputs, outputs) * deviation)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x: Tensor) -> Tensor:
        """(…, inputs) → (…, outputs)."""
        flat = torch.addmm(self.bias, x.reshape(-1, x.shape[-1]), self.weight)
        return flat.view(*x.shape[:-1], -1)


class Gpt2Attention(nn.Module):
    """Causal self-attention with several heads."""

    def __init__(self, shape: Gpt2Shape, residual: float) -> None:
        super().__init__()
        self.heads = shape.heads
        self.dropout = shape.dropout
        self.c_attn = Projection(shape.width, 3 * shape.width, 0.02)
        self.c_proj = Projection(shape.width, shape.width, residual)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, time, width) → the same."""
        batch, time, width = x.shape
        parts = self.c_attn(x).view(batch, time, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)  # each (batch, heads, time, size)
        drop = self.dropout if self.training else 0.0
        if x.is_cpu and time <= SHORT:
            mixed = attend(query, key, value, drop)
        else:
            mixed = functional.scaled_dot_product_attention(
                query, key, value, dropout_p=drop, is_causal=True
            )
        return self.c_proj(mixed.transpose(1, 2).reshape(batch, time, width))  # type: ignore[no-any-return]


def attend(query: Tensor, key: Tensor, value: Tensor, dropout: float = 0.0) -> Tensor:
    """Causal attention with all weights in memory: (batch, heads, time, size) → the same.

    The fused kernel makes products of a few rows for each head of each sentence. For sentences, one
    batched product is faster on a CPU, up to ten times where oneDNN does it (`exact_products.py`).
    """
    time, size = query.shape[-2:]
    scores = (query / math.sqrt(size)) @ key.transpose(-1, -2)  # (batch, heads, time, time)
    scores += torch.full((time, time), -math.inf, dtype=scores.dtype).triu(1)
    return functional.dropout(scores.softmax(-1), dropout) @ value


class FeedForward(nn.Module):
    """Two maps with a GELU between them."""

    def __init__(self, shape: Gpt2Shape, residual: float) -> None:
        super().__init__()
        self.c_fc = Projection(shape.width, 4 * shape.width, 0.02)
        self.c_proj = Projection(4 * shape.width, shape.width, residual)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, time, width) → the same."""
        return self.c_proj(functional.gelu(self.c_fc(x), approximate="tanh"))  # type: ignore[no-any-return]


class Gpt2Block(nn.Module):
    """Attention and feed-forward, each added to what it read."""

    def __init__(self, shape: Gpt2Shape, residual: float) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(shape.width, EPSILON)
        self.attn = Gpt2Attention(shape, residual)
        self.ln_2 = nn.LayerNorm(shape.width, EPSILON)
        self.mlp = FeedForward(shape, residual)
        self.drop = nn.Dropout(shape.dropout)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, time, width) → the same."""
        x = x + self.drop(self.attn(self.ln_1(x)))
        return x + self.drop(self.mlp(self.ln_2(x)))  # type: ignore[no-any-return]


class Stem(nn.Module):
    """Everything below the output head."""

    def __init__(self, shape: Gpt2Shape) -> None:
        super().__init__()
        residual = 0.02 / math.sqrt(2 * shape.layers)
        self.wte = nn.Embedding(shape.vocabulary, shape.width)
        self.wpe = nn.Embedding(shape.positions, shape.width)
        self.drop = nn.Dropout(shape.dropout)
        self.h = nn.ModuleList(Gpt2Block(shape, residual) for _ in range(shape.layers))
        self.ln_f = nn.LayerNorm(shape.width, EPSILON)
        for table in (self.wte, self.wpe):
            nn.init.normal_(table.weight, std=0.02)

    def forward(self, ids: Tensor) -> Tensor:
        """(batch, time) → (batch, time, width)."""
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.drop(self.wte(ids) + self.wpe(places))
        for block in self.h:
            x = block(x)
        return self.ln_f(x)  # type: ignore[no-any-return]


class Gpt2(nn.Module):
    """Predicts the next token; the output head is the embedding table."""

    def __init__(self, shape: Gpt2Shape) -> None:
        super().__init__()
        self.shape = shape
        self.transformer = Stem(shape)

    def forward(self, rows: Tensor, memory: None = None) -> tuple[Tensor, None]:
        """Mean surprisal in nats of tokens 1… of each row; no memory: (batch, time) → ()."""
        states = self.transformer(rows[:, :-1])
        flat = states.reshape(-1, self.shape.width)
        targets = rows[:, 1:].reshape(-1)
        return linear_cross_entropy(flat, self.transformer.wte.weight, targets), None

    def config(self) -> dict[str, object]:
        """`config.json` as Transformers reads it."""
        shape = self.shape
        return {
            "model_type": "gpt2",
            "architectures": ["GPT2LMHeadModel"],
            "vocab_size": shape.vocabulary,
            "n_positions": shape.positions,
            "n_embd": shape.width,
            "n_layer": shape.layers,
            "n_head": shape.heads,
            "activation_function": "gelu_new",
            "resid_pdrop": shape.dropout,
            "embd_pdrop": shape.dropout,
            "attn_pdrop": shape.dropout,
            "layer_norm_epsilon": EPSILON,
            "bos_token_id": 0,
            "eos_token_id": 0,
            "tie_word_embeddings": True,
            "torch_dtype": "float32",
        }
