"""Embeddings and softmax over a vocabulary, with one table for both where they are tied.

With several bands, rare words have narrow embeddings and are predicted in two steps, first the
band, then the word in it (Grave et al. 2017; Baevski & Auli 2019), so that a token costs little.
Ids must be sorted by frequency, the most frequent first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

CHUNK_CELLS = 1 << 22
"""Logits of a chunk: little enough for the cache, enough for the products to be fast."""
TINY = 1e-30
"""Probabilities below this have lost their logarithm in float32."""
Bands = tuple[tuple[int, int], ...]  # end and width of each
HEAD, MIDDLE = 0.1, 0.4
"""Shares of the vocabulary where the head and the middle band end."""
SMALL = 100
"""Words of a vocabulary that needs no bands."""


def linear_cross_entropy(
    states: Tensor, weight: Tensor, targets: Tensor, bias: Tensor | None = None, share: float = 1.0
) -> Tensor:
    """Mean of −log softmax(states · weightᵀ + bias) at the targets, times `share`.

    The logits of a batch never exist at once: a chunk's logits are computed, turned into their own
    gradient in place, and used up. This saves memory and, on a CPU, most of the time that a large
    tensor of logits costs in page faults.

    states (n, width), weight (vocabulary, width), targets (n,), bias (vocabulary,). A loss that is
    part of a mean has its share here, since multiplying large gradients by it later costs time.
    """
    return _LinearCrossEntropy.apply(states, weight, targets, bias, share)  # type: ignore[no-any-return,no-untyped-call]


class _LinearCrossEntropy(torch.autograd.Function):
    """Gradients are computed with the loss, since both need the same logits."""

    @staticmethod
    def forward(
        ctx: Any, states: Tensor, weight: Tensor, targets: Tensor, bias: Tensor | None, share: float
    ) -> Tensor:
        rows, vocabulary = len(states), len(weight)
        chunk = max(1, min(rows, CHUNK_CELLS // vocabulary))
        wanted = any(ctx.needs_input_grad)
        logits = states.new_empty(chunk, vocabulary)
        grad_states = torch.empty_like(states) if wanted else None
        grad_weight = torch.empty_like(weight) if wanted else None
        grad_bias = torch.zeros_like(bias) if wanted and bias is not None else None
        total = states.new_zeros((), dtype=torch.float64)
        for begin in range(0, rows, chunk):
            some, right = states[begin : begin + chunk], targets[begin : begin + chunk, None]
            cells = logits[: len(some)]
            torch.mm(some, weight.t(), out=cells)
            if bias is not None:
                cells += bias
            torch.softmax(cells, 1, out=cells)
            total += _surprisals(cells, right, some, weight, bias).sum(dtype=torch.float64)
            if grad_states is None or grad_weight is None:
                continue
            cells.scatter_add_(1, right, cells.new_full((len(some), 1), -1.0))
            cells *= share / rows
            torch.mm(cells, weight, out=grad_states[begin : begin + chunk])
            grad_weight.addmm_(cells.t(), some, beta=int(begin > 0))  # 0 ignores what was there
            if grad_bias is not None:
                grad_bias += cells.sum(0)
        ctx.save_for_backward(grad_states, grad_weight, grad_bias)
        return (total * (share / rows)).to(states.dtype)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Tensor | None, ...]:
        (scale,) = grads
        found = ctx.saved_tensors
        if scale.is_cuda or float(scale) != 1:
            found = tuple(None if grad is None else grad * scale for grad in found)
        grad_states, grad_weight, grad_bias = found
        return grad_states, grad_weight, None, grad_bias, None


def _surprisals(
    shares: Tensor, right: Tensor, states: Tensor, weight: Tensor, bias: Tensor | None
) -> Tensor:
    """−log of the softmax at the targets, also where it is too small for a number: (n,)."""
    picked = shares.gather(1, right)[:, 0]
    found = -picked.log()
    lost = ~(picked > TINY)  # true of NaN as well
    if lost.any():
        logits = torch.nn.functional.linear(states[lost], weight, bias)
        found[lost] = torch.nn.functional.cross_entropy(logits, right[lost, 0], reduction="none")
    return found


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


class _Tables(nn.Module):
    """What predicts words: a table for each band, the first with an entry for each later band."""

    ends: list[int]
    tables: nn.ParameterList
    biases: nn.ParameterList
    bands: nn.Parameter
    band_bias: nn.Parameter

    def narrowed(self, states: Tensor, band: int) -> Tensor:
        """States in the width of a band: (n, width) → (n, own width)."""
        raise NotImplementedError

    def logprobs(self, states: Tensor, targets: Tensor) -> Tensor:
        """log p of each target after its state: (n, width), (n,) → (n,)."""
        band = bands_of(targets, self.ends)
        first = torch.where(band == 0, targets, self.ends[0] + band - 1)
        weight = torch.cat([self.tables[0], self.bands])
        bias = torch.cat([self.biases[0], self.band_bias])
        logits = functional.linear(self.narrowed(states, 0), weight, bias)
        result = -functional.cross_entropy(logits, first, reduction="none")
        for number in range(1, len(self.ends)):
            where = (band == number).nonzero()[:, 0]
            if len(where):
                own = self.narrowed(states[where], number)
                inner = functional.linear(own, self.tables[number], self.biases[number])
                aim = targets[where] - self.ends[number - 1]
                found = -functional.cross_entropy(inner, aim, reduction="none")
                result = result.index_add(0, where, found)
        return result


class WordTables(_Tables):
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

    def narrowed(self, states: Tensor, band: int) -> Tensor:
        """States in the width of a band; the first band has that of the network."""
        return states @ self.maps[band - 1].t() if band else states

    def _later(self) -> list[tuple[int, Tensor, Tensor]]:
        """Beginning, table and map of each band after the head."""
        return list(zip(self.ends, list(self.tables)[1:], self.maps, strict=False))


class ProjectedTables(_Tables):
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

    def narrowed(self, states: Tensor, band: int) -> Tensor:
        """States in the width of a band."""
        narrow: Tensor = states @ self.out_maps[band].t()
        return narrow

    def loss(self, states: Tensor, targets: Tensor) -> Tensor:
        """Mean surprisal of targets in nats: (n, width), (n,) → ()."""
        return -self.logprobs(states, targets).mean()
