"""The three words that every n-gram model has, with the ids that KenLM gives them."""

from __future__ import annotations

UNK, BOS, EOS = 0, 1, 2
SPECIAL = ("<unk>", "<s>", "</s>")
