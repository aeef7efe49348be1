"""What a vocabulary must offer: ids of a text with the place of each token."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

BOUNDARY_ID = 0
"""Opens and closes a sentence in every vocabulary that we train."""


class Coded(NamedTuple):
    """A text as token ids, with half-open character offsets."""

    ids: list[int]
    starts: list[int]
    ends: list[int]


class Vocabulary(Protocol):
    """Texts to token ids; id 0 is the boundary of sentences."""

    @property
    def size(self) -> int:
        """Ids that there are."""
        ...

    def encode(self, text: str) -> Coded:
        """Ids and offsets of a text, without boundaries."""
        ...

    def unknown(self, text: str) -> int:
        """How many words of a text are outside the vocabulary; 0 where none can be."""
        ...

    def unknown_words(self, text: str) -> list[str]:
        """Those words, as they are in the text."""
        ...

    def as_text(self) -> str:
        """What its file holds."""
        ...

    def save(self, folder: Path) -> None:
        """Write what `load_vocabulary` reads back."""
        ...

    def count_words(self, texts: Sequence[str]) -> int:
        """Words by this vocabulary's own tokenisation, for perplexity per word."""
        ...
