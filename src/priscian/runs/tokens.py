"""Token scores of a run's texts, read back from the score store in bulk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from priscian.errors import DataError, ModelError
from priscian.models import PrecomputedScores, open_model, recorded_traits
from priscian.records import Text, TokenScores
from priscian.runs.facts import ModelFacts
from priscian.scoring.store import ScoreStore, columns_of
from priscian.scoring.store.published import read_default


@dataclass(frozen=True, slots=True)
class TokenTable:
    """The tokens of n texts, end to end: text i has those from `offsets[i]` to `offsets[i + 1]`.

    `starts` are character offsets in the text; `bits` is surprisal, NaN for a token that could not
    be scored; `found` is False for a text that was never scored.
    """

    offsets: NDArray[np.int64]  # (texts + 1,)
    starts: NDArray[np.int32]  # (tokens,)
    bits: NDArray[np.float32]  # (tokens,)
    found: NDArray[np.bool_]  # (texts,)

    @property
    def missing(self) -> int:
        """How many texts have no scores."""
        return int((~self.found).sum())


def read_tokens(
    about: ModelFacts, texts: Sequence[str], store: ScoreStore | None = None
) -> TokenTable | None:
    """The tokens of some texts by a model of a run; None if none are stored.

    A text that is not in the store (it was pruned, or is on another machine) is marked missing.
    """
    if about.string and recorded_traits(about.string).precomputed:
        columns = columns_of(_from_table(about, texts))
    elif store is not None:
        columns = store.columns(about.digest, _hashes(tuple(texts)))
    else:
        with read_default() as kept:
            columns = kept.columns(about.digest, _hashes(tuple(texts)))
    if not columns.found.any():
        return None
    bits: NDArray[np.float32] = (-columns.logps / math.log(2)).astype(np.float32)
    return TokenTable(columns.offsets, columns.starts.astype(np.int32), bits, columns.found)


@lru_cache(maxsize=1)
def _hashes(texts: tuple[str, ...]) -> list[bytes]:
    """Cached, because they are the same for every model of a data set."""
    return [Text(text).hash for text in texts]


def _from_table(about: ModelFacts, texts: Sequence[str]) -> list[TokenScores | None]:
    """Each text's scores in a table from elsewhere, if it is still the one of the run."""
    try:
        opened = open_model(about.string)
    except (ModelError, DataError):
        return []
    if opened.key.digest != about.digest:
        return []
    table = opened.model
    assert isinstance(table, PrecomputedScores)
    found: list[TokenScores | None] = []
    for text in texts:
        try:
            found.append(table.look_up(Text(text)))
        except DataError:
            found.append(None)
    return found
