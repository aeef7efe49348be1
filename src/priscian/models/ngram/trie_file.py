"""A trie from a `.pngm` file, and back into one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError
from priscian.files import shown
from priscian.models.ngram.pngm import Contents, Writer, read_file, writing
from priscian.models.ngram.trie import Level, Trie
from priscian.models.ngram.trie_check import UnsoundError, check_trie

Array = npt.NDArray[Any]


MOST_ORDER = 32


def open_trie(path: Path) -> tuple[Trie, dict[str, Any]]:
    """The model in a file, and its description; its numbers are checked."""
    contents = read_file(path)
    try:
        order = contents.facts["order"]
        if not isinstance(order, int) or not 1 <= order <= MOST_ORDER:
            raise UnsoundError(f"its order is {shown(order)}")
        words = tuple(contents.arrays["vocabulary"].tobytes().decode().split("\n"))
        trie = Trie(words, tuple(_level(contents, n, order) for n in range(1, order + 1)))
        if contents.facts.get("differences"):
            from priscian.models.ngram.pack import sums

            trie = sums(trie)
        check_trie(trie)
    except KeyError as error:
        raise ModelError(f"{path} lacks {error}; train it again with this version") from None
    except (UnsoundError, UnicodeError) as error:
        raise ModelError(
            f"{path} is not a sound model, though its checksums are right: {error}; train it again"
        ) from None
    return trie, contents.facts


def _level(contents: Contents, n: int, order: int) -> Level:
    arrays = contents.arrays
    lower = n < order
    return Level(
        words=arrays[f"words{n}"] if n > 1 else None,
        probs=arrays[f"prob{n}"],
        backoffs=arrays[f"backoff{n}"] if lower else None,
        begin=arrays[f"begin{n}"] if lower else None,
        prob_codes=arrays.get(f"prob_codes{n}"),
        backoff_codes=arrays.get(f"backoff_codes{n}") if lower else None,
    )


def save_trie(trie: Trie, facts: dict[str, Any], path: Path) -> None:
    """Write a model to a file, with a temporary name until it is complete."""
    with writing(path) as file:
        writer = Writer(file)
        writer.add("vocabulary", np.frombuffer("\n".join(trie.words).encode(), np.uint8))
        ids = np.uint16 if len(trie.words) <= 1 << 16 else np.uint32
        for n, level in enumerate(trie.levels, 1):
            named: dict[str, Array | None] = {
                f"words{n}": None if level.words is None else level.words.astype(ids),
                f"prob{n}": level.probs,
                f"prob_codes{n}": level.prob_codes,
                f"backoff{n}": level.backoffs,
                f"backoff_codes{n}": level.backoff_codes,
                f"begin{n}": level.begin,
            }
            for name, values in named.items():
                if values is not None:
                    writer.add(name, values)
        writer.finish({"order": trie.order} | facts)
