"""Sentences as token ids, in batches of one length, so that nothing is padded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from priscian.models.lstm.pieces import Pieces

Ids = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Sentences:
    """Token ids of many sentences end to end; each stands between two boundary tokens."""

    ids: Ids
    starts: npt.NDArray[np.int64]  # (sentences + 1,)

    @property
    def tokens(self) -> int:
        """Tokens that are predicted: all but the opening boundaries."""
        return len(self.ids) - (len(self.starts) - 1)


def encode_sentences(
    pieces: Pieces, sentences: Sequence[str], shortest: int, longest: int
) -> tuple[Sentences, int]:
    """Sentences of a length within bounds (in tokens), each once; and the words in them."""
    flat: list[int] = []
    starts = [0]
    seen: set[int] = set()
    words = 0
    for sentence in sentences:
        ids, _, _ = pieces.encode(sentence)
        if not shortest <= len(ids) <= longest:
            continue
        mark = hash(tuple(ids))
        if mark in seen:
            continue
        seen.add(mark)
        words += len(sentence.split())
        flat.append(0)
        flat.extend(ids)
        flat.append(0)
        starts.append(len(flat))
    return Sentences(np.array(flat, dtype=np.uint16), np.array(starts, dtype=np.int64)), words


def batches(
    data: Sentences, tokens: int, random: np.random.Generator
) -> Iterator[npt.NDArray[np.int64]]:
    """One pass in random order: arrays (length, sentences) of about `tokens` tokens."""
    lengths = np.diff(data.starts)
    order = random.permutation(len(lengths))
    order = order[np.argsort(lengths[order], kind="stable")]
    sizes, firsts = np.unique(lengths[order], return_index=True)
    groups: list[npt.NDArray[np.int64]] = []
    for size, mine in zip(sizes.tolist(), np.split(order, firsts[1:]), strict=True):
        rows = max(1, tokens // size)
        groups.extend(mine[at : at + rows] for at in range(0, len(mine), rows))
    for number in random.permutation(len(groups)):
        group = groups[number]
        length = int(lengths[group[0]])
        places = data.starts[group][None, :] + np.arange(length)[:, None]
        yield data.ids[places].astype(np.int64)
