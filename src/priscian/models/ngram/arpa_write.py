"""Write a model as an ARPA file, in blocks, plain or gzip."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from priscian.models.ngram.pngm import writing
from priscian.models.ngram.trie import Trie

Array = npt.NDArray[Any]
BLOCK = 1 << 19


def write_arpa(
    trie: Trie, path: Path, progress: Callable[[int, int], None] = lambda done, total: None
) -> None:
    """The model as text; gzip if the name ends in .gz."""
    with writing(path) as file:
        if path.suffix == ".gz":
            with gzip.GzipFile(path.name, "wb", 6, file, mtime=0) as packed:
                _write(trie, cast(BinaryIO, packed), progress)
        else:
            _write(trie, file, progress)


def _write(trie: Trie, file: BinaryIO, progress: Callable[[int, int], None]) -> None:
    import polars as pl

    names = pl.Series("names", list(trie.words), pl.String)
    sizes = [len(level.probs) for level in trie.levels]
    head = "".join(f"ngram {n}={size}\n" for n, size in enumerate(sizes, 1))
    file.write(f"\\data\\\n{head}".encode())
    done = 0
    for n in range(1, trie.order + 1):
        file.write(f"\n\\{n}-grams:\n".encode())
        for nodes, words in _blocks(trie, n):
            columns = {"prob": _shown(trie.levels[n - 1].prob(nodes))}
            ngrams = pl.DataFrame(
                {str(k): names.gather(word) for k, word in enumerate(words)}
            ).select(pl.concat_str(pl.all(), separator=" "))
            frame = pl.DataFrame(columns).with_columns(ngrams.to_series().alias("words"))
            if n < trie.order:
                backoff = _shown(trie.levels[n - 1].backoff(nodes))
                frame = frame.with_columns(pl.Series("backoff", backoff))
            frame.write_csv(file, include_header=False, separator="\t", quote_style="never")
            done += len(nodes)
            progress(done, sum(sizes))
    file.write(b"\n\\end\\\n")


def _shown(values: Array) -> Array:
    return (values + 0.0).astype(np.float32)  # no negative zero


def _blocks(trie: Trie, n: int) -> Iterator[tuple[Array, list[Array]]]:
    """N-grams of an order with their words, from the first to the last."""
    size = len(trie.levels[n - 1].probs)
    for start in range(0, size, BLOCK):
        nodes: Array = np.arange(start, min(start + BLOCK, size))
        words = []
        inner = nodes
        for k in range(n, 1, -1):
            outer, begin = trie.levels[k - 1].words, trie.levels[k - 2].begin
            assert outer is not None
            assert begin is not None
            words.append(outer[inner].astype(np.uint32))
            low = int(np.searchsorted(begin, inner[0], "right")) - 1
            high = int(np.searchsorted(begin, inner[-1], "right"))
            near = begin[low:high].astype(np.int64)
            inner = low + np.searchsorted(near, inner, "right") - 1
        words.append(inner.astype(np.uint32))
        yield nodes, words
