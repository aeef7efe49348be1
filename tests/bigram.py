"""A causal model whose next token depends on the last one alone, by a table of our own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

PIECES = ("<|endoftext|>", "<|other|>", "Ġx", "Ġy", "x", "z", ",")
NEVER = -40.0
"""A logit so low that its probability, about 1e-18, does not count."""


def logits() -> npt.NDArray[np.float64]:
    """What follows what: at most one z or comma in a word, and none at its beginning."""
    table = np.random.default_rng(5).normal(size=(len(PIECES), len(PIECES)))
    inner = [PIECES.index(p) for p in ("x", "z", ",")]
    for last in (*inner, 0, 1):
        table[last, inner] = NEVER
    table[:, PIECES.index("x")] = NEVER
    table[0, PIECES.index("x")] = 1.0  # only at the beginning of a text, without a space
    return table


def build_bigram(folder: Path) -> Path:
    """Save the table as a GPT-2 without attention or positions, and a byte-level tokenizer."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    raw = Tokenizer(models.BPE(vocab={p: i for i, p in enumerate(PIECES)} | {"Ġ": 7, "y": 8},
                               merges=[("Ġ", "x"), ("Ġ", "y")]))  # fmt: skip
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    raw.add_special_tokens(["<|endoftext|>", "<|other|>"])
    PreTrainedTokenizerFast(
        tokenizer_object=raw, bos_token="<|endoftext|>", eos_token="<|endoftext|>"
    ).save_pretrained(folder)
    size = raw.get_vocab_size()
    table = np.full((size, size), NEVER)
    table[: len(PIECES), : len(PIECES)] = logits()
    config = GPT2Config(vocab_size=size, n_embd=16, n_layer=1, n_head=1, n_positions=32,
                        tie_word_embeddings=False, bos_token_id=0, eos_token_id=0)  # fmt: skip
    model = GPT2LMHeadModel(config)
    with torch.no_grad():
        for parameter in model.transformer.h.parameters():
            parameter.zero_()
        model.transformer.wpe.weight.zero_()
        states = model.transformer.ln_f(model.transformer.wte.weight).double()  # (size, 16)
        wanted = torch.linalg.pinv(states) @ torch.from_numpy(table)  # (16, size)
        model.lm_head.weight.copy_(wanted.T)
    model.save_pretrained(folder)
    return folder
