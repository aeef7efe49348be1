"""Transformer-XL (Dai et al. 2019): attention over relative places, with a memory of the past.

score(i, j) = [(qᵢ + u)·kⱼ + (qᵢ + v)·W r(i − j)] / √d, with u and v shared by all layers and r
sinusoidal. The memory holds what each layer read in the previous segment, without gradient.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields

import torch
from torch import Tensor, nn
from torch.nn import functional

from priscian.files.convert import Count, CountOrNone, Share
from priscian.models.networks.word_tables import Bands, ProjectedTables, WordTables, bands_for


@dataclass(frozen=True, slots=True)
class TransformerXlShape:
    """Sizes of a network; those after `softmax` are for networks that were trained elsewhere."""

    vocabulary: int
    layers: Count = 4
    width: Count = 192
    heads: Count = 6
    inner: Count = 768
    memory: Count = 64
    dropout: Share = 0.0
    softmax: str = "full"
    bands: Bands = ()
    """End and width of each band of an adaptive softmax with projections; none: see `softmax`."""
    head_size: CountOrNone = 0
    """0: the width divided by the number of heads."""
    own_biases: bool = False
    """Every layer has its own u and v."""
    clamp: CountOrNone = 0
    """Distances beyond this count as this; 0: never."""
    same_length: bool = False
    """Every token sees as many places, `memory` of them with itself."""
    zero_memory: bool = False
    """A text begins after a memory of zeros, as in Transformers' TransfoXL, not after none."""

    @property
    def size(self) -> int:
        """Width of a head."""
        return self.head_size or self.width // self.heads


class RelativeAttention(nn.Module):
    """Causal attention by content and by distance."""

    def __init__(self, shape: TransformerXlShape) -> None:
        super().__init__()
        self.heads, self.size = shape.heads, shape.size
        self.same_length, self.memory = shape.same_length, shape.memory
        inner = self.heads * self.size
        self.qkv = nn.Linear(shape.width, 3 * inner, bias=False)
        self.place = nn.Linear(shape.width, inner, bias=False)
        self.out = nn.Linear(inner, shape.width, bias=False)

    def forward(self, x: Tensor, past: Tensor, places: Tensor, u: Tensor, v: Tensor) -> Tensor:
        """x (batch, time, width) after past (batch, before, width); places (reach, width), the
        farthest first."""
        batch, time, _ = x.shape
        reach = past.shape[1] + time
        both = self.qkv(torch.cat([past, x], 1)).view(batch, reach, 3, self.heads, self.size)
        query, key, value = both.permute(2, 0, 3, 1, 4)  # (batch, heads, reach, size)
        query = query[:, :, -time:]
        far = self.place(places).view(reach, self.heads, self.size).permute(1, 2, 0)
        by_place = shift((query + v[:, None]) @ far) / math.sqrt(self.size)  # (b, heads, t, reach)
        hidden = torch.ones(time, reach, dtype=torch.bool, device=x.device).triu(reach - time + 1)
        if self.same_length and reach > self.memory:
            hidden |= torch.ones_like(hidden).tril(reach - self.memory - time)
        mask = by_place.masked_fill(hidden, -math.inf)
        # content enters through the fused kernel, distance as its additive mask
        mixed = functional.scaled_dot_product_attention(
            query + u[:, None], key, value, attn_mask=mask
        )
        return self.out(mixed.transpose(1, 2).reshape(batch, time, -1))  # type: ignore[no-any-return]


def shift(scores: Tensor) -> Tensor:
    """From columns by distance, farthest first, to columns by place: row i moves left by t − 1 − i.

    (batch, heads, time, reach) → the same; cells after a row's own place are garbage, and masked.
    """
    batch, heads, time, reach = scores.shape
    padded = functional.pad(scores, (1, 0))  # (batch, heads, time, reach + 1)
    return padded.view(batch, heads, reach + 1, time)[:, :, 1:].view(batch, heads, time, reach)


class Layer(nn.Module):
    """Attention and feed-forward, each followed by a layer norm."""

    def __init__(self, shape: TransformerXlShape) -> None:
        super().__init__()
        self.attention = RelativeAttention(shape)
        self.norm = nn.LayerNorm(shape.width)
        self.inner = nn.Linear(shape.width, shape.inner)
        self.outer = nn.Linear(shape.inner, shape.width)
        self.outer_norm = nn.LayerNorm(shape.width)
        self.drop = nn.Dropout(shape.dropout)

    def forward(self, x: Tensor, past: Tensor, places: Tensor, u: Tensor, v: Tensor) -> Tensor:
        """(batch, time, width) → the same."""
        x = self.norm(x + self.drop(self.attention(x, past, places, u, v)))
        return self.outer_norm(x + self.drop(self.outer(self.drop(torch.relu(self.inner(x))))))  # type: ignore[no-any-return]


class TransformerXl(nn.Module):
    """Predicts the next token from a segment and a memory of the segments before it."""

    def __init__(self, shape: TransformerXlShape) -> None:
        super().__init__()
        self.shape = shape
        self.words: WordTables | ProjectedTables
        if shape.bands:
            self.words = ProjectedTables(shape.bands, shape.width)
        else:
            self.words = WordTables(bands_for(shape.vocabulary, shape.width, shape.softmax))
        biases = (shape.layers, shape.heads, shape.size)[0 if shape.own_biases else 1 :]
        self.u = nn.Parameter(torch.randn(biases) * 0.02)
        self.v = nn.Parameter(torch.randn(biases) * 0.02)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.drop = nn.Dropout(shape.dropout)
        for name, value in self.layers.named_parameters():
            if value.dim() == 2:
                nn.init.normal_(value, std=0.02)
            elif "norm.weight" in name:
                nn.init.normal_(value, 1.0, 0.02)

    def forward(
        self, rows: Tensor, memory: list[Tensor] | None = None
    ) -> tuple[Tensor, list[Tensor]]:
        """Mean surprisal of tokens 1… of each row, and the memory after: (batch, time) → ()."""
        states, after = self.read(rows[:, :-1], memory)
        flat = self.drop(states).reshape(-1, self.shape.width)
        return self.words.loss(flat, rows[:, 1:].reshape(-1)), after

    def read(self, ids: Tensor, memory: list[Tensor] | None = None) -> tuple[Tensor, list[Tensor]]:
        """States (batch, time, width), and what each layer read, for the next segment."""
        x = self.drop(self.words.embed(ids))
        batch, time, width = x.shape
        shape = self.shape
        filled = shape.memory if shape.zero_memory else 0
        past = memory or [x.new_zeros(batch, filled, width)] * shape.layers
        reach = past[0].shape[1] + time
        places = self.drop(sinusoids(reach, width, x, shape.clamp))
        after = []
        for number, (layer, before) in enumerate(zip(self.layers, past, strict=True)):
            read = torch.cat([before, x], 1).detach()
            after.append(read[:, max(0, reach - shape.memory) :])
            u, v = (b[number] if shape.own_biases else b for b in (self.u, self.v))
            x = layer(x, before, places, u, v)
        return x, after

    def config(self) -> dict[str, object]:
        """`config.json`: the sizes; what is only for networks trained elsewhere where it is set."""
        sizes = asdict(self.shape)
        for field in fields(self.shape)[8:]:
            if sizes[field.name] == field.default:
                del sizes[field.name]
        return {"architecture": "transformer-xl", **sizes}


def sinusoids(reach: int, width: int, like: Tensor, clamp: int = 0) -> Tensor:
    """r(distance) for distances reach − 1 … 0: (reach, width), sines before cosines."""
    distance = torch.arange(reach - 1, -1, -1, device=like.device, dtype=like.dtype)
    if clamp:
        distance = distance.clamp(max=clamp)
    power = torch.arange(0, width, 2, device=like.device, dtype=like.dtype) / width
    angles = distance[:, None] / 10000**power
    return torch.cat([angles.sin(), angles.cos()], 1)
