"""Query a 5-gram with Priscian and KenLM: sentences per second, ratio, largest difference.

    python benchmarks/ngram_query.py --model 10m.pngm --arpa 10m.arpa --sentences sentences.txt

The sentences, one per line, are split into words once, with offsets, which is timed separately;
then both models get the same words with spaces between them. KenLM reads the ARPA file, or a
binary made from it. Without the package `kenlm` only ours is run.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from priscian.models.ngram import NgramModel, load_ngram
from priscian.records import Text


@dataclass(frozen=True, slots=True)
class Measured:
    """The shortest of several runs, by wall-clock and by processor time."""

    wall: float
    processor: float

    def show(self, name: str, sentences: int) -> None:
        """Print the rate."""
        print(
            f"{name:42} {self.wall:7.2f} s wall {self.processor:7.2f} s cpu "
            f"{sentences / self.wall:12,.0f} sentences/s",
            flush=True,
        )

    def times_as_fast_as(self, other: Measured) -> str:
        """The ratio to another rate, by wall-clock and by processor time."""
        return f"{other.wall / self.wall:.2f} wall, {other.processor / self.processor:.2f} cpu"


def best(work: Callable[[], Any], times: int) -> tuple[Measured, Any]:
    """Measure several runs; also return the result."""
    walls, processors = [], []
    given = None
    for _ in range(times):
        wall, processor = time.perf_counter(), time.process_time()
        given = work()
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    return Measured(min(walls), min(processors)), given


def measure_ours(model: NgramModel, texts: Sequence[str], times: int) -> tuple[Any, list[str]]:
    """Tokenisation, token scores and totals; the words with spaces between them."""
    count = len(texts)
    fresh, coded = best(lambda: model.encode(texts), 1)
    fresh.show("priscian: words with offsets, first time", count)
    again, coded = best(lambda: model.encode(texts), times)
    again.show("priscian: words with offsets, again", count)
    words, at = [], 0
    for text, length in zip(texts, coded.lengths, strict=True):
        stop = at + length
        places = zip(coded.starts[at:stop], coded.ends[at:stop], strict=True)
        words.append(" ".join(text[start:end] for start, end in places))
        at = stop
    whole, _ = best(lambda: model.score([Text(text) for text in texts]), 1)
    whole.show("priscian: score(), text to TokenScores", count)
    return coded, words


def main() -> None:
    """Run both."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--arpa", type=Path, help="the same model for KenLM")
    parser.add_argument("--sentences", type=Path, required=True)
    parser.add_argument("--times", type=int, default=3)
    arguments = parser.parse_args()
    texts = arguments.sentences.read_text().splitlines()
    loading, model = best(lambda: load_ngram(arguments.model), 1)
    print(f"{len(texts):,} sentences; order {model.trie.order}, loaded in {loading.wall:.2f} s")
    _, words = measure_ours(model, texts, arguments.times)
    tokens, (logps, edges) = best(lambda: model.token_logps(words), arguments.times)
    tokens.show("priscian: per-token scores of words", len(words))
    whole, totals = best(lambda: model.totals(words), arguments.times)
    whole.show("priscian: totals of words", len(words))
    try:
        import kenlm
    except ImportError:
        sys.exit("kenlm is not installed; only ours was run")
    if arguments.arpa is None:
        sys.exit("no --arpa for KenLM; only ours was run")
    peer = kenlm.Model(str(arguments.arpa))
    peer_tokens, found = best(
        lambda: [[p for p, _, _ in peer.full_scores(s, eos=False)] for s in words],
        arguments.times,
    )
    peer_tokens.show("kenlm: full_scores", len(words))
    peer_whole, peer_totals = best(
        lambda: [peer.score(s, eos=False) for s in words], arguments.times
    )
    peer_whole.show("kenlm: score", len(words))
    flat = np.array([p for row in found for p in row])
    print(
        f"largest difference, log10: {np.abs(flat - logps / math.log(10)).max():.2g} per token, "
        f"{np.abs(np.array(peer_totals) - totals / math.log(10)).max():.2g} per sentence"
    )
    print(f"rate relative to full_scores: per-token {tokens.times_as_fast_as(peer_tokens)}")
    print(f"rate relative to score: totals {whole.times_as_fast_as(peer_whole)}")
    assert int(edges[-1]) == len(flat)


if __name__ == "__main__":
    main()
