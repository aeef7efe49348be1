"""Materials of the benchmarks: generated pairs, a tokenizer, models with random weights."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

VOCABULARY = 50_257
TOKENS_A_WORD = 1.3
"""GPT-2's own tokenizer needs 1.2 to 1.4 on sentences of this kind."""
END = "<|endoftext|>"
PARADIGMS = 67
SEED = 11
ENOUGH = 100
"""Pairs per paradigm that contain nearly every word that the paradigms use."""


@dataclass(frozen=True, slots=True)
class PairText:
    """A minimal pair, as plain sentences."""

    uid: str
    good: str
    bad: str


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a GPT-2-like model; its vocabulary is always GPT-2's."""

    name: str
    layers: int
    width: int
    heads: int

    @property
    def inner_parameters(self) -> int:
        """Weights of the layers' matrices: attention 4 × width², MLP 8 × width²."""
        return 12 * self.layers * self.width**2


SHAPES = {
    "small": Shape("small", layers=4, width=256, heads=4),
    "gpt2": Shape("gpt2", layers=12, width=768, heads=12),
}


def generated_pairs(each: int, seed: int = SEED) -> list[PairText]:
    """`each` pairs of each of BLiMP's paradigms, paradigm by paradigm."""
    from priscian.datasets.generation import generate_rows
    from priscian.paradigms import paradigms

    return [
        PairText(uid, str(row["sentence_good"]), str(row["sentence_bad"]))
        for uid, paradigm in paradigms().items()
        if not paradigm.extra
        for row in generate_rows(uid, each, seed)
    ]


def read_pairs(path: Path, each: int | None = None) -> list[PairText]:
    """Pairs of a JSONL file in BLiMP's schema; of every paradigm the first `each`."""
    with path.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    pairs = [PairText(r["UID"], r["sentence_good"], r["sentence_bad"]) for r in rows]
    return pairs if each is None else take(pairs, each)


def write_pairs(pairs: Sequence[PairText], path: Path) -> None:
    """The reverse of `read_pairs`."""
    with path.open("w", encoding="utf-8") as file:
        for p in pairs:
            row = {"sentence_good": p.good, "sentence_bad": p.bad, "UID": p.uid}
            file.write(json.dumps(row) + "\n")


def find_pairs(source: Path | None, each: int) -> list[PairText]:
    """Pairs of a file if one is named, else of our generator."""
    return read_pairs(source, each) if source else generated_pairs(each)


def vocabulary_texts(source: Path | None, pairs: list[PairText]) -> list[str]:
    """Sentences to learn a vocabulary from: enough of them, however few are scored."""
    few = len(pairs) < ENOUGH * len(by_paradigm(pairs))
    return list(sentences(find_pairs(source, ENOUGH) if few else pairs))


def by_paradigm(pairs: Sequence[PairText]) -> dict[str, list[PairText]]:
    """The pairs of each paradigm, in order."""
    found: dict[str, list[PairText]] = {}
    for pair in pairs:
        found.setdefault(pair.uid, []).append(pair)
    return found


def take(pairs: Sequence[PairText], each: int) -> list[PairText]:
    """The first `each` pairs of every paradigm."""
    return [pair for group in by_paradigm(pairs).values() for pair in group[:each]]


def sentences(pairs: Sequence[PairText]) -> Iterator[str]:
    """Good, bad, good, bad …"""
    for pair in pairs:
        yield pair.good
        yield pair.bad


def build_tokenizer(texts: Sequence[str]) -> Any:
    """A byte-level BPE with as many merges as give GPT-2's number of tokens per word.

    The rest of the vocabulary is filled with entries that no merge produces.
    """
    from transformers import PreTrainedTokenizerFast

    merges = _learn_merges(texts)
    few, many = 0, len(merges)
    while few < many:  # the fewest merges that split words no further than wanted
        middle = (few + many) // 2
        if _tokens_a_word(_tokenizer(merges[:middle]), texts) > TOKENS_A_WORD:
            few = middle + 1
        else:
            many = middle
    tokenizer = _tokenizer(merges[:few])
    tokenizer.add_special_tokens([END])
    assert tokenizer.get_vocab_size() == VOCABULARY
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=END, eos_token=END)


def _learn_merges(texts: Sequence[str]) -> list[tuple[str, str]]:
    from tokenizers import trainers

    learner = _tokenizer([])
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - 1, initial_alphabet=_alphabet(), show_progress=False
    )
    learner.train_from_iterator(texts, trainer)
    return [(left, right) for left, right in json.loads(learner.to_str())["model"]["merges"]]


def _alphabet() -> list[str]:
    from tokenizers import pre_tokenizers

    return sorted(pre_tokenizers.ByteLevel.alphabet())


def _tokenizer(merges: Sequence[tuple[str, str]]) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    names = dict.fromkeys([*_alphabet(), *(left + right for left, right in merges)])
    fill = (f"<unused{i}>" for i in range(VOCABULARY - 1 - len(names)))
    vocabulary = {name: i for i, name in enumerate([*names, *fill])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=list(merges)))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _tokens_a_word(tokenizer: Any, texts: Sequence[str]) -> float:
    coded = tokenizer.encode_batch(list(texts))
    return sum(len(code.ids) for code in coded) / sum(len(text.split()) for text in texts)


def build_model(shape: Shape, texts: Sequence[str], folder: Path) -> Path:
    """A model with random weights and its tokenizer, saved as Transformers saves them.

    Weights are spread wider than at the start of training, so that attention is uneven and
    log-probabilities differ between tokens: a wrong mask or position shows in the scores.
    """
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    torch.manual_seed(SEED)
    config = GPT2Config(
        vocab_size=VOCABULARY,
        n_layer=shape.layers,
        n_embd=shape.width,
        n_head=shape.heads,
        initializer_range=0.05,
    )
    path = folder / shape.name
    GPT2LMHeadModel(config).save_pretrained(path)
    build_tokenizer(texts).save_pretrained(path)
    return path
