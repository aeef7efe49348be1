"""`hf:` — any causal language model that Transformers can load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from priscian.errors import ModelError, WrongKindError
from priscian.models.folder import trained_on_sentences
from priscian.models.hf.encoding import Tokenizer, begins_word
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
from priscian.models.hf.locate import Location, import_transformers
from priscian.models.protocol import Bools, Encoding, Floats, TokenBatch, Traits
from priscian.models.spec import ModelSpec
from priscian.records import Text
from priscian.threads import threads_for

if TYPE_CHECKING:
    from torch import Tensor

    from priscian.models.hf.head import Head

PROBE = 8
"""Tokens of the input that verifies an output head."""


class ExtraChannel(NamedTuple):
    """How a value besides its log-probability is computed for each query."""

    of_head: Callable[[Head, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
    """From head, states, which and targets: log-probabilities and values."""
    of_logprobs: Callable[[Tensor], Tensor]


class CausalProvider(HuggingFaceProvider):
    """Causal models from the Hub, a folder or a GGUF file."""

    example = "hf:EleutherAI/pythia-70m@step1000?dtype=bfloat16"
    options = frozenset(
        {"dtype", "device", "bos", "tokenizer", "remote_code", "gguf", "name", "attention"}
    )

    def method(self, spec: ModelSpec) -> dict[str, str]:
        """The key's fields about the scoring method."""
        return {"method": "causal", "bos": spec.options.get("bos", "auto")}

    def traits(self, spec: ModelSpec) -> Traits:
        """Left to right, with subwords that mark the beginning of a word."""
        return replace(super().traits(spec), boundary=True)

    def end_token(self, spec: ModelSpec) -> str:
        """The token between documents, as spelled in the vocabulary; it is read after a text."""
        import_transformers()
        token = Tokenizer(spec, self.place(spec)).end(spec.options.get("bos", "auto"))
        if not token:
            raise ModelError(f"the tokenizer of {spec} has no EOS; leave out `eos=last-region`")
        return token

    def load(self, spec: ModelSpec) -> CausalModel:
        """The model, with its output head found and verified."""
        spec.check_options(self.options)
        return CausalModel(spec, self.place(spec))


class CausalModel:
    """A causal model that reads packed trees, shared prefixes or plain rows."""

    kind = "causal"
    reads_sentences = False

    def __init__(self, spec: ModelSpec, place: Location) -> None:
        from transformers import AutoModelForCausalLM

        self.reads_sentences = trained_on_sentences(Path(place.source))

        config = load_config(spec, place)
        refuse_encoder(spec, config)
        self.device = pick_device(spec)
        self.tokenizer = Tokenizer(spec, place)
        self.bos = self.tokenizer.bos(spec.options.get("bos", "auto"))
        self._use(load_weights(AutoModelForCausalLM, spec, place, self.device))

    @classmethod
    def around(cls, model: Any, tokenizer: Tokenizer, bos: str = "auto") -> Self:
        """A model of Transformers that exists already; it must be in evaluation mode."""
        made = cls.__new__(cls)
        made.device, made.tokenizer = str(model.device), tokenizer
        made.bos = tokenizer.bos(bos)
        made._use(model)
        return made

    def _use(self, model: Any) -> None:
        import torch

        self.model = model
        self.encoding_key = self.tokenizer.digest(self.kind, self.bos)
        self.context_length = context_length(model.config)
        self.base = self.model.base_model
        self._beginnings: Bools | None = None
        self._outputs = 0  # logits per position, found with the head
        self.parameters = self.model.num_parameters()
        short = threads_for(2 * PROBE * self.parameters)
        self._vectors = int(self.model.get_input_embeddings().weight.shape[0])
        with torch.inference_mode(), short, running(self.tokenizer.name):
            self.head = self._verified_head()
        check_ids(self.tokenizer.name, self._vectors, np.array([self.bos or 0]))
        self.notes = {
            "dtype": str(self.model.dtype),
            "vocabulary": str(self._vectors),
            "bos": self.tokenizer.bos_note(self.bos),
            "head": "tiled" if self.head else "full logits (this model post-processes them)",
        }

    def _verified_head(self) -> Any:
        """The tiled head whose values equal the model's own logits on a short probe, or None."""
        import torch

        from priscian.models.hf.head import find_head, gives_logits, tolerance

        probe = torch.arange(1, PROBE + 1, device=self.device)[None] % self._vectors  # (1, 8)
        logits = self.model(input_ids=probe, use_cache=False).logits[0]  # (8, vocab)
        self._outputs = int(logits.shape[-1])
        try:
            hidden = self.base(input_ids=probe, use_cache=False).last_hidden_state[0]
            for head in find_head(self.model):
                if gives_logits(head, hidden, logits, tolerance(self.model)):
                    return head
        except (AttributeError, RuntimeError, TypeError, ValueError):
            return None
        return None

    def encode(self, texts: Sequence[Text]) -> list[Encoding]:
        """Token ids, with BOS first if the policy says so."""
        return self.tokenizer.encode(texts, self.bos)

    def logprobs(self, batch: TokenBatch) -> Floats:
        """log p of each query's target."""
        return self._answers(batch, None)[0]

    def boundaries(self, batch: TokenBatch) -> tuple[Floats, Floats]:
        """log p of each query's target, and of a new word at that position."""
        import torch

        members = torch.from_numpy(self.word_beginnings().astype(np.float32)).to(self.device)
        mass = ExtraChannel(
            lambda head, *asked: head.logprobs_and_mass(*asked, members),
            lambda logps: logps[:, members > 0].logsumexp(-1),
        )
        return self._answers(batch, mass)

    def entropies(self, batch: TokenBatch) -> tuple[Floats, Floats]:
        """log p of each query's target, and the entropy of the prediction there."""
        entropy = ExtraChannel(
            lambda head, *asked: head.logprobs_and_entropy(*asked),
            lambda logps: -(logps.exp() * logps.clamp_min(-1e30)).sum(-1),
        )
        return self._answers(batch, entropy)

    def word_beginnings(self) -> Bools:
        """For each token id, whether it begins a word; computed once."""
        if self._beginnings is None:
            self._beginnings = begins_word(self.tokenizer, self._outputs)
        return self._beginnings

    def _answers(self, batch: TokenBatch, extra: ExtraChannel | None) -> tuple[Floats, Floats]:
        """Log-probabilities and, if requested, another value for each query."""
        import torch

        name = self.tokenizer.name
        check_ids(name, self._vectors, batch.ids, batch.prefix)
        check_ids(name, self._outputs, batch.queries[:, 2])
        with torch.inference_mode(), running(name):
            queries = torch.from_numpy(batch.queries).to(self.device)
            if self.head is None:
                return self._from_logits(batch, queries, extra)
            hidden = self._hidden(batch)  # (rows, length, width)
            flat = queries[:, 0] * hidden.shape[1] + queries[:, 1]
            positions, which = torch.unique(flat, return_inverse=True)
            states = hidden.reshape(-1, hidden.shape[-1])[positions]
            if extra is None:
                return to_numpy(self.head.logprobs(states, which, queries[:, 2])), np.empty(0)
            found = extra.of_head(self.head, states, which, queries[:, 2])
            return to_numpy(found[0]), to_numpy(found[1])

    def _hidden(self, batch: TokenBatch) -> Tensor:
        import torch

        if batch.prefix is None:
            state: Tensor = self.base(**self._inputs(batch), use_cache=False).last_hidden_state
            return state
        first, second = self._continued(batch, self.base)
        owner = torch.from_numpy(batch.owner).to(self.device)
        return torch.cat([first.last_hidden_state[owner], second.last_hidden_state], 1)

    def _from_logits(
        self, batch: TokenBatch, queries: Tensor, extra: ExtraChannel | None
    ) -> tuple[Floats, Floats]:
        """The same from the model's own logits, row by row, for heads that we cannot tile."""
        import torch

        out = np.empty(len(batch.queries))
        more = np.empty(0 if extra is None else len(batch.queries))
        for row in range(len(batch.ids)):
            mine = queries[:, 0] == row
            if not bool(mine.any()):
                continue
            alone = one_row(batch, row)
            if alone.prefix is None:
                logits = self.model(**self._inputs(alone), use_cache=False).logits[0]
            else:
                first, second = self._continued(alone, self.model)
                logits = torch.cat([first.logits[0], second.logits[0]])
            columns = queries[mine, 1]
            values = logits[columns].float().log_softmax(-1)
            here = mine.cpu().numpy()
            out[here] = to_numpy(values.gather(1, queries[mine, 2:])[:, 0])
            if extra is not None:
                more[here] = to_numpy(extra.of_logprobs(values))
        return out, more

    def _inputs(self, batch: TokenBatch) -> dict[str, Tensor]:
        """Arguments of a forward pass: a tree has a float mask and depths for positions."""
        import torch

        ids = torch.from_numpy(batch.ids).to(self.device)
        if batch.parents is None:
            columns = torch.arange(ids.shape[1], device=self.device)
            lengths = torch.from_numpy(batch.lengths).to(self.device)
            return {"input_ids": ids, "attention_mask": (columns < lengths[:, None]).long()}
        seen, depth = ancestors(batch.parents)
        mask = torch.zeros(seen.shape, dtype=self.model.dtype)
        mask.masked_fill_(torch.from_numpy(~seen), torch.finfo(self.model.dtype).min)
        return {
            "input_ids": ids,
            "attention_mask": mask[:, None].to(self.device),  # (rows, 1, length, length)
            "position_ids": torch.from_numpy(depth).to(self.device),
        }

    def _continued(self, batch: TokenBatch, model: Any) -> tuple[Any, Any]:
        """Run shared prefixes once, then every row on a copy of its prefix's cache."""
        import torch
        from transformers import DynamicCache

        assert batch.prefix is not None
        assert batch.owner is not None
        prefix = torch.from_numpy(batch.prefix).to(self.device)
        cache = DynamicCache(config=self.model.config)
        first = model(input_ids=prefix, past_key_values=cache, use_cache=True)
        cache.batch_select_indices(torch.from_numpy(batch.owner).to(self.device))
        ids = torch.from_numpy(batch.ids).to(self.device)
        columns = torch.arange(prefix.shape[1] + ids.shape[1], device=self.device)
        lengths = torch.from_numpy(batch.lengths).to(self.device) + prefix.shape[1]
        mask = (columns < lengths[:, None]).long()
        second = model(input_ids=ids, attention_mask=mask, past_key_values=cache, use_cache=True)
        return first, second

    def reference(self, encoding: Encoding) -> list[float]:
        """Log-probabilities of a text's own tokens by one plain forward pass."""
        return self._plainly(encoding, lambda logps, ids: logps.gather(1, ids[:, None])[:, 0])

    def reference_boundaries(self, encoding: Encoding) -> list[float]:
        """Log masses of a new word before a text's own tokens, by one plain forward pass."""
        import torch

        members = torch.from_numpy(self.word_beginnings()).to(self.device)
        return self._plainly(encoding, lambda logps, ids: logps[:, members].logsumexp(-1))

    def _plainly(self, encoding: Encoding, ask: Callable[[Tensor, Tensor], Tensor]) -> list[float]:
        """One value for each own token, from the log-probabilities before it and all ids."""
        import torch

        check_ids(self.tokenizer.name, self._vectors, np.array(encoding.ids))
        with torch.inference_mode(), running(self.tokenizer.name):
            ids = torch.tensor([encoding.ids], device=self.device)
            logits = self.model(input_ids=ids, use_cache=False).logits[0].float()
            found = ask(logits.log_softmax(-1)[:-1], ids[0, 1:])
        values = [float("nan"), *to_numpy(found).tolist()]
        return values[encoding.first : encoding.first + len(encoding.starts)]


def ancestors(parents: np.ndarray[Any, np.dtype[np.int64]]) -> tuple[Any, Any]:
    """Which columns each column attends to (itself and its ancestors), and its depth."""
    rows, length = parents.shape
    seen = np.zeros((rows, length, length), dtype=bool)
    depth = np.zeros((rows, length), dtype=np.int64)
    for row in range(rows):
        mine, levels = seen[row], depth[row]
        for column, parent in enumerate(parents[row].tolist()):
            if parent >= 0:
                mine[column] = mine[parent]
                levels[column] = levels[parent] + 1
            mine[column, column] = True
    return seen, depth


def one_row(batch: TokenBatch, row: int) -> TokenBatch:
    """One row of a batch as a separate batch, without queries."""
    pick = slice(row, row + 1)
    owner = None if batch.owner is None else batch.owner[pick]
    return TokenBatch(
        ids=batch.ids[pick],
        lengths=batch.lengths[pick],
        queries=batch.queries[:0],
        parents=None if batch.parents is None else batch.parents[pick],
        prefix=None if batch.prefix is None or owner is None else batch.prefix[owner],
        owner=None if owner is None else np.zeros(1, dtype=np.int64),
    )


def refuse_encoder(spec: ModelSpec, config: Any) -> None:
    """Refuse an encoder, even if Transformers would load it as a causal model."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    names = architectures(config)
    masked = any(n.endswith(("ForMaskedLM", "ForPreTraining")) for n in names)
    causal = any(n.endswith(("ForCausalLM", "LMHeadModel")) for n in names)
    if config.is_encoder_decoder:
        raise WrongKindError(
            f"{spec} is an encoder–decoder, which hf: cannot score; use a causal model"
        )
    if masked and not causal and not getattr(config, "is_decoder", False):
        raise WrongKindError(f"{spec} is a masked model ({names[0]}); write mlm:{spec.id}")
    if not names and config.model_type not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        raise ModelError(
            f"{spec} does not say that it is a causal model; its config has no architectures"
        )
