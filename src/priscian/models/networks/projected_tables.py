"""The adaptive embeddings and softmax of the published Transformer-XL models.

Like `WordTables`, but every band has a map between its own width and the network's, the first
band too, and the map to the network need not be the map from it.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from priscian.models.networks.word_tables import Bands, bands_of


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
