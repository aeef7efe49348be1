"""Tokens of many texts in columns: where each begins, and how surprising it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TokenTable:
    """The tokens of n texts, end to end: text i has those from `offsets[i]` to `offsets[i + 1]`.

    `starts` are character offsets in the text; `bits` is surprisal, NaN for a token that could not
    be scored; `found` tells a text that was never scored from one without tokens.
    """

    offsets: NDArray[np.int64]  # (texts + 1,)
    starts: NDArray[np.int32]  # (tokens,)
    bits: NDArray[np.float32]  # (tokens,)
    found: NDArray[np.bool_]  # (texts,)

    @property
    def missing(self) -> int:
        """How many texts have no scores."""
        return int((~self.found).sum())
