"""Stand-ins for published files: modules that `torch.save` wrote, of classes that are gone."""

from __future__ import annotations

import json
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch

SOURCE = """
from torch import nn

class RNNModel(nn.Module):
    def __init__(self, kind, count, width, hidden, layers, tied=False):
        super().__init__()
        self.drop = nn.Dropout(0.2)
        self.encoder = nn.Embedding(count, width)
        self.rnn = getattr(nn, kind)(width, hidden, layers)
        self.decoder = nn.Linear(hidden, count)
        if tied:
            self.decoder.weight = self.encoder.weight
        self.rnn_type, self.nhid, self.nlayers = kind, hidden, layers
"""
WORDS = ["the", "cat", "<unk>", "sees", "a", "dog", "<eos>", ".", "dogs", "see"]


def save_module(path: Path, *sizes: Any, new: bool = False, **options: Any) -> Any:
    """Save a word language model; the module that has its class is not importable afterwards."""
    made = types.ModuleType("vanished_program")
    exec(SOURCE, made.__dict__)
    sys.modules[made.__name__] = made
    for value in vars(made).values():
        if isinstance(value, type):
            value.__module__ = made.__name__
    try:
        torch.manual_seed(3)
        network = made.RNNModel(*sizes, **options).eval()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch misses the source of the class
            torch.save(network, path, _use_new_zipfile_serialization=new)
    finally:
        del sys.modules[made.__name__]
    return network


def save_words(path: Path, words: list[str] = WORDS) -> Path:
    path.write_text("\n".join(words) + "\n", "utf-8")
    return path


XL_WORDS = ["<eos>", "<unk>", "the", "cat", "sees", "a", "dog", ".", "dogs", "see", "cats", "it"]


def xl_arrays(*, own_biases: bool = True, divide: int = 2, heads: int = 2) -> dict[str, Any]:
    """Random arrays with the names and shapes of Transformers' TransfoXLLMHeadModel.

    Width 8, two layers, bands that end at 6, 9 and 12, the head's projections not tied.
    """
    draw = np.random.default_rng(5)

    def some(*shape: int, size: float = 0.5) -> Any:
        return torch.from_numpy((draw.normal(size=shape) * size).astype("f4"))

    width, size, inner, ends = 8, 3, 10, [6, 9, 12]
    found: dict[str, Any] = {"transformer.pos_emb.inv_freq": some(4)}
    for n, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
        narrow = width // divide**n
        table = some(end - begin, narrow)
        found[f"transformer.word_emb.emb_layers.{n}.weight"] = table
        found[f"crit.out_layers.{n}.weight"] = table
        found[f"crit.out_layers.{n}.bias"] = some(end - begin)
        projection = some(width, narrow)
        found[f"transformer.word_emb.emb_projs.{n}"] = projection
        found[f"crit.out_projs.{n}"] = some(width, narrow) if n == 0 else projection
    found["crit.cluster_weight"], found["crit.cluster_bias"] = some(2, width), some(2)
    for n in range(2):
        place = f"transformer.layers.{n}"
        found[f"{place}.dec_attn.qkv_net.weight"] = some(3 * heads * size, width)
        found[f"{place}.dec_attn.r_net.weight"] = some(heads * size, width)
        found[f"{place}.dec_attn.o_net.weight"] = some(width, heads * size)
        if own_biases:
            found[f"{place}.dec_attn.r_w_bias"] = some(heads, size)
            found[f"{place}.dec_attn.r_r_bias"] = some(heads, size)
        for norm in ("dec_attn", "pos_ff"):
            found[f"{place}.{norm}.layer_norm.weight"] = 1 + some(width, size=0.1)
            found[f"{place}.{norm}.layer_norm.bias"] = some(width, size=0.1)
        found[f"{place}.pos_ff.CoreNet.0.weight"] = some(inner, width)
        found[f"{place}.pos_ff.CoreNet.0.bias"] = some(inner)
        found[f"{place}.pos_ff.CoreNet.3.weight"] = some(width, inner)
        found[f"{place}.pos_ff.CoreNet.3.bias"] = some(width)
    if not own_biases:
        found["transformer.r_w_bias"], found["transformer.r_r_bias"] = (
            some(heads, size),
            some(heads, size),
        )
    return found


def save_xl(folder: Path, arrays: dict[str, Any], **facts: Any) -> Path:
    """A folder as Transformers 4 has it: weights and a pickled vocabulary in the old format."""
    from collections import Counter, OrderedDict

    folder.mkdir(parents=True, exist_ok=True)
    torch.save(
        OrderedDict(arrays), folder / "pytorch_model.bin", _use_new_zipfile_serialization=False
    )
    words = {
        "counter": Counter(XL_WORDS),
        "special": ["<eos>"],
        "idx2sym": list(XL_WORDS),
        "sym2idx": OrderedDict((word, n) for n, word in enumerate(XL_WORDS)),
    }
    torch.save(words, folder / "vocab.bin", _use_new_zipfile_serialization=False)
    config = {"cutoffs": [6, 9], "mem_len": 5, "clamp_len": 4, "same_length": True,
              "attn_type": 0, "pre_lnorm": False}  # fmt: skip
    (folder / "config.json").write_text(json.dumps({**config, **facts}))
    return folder


def xl_logprobs(arrays: dict[str, Any], ids: list[int], **facts: Any) -> list[float]:
    """log p of ids[1:], place by place in float64, straight from the published equations.

    A memory of zeros stands before the text; a token sees itself and up to mem_len − 1 places
    before it where the reach is equal; distances beyond clamp_len count as that.
    """
    w = {name.removeprefix("transformer."): a.double().numpy() for name, a in arrays.items()}
    memory, clamp = facts.get("mem_len", 5), facts.get("clamp_len", 4)
    ends = [6, 9, 12]
    band_of = [next(n for n, end in enumerate(ends) if word < end) for word in range(12)]
    width = 8

    def row(word: int) -> Any:
        band = band_of[word]
        own = w[f"word_emb.emb_layers.{band}.weight"][word - [0, *ends][band]]
        return w[f"word_emb.emb_projs.{band}"] @ own * np.sqrt(width)

    def place(distance: int) -> Any:
        angles = min(distance, clamp) / 10000 ** (np.arange(0, width, 2) / width)
        return np.concatenate([np.sin(angles), np.cos(angles)])

    def norm(x: Any, name: str) -> Any:
        scaled = (x - x.mean()) / np.sqrt(x.var() + 1e-5)
        return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]

    xs = [row(word) for word in ids[:-1]]
    for n in range(2):
        at = f"layers.{n}"
        own = f"{at}.dec_attn." if f"{at}.dec_attn.r_w_bias" in w else ""
        u, v = w[f"{own}r_w_bias"], w[f"{own}r_r_bias"]
        heads, size = u.shape
        seen = [np.zeros(width)] * memory + xs
        keys = [(w[f"{at}.dec_attn.qkv_net.weight"] @ x).reshape(3, heads, size) for x in seen]
        after = []
        for i in range(len(xs)):
            here = memory + i
            first = here - memory + 1 if facts.get("same_length", True) else 0
            mixed = []
            for head in range(heads):
                query = keys[here][0, head]
                scores, values = [], []
                for j in range(first, here + 1):
                    far = (w[f"{at}.dec_attn.r_net.weight"] @ place(here - j)).reshape(heads, size)
                    score = (query + u[head]) @ keys[j][1, head] + (query + v[head]) @ far[head]
                    scores.append(score / np.sqrt(size))
                    values.append(keys[j][2, head])
                share = np.exp(scores) / np.exp(scores).sum()
                mixed.append(share @ np.array(values))
            out = w[f"{at}.dec_attn.o_net.weight"] @ np.concatenate(mixed)
            x = norm(xs[i] + out, f"{at}.dec_attn.layer_norm")
            core = np.maximum(w[f"{at}.pos_ff.CoreNet.0.weight"] @ x
                              + w[f"{at}.pos_ff.CoreNet.0.bias"], 0)  # fmt: skip
            core = w[f"{at}.pos_ff.CoreNet.3.weight"] @ core + w[f"{at}.pos_ff.CoreNet.3.bias"]
            after.append(norm(x + core, f"{at}.pos_ff.layer_norm"))
        xs = after
    return [_logp(w, x, word, band_of, ends) for x, word in zip(xs, ids[1:], strict=True)]


def _logp(w: Any, x: Any, word: int, band_of: list[int], ends: list[int]) -> float:
    def logs(weight: Any, bias: Any, projection: Any) -> Any:
        logits = weight @ (projection.T @ x) + bias
        return logits - np.log(np.exp(logits).sum())

    head = logs(
        np.concatenate([w["crit.out_layers.0.weight"], w["crit.cluster_weight"]]),
        np.concatenate([w["crit.out_layers.0.bias"], w["crit.cluster_bias"]]),
        w["crit.out_projs.0"],
    )
    band = band_of[word]
    if band == 0:
        return float(head[word])
    inner = logs(*(w[f"crit.out_{part}"] for part in
                   (f"layers.{band}.weight", f"layers.{band}.bias", f"projs.{band}")))  # fmt: skip
    return float(head[ends[0] + band - 1] + inner[word - ends[band - 1]])
