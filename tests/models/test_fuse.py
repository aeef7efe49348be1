"""The fused activation is used, and changes no score."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch

from priscian.models import load
from priscian.models.hf.causal import CausalModel
from priscian.models.hf.loading import fuse_gelu


def test_gpt2_gets_the_one_pass_activation(causal: Callable[..., Path]) -> None:
    model = load(f"hf:{causal('gpt2')}")
    assert isinstance(model, CausalModel)
    kinds = {type(m.act) for m in model.model.modules() if hasattr(m, "act")}
    assert kinds == {torch.nn.GELU}


def test_an_activation_of_another_shape_is_left_alone() -> None:
    from transformers.activations import QuickGELUActivation

    model = torch.nn.Sequential(QuickGELUActivation())
    model.device = torch.device("cpu")  # type: ignore[assignment]
    assert fuse_gelu(model) == 0
