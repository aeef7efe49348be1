"""What is computed only where a score is needed: the output head, and BERT-style layers.

The head is tiled over the vocabulary: no positions × vocabulary tensor ever exists.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

TILE = 1024


@dataclass(frozen=True, slots=True)
class Head:
    """The last linear map, with the scaling or capping of logits that some models add."""

    weight: Tensor  # (vocab, width)
    bias: Tensor | None  # (vocab,)
    scale: float = 1.0
    cap: float | None = None

    def logprobs(self, hidden: Tensor, which: Tensor, targets: Tensor) -> Tensor:
        """log p(targets[q] | hidden[which[q]]).

        hidden: (positions, width); which, targets: (queries,) → (queries,) in float32.
        """
        return self._chosen(hidden, which, targets) - self._normalisers(hidden)[0][which]

    def logprobs_and_mass(
        self, hidden: Tensor, which: Tensor, targets: Tensor, members: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The same, and log Σ p(v | hidden[which[q]]) over the members v of a set.

        members: (vocab,) in float32, 1 for a member and 0 for the rest.
        """
        whole, part = self._normalisers(hidden, members)
        return self._chosen(hidden, which, targets) - whole[which], (part - whole)[which]

    def logprobs_and_entropy(
        self, hidden: Tensor, which: Tensor, targets: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The same, and −Σ p log p over the vocabulary at hidden[which[q]]."""
        whole, entropy = self._entropies(hidden)
        return self._chosen(hidden, which, targets) - whole[which], entropy[which]

    def _entropies(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """log Σ exp(logit) of each position, and the entropy of its softmax.

        With d the distance of a logit from the highest: H = log Σ exp(d) − Σ d exp(d) / Σ exp(d).
        """
        top = torch.full((len(hidden),), -torch.inf, device=hidden.device)  # (positions,)
        total = torch.zeros_like(top)  # Σ exp(d)
        weighted = torch.zeros_like(top)  # Σ d exp(d)
        for tile in self._tiles(hidden):  # (positions, TILE)
            higher = torch.maximum(top, tile.amax(1))
            down = top - higher  # -inf at first, when there is no total yet
            shrink = down.exp()
            weighted = shrink * weighted + torch.where(total > 0, shrink * down * total, 0.0)
            distance = tile.sub_(higher[:, None]).clamp_min_(-1e30)  # 0 · -inf must be 0
            share = distance.exp()
            total = shrink * total + share.sum(1)
            weighted += (share * distance).sum(1)
            top = higher
        return top + total.log(), total.log() - weighted / total

    def _chosen(self, hidden: Tensor, which: Tensor, targets: Tensor) -> Tensor:
        chosen = (hidden[which] * self.weight[targets]).sum(1)  # (queries,)
        if self.bias is not None:
            chosen = chosen + self.bias[targets]
        return self._finish(chosen.float())

    def _normalisers(self, hidden: Tensor, members: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """log Σ exp(logit) of each position over the vocabulary, and over the members of a set.

        Both are shifted by the largest logit of the first tile. That is enough unless a later tile
        is higher by about 88 nats, or all members are lower; then a sum overflows or is 0, and the
        slower method with a running maximum is used.
        """
        total = torch.zeros(len(hidden), device=hidden.device)  # (positions,)
        part = torch.zeros_like(total) if members is not None else None
        shift = None
        for number, tile in enumerate(self._tiles(hidden)):  # (positions, TILE)
            if shift is None:
                shift = tile.amax(1)
            tile.sub_(shift[:, None]).exp_()
            total += tile.sum(1)
            if part is not None and members is not None:
                part += tile @ members[number * TILE : (number + 1) * TILE]
        assert shift is not None
        whole = shift + total.log_()
        some = whole if part is None else shift + part.log_()
        if bool(whole.isfinite().all()) and bool(some.isfinite().all()):
            return whole, some
        whole = self._careful_sum(hidden, None)
        return whole, whole if members is None else self._careful_sum(hidden, members)

    def _careful_sum(self, hidden: Tensor, members: Tensor | None) -> Tensor:
        """log Σ exp over members, or all, by a running maximum: it cannot over- or underflow."""
        lowest = torch.finfo(torch.float32).min  # a tile may have no member: -inf would give NaN
        top = torch.full((len(hidden),), lowest, device=hidden.device)  # (positions,)
        total = torch.zeros_like(top)  # Σ exp(logit - top)
        for number, tile in enumerate(self._tiles(hidden)):
            if members is not None:
                outside = members[number * TILE : (number + 1) * TILE] == 0
                tile = tile.masked_fill(outside, -torch.inf)
            higher = torch.maximum(top, tile.amax(1))
            total = total * (top - higher).exp_() + tile.sub_(higher[:, None]).exp_().sum(1)
            top = higher
        return top + total.log()

    def _tiles(self, hidden: Tensor) -> Iterator[Tensor]:
        """Logits of successive parts of the vocabulary, in float32.

        In float32 the tiles share one buffer: use each before taking the next.
        """
        room = hidden.new_empty(len(hidden), TILE)
        for at in range(0, len(self.weight), TILE):
            weight = self.weight[at : at + TILE].T
            out = (
                room if weight.shape[1] == TILE else hidden.new_empty(len(hidden), weight.shape[1])
            )
            if self.bias is None:
                torch.mm(hidden, weight, out=out)
            else:
                torch.addmm(self.bias[at : at + TILE], hidden, weight, out=out)
            yield self._finish(out.float())

    def _finish(self, logits: Tensor) -> Tensor:
        if self.scale != 1.0:
            logits = logits.mul_(self.scale)
        if self.cap is not None:
            logits = logits.div_(self.cap).tanh_().mul_(self.cap)
        return logits


def tolerance(model: Any) -> float:
    """How far our log-probabilities may be from a model's own, in nats, by its dtype."""
    return 1e-4 if model.dtype == torch.float32 else 0.05


def gives_logits(head: Head, hidden: Tensor, logits: Tensor, tolerance: float) -> bool:
    """Whether a head gives a model's own log-probabilities, as tried on some of the vocabulary.

    hidden: (positions, width); logits: (positions, vocab).
    """
    targets = torch.arange(logits.shape[-1], device=logits.device)
    targets = targets[:: max(1, len(targets) // 64)]
    which = torch.arange(len(hidden), device=hidden.device).repeat_interleave(len(targets))
    got = head.logprobs(hidden, which, targets.repeat(len(hidden))).view(len(hidden), -1)
    wanted = logits.float().log_softmax(-1)[:, targets]
    return bool((got - wanted).abs().max() <= tolerance)


def find_head(model: Any) -> list[Head]:
    """Candidate heads of a causal model: as configured first, then plain."""
    output = model.get_output_embeddings()
    weight = getattr(output, "weight", None)
    if weight is None or weight.dim() != 2:
        return []
    config = model.config.get_text_config()
    bias = getattr(output, "bias", None)
    scale = 1.0
    if getattr(config, "logit_scale", None):  # Cohere multiplies
        scale = float(config.logit_scale)
    elif getattr(config, "logits_scaling", None):  # Granite divides
        scale = 1.0 / float(config.logits_scaling)
    cap = getattr(config, "final_logit_softcapping", None)  # Gemma-2
    plain = Head(weight, bias)
    dressed = Head(weight, bias, scale, float(cap) if cap else None)
    return [dressed, plain] if (scale, cap) != (1.0, None) else [plain]


@dataclass(frozen=True, slots=True)
class Bert:
    """A model's embeddings, its layers, and the modules between them and the output layer.

    A masked input asks for one token, so the last layer runs only there. And the masked inputs of
    a text have nearly all their tokens in common: until the first layer lets them see each other,
    each distinct token of a position is computed once.
    """

    embeddings: Any
    layers: tuple[Any, ...]
    transform: Any

    def states(self, ids: Tensor, mask: Tensor | None, rows: Tensor, columns: Tensor) -> Tensor:
        """The input of the output layer at (rows[p], columns[p]).

        ids: (rows, length); mask: (rows, length), 1 where there is a token → (places, width).
        """
        hidden = self.embeddings(input_ids=ids)  # (rows, length, width)
        seen = None if mask is None else mask.bool()[:, None, None, :]
        first, *middle, last = self.layers
        hidden = _finish(first, _mix(first, *_shared(first, hidden, ids), seen), hidden)
        for layer in middle:
            own = layer.attention.self
            # the keys' bias would add the same value to all scores of a query
            parts = own.query(hidden), functional.linear(hidden, own.key.weight), own.value(hidden)
            hidden = _finish(layer, _mix(layer, *parts, seen), hidden)
        asked = hidden[rows, columns]  # (places, width)
        out = _finish(last, _attend(last, hidden, asked, mask, rows), asked)
        found: Tensor = self.transform(out[None])[0]
        return found


def _shared(layer: Any, hidden: Tensor, ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values of the first layer, once per distinct token and position."""
    length = ids.shape[1]
    names = ids * length + torch.arange(length, device=ids.device)
    distinct, which = torch.unique(names, return_inverse=True)  # which: (rows, length)
    example = torch.empty_like(distinct)
    example[which.flatten()] = torch.arange(names.numel(), device=ids.device)
    some = hidden.flatten(0, 1)[example]  # (distinct, width)
    own = layer.attention.self
    return own.query(some)[which], own.key(some)[which], own.value(some)[which]


def _mix(layer: Any, query: Tensor, key: Tensor, value: Tensor, seen: Tensor | None) -> Tensor:
    """Attention from every token to every token; all (rows, length, width)."""
    heads = layer.attention.self.num_attention_heads
    shape = (*query.shape[:2], heads, -1)
    q, k, v = (x.view(shape).transpose(1, 2) for x in (query, key, value))
    mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
    return mixed.transpose(1, 2).flatten(-2)


def _attend(layer: Any, hidden: Tensor, asked: Tensor, mask: Tensor | None, rows: Tensor) -> Tensor:
    """Attention from the given positions, without keys and values of every token.

    q·(W h) = (Wᵀq)·h and Σ a W h = W (Σ a h), so both matrices are applied once per position. The
    keys' bias adds the same to all scores of a place; the values' bias comes out unchanged.
    """
    own = layer.attention.self
    heads = own.num_attention_heads
    if len(rows) != len(hidden) or not torch.equal(
        rows, torch.arange(len(hidden), device=rows.device)
    ):
        hidden = hidden[rows]  # (places, length, width)
        mask = mask[rows] if mask is not None else None
    places, _, width = hidden.shape
    query = own.query(asked).view(places, heads, -1).transpose(0, 1)  # (heads, places, part)
    keys = own.key.weight.view(heads, -1, width)  # (heads, part, width)
    values = own.value.weight.view(heads, -1, width)
    scores = (query @ keys).transpose(0, 1) @ hidden.transpose(1, 2)  # (places, heads, length)
    scores = scores / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask[:, None, :] == 0, -torch.inf)
    mixed = (scores.softmax(-1) @ hidden).transpose(0, 1)  # (heads, places, width)
    found: Tensor = (mixed @ values.transpose(1, 2)).transpose(0, 1).reshape(places, width)
    if own.value.bias is not None:
        found += own.value.bias
    return found


def _finish(layer: Any, mixed: Tensor, hidden: Tensor) -> Tensor:
    """The rest of a layer, which treats each token separately."""
    mixed = layer.attention.output(mixed, hidden)
    out: Tensor = layer.output(layer.intermediate(mixed), mixed)
    return out


def find_bert(model: Any, output: str, probe: Tensor, tolerance: float) -> Bert | None:
    """BERT-style layers that reproduce a model's output, else None.

    `output` is the name of the output layer, which must have been replaced by an identity; `probe`
    holds token ids, (rows, length), on which both ways are compared, with and without padding.
    """
    body = model.base_model
    layers = getattr(getattr(body, "encoder", None), "layer", None)
    if body is model or layers is None or len(layers) < 2 or not all(map(_like_bert, layers)):
        return None
    found = Bert(body.embeddings, tuple(layers), model.get_submodule(output.split(".")[0]))
    padded = torch.ones_like(probe)
    padded[0, probe.shape[1] // 2 :] = 0
    rows = torch.arange(len(probe), device=probe.device).repeat_interleave(2)
    columns = torch.tensor([1, 0], device=probe.device).repeat(len(probe))
    try:
        for mask in (None, padded):
            wanted = model(input_ids=probe, attention_mask=mask).logits[rows, columns].float()
            for every in (1, 2):  # two positions of a row, then one
                asked = rows[::every], columns[::every]
                got = found.states(probe, mask, *asked).float()
                if not bool((got - wanted[::every]).abs().max() <= tolerance):
                    return None
    except (RuntimeError, AttributeError, TypeError, ValueError):
        return None
    return found


def _like_bert(layer: Any) -> bool:
    own = getattr(getattr(layer, "attention", None), "self", None)
    parts = all(hasattr(own, name) for name in ("query", "key", "value", "num_attention_heads"))
    return (
        parts
        and hasattr(layer.attention, "output")
        and hasattr(layer, "intermediate")
        and hasattr(layer, "output")
        and not getattr(layer, "is_decoder", False)
    )
