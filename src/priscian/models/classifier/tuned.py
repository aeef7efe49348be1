"""Tuned encoders: all weights, or low-rank changes of some (LoRA), and a softmax head."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from priscian.errors import ModelError, install
from priscian.models.classifier.encoder import CLS, LAST, MAX, Encoder, pad
from priscian.models.safetensors_file import read_safetensors

RANK = 8
ATTENTION = (
    ("q_proj", "v_proj", "o_proj"),  # Llama and most others
    ("query", "value", "attention.output.dense"),  # BERT
    ("c_attn", "attn.c_proj"),  # GPT-2
    ("query_key_value", "attention.dense"),  # GPT-NeoX
)
"""Names of the query, value and output projections, in different architectures."""
BATCH = 64


class TunedEncoder(nn.Module):
    """The last states of an encoder, pooled, with dropout, and two logits: bad and good."""

    def __init__(self, encoder: Encoder, pooling: str, *, lora: bool, dropout: float = 0.1) -> None:
        super().__init__()
        self.encoder = encoder
        self.pooling = pooling
        self.lora = lora
        self.net = _with_lora(encoder) if lora else encoder.net.requires_grad_(True)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(encoder.width, 2)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)
        self.to(encoder.device)

    def forward(self, ids: Tensor, mask: Tensor, own: Tensor) -> Tensor:
        """Logits of both labels: (rows, 2); `own` marks each text's own tokens: (rows, length)."""
        states = self.net(input_ids=ids, attention_mask=mask).last_hidden_state
        return self.head(self.dropout(_pool(states, own, self.pooling)))  # type: ignore[no-any-return]

    def logits(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """log p(good) − log p(bad) of each text: (texts,)."""
        self.eval()
        rows = self.encoder.encode(texts)
        order = sorted(range(len(rows)), key=lambda i: len(rows[i].ids))
        found = np.empty(len(rows))
        for at in range(0, len(rows), BATCH):
            part = order[at : at + BATCH]
            with torch.inference_mode():
                both = self(*self.batch([rows[i] for i in part])).double()  # (rows, 2)
            found[part] = (both[:, 1] - both[:, 0]).cpu().numpy()
        return found

    def batch(self, rows: Sequence[Any]) -> tuple[Tensor, Tensor, Tensor]:
        """Encodings as padded ids, attention mask, and marks of each text's own tokens."""
        ids, mask = pad([row.ids for row in rows])
        own = torch.zeros_like(mask)
        for number, row in enumerate(rows):
            own[number, row.first : row.first + len(row.starts)] = 1
        device = self.encoder.device
        return ids.to(device), mask.to(device), own.to(device)

    def trained(self) -> dict[str, npt.NDArray[np.float32]]:
        """The weights that training changes, by name."""
        return {
            name: value.detach().cpu().float().numpy()
            for name, value in self.named_parameters()
            if value.requires_grad
        }

    def restore(self, path: Path) -> None:
        """Put weights from a file in place; every trained weight must be there."""
        own = {name: value for name, value in self.named_parameters() if value.requires_grad}
        found = read_safetensors(path)
        for name, value in own.items():
            # PyTorch would stretch an array of another shape
            if name not in found or found[name].shape != value.shape:
                raise ModelError(
                    f"{path} does not hold the weights of this classifier ({name} is missing or "
                    "of another shape); train it again"
                )
            with torch.no_grad():
                value.copy_(torch.from_numpy(found[name]))


def _pool(states: Tensor, own: Tensor, pooling: str) -> Tensor:
    """One vector per row: (rows, width)."""
    if pooling == CLS:
        return states[:, 0]
    if pooling == LAST:
        places = torch.arange(own.shape[1], device=own.device)
        last = (own * places).argmax(1)  # (rows,)
        return states[torch.arange(len(states), device=states.device), last]
    marks = own[..., None].to(states.dtype)  # (rows, length, 1)
    if pooling == MAX:
        return states.masked_fill(marks == 0, -torch.inf).amax(1)
    return (states * marks).sum(1) / marks.sum(1)


def _with_lora(encoder: Encoder) -> Any:
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            from peft import LoraConfig, get_peft_model
    except ImportError:
        raise ModelError(f"LoRA needs the package peft: {install('classifier')}") from None
    names = [name for name, _ in encoder.net.named_modules()]
    for targets in ATTENTION:
        if all(any(name.endswith(target) for name in names) for target in targets):
            settings = LoraConfig(
                r=RANK, lora_alpha=2 * RANK, lora_dropout=0.05, target_modules=list(targets)
            )
            with warnings.catch_warnings():  # peft asks for names that Transformers has changed
                warnings.simplefilter("ignore", FutureWarning)
                return get_peft_model(encoder.net, settings)
    raise ModelError(
        f"{encoder.spec.label}: cannot find the query, value and output projections of this "
        "architecture; use `method=finetune`"
    )
