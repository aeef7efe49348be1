"""Query a 5-gram beside KenLM's Python package: sentences a second, ratio, greatest difference.

    python benchmarks/ngram_query.py --model 10m.pngm --arpa 10m.arpa --sentences sentences.txt

The sentences, one a line, are cut into words once, with offsets, which is timed apart; then both
models get the same words with spaces between them. KenLM reads the ARPA file, or a binary made of
it. Without the package `kenlm` only ours is run.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from priscian.models.ngram import NgramModel, load_ngram
from priscian.records import Text


def best(work: Callable[[], Any], times: int) -> tuple[float, Any]:
    """The shortest of some runs, and what the work gave."""
    seconds = math.inf
    given = None
    for _ in range(times):
        began = time.perf_counter()
        given = work()
        seconds = min(seconds, time.perf_counter() - began)
    return seconds, given


def show(name: str, seconds: float, sentences: int) -> float:
    """Print a rate and return it."""
    rate = sentences / seconds
    print(f"{name:42} {seconds:7.2f} s {rate:12,.0f} sentences/s", flush=True)
    return rate


def measure_ours(model: NgramModel, texts: Sequence[str], times: int) -> tuple[Any, list[str]]:
    """Tokenisation, token scores and totals; the words with spaces between them."""
    count = len(texts)
    fresh, coded = best(lambda: model.encode(texts), 1)
    show("priscian: words with offsets, first time", fresh, count)
    again, coded = best(lambda: model.encode(texts), times)
    show("priscian: words with offsets, again", again, count)
    words, at = [], 0
    for text, length in zip(texts, coded.lengths, strict=True):
        stop = at + length
        places = zip(coded.starts[at:stop], coded.ends[at:stop], strict=True)
        words.append(" ".join(text[start:end] for start, end in places))
        at = stop
    whole, _ = best(lambda: model.score([Text(text) for text in texts]), 1)
    show("priscian: score(), text to TokenScores", whole, count)
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
    print(f"{len(texts):,} sentences; order {model.trie.order}, loaded in {loading:.2f} s")
    _, words = measure_ours(model, texts, arguments.times)
    token_seconds, (logps, edges) = best(lambda: model.token_logps(words), arguments.times)
    tokens = show("priscian: per-token scores of words", token_seconds, len(words))
    total_seconds, totals = best(lambda: model.totals(words), arguments.times)
    all_totals = show("priscian: totals of words", total_seconds, len(words))
    try:
        import kenlm
    except ImportError:
        sys.exit("kenlm is not installed; only ours was run")
    if arguments.arpa is None:
        sys.exit("no --arpa for KenLM; only ours was run")
    peer = kenlm.Model(str(arguments.arpa))
    peer_seconds, found = best(
        lambda: [[p for p, _, _ in peer.full_scores(s, eos=False)] for s in words],
        arguments.times,
    )
    peer_tokens = show("kenlm: full_scores", peer_seconds, len(words))
    peer_seconds, peer_totals = best(
        lambda: [peer.score(s, eos=False) for s in words], arguments.times
    )
    show("kenlm: score", peer_seconds, len(words))
    flat = np.array([p for row in found for p in row])
    print(
        f"greatest difference, log10: {np.abs(flat - logps / math.log(10)).max():.2g} a token, "
        f"{np.abs(np.array(peer_totals) - totals / math.log(10)).max():.2g} a sentence"
    )
    print(
        f"ratio to kenlm: per-token {tokens / peer_tokens:.2f}, "
        f"totals to full_scores {all_totals / peer_tokens:.2f}"
    )
    assert int(edges[-1]) == len(flat)


if __name__ == "__main__":
    main()
