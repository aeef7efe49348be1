"""The published Transformer-XL models: Transformers' `transfo-xl-wt103` and the original's `.pt`.

Sizes are read from the arrays; what they cannot tell (memory, clamping, equal reach) is read from
`config.json` or from the pickled module. The two programs differ in two things: in the original the
bands of the softmax stand in reverse order, and a text begins with no memory at all, while in
Transformers it begins after a memory of zeros, which attracts some attention.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from priscian.errors import ModelError, UsageError
from priscian.files import read_json
from priscian.models.convert.folder import (
    Converted,
    WordList,
    check_out,
    need,
    read_arrays,
    read_pickled_words,
    read_words,
    write_folder,
)
from priscian.models.convert.inert import Made
from priscian.models.convert.torch_file import Array, TorchFile

WEIGHTS = ("pytorch_model.bin", "model.safetensors", "model.pt")
WORDS = ("vocab.bin", "vocab.pkl", "vocab.txt")
MOST_LAYERS = 200


@dataclass(frozen=True, slots=True)
class XlSettings:
    """What the arrays do not tell."""

    memory: int
    clamp: int
    same_length: bool
    cutoffs: tuple[int, ...]
    original: bool
    """Saved by the original program, not by Transformers."""


def convert_transfo_xl(
    file: Path,
    out: Path,
    vocabulary: Path | None = None,
    config: Path | None = None,
    words: str = "ptb",
) -> Converted:
    """Turn a pickled Transformer-XL and its vocabulary into a folder for `txl:`."""
    check_out(out)
    folder = file if file.is_dir() else file.parent
    if file.is_dir():
        file = _beside(folder, WEIGHTS, "weights")
    vocabulary = vocabulary or _beside(folder, WORDS, "the vocabulary: `vocab=`")
    arrays, saved = read_arrays(file)
    facts = _facts(file, saved, config or folder / "config.json")
    text = vocabulary.suffix == ".txt"
    listed = read_words(vocabulary) if text else read_pickled_words(vocabulary)
    bands, tables = _tables(file, arrays, facts, listed)
    width = tables["words.maps.0"].shape[1]
    shape, layers = _layers(file, arrays, width)
    made: dict[str, object] = {
        "architecture": "transformer-xl",
        "vocabulary": len(listed.words),
        "width": width,
        "memory": facts.memory,
        "dropout": 0.0,
        "softmax": "adaptive",
        "bands": bands,
        "clamp": facts.clamp,
        "same_length": facts.same_length,
        "zero_memory": not facts.original,
        **shape,
    }
    own = listed.vocabulary(words)
    return write_folder(out, made, {**tables, **layers}, own, [file, vocabulary])


def _beside(folder: Path, names: tuple[str, ...], what: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise UsageError(f"{folder} has none of {', '.join(names)}; name {what}")


def _facts(file: Path, saved: TorchFile | None, config: Path) -> XlSettings:
    state = saved.value.state if saved is not None and isinstance(saved.value, Made) else None
    known: Mapping[str, Any] = state if isinstance(state, dict) else {}
    original = "mem_len" in known and "same_length" in known
    if not original:
        if not config.is_file():
            raise UsageError(f"no {config}, which says how long the memory is; name it: `config=`")
        known = read_json(config, dict[str, Any])
    if known.get("pre_lnorm") or known.get("attn_type", 0) != 0:
        raise ModelError(
            f"{file}: its layers have the norm first or another kind of attention (pre_lnorm, "
            "attn_type); our Transformer-XL has neither"
        )
    memory, clamp = known.get("mem_len", 0), known.get("clamp_len", 0)
    cutoffs = known.get("cutoffs", [])
    numbers = [memory, clamp, *cutoffs] if isinstance(cutoffs, list) else [None]
    if not all(type(n) is int and -1 <= n < 1 << 31 for n in numbers):
        raise ModelError(f"{config}: mem_len, clamp_len and cutoffs must be numbers")
    same = bool(known.get("same_length", False))
    return XlSettings(max(memory, 0), max(clamp, 0), same, tuple(cutoffs), original)


def _tables(
    file: Path, arrays: Mapping[str, Array], facts: XlSettings, listed: WordList
) -> tuple[list[list[int]], dict[str, Array]]:
    """Ends and widths of the bands, and their tables, maps and biases."""
    count = sum(name.startswith("word_emb.emb_layers.") for name in arrays)
    total = sum(len(need(file, arrays, f"word_emb.emb_layers.{n}.weight", 0, 0))
                for n in range(count))  # fmt: skip
    if total != len(listed.words):
        raise ModelError(
            f"the vocabulary has {len(listed.words):,} words, and {file} has rows for {total:,}; "
            "give the vocabulary that the model was trained with"
        )
    ends = [*(end for end in facts.cutoffs if end < total), total]
    if ends != sorted(set(ends)) or ends[0] < 1 or count not in (1, len(ends)):
        raise ModelError(f"{file}: its bands do not end where config.json says (cutoffs)")
    found: dict[str, Array] = {}
    bands = []
    for n, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
        part = n if count > 1 else 0  # one table for all bands, if all are equally wide
        rows = slice(0, end - begin) if count > 1 else slice(begin, end)
        table = need(file, arrays, f"word_emb.emb_layers.{part}.weight", 0, 0)[rows]
        out = need(file, arrays, f"crit.out_layers.{part}.weight", 0, table.shape[1])[rows]
        bias = need(file, arrays, f"crit.out_layers.{part}.bias", 0)[rows]
        if table.shape != out.shape or not np.array_equal(table, out) or len(table) != end - begin:
            raise ModelError(
                f"{file}: its embeddings and its softmax have different tables (tie_weight is "
                "off), or sizes that do not fit; ours are the same"
            )
        bands.append([end, table.shape[1]])
        found[f"words.tables.{n}"], found[f"words.biases.{n}"] = table, bias
        into = _map(file, arrays, f"word_emb.emb_projs.{part}", table.shape[1])
        out_of = _map(file, arrays, f"crit.out_projs.{n}", table.shape[1])
        found[f"words.maps.{n}"], found[f"words.out_maps.{n}"] = into, out_of
    narrow, later = bands[0][1], len(ends) - 1
    found["words.bands"], found["words.band_bias"] = np.zeros((0, narrow)), np.zeros(0)
    if later:
        turn = -1 if facts.original else 1
        found["words.bands"] = need(file, arrays, "crit.cluster_weight", later, narrow)[::turn]
        found["words.band_bias"] = need(file, arrays, "crit.cluster_bias", later)[::turn]
    # the boundary comes first
    head = len(found["words.tables.0"])
    if listed.words.index(listed.boundary) >= head:
        raise ModelError(f"{file}: {listed.boundary} is not among its {head:,} frequent words")
    for name in ("words.tables.0", "words.biases.0"):
        found[name] = found[name][listed.order[:head]]
    return bands, found


def _map(file: Path, arrays: Mapping[str, Array], name: str, narrow: int) -> Array:
    """A map from a band's width to the network's; where there is none, both are the same."""
    if name in arrays:
        return need(file, arrays, name, 0, narrow).T
    return np.eye(narrow, dtype="f4")


def _layers(
    file: Path, arrays: Mapping[str, Array], width: int
) -> tuple[dict[str, object], dict[str, Array]]:
    """Sizes of the layers, and their arrays under our names."""
    own = "layers.0.dec_attn.r_w_bias" in arrays
    first = need(file, arrays, "layers.0.dec_attn.r_w_bias" if own else "r_w_bias", 0, 0)
    heads, size = first.shape
    inner = len(need(file, arrays, "layers.0.pos_ff.CoreNet.0.weight", 0, width))
    across = heads * size
    names: dict[str, tuple[str, tuple[int, ...]]] = {
        "attention.qkv.weight": ("dec_attn.qkv_net.weight", (3 * across, width)),
        "attention.place.weight": ("dec_attn.r_net.weight", (across, width)),
        "attention.out.weight": ("dec_attn.o_net.weight", (width, across)),
        "norm.weight": ("dec_attn.layer_norm.weight", (width,)),
        "norm.bias": ("dec_attn.layer_norm.bias", (width,)),
        "inner.weight": ("pos_ff.CoreNet.0.weight", (inner, width)),
        "inner.bias": ("pos_ff.CoreNet.0.bias", (inner,)),
        "outer.weight": ("pos_ff.CoreNet.3.weight", (width, inner)),
        "outer.bias": ("pos_ff.CoreNet.3.bias", (width,)),
        "outer_norm.weight": ("pos_ff.layer_norm.weight", (width,)),
        "outer_norm.bias": ("pos_ff.layer_norm.bias", (width,)),
    }
    found: dict[str, Array] = {}
    count = 0
    while f"layers.{count}.dec_attn.qkv_net.weight" in arrays and count < MOST_LAYERS:
        for ours, (theirs, shape) in names.items():
            found[f"layers.{count}.{ours}"] = need(file, arrays, f"layers.{count}.{theirs}", *shape)
        count += 1
    for ours, theirs in (("u", "r_w_bias"), ("v", "r_r_bias")):
        if own:
            each = [need(file, arrays, f"layers.{n}.dec_attn.{theirs}", heads, size)
                    for n in range(count)]  # fmt: skip
            found[ours] = np.stack(each)
        else:
            found[ours] = need(file, arrays, theirs, heads, size)
    sizes = {"layers": count, "heads": heads, "head_size": size, "inner": inner, "own_biases": own}
    return dict(sizes), found
