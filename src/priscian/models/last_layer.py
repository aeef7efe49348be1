"""The last layer of BERT and its kin, only where a token is asked for.

What the last layer says of a token that nobody asks for is thrown away. A masked input asks for one
token, so most of that layer need not be computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class LastLayer:
    """The encoder without its last layer, that layer, and what the output layer reads from it."""

    body: Any
    layer: Any
    transform: Any

    def states(self, ids: Tensor, mask: Tensor | None, rows: Tensor, columns: Tensor) -> Tensor:
        """What the output layer reads at (rows[p], columns[p]).

        ids: (rows, length); mask: (rows, length), 1 where there is a token → (places, width).
        """
        inputs = {"input_ids": ids} if mask is None else {"input_ids": ids, "attention_mask": mask}
        hidden = self.body(**inputs).last_hidden_state  # (rows, length, width)
        asked = hidden[rows, columns]  # (places, width)
        attention = self.layer.attention
        mixed = attention.output(self._attend(hidden, asked, mask, rows), asked)
        out = self.layer.output(self.layer.intermediate(mixed), mixed)
        found: Tensor = self.transform(out[None])[0]
        return found

    def _attend(self, hidden: Tensor, asked: Tensor, mask: Tensor | None, rows: Tensor) -> Tensor:
        """Attention from the places asked for, without keys and values of every token.

        q·(W h) = (Wᵀq)·h and Σ a W h = W (Σ a h), so both matrices are applied once a place. The
        keys' bias adds the same to all scores of a place; the values' bias comes out unchanged.
        """
        import torch

        own = self.layer.attention.self
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


def take_last_layer(model: Any, output: str, probe: Tensor, tolerance: float) -> LastLayer | None:
    """Put a model's last layer aside, if it is built as BERT's and gives the same without the rest.

    `output` is the name of the output layer, which must have been replaced by an identity; `probe`
    holds token ids, (rows, length), on which both ways are compared, with and without padding.
    """
    import torch

    body = model.base_model
    layers = getattr(getattr(body, "encoder", None), "layer", None)
    if body is model or layers is None or len(layers) < 2 or not _like_bert(layers[-1]):
        return None
    found = LastLayer(body, layers[-1], model.get_submodule(output.split(".")[0]))
    padded = torch.ones_like(probe)
    padded[0, probe.shape[1] // 2 :] = 0
    rows = torch.arange(len(probe), device=probe.device).repeat_interleave(2)
    columns = torch.tensor([1, 0], device=probe.device).repeat(len(probe))
    masks = (None, padded)
    wanted = [
        model(input_ids=probe, attention_mask=mask).logits[rows, columns].float() for mask in masks
    ]
    body.encoder.layer = layers[:-1]
    try:
        got = [found.states(probe, mask, rows, columns).float() for mask in masks]
        got.append(found.states(probe, None, rows[::2], columns[::2]).float())
        good = all(
            bool((a - b).abs().max() <= tolerance)
            for a, b in zip(got, [*wanted, wanted[0][::2]], strict=True)
        )
    except (RuntimeError, AttributeError, TypeError, ValueError):
        good = False
    if not good:
        body.encoder.layer = layers
    return found if good else None


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
