"""Tiny random models with real tokenizers, saved as folders that Transformers can load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_SUBJECTS = (
    "The old nurse",
    "Nobody in the village",
    "Every one of the lawyers",
    "She",
    "Some geese",
)
_VERBS = ("has admired", "will forget", "doesn't remember", "was looking at")
_OBJECTS = ("the painting.", "a paper kite that the children built.", "us!", "naïve café-owners.")

TEXTS = (
    *(
        f"{subject} {verb} {thing}"
        for subject in _SUBJECTS
        for verb in _VERBS
        for thing in _OBJECTS
    ),
    "Go.",
    "Rain",
    "Two  spaces and\ta tab.",
    "A much longer sentence, with a clause that the reader has to keep in mind until the verb "
    "finally comes, was written here so that the longest path of the tree is deep, deep, deep.",
)

VOCABULARY = 400


def train_bpe(prefix_space: bool = False) -> Any:
    """A byte-level BPE tokenizer, as GPT-2's."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=["<|endoftext|>", "<s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    return tokenizer


def train_wordpiece(cased: bool) -> Any:
    """A WordPiece tokenizer, as BERT's."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=not cased)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=120, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def build_causal(
    kind: str, folder: Path, *, bos: str | None = "<|endoftext|>", **changes: Any
) -> Path:
    """Save a tiny model of an architecture; `changes` go into its configuration."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

    added = changes.pop("template", None)
    raw = train_bpe()
    if added:
        from tokenizers import processors

        raw.post_processor = processors.TemplateProcessing(
            single=f"{added} $A", special_tokens=[(added, raw.token_to_id(added))]
        )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, bos_token=bos)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(7)
    config = AutoConfig.for_model(kind, **(SHAPES[kind] | changes))
    model = AutoModelForCausalLM.from_config(config)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            parameter.data.normal_(std=0.25)  # far from uniform, so that an error shows
    model.save_pretrained(folder)
    return folder


def build_masked(folder: Path, cased: bool) -> Path:
    """Save a tiny BERT with a tokenizer that cuts words to pieces."""
    import torch
    from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

    raw = train_wordpiece(cased)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=raw.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
    )
    model = BertForMaskedLM(config)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            parameter.data.normal_(std=0.25)
    model.cls.predictions.bias.data.normal_()
    model.save_pretrained(folder)
    return folder


_LLAMA = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
}
SHAPES: dict[str, dict[str, Any]] = {
    "gpt2": {"vocab_size": VOCABULARY, "n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 512},
    "llama": _LLAMA,
    "gpt_neox": _LLAMA,
    "opt": {
        "vocab_size": VOCABULARY,
        "hidden_size": 32,
        "ffn_dim": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "max_position_embeddings": 512,
        "word_embed_proj_dim": 32,
    },
    "gpt_neo": {
        "vocab_size": VOCABULARY,
        "hidden_size": 32,
        "num_layers": 2,
        "num_heads": 2,
        "attention_types": [[["global", "local"], 1]],
        "window_size": 64,
        "max_position_embeddings": 512,
    },
    "mistral": _LLAMA | {"sliding_window": 8},
    "gemma2": _LLAMA
    | {
        "head_dim": 16,
        "final_logit_softcapping": 5.0,
        "sliding_window": 16,
        "query_pre_attn_scalar": 16,
    },
    "cohere": _LLAMA | {"logit_scale": 0.25},
    "bloom": {"vocab_size": VOCABULARY, "hidden_size": 32, "n_layer": 2, "n_head": 2},
}
