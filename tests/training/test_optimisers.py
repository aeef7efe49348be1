"""Muon: what it makes orthogonal, and what it leaves to Adam."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from priscian.training.architectures import build  # noqa: E402
from priscian.training.optimisers import Muon, make_optimiser  # noqa: E402
from priscian.training.recipe import TrainingPart  # noqa: E402

NETWORKS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "untied lstm": ("lstm", {"embedding": 8, "hidden": 12, "layers": 1, "tied": False}, {}),
    "adaptive lstm": ("lstm", {"embedding": 8, "hidden": 12, "layers": 1}, {}),
    "transformer-xl": ("transformer-xl", {"layers": 1, "width": 8, "heads": 2, "inner": 16}, {}),
    "gpt2": ("gpt2", {"layers": 1, "width": 8, "heads": 2}, {}),
    "rnng": ("rnng", {"embedding": 8, "hidden": 8, "layers": 1, "history": "full"},
             {"labels": ("S", "NP")}),
}  # fmt: skip
MAPS = {
    "untied lstm": {"lstm.weight_ih_l0", "lstm.weight_hh_l0"},
    "adaptive lstm": {
        "lstm.weight_ih_l0", "lstm.weight_hh_l0", "out.weight", "words.maps.0", "words.maps.1",
    },
    "transformer-xl": {
        "layers.0.attention.qkv.weight", "layers.0.attention.place.weight",
        "layers.0.attention.out.weight", "layers.0.inner.weight", "layers.0.outer.weight",
    },
    "gpt2": {
        "transformer.h.0.attn.c_attn.weight", "transformer.h.0.attn.c_proj.weight",
        "transformer.h.0.mlp.c_fc.weight", "transformer.h.0.mlp.c_proj.weight",
    },
    "rnng": {
        "words.maps.0", "words.maps.1", "stack.weights.0", "past_actions.weights.0",
        "past_words.weights.0", "compose.forward_cells.weights.0",
        "compose.backward_cells.weights.0", "compose.out.weight", "decide.weight", "say.weight",
    },
}  # fmt: skip


def made(name: str) -> Any:
    architecture, sizes, learnt = NETWORKS[name]
    return build(architecture, 200, sizes, learnt)


@pytest.mark.parametrize("name", NETWORKS)
def test_only_maps_between_layers_are_made_orthogonal(name: str) -> None:
    network = made(name)
    optimiser = make_optimiser(network, TrainingPart(optimiser="muon"))
    names = {id(p): n for n, p in network.named_parameters()}
    assert {names[id(p)] for g in optimiser.param_groups for p in g["params"]} == MAPS[name]


@pytest.mark.parametrize("decay", [0.0, 0.5])
def test_embeddings_biases_and_norms_do_not_decay(decay: float) -> None:
    network = made("gpt2")
    before = {name: value.detach().clone() for name, value in network.named_parameters()}
    for value in network.parameters():
        value.grad = torch.zeros_like(value)
    training = TrainingPart(optimiser="muon", learning_rate=0.1, weight_decay=decay)
    Muon(network.named_parameters(), training).step()
    for name, value in network.named_parameters():
        kept = 1 - 0.1 * decay if name in MAPS["gpt2"] else 1.0
        torch.testing.assert_close(value.detach(), before[name] * kept, msg=name)
