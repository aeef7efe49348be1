"""The words of many texts as numbers, the most frequent first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Words:
    """The text between single spaces: `names[code]` is the word, texts are lists of codes."""

    names: list[str]
    codes: Ints  # (words of all texts,)
    counts: Ints  # (texts,)

    @property
    def offsets(self) -> Ints:
        """Where the words of each text begin."""
        return np.concatenate(([0], np.cumsum(self.counts)))


def index_words(texts: Sequence[str]) -> Words:
    """Split texts at every space; joined by spaces, the words give the text again."""
    import polars

    cut = polars.Series("word", list(texts), dtype=polars.String).str.split(" ")
    counts = cut.list.len().to_numpy().astype(np.int64)
    every = cut.explode().to_frame()
    known = (
        every.group_by("word")
        .len()
        .sort("len", "word", descending=[True, False])
        .with_row_index("code")
    )
    codes = every.join(known, on="word", how="left", maintain_order="left")["code"]
    return Words(known["word"].to_list(), codes.to_numpy().astype(np.int64), counts)
