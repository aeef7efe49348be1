"""How much arithmetic a plan needs, what the machine could do, and what sharing saves."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from materials import VOCABULARY, PairText, Shape, sentences
from priscian.models import Encoding
from priscian.records import Text
from priscian.scoring.batches import (
    PackedTree,
    Rows,
    SharedBeginnings,
    common_length,
    share_of_work,
)


@dataclass(frozen=True, slots=True)
class Work:
    """Tokens that the layers read, and positions that the output head is applied to."""

    tokens: int
    positions: int

    def flops(self, shape: Shape) -> float:
        """Multiplications and additions of the matrix products; attention itself left out."""
        layers = self.tokens * 2 * shape.inner_parameters
        return layers + self.positions * 2 * shape.width * VOCABULARY


@dataclass(frozen=True, slots=True)
class Sharing:
    """Tokens to read as a share of those read one sentence at a time."""

    pairs: int
    in_pair: float
    packed: float  # as the plan packs it: each row starts again
    tree: float
    tokens: int  # read in packed rows


def encode(tokenizer: Any, pairs: Sequence[PairText]) -> list[Encoding]:
    """Every sentence once, as Priscian's causal models read it."""
    texts = [Text(text) for text in dict.fromkeys(sentences(pairs))]
    coded = tokenizer.backend_tokenizer.encode_batch([t.text for t in texts])
    return [
        Encoding(
            (tokenizer.bos_token_id, *c.ids),
            tuple(s for s, _ in c.offsets),
            tuple(e for _, e in c.offsets),
            1,
        )
        for c in coded
    ]


def work_of(plan: dict[str, Any], encodings: Sequence[Encoding]) -> Work:
    """Count the tokens and positions in the batches of a plan."""
    way = _way(str(plan["way"]), int(plan["batch_tokens"]), int(plan["row_tokens"]))
    tokens = positions = 0
    for group in way.group(encodings):
        batch = way.build([encodings[i] for i in group]).tokens
        tokens += int(batch.lengths.sum())
        tokens += 0 if batch.prefix is None else int(batch.prefix.size)
        positions += len({(row, column) for row, column, _ in batch.queries.tolist()})
    return Work(tokens, positions)


def _way(name: str, batch_tokens: int, row_tokens: int) -> Any:
    if name == "tree":
        return PackedTree(row_tokens, max(1, batch_tokens // row_tokens))
    if name == "cache":
        return SharedBeginnings(batch_tokens)
    return Rows(batch_tokens if name == "rows" else 1, name)


def sharing_of(pairs: Sequence[PairText], tokenizer: Any, row_tokens: int) -> Sharing:
    """Tokens left to read with sharing inside the pair, in packed rows and in one tree."""
    encodings = encode(tokenizer, pairs)
    ids = {text: e.ids for text, e in zip(dict.fromkeys(sentences(pairs)), encodings, strict=True)}
    whole = sum(len(e.ids) - 1 for e in encodings)
    # A sentence that occurs in two pairs is read once, whatever else is shared.
    distinct = dict.fromkeys((pair.good, pair.bad) for pair in pairs)
    alone = sum(len(ids[good]) + len(ids[bad]) - 2 for good, bad in distinct)
    shared = sum(min(common_length(ids[g], ids[b]), len(ids[g]) - 1) for g, b in distinct)
    tree = PackedTree(row_tokens, 1)
    packed = sum(
        int(tree.build([encodings[i] for i in group]).tokens.lengths.sum())
        for group in tree.group(encodings)
    )
    tree_share = share_of_work(encodings)
    return Sharing(len(pairs), 1 - shared / alone, packed / whole, tree_share, packed)


def peak_flops(seconds: float = 1.0) -> float:
    """The best rate of a float32 matrix product on one thread, in operations per second."""
    import torch

    torch.set_num_threads(1)
    best = 0.0
    for size in (512, 1024, 2048):
        left, right = torch.rand(size, size), torch.rand(size, size)
        torch.mm(left, right)
        until = time.perf_counter() + seconds
        while (start := time.perf_counter()) < until:
            torch.mm(left, right)
            best = max(best, 2 * size**3 / (time.perf_counter() - start))
    return best
