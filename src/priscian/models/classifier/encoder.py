"""Encoders: Transformers models, with or without a head, read for their hidden states.

A view says which layer is read, and how the states of a text's tokens become one vector.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError, UsageError
from priscian.files import shown, whole_number
from priscian.models.fingerprint import Files
from priscian.models.hf.encoding import Tokenizer
from priscian.models.hf.loading import (
    HuggingFaceProvider,
    check_ids,
    context_length,
    load_config,
    load_weights,
    pick_device,
    tokenizer_content,
)
from priscian.models.hf.locate import import_transformers, locate
from priscian.models.protocol import Encoding
from priscian.models.registry import find_provider, parse_model
from priscian.models.resolved import load_unchanged, refuse_changed
from priscian.models.spec import ModelKey, ModelSpec
from priscian.models.text_offsets import check_length
from priscian.records import Text

Floats32 = npt.NDArray[np.float32]

CLS, LAST, MEAN, MAX = "cls", "last", "mean", "max"
POOLINGS = (CLS, LAST, MEAN, MAX)

BATCH_TOKENS = 1024
"""Tokens that an encoder reads at a time, padding included."""
KEPT_OPTIONS = ("bos", "tokenizer", "attention", "dtype")
"""Options of a model string that can change hidden states."""
UNUSED = ("pooler.",)
"""Weights of a base model that no hidden state depends on; masked models are saved without them."""


@dataclass(frozen=True, slots=True, order=True)
class View:
    """A layer and a pooling: one vector for each text.

    Layer 0 is the embeddings, as in Transformers' `output_hidden_states`. `cls` takes the state of
    the first position, `last` that of the text's last token; `mean` and `max` go over the text's
    own tokens, without those that the tokenizer adds.

    >>> str(View(6, "mean")), View.parse("6-mean") == View(6, "mean")
    ('6-mean', True)
    """

    layer: int
    pooling: str

    def __str__(self) -> str:
        return f"{self.layer}-{self.pooling}"

    @classmethod
    def parse(cls, text: str) -> View:
        """Read `layer-pooling`."""
        number, _, pooling = text.partition("-")
        layer = whole_number(number)
        if layer is None or pooling not in POOLINGS:
            raise UsageError(f"{shown(text)} is not a layer and a pooling, such as 6-mean")
        return cls(layer, pooling)


def pool(states: Floats32, first: int, count: int, pooling: str) -> Floats32:
    """One vector from a text's states; its own tokens are `states[first : first + count]`.

    >>> states = np.array([[9.0, 9.0], [1.0, 4.0], [3.0, 2.0], [9.0, 9.0]], np.float32)
    >>> pool(states, 1, 2, "mean").tolist(), pool(states, 1, 2, "max").tolist()
    ([2.0, 3.0], [3.0, 4.0])
    >>> pool(states, 1, 2, "cls").tolist(), pool(states, 1, 2, "last").tolist()
    ([9.0, 9.0], [3.0, 2.0])
    """
    own = states[first : first + count]  # (tokens, width)
    if pooling == CLS:
        return np.asarray(states[0], np.float32)
    if pooling == LAST:
        return np.asarray(own[-1], np.float32)
    pooled = own.mean(0, dtype=np.float64) if pooling == MEAN else own.max(0)
    return np.asarray(pooled, np.float32)


def encoder_spec(model: str | ModelSpec) -> ModelSpec:
    """The spec of an encoder: minilm, smollm2, hf:ID, mlm:ID or a folder; others are refused."""
    spec = parse_model(model)
    if not isinstance(find_provider(spec.provider), HuggingFaceProvider):
        raise ModelError(
            f"{spec} has no hidden states to train on; give a Transformers model: minilm, smollm2, "
            "hf:ID, mlm:ID or its folder"
        )
    return spec


def encoder_key(spec: ModelSpec) -> ModelKey:
    """Everything that can change a hidden state; nothing is loaded."""
    options = {f"option {k}": spec.options[k] for k in KEPT_OPTIONS if k in spec.options}
    if "tokenizer" in spec.options:
        options["option tokenizer"] = tokenizer_content(spec)
    return ModelKey({"provider": "encoder", "method": "states"} | locate(spec).fields() | options)


def load_encoder(model: str | ModelSpec, digest: str = "") -> Encoder:
    """The encoder, ready to read texts; where a digest is given, only one with this key."""
    spec = encoder_spec(model)
    key = encoder_key(spec)
    refuse_other(spec, key, digest)
    encoder, files = load_unchanged(spec, lambda: encoder_key(spec), lambda: Encoder(spec), key)
    encoder.key, encoder.files = key, files
    return encoder


def refuse_other(spec: ModelSpec, key: ModelKey, digest: str) -> None:
    """Refuse an encoder that does not have the key that a classifier is bound to."""
    if digest and key.digest != digest:
        raise ModelError(
            f"the encoder {spec} is not the one that the classifier was trained on: its files have "
            "changed; put the old ones back or train again"
        )


class Encoder:
    """A base model and its tokenizer; a head for words, if there is one, is left out.

    `key` is everything that can change a hidden state, `files` what it was loaded from.
    """

    key: ModelKey
    files: Files

    def __init__(self, spec: ModelSpec) -> None:
        provider = find_provider(spec.provider)
        assert isinstance(provider, HuggingFaceProvider)
        spec.check_options(provider.options)
        transformers = import_transformers()
        from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

        place = provider.place(spec)
        config = load_config(spec, place)
        if config.is_encoder_decoder:
            raise ModelError(f"{spec} is an encoder–decoder; give an encoder or a causal model")
        self.spec = spec
        masked = config.model_type in MODEL_FOR_MASKED_LM_MAPPING_NAMES
        self.bidirectional = masked and not config.is_decoder
        self.device = pick_device(spec)
        self.tokenizer = Tokenizer(spec, place)
        self._bos = (
            None if self.bidirectional else self.tokenizer.bos(spec.options.get("bos", "auto"))
        )
        self.net: Any = load_weights(transformers.AutoModel, spec, place, self.device, UNUSED)
        self.context_length = context_length(config)
        text = config.get_text_config()
        self.layers = int(text.num_hidden_layers)
        self.width = int(text.hidden_size)

    def check_files(self) -> None:
        """Refuse an encoder whose files have changed since it was loaded."""
        refuse_changed(self.spec, self.files)

    @property
    def poolings(self) -> tuple[str, ...]:
        """Ways to make one vector of a text: only one end of it has seen the whole text."""
        return (CLS if self.bidirectional else LAST, MEAN, MAX)

    def views(self) -> list[View]:
        """Every layer, embeddings included, with every pooling."""
        return [View(layer, p) for layer in range(self.layers + 1) for p in self.poolings]

    def check(self, views: Sequence[View]) -> None:
        """Refuse states that the encoder does not have."""
        for view in views:
            if not 0 <= view.layer <= self.layers:
                raise UsageError(
                    f"{self.spec.label} has no layer {view.layer}; it has 0 (embeddings) to "
                    f"{self.layers}"
                )
            if view.pooling not in self.poolings:
                raise UsageError(
                    f"{self.spec.label} has no pooling {view.pooling!r}; it has "
                    f"{', '.join(self.poolings)}"
                )

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Token ids: between special tokens for a bidirectional encoder, else after BOS."""
        asked = [Text(text) for text in texts]
        if self.bidirectional:
            found = self.tokenizer.encode_masked(asked)
        else:
            found = self.tokenizer.encode(asked, self._bos)
        check_length(asked, found, self.context_length)
        for text, encoding in zip(texts, found, strict=True):
            if not encoding.starts:
                raise ModelError(f"{self.spec.label} has no token for {text!r}; remove the text")
        return found

    def pooled(self, texts: Sequence[str], views: Sequence[View]) -> dict[View, Floats32]:
        """For each view one vector per text: (texts, width)."""
        self.check(views)
        encodings = self.encode(texts)
        layers = sorted({view.layer for view in views})
        found = {view: np.empty((len(texts), self.width), np.float32) for view in views}
        for group, states in self._batches(encodings, layers):
            by_layer = dict(zip(layers, states, strict=True))
            for row, at in enumerate(group):
                own = encodings[at]
                for view in views:
                    whole = by_layer[view.layer][row]
                    found[view][at] = pool(whole, own.first, len(own.starts), view.pooling)
        return found

    def _batches(
        self, encodings: Sequence[Encoding], layers: Sequence[int]
    ) -> Iterator[tuple[list[int], list[Floats32]]]:
        """Texts of similar length together; of some layers the states: (rows, length, width)."""
        import torch

        groups: list[list[int]] = [[]]
        for i in sorted(range(len(encodings)), key=lambda i: len(encodings[i].ids)):
            if groups[-1] and (len(groups[-1]) + 1) * len(encodings[i].ids) > BATCH_TOKENS:
                groups.append([])
            groups[-1].append(i)
        for members in filter(None, groups):
            ids, mask = pad([encodings[i].ids for i in members])
            check_ids(self.spec.label, self.net.get_input_embeddings().weight.shape[0], ids.numpy())
            with torch.inference_mode(), self._up_to(max(layers)):
                states = self.net(
                    input_ids=ids.to(self.device),
                    attention_mask=mask.to(self.device),
                    output_hidden_states=True,
                ).hidden_states
            yield members, [states[layer].float().cpu().numpy() for layer in layers]

    @contextmanager
    def _up_to(self, layer: int) -> Iterator[None]:
        """Compute no more layers than are asked for; the states of these do not change.

        One layer beyond stays, because the last states of a model may be normalised.
        """
        place = self._stack if layer + 1 < self.layers else None
        if place is None:
            yield
            return
        parent, name = place
        whole = getattr(parent, name)
        setattr(parent, name, whole[: layer + 1])
        try:
            yield
        finally:
            setattr(parent, name, whole)

    @cached_property
    def _stack(self) -> tuple[Any, str] | None:
        """Where the model keeps its layers; None if that is not one list that can be cut."""
        import torch

        whole = self._try()  # Transformers hooks into the layers on the first call, and never again
        for parent in self.net.modules():
            for name, stack in parent.named_children():
                if (
                    isinstance(stack, torch.nn.ModuleList)
                    and len(stack) == self.layers
                    and self._can_cut(parent, name, whole)
                ):
                    return parent, name
        return None

    def _can_cut(self, parent: Any, name: str, whole: Sequence[Any]) -> bool:
        """Whether lower states stay the same without upper layers.

        Not so where a model goes through several lists by number, as XLM does.
        """
        import torch

        stack = getattr(parent, name)
        try:
            for kept in {1, self.layers - 1}:
                setattr(parent, name, stack[:kept])
                lower = self._try()[:kept]
                if len(lower) < kept or not all(map(torch.allclose, lower, whole)):
                    return False
        except (LookupError, AttributeError, TypeError, ValueError, RuntimeError):
            return False
        finally:
            setattr(parent, name, stack)
        return True

    def _try(self) -> Sequence[Any]:
        """The hidden states of a short input."""
        import torch

        ids = torch.arange(2, device=self.device)[None]
        with torch.inference_mode():
            found: Sequence[Any] = self.net(
                input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True
            ).hidden_states
        return found


def pad(rows: Sequence[Sequence[int]]) -> tuple[Any, Any]:
    """Token ids and attention mask as tensors, padded at the end: (rows, length) each."""
    import torch

    ids = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
    mask = torch.zeros_like(ids)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = torch.tensor(row)
        mask[number, : len(row)] = 1
    return ids, mask
