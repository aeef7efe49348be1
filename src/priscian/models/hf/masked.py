"""`mlm:` — any masked language model that Transformers can load, by pseudo-log-likelihood."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from priscian.errors import ModelError, UsageError, WrongKindError
from priscian.models.hf.encoding import Tokenizer
from priscian.models.hf.loading import (
    HuggingFaceProvider,
    architectures,
    check_ids,
    context_length,
    load_config,
    load_weights,
    pick_device,
    running,
    to_numpy,
)
from priscian.models.hf.locate import Location
from priscian.models.protocol import Encoding, Floats, TokenBatch, Traits
from priscian.models.spec import ModelSpec
from priscian.records import Text
from priscian.threads import threads_for

if TYPE_CHECKING:
    from torch import Tensor

VARIANTS = ("word-l2r", "original", "whole-word")
CACHED = 1024
"""Tokens that the layers of a model process at a time on a CPU."""
PROBES = 50
"""About as many tokens are read to verify an output head and layers of our own."""


class MaskedProvider(HuggingFaceProvider):
    """Masked models from the Hub or a folder, by pseudo-log-likelihood."""

    example = "mlm:bert-base-cased?pll=original"
    options = frozenset({"dtype", "device", "pll", "tokenizer", "remote_code", "name", "attention"})

    def method(self, spec: ModelSpec) -> dict[str, str]:
        """The key's fields about the scoring method."""
        return {"method": "pll", "pll": variant(spec)}

    def traits(self, spec: ModelSpec) -> Traits:
        """Bidirectional."""
        method = "pll-word-l2r" if variant(spec) == "word-l2r" else "pll"
        found = super().traits(spec)
        return replace(found, bidirectional=True, references=(*found.references, method))

    def load(self, spec: ModelSpec) -> MaskedModel:
        """The model, with its output head found and verified."""
        spec.check_options(self.options)
        return MaskedModel(spec, self.place(spec))


def variant(spec: ModelSpec) -> str:
    """Which pseudo-log-likelihood: `word-l2r` (Kauf & Ivanova 2023), `original`, `whole-word`."""
    name = spec.options.get("pll", "word-l2r")
    if name not in VARIANTS:
        raise UsageError(f"{spec}: pll={name} is not one of {', '.join(VARIANTS)}")
    return name


def hidden_with(token: int, words: Sequence[int | None], pll: str) -> list[int]:
    """Which of a text's tokens are masked when one of them is scored.

    original: the token itself (Salazar et al. 2020); word-l2r: also the later tokens of its
    word, so that they cannot give it away; whole-word: every token of its word.

    >>> hidden_with(1, [0, 1, 1, 1, 2], "word-l2r")
    [1, 2, 3]
    """
    if pll == "original":
        return [token]
    from_here = token if pll == "word-l2r" else 0
    same = [i for i in range(from_here, len(words)) if words[i] == words[token]]
    return same if words[token] is not None else [token]


class MaskedModel:
    """A masked model whose output layer runs only where a token is masked."""

    kind = "masked"

    def __init__(self, spec: ModelSpec, place: Location) -> None:
        import torch
        from transformers import AutoModelForMaskedLM

        config = load_config(spec, place)
        refuse_causal(spec, config)
        self.pll = variant(spec)
        self.device = pick_device(spec)
        self.tokenizer = Tokenizer(spec, place)
        if self.tokenizer.hf.mask_token_id is None:
            raise ModelError(
                f"the tokenizer of {spec} has no mask token; "
                f"name that of a masked model with ?tokenizer=PATH"
            )
        self.mask_id = int(self.tokenizer.hf.mask_token_id)
        self.encoding_key = self.tokenizer.digest(self.kind)
        self.model = load_weights(AutoModelForMaskedLM, spec, place, self.device)
        self.context_length = context_length(config)
        if self.context_length and config.model_type in {"roberta", "xlm-roberta", "camembert"}:
            self.context_length -= 2  # its positions begin after the padding index
        self.parameters = self.model.num_parameters()
        self._vectors = int(self.model.get_input_embeddings().weight.shape[0])
        check_ids(self.tokenizer.name, self._vectors, np.array([self.mask_id]))
        short = threads_for(PROBES * self.parameters)
        with torch.inference_mode(), short, running(self.tokenizer.name):
            self.head = self._take_head()
            self.bert = self._find_bert() if self.head else None
        self.notes = {
            "dtype": str(self.model.dtype),
            "vocabulary": str(self._vectors),
            "pll": self.pll,
            "head": "tiled" if self.head else "full logits",
            "layers": "where asked" if self.bert else "everywhere",
        }

    def _take_head(self) -> Any:
        """Replace the output layer by an identity, so that a forward pass ends with its input."""
        import torch

        from priscian.models.hf.head import Head, gives_logits, tolerance

        output = self.model.get_output_embeddings()
        weight = getattr(output, "weight", None)
        if weight is None or weight.dim() != 2:
            return None
        head = Head(weight, getattr(output, "bias", None))
        probe = torch.full((1, 6), self.mask_id, device=self.device)
        logits = self.model(input_ids=probe).logits[0]  # (6, vocab)
        name = next(name for name, module in self.model.named_modules() if module is output)
        self.output_name = name
        parent, _, leaf = name.rpartition(".")
        setattr(self.model.get_submodule(parent), leaf, torch.nn.Identity())
        try:
            hidden = self.model(input_ids=probe).logits[0]
            good = gives_logits(head, hidden, logits, tolerance(self.model))
        except RuntimeError:
            good = False
        if not good:
            setattr(self.model.get_submodule(parent), leaf, output)
        return head if good else None

    def _find_bert(self) -> Any:
        """The layers as a `Bert` if they are BERT-style, else None."""
        import torch

        from priscian.models.hf.head import find_bert, tolerance

        probe = torch.arange(3, 3 + 2 * 8, device=self.device).remainder(self._vectors).view(2, 8)
        probe[:, 1] = self.mask_id
        probe[1, 2:6] = probe[0, 2:6]
        return find_bert(self.model, self.output_name, probe, tolerance(self.model))

    def encode(self, texts: Sequence[Text]) -> list[Encoding]:
        """Token ids between the model's special tokens."""
        return self.tokenizer.encode_masked(texts)

    def logprobs(self, batch: TokenBatch) -> Floats:
        """log p of each query's target at its masked position."""
        import torch

        check_ids(self.tokenizer.name, self._vectors, batch.ids, batch.queries[:, 2])
        with torch.inference_mode(), running(self.tokenizer.name):
            queries = torch.from_numpy(batch.queries).to(self.device)
            ids = torch.from_numpy(batch.ids).to(self.device)
            mask = None
            if (batch.lengths != ids.shape[1]).any():
                columns = torch.arange(ids.shape[1], device=self.device)
                lengths = torch.from_numpy(batch.lengths).to(self.device)
                mask = (columns < lengths[:, None]).long()
            flat = queries[:, 0] * ids.shape[1] + queries[:, 1]
            positions, which = torch.unique(flat, return_inverse=True)
            rows, columns = positions // ids.shape[1], positions % ids.shape[1]
            states = self._states(ids, mask, rows, columns)  # (places, width or vocab)
            if self.head is None:
                found = states.float().log_softmax(-1)[which].gather(1, queries[:, 2:])[:, 0]
            else:
                found = self.head.logprobs(states, which, queries[:, 2])
            return to_numpy(found)

    def _states(self, ids: Tensor, mask: Tensor | None, rows: Tensor, columns: Tensor) -> Tensor:
        """The input of the output layer at some positions, or its logits; rows are in order.

        On a CPU the layers process a few rows at a time, so that results stay in the CPU's cache;
        the output layer then processes all positions at once, since it reads its whole matrix.
        """
        import torch

        parts = math.ceil(ids.numel() / CACHED) if self.device == "cpu" else 1
        step = math.ceil(len(ids) / parts)
        found = []
        for at in range(0, len(ids), step):
            here = (rows >= at) & (rows < at + step)
            some, own = ids[at : at + step], None if mask is None else mask[at : at + step]
            places = rows[here] - at, columns[here]
            if self.bert is not None:
                found.append(self.bert.states(some, own, *places))
            else:
                found.append(self.model(input_ids=some, attention_mask=own).logits[places])
        return torch.cat(found) if len(found) > 1 else found[0]

    def reference(self, encoding: Encoding) -> list[float]:
        """The text's own tokens, one masked input at a time."""
        import torch

        values = []
        for token in range(len(encoding.starts)):
            ids = list(encoding.ids)
            for other in hidden_with(token, encoding.words, self.pll):
                ids[encoding.first + other] = self.mask_id
            row = TokenBatch(
                ids=np.array([ids]),
                lengths=np.array([len(ids)]),
                queries=np.array(
                    [[0, encoding.first + token, encoding.ids[encoding.first + token]]]
                ),
            )
            with torch.inference_mode():
                values.append(float(self.logprobs(row)[0]))
        return values


def refuse_causal(spec: ModelSpec, config: Any) -> None:
    """Refuse a causal model, which has no mask token."""
    names = architectures(config)
    if any(n.endswith(("ForCausalLM", "LMHeadModel")) for n in names) or (
        not names and config.model_type in {"gpt2", "llama", "gpt_neox", "opt", "mistral"}
    ):
        raise WrongKindError(f"{spec} is a causal model; write hf:{spec.id}")
    if config.is_encoder_decoder:
        raise WrongKindError(f"{spec} is an encoder–decoder, which mlm: cannot score")
