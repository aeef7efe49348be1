"""Token scores of a run's texts: from the run's own table, or else from the user's score store."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from priscian.errors import DataError, ModelError, ScoreError
from priscian.models import PrecomputedScores, open_model, recorded_traits
from priscian.records import Text, TokenScores
from priscian.runs.facts import ModelFacts
from priscian.scoring.store import ScoreStore, columns_of
from priscian.scoring.store.scores import read_default

if TYPE_CHECKING:
    import polars

TOKENS = "tokens"
"""The name of the table."""
COLUMNS = ("text", "context", "starts", "ends", "logps")
"""Columns of the table; after them, one for each channel that was computed."""


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


def tokens_table(texts: Iterable[Text], scores: Mapping[Text, TokenScores]) -> polars.DataFrame:
    """`tokens.parquet`: one row for each different text, in the order of the data.

    Offsets are characters of the text, `logps` natural logarithms, NaN where a token could not be
    scored. A table from elsewhere may lack texts of items that could not be judged.
    """
    import polars

    found: dict[Text, TokenScores] = {}
    for text in dict.fromkeys(texts):
        try:
            found[text] = scores[text]
        except (DataError, ScoreError):  # the summary names what could not be judged
            continue
    rows = list(found.values())
    columns = [
        polars.Series("text", [text.text for text in found], polars.String),
        polars.Series("context", [text.context for text in found], polars.String),
        _lists("starts", [row.starts for row in rows], np.int32),
        _lists("ends", [row.ends for row in rows], np.int32),
        _lists("logps", [row.logps for row in rows], np.float64),
    ]
    for channel in sorted({name for row in rows for name in row.channels}):
        columns.append(_lists(channel, [row.channels.get(channel, ()) for row in rows], np.float64))
    return polars.DataFrame(columns)


def _lists(name: str, rows: Sequence[Sequence[float]], dtype: type[np.generic]) -> polars.Series:
    """A column of lists; an empty one is null. Much faster than a list of Python's tuples."""
    import polars

    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    values: NDArray[Any] = np.fromiter(chain.from_iterable(rows), dtype, int(lengths.sum()))
    places = polars.DataFrame({"row": np.arange(len(rows))})
    flat = polars.DataFrame({"row": np.repeat(np.arange(len(rows)), lengths), name: values})
    grouped = flat.group_by("row", maintain_order=True).agg(name)
    return places.join(grouped, on="row", how="left", maintain_order="left")[name]


def pick_tokens(table: polars.LazyFrame, texts: Sequence[str]) -> TokenTable | None:
    """The tokens of some texts in a run's table; None if it has none of them."""
    import polars

    whole = (polars.col("context") == "") & polars.col("starts").is_not_null()
    rows = table.filter(whole).select("text", "starts", "logps").collect()
    place = {text: number for number, text in enumerate(rows["text"])}
    which = np.array([place.get(text, -1) for text in texts], np.int64)  # (texts,)
    if not (which >= 0).any():
        return None
    lengths = rows["starts"].list.len().to_numpy().astype(np.int64)
    begins = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    asked = np.append(lengths, 0)[which]  # a missing text has no tokens
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(asked)))
    inner = np.arange(offsets[-1]) - np.repeat(offsets[:-1], asked)  # 0, 1, … in each text
    tokens = np.repeat(begins[which], asked) + inner
    starts = rows["starts"].explode().to_numpy()[tokens]
    bits = -rows["logps"].explode().to_numpy()[tokens] / math.log(2)
    return TokenTable(offsets, starts.astype(np.int32), bits.astype(np.float32), which >= 0)


def read_tokens(
    about: ModelFacts, texts: Sequence[str], store: ScoreStore | None = None
) -> TokenTable | None:
    """The tokens of some texts by a model of a run, in the store; None if none are stored.

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
