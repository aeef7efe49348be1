"""Embeddings and softmax over a vocabulary, with one table for both where they are tied.

With several bands, rare words have narrow embeddings and are predicted in two steps, first the
band, then the word in it (Grave et al. 2017; Baevski & Auli 2019), so that a token costs little.
Ids must be sorted by frequency, the most frequent first.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from priscian.models.networks.output import linear_cross_entropy

Bands = tuple[tuple[int, int], ...]  # end and width of each

HEAD, MIDDLE = 0.1, 0.4
"""Shares of the vocabulary where the head and the middle band end."""
SMALL = 100
"""Words of a vocabulary that needs no bands."""


def bands_for(vocabulary: int, width: int, softmax: str) -> Bands:
    """End and width of each band: one for `full`, three for `adaptive`, or those that are named.

    A vocabulary of fewer than 100 words has one, unless bands are named.

    Each band is half as wide as the one before it.

    >>> bands_for(50_000, 256, "adaptive:2000,10000")
    ((2000, 256), (10000, 128), (50000, 64))
    """
    kind, _, named = softmax.partition(":")
    if kind == "full" or (vocabulary < SMALL and not named):
        return ((vocabulary, width),)
    cutoffs = [int(vocabulary * HEAD), int(vocabulary * MIDDLE)]
    if named:
        cutoffs = [end for end in map(int, named.split(",")) if end < vocabulary]
    widths = (max(1, width >> number) for number in range(len(cutoffs) + 1))
    return tuple(zip([*cutoffs, vocabulary], widths, strict=True))


def bands_of(targets: Tensor, ends: Sequence[int]) -> Tensor:
    """The number of the band that each target is in; 0 is the head.

    >>> bands_of(torch.tensor([0, 4, 5, 9]), [5, 8, 10]).tolist()
    [0, 0, 1, 2]
    """
    return torch.bucketize(targets, torch.tensor(ends[:-1], device=targets.device), right=True)


class WordTables(nn.Module):
    """Tables of word vectors that embed words and predict them."""

    def __init__(self, bands: Bands) -> None:
        super().__init__()
        self.width = width = bands[0][1]
        self.ends = [end for end, _ in bands]
        sizes = [end - begin for begin, end in zip([0, *self.ends], self.ends, strict=False)]
        self.tables = nn.ParameterList(
            nn.Parameter(torch.randn(size, narrow) * 0.5 * narrow**-0.5)
            for size, (_, narrow) in zip(sizes, bands, strict=True)
        )
        self.maps = nn.ParameterList(
            nn.Parameter(torch.randn(narrow, width) * narrow**-0.5) for _, narrow in bands[1:]
        )
        self.bands = nn.Parameter(torch.randn(len(bands) - 1, width) * 0.5 * width**-0.5)
        self.biases = nn.ParameterList(nn.Parameter(torch.zeros(size)) for size in sizes)
        self.band_bias = nn.Parameter(torch.zeros(len(bands) - 1))

    def embed(self, ids: Tensor) -> Tensor:
        """Embeddings of ids of any shape, narrow ones widened: (…) → (…, width)."""
        flat = ids.reshape(-1)
        first = self.tables[0]
        result = functional.embedding(flat.clamp(max=len(first) - 1), first)
        for begin, table, widen in self._later():
            where = ((flat >= begin) & (flat < begin + len(table))).nonzero()[:, 0]
            if len(where):
                wide = functional.embedding(flat[where] - begin, table) @ widen
                result = result.index_copy(0, where, wide)
        # tied tables start small, for the softmax; a network wants inputs of about one
        return result.view(*ids.shape, -1) * self.width**0.5  # type: ignore[no-any-return]

    def loss(self, states: Tensor, targets: Tensor) -> Tensor:
        """Mean surprisal of targets in nats: (n, width), (n,) → ()."""
        if len(self.tables) == 1:
            return linear_cross_entropy(states, self.tables[0], targets, self.biases[0])
        weight = torch.cat([self.tables[0], self.bands])
        bias = torch.cat([self.biases[0], self.band_bias])
        band = bands_of(targets, self.ends)
        first = torch.where(band == 0, targets, self.ends[0] + band - 1)
        total = linear_cross_entropy(states, weight, first, bias)
        later = zip(self._later(), list(self.biases)[1:], strict=True)
        for number, ((begin, table, widen), own_bias) in enumerate(later, 1):
            where = (band == number).nonzero()[:, 0]
            if len(where):
                narrow = states[where] @ widen.t()
                share = len(where) / len(targets)
                total = total + linear_cross_entropy(
                    narrow, table, targets[where] - begin, own_bias, share
                )
        return total

    def logprobs(self, states: Tensor, targets: Tensor) -> Tensor:
        """log p of each target after its state: (n, width), (n,) → (n,)."""
        band = bands_of(targets, self.ends)
        first = torch.where(band == 0, targets, self.ends[0] + band - 1)
        weight = torch.cat([self.tables[0], self.bands])
        logits = functional.linear(states, weight, torch.cat([self.biases[0], self.band_bias]))
        result = -functional.cross_entropy(logits, first, reduction="none")
        later = zip(self._later(), list(self.biases)[1:], strict=True)
        for number, ((begin, table, widen), own_bias) in enumerate(later, 1):
            where = (band == number).nonzero()[:, 0]
            if len(where):
                inner = functional.linear(states[where] @ widen.t(), table, own_bias)
                found = -functional.cross_entropy(inner, targets[where] - begin, reduction="none")
                result = result.index_add(0, where, found)
        return result

    def _later(self) -> list[tuple[int, Tensor, Tensor]]:
        """Beginning, table and map of each band after the head."""
        return list(zip(self.ends, list(self.tables)[1:], self.maps, strict=False))


class ProjectedTables(nn.Module):
    """One table a band for input and output, with a map for each direction."""

    def __init__(self, bands: Bands, width: int) -> None:
        super().__init__()
        self.width = width
        self.ends = [end for end, _ in bands]
        sizes = [end - begin for begin, end in zip([0, *self.ends], self.ends, strict=False)]
        narrow = [own for _, own in bands]
        if min(sizes) < 1:
            raise ValueError("the ends of bands must rise")

        def drawn(rows: int, columns: int, own: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(rows, columns) * own**-0.5)

        pairs = list(zip(sizes, narrow, strict=True))
        self.tables = nn.ParameterList(drawn(size, own, 4 * own) for size, own in pairs)
        self.biases = nn.ParameterList(nn.Parameter(torch.zeros(size)) for size in sizes)
        self.maps = nn.ParameterList(drawn(own, width, own) for own in narrow)
        self.out_maps = nn.ParameterList(drawn(own, width, own) for own in narrow)
        self.bands = drawn(len(bands) - 1, narrow[0], 4 * narrow[0])
        self.band_bias = nn.Parameter(torch.zeros(len(bands) - 1))

    def embed(self, ids: Tensor) -> Tensor:
        """Embeddings of ids of any shape: (…) → (…, width)."""
        flat = ids.reshape(-1)
        result = self.maps[0].new_zeros(len(flat), self.width)
        for begin, end, table, widen in zip(
            [0, *self.ends], self.ends, self.tables, self.maps, strict=False
        ):
            where = ((flat >= begin) & (flat < end)).nonzero()[:, 0]
            if len(where):
                wide = functional.embedding(flat[where] - begin, table) @ widen
                result = result.index_copy(0, where, wide)
        return result.view(*ids.shape, -1) * self.width**0.5  # type: ignore[no-any-return]

    def logprobs(self, states: Tensor, targets: Tensor) -> Tensor:
        """log p of each target after its state: (n, width), (n,) → (n,)."""
        band = bands_of(targets, self.ends)
        first = torch.where(band == 0, targets, self.ends[0] + band - 1)
        weight = torch.cat([self.tables[0], self.bands])
        bias = torch.cat([self.biases[0], self.band_bias])
        logits = functional.linear(states @ self.out_maps[0].t(), weight, bias)
        result = -functional.cross_entropy(logits, first, reduction="none")
        for number in range(1, len(self.ends)):
            where = (band == number).nonzero()[:, 0]
            if len(where):
                own = states[where] @ self.out_maps[number].t()
                inner = functional.linear(own, self.tables[number], self.biases[number])
                aim = targets[where] - self.ends[number - 1]
                found = -functional.cross_entropy(inner, aim, reduction="none")
                result = result.index_add(0, where, found)
        return result

    def loss(self, states: Tensor, targets: Tensor) -> Tensor:
        """Mean surprisal of targets in nats: (n, width), (n,) → ()."""
        return -self.logprobs(states, targets).mean()
