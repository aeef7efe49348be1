"""Room and opening time of the score store for a sweep.

    python benchmarks/store_room.py

1. Ten checkpoints on 6,700 generated pairs, tokenized by the built-in LSTM: bytes per token of the
   file, everything included (bar 13). Values are float32, as causal models give them.
2. Opening a store of 10 GB and looking up a model (bar 1 s). The file is sparse: a real
   store, whose header says 10 GB and whose other pages are holes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOM, CHECKPOINTS, PAIRS_PER_PARADIGM = 13.0, 10, 100
OPENING, GIGABYTES, ROUNDS = 1.0, 10, 3
PAGE = 4096


def main() -> int:
    """Print both figures; exit 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs-per-paradigm", type=int, default=PAIRS_PER_PARADIGM)
    parser.add_argument(
        "--folder", type=Path, help="where the files go; by default a temporary one"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder, prefix="priscian-bench-") as name:
        path = Path(name) / "scores.sqlite"
        room = measure_room(path, given.pairs_per_paradigm)
        enlarge(path, GIGABYTES * 10**9)
        seconds = min(measure_opening(path) for _ in range(ROUNDS))
        print(
            f"opening {path.stat().st_size / 1e9:.1f} GB and finding a text: {seconds:.3f} s "
            f"(at most {OPENING:g})"
        )
    return 0 if room <= ROOM and seconds < OPENING else 1


def measure_room(path: Path, each: int) -> float:
    """Bytes per token of a sweep."""
    import priscian
    from priscian.models import ModelKey, load
    from priscian.records import Text, TokenScores
    from priscian.scoring import ScoreStore

    data = priscian.generate(seed=5, n=each)
    sentences = [s.text for itemset in data.sets for s in itemset.sentences()]
    texts = list(dict.fromkeys(sentences))
    pieces: Any = load("builtin:lstm")
    places = [pieces.pieces.encode(text)[1:] for text in texts]
    tokens, rng = 0, np.random.default_rng(1)
    with ScoreStore(path) as store:
        for number in range(CHECKPOINTS):
            rows = []
            for text, (starts, ends) in zip(texts, places, strict=True):
                values = rng.normal(-3, 1, len(starts)).clip(None, 0).astype("f4").tolist()
                rows.append((Text(text), TokenScores(tuple(starts), tuple(ends), tuple(values))))
                tokens += len(starts)
            for at in range(0, len(rows), 500):
                store.write(ModelKey({"step": str(number)}), "m", rows[at : at + 500])
    room = path.stat().st_size / tokens
    print(
        f"{CHECKPOINTS} checkpoints, {len(sentences) // 2:,} pairs, "
        f"{tokens / CHECKPOINTS / len(texts):.1f} tokens per text: {room:.2f} bytes per token "
        f"(at most {ROOM:g})",
        flush=True,
    )
    return room


def enlarge(path: Path, size: int) -> None:
    """Make a store as long as if it had many more rows; the pages are holes."""
    pages = size // PAGE
    with path.open("r+b") as file:
        file.truncate(pages * PAGE)
        file.seek(28)  # the header's number of pages
        file.write(pages.to_bytes(4, "big"))


def measure_opening(path: Path) -> float:
    """Seconds to open a store, list its models and look for one text."""
    from priscian.models import ModelKey
    from priscian.records import Text
    from priscian.scoring import ScoreStore

    began = time.perf_counter()
    with ScoreStore(path) as store:
        store.models()
        store.missing(ModelKey({"step": "3"}), [Text("Go.")])
        return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
