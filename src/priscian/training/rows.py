"""Sentences as token ids, and the batches of one pass through them.

The order of batches is a function of the seed and the number of the pass, so that a training that
was stopped can go on in the middle of a pass with the very same batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from priscian.errors import DataError
from priscian.models.vocabulary import BOUNDARY_ID, Vocabulary

Ids = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
SHORTEST = 3
"""Tokens of a row at least: a boundary, a word, a boundary."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids of many sentences end to end; each stands between two boundaries."""

    ids: Ids
    starts: Ints  # (sentences + 1,)
    left_out: int = 0
    """Sentences that were empty or too long."""
    predicts: ClassVar[str] = "words"

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def tokens(self) -> int:
        """Tokens that are predicted: all but the opening boundaries."""
        return len(self.ids) - len(self)

    @property
    def lengths(self) -> Ints:
        """Tokens of each sentence, boundaries included."""
        return np.diff(self.starts)

    def groups(self, batch_tokens: int, random: np.random.Generator) -> list[Ints]:
        """Numbers of sentences of one length, each group of about this many tokens.

        Nothing is then padded.
        """
        lengths = self.lengths
        order = random.permutation(len(lengths))
        order = order[np.argsort(lengths[order], kind="stable")]
        sizes, firsts = np.unique(lengths[order], return_index=True)
        found: list[Ints] = []
        for size, mine in zip(sizes.tolist(), np.split(order, firsts[1:]), strict=True):
            rows = max(1, batch_tokens // size)
            found.extend(mine[at : at + rows] for at in range(0, len(mine), rows))
        return found

    def rows(self, group: Ints) -> Ints:
        """Sentences of one length, one in each row."""
        length = int(self.starts[group[0] + 1] - self.starts[group[0]])
        rows: Ints = self.ids[self.starts[group][:, None] + np.arange(length)].astype(np.int64)
        return rows

    def tokens_of(self, group: Ints) -> int:
        """Tokens of a group that are predicted."""
        first = group[0]
        return len(group) * (int(self.starts[first + 1] - self.starts[first]) - 1)


def encode(
    vocabulary: Vocabulary,
    sentences: Sequence[str],
    longest: int | None,
    part: str = "training part",
) -> Encoded:
    """Encode sentences; those of more than `longest` tokens are left out and counted."""
    flat: list[int] = []
    starts = [0]
    for sentence in sentences:
        ids = vocabulary.encode(sentence).ids
        if ids and (longest is None or len(ids) <= longest):
            flat += [BOUNDARY_ID, *ids, BOUNDARY_ID]
            starts.append(len(flat))
    if len(starts) == 1:
        limit = "a token; add text"
        if longest is not None:
            limit = f"from 1 to {longest} tokens; raise text.max_length or add text"
        raise DataError(f"the {part} is empty: none of its sentences has {limit}")
    left_out = len(sentences) - (len(starts) - 1)
    return Encoded(np.array(flat, np.int32), np.array(starts, np.int64), left_out)


class Pass(Protocol):
    """The batches of one pass, each an array of rows (rows, tokens)."""

    def __len__(self) -> int: ...

    def __getitem__(self, number: int) -> Ints: ...

    def tokens(self, number: int) -> int:
        """Tokens of a batch that are predicted."""
        ...


class SentencePass:
    """Groups of whole sentences, or trees, in random order."""

    def __init__(self, data: Encoded, batch_tokens: int, random: np.random.Generator) -> None:
        self.data = data
        groups = data.groups(batch_tokens, random)
        self.groups = [groups[number] for number in random.permutation(len(groups))]

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, number: int) -> Ints:
        return self.data.rows(self.groups[number])

    def tokens(self, number: int) -> int:
        """Tokens of a batch that are predicted."""
        return self.data.tokens_of(self.groups[number])


class StreamPass:
    """One running text of shuffled sentences, cut into columns that a network reads in step."""

    def __init__(
        self, pieces: Sequence[Ids], batch_tokens: int, length: int, random: np.random.Generator
    ) -> None:
        order = random.permutation(len(pieces)).tolist()
        text = np.concatenate([*(pieces[n] for n in order), np.array([BOUNDARY_ID], np.int32)])
        columns = max(1, min(batch_tokens // length, (len(text) - 1) // SHORTEST))
        self.length = length
        self.depth = (len(text) - 1) // columns
        self.text = text[: columns * self.depth + 1]
        self.begins = np.arange(columns) * self.depth

    def __len__(self) -> int:
        return -(-self.depth // self.length)

    def __getitem__(self, number: int) -> Ints:
        first = number * self.length
        count = min(self.length, self.depth - first)
        places = self.begins[:, None] + first + np.arange(count + 1)
        rows: Ints = self.text[places].astype(np.int64)
        return rows

    def tokens(self, number: int) -> int:
        """All but the first column, which is read only."""
        return len(self.begins) * min(self.length, self.depth - number * self.length)


class MixedPass:
    """A pass through the corpus with batches of extra text at seeded places."""

    def __init__(self, main: Pass, extra: Pass, share: float, random: np.random.Generator) -> None:
        self.sources = (main, extra)
        wanted = round(len(main) * share / (1 - share))
        places = [(0, number) for number in range(len(main))]
        places += [(1, number % len(extra)) for number in range(wanted)]
        self.places = [places[number] for number in random.permutation(len(places))]

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, number: int) -> Ints:
        source, place = self.places[number]
        return self.sources[source][place]

    def tokens(self, number: int) -> int:
        """Of a batch of either text."""
        source, place = self.places[number]
        return self.sources[source].tokens(place)


@dataclass(frozen=True, slots=True)
class Packing:
    """How batches are made."""

    pack: str = "sentence"
    batch_tokens: int = 2048
    stream_length: int = 70
    extra_share: float = 0.0


def make_pass(
    main: Encoded, extra: Encoded | None, packing: Packing, seed: int, number: int
) -> Pass:
    """The batches of a pass: the same for the same seed and number."""
    random = np.random.default_rng([seed, number])
    if packing.pack == "stream":
        pieces = _pieces(main)
        if extra is not None and packing.extra_share:
            wanted = main.tokens * packing.extra_share / (1 - packing.extra_share)
            pieces += _some_of(extra, wanted, random)
        return StreamPass(pieces, packing.batch_tokens, packing.stream_length, random)
    batches = SentencePass(main, packing.batch_tokens, random)
    if extra is None or not packing.extra_share:
        return batches
    others = SentencePass(extra, packing.batch_tokens, random)
    return MixedPass(batches, others, packing.extra_share, random)


def _pieces(data: Encoded) -> list[Ids]:
    """Sentences with their opening boundaries: the next one closes them."""
    starts = data.starts.tolist()
    return [data.ids[a : b - 1] for a, b in pairwise(starts)]


def _some_of(data: Encoded, wanted: float, random: np.random.Generator) -> list[Ids]:
    """Sentences in random order, with about the wanted number of tokens."""
    pieces, found, total = _pieces(data), [], 0
    order: list[int] = []
    while total < wanted:
        order = order or random.permutation(len(pieces)).tolist()
        found.append(pieces[order.pop()])
        total += len(found[-1])
    return found
