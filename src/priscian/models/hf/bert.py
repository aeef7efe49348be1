"""BERT-style models, computed only at the positions whose scores are needed.

A masked input asks for one token, so the last layer runs only there. And the masked inputs of a
text have nearly all their tokens in common: until the first layer lets them see each other, each
distinct token of a position is computed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class Bert:
    """A model's embeddings, its layers, and the modules between them and the output layer."""

    embeddings: Any
    layers: tuple[Any, ...]
    transform: Any

    def states(self, ids: Tensor, mask: Tensor | None, rows: Tensor, columns: Tensor) -> Tensor:
        """The input of the output layer at (rows[p], columns[p]).

        ids: (rows, length); mask: (rows, length), 1 where there is a token → (places, width).
        """
        from torch.nn.functional import linear

        hidden = self.embeddings(input_ids=ids)  # (rows, length, width)
        seen = None if mask is None else mask.bool()[:, None, None, :]
        first, *middle, last = self.layers
        hidden = _finish(first, _mix(first, *_shared(first, hidden, ids), seen), hidden)
        for layer in middle:
            own = layer.attention.self
            # the keys' bias would add the same value to all scores of a query
            parts = own.query(hidden), linear(hidden, own.key.weight), own.value(hidden)
            hidden = _finish(layer, _mix(layer, *parts, seen), hidden)
        asked = hidden[rows, columns]  # (places, width)
        out = _finish(last, _attend(last, hidden, asked, mask, rows), asked)
        found: Tensor = self.transform(out[None])[0]
        return found


def _shared(layer: Any, hidden: Tensor, ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values of the first layer, once per distinct token and position."""
    import torch

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
    from torch.nn.functional import scaled_dot_product_attention

    heads = layer.attention.self.num_attention_heads
    shape = (*query.shape[:2], heads, -1)
    q, k, v = (x.view(shape).transpose(1, 2) for x in (query, key, value))
    return scaled_dot_product_attention(q, k, v, attn_mask=seen).transpose(1, 2).flatten(-2)


def _attend(layer: Any, hidden: Tensor, asked: Tensor, mask: Tensor | None, rows: Tensor) -> Tensor:
    """Attention from the given positions, without keys and values of every token.

    q·(W h) = (Wᵀq)·h and Σ a W h = W (Σ a h), so both matrices are applied once per position. The
    keys' bias adds the same to all scores of a place; the values' bias comes out unchanged.
    """
    import torch

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
    import torch

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
