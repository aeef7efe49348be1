"""Compare the score store with an earlier commit's: write and read time, bytes per token.

    python benchmarks/store_speed.py 6a01acf --texts 134000 --rounds 3

Both sides get the same sentences and values, in fresh processes that take turns. The smallest time
of a side counts: other processes can only make it longer.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
BAR = 0.95
ROOM = 13.0
MODELS, SENTENCES = 20, 2000


def main() -> int:
    """Print every ratio; exit 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", nargs="?", default="6a01acf")
    parser.add_argument("--texts", type=int, default=134_000)
    parser.add_argument("--batch", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--side", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.side:
        print(json.dumps(measure(Path(given.side[0]), Path(given.side[1]), given.batch)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        make_rows(here / "rows.pickle", given.texts)
        archive = subprocess.run(
            ["git", "archive", given.commit, "src"], cwd=ROOT, check=True, capture_output=True
        )
        subprocess.run(["tar", "x", "-C", folder], input=archive.stdout, check=True)
        sides = {given.commit: here / "src", "now": ROOT / "src"}
        found: dict[str, list[dict[str, float]]] = {name: [] for name in sides}
        for _ in range(given.rounds):
            for name, source in sides.items():
                found[name].append(run_side(source, here, given.batch))
        good = show(found, given.commit)
        good &= show_room(here)
    return 0 if good else 1


def make_rows(path: Path, count: int) -> None:
    """Sentences of our own, tokenized by the built-in LSTM, with float32 values."""
    import priscian
    from priscian.models import load

    per_paradigm = -(-count // (2 * 67))
    data = priscian.generate(seed=5, n=per_paradigm)
    texts = list(dict.fromkeys(s.text for itemset in data.sets for s in itemset.sentences()))
    pieces: Any = load("builtin:lstm")
    rng = np.random.default_rng(0)
    rows = []
    for text in texts[:count]:
        _, starts, ends = pieces.pieces.encode(text)
        rows.append((text, tuple(starts), tuple(ends), -rng.exponential(3, len(starts))))
    path.write_bytes(pickle.dumps([(t, s, e, v.astype("f4").astype(float)) for t, s, e, v in rows]))
    tokens = sum(len(s) for _, s, _, _ in rows)
    print(f"{len(rows):,} texts, {tokens / len(rows):.1f} tokens each", flush=True)


def run_side(source: Path, here: Path, batch: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--batch", str(batch), "--side", str(source), str(here)]
    env = os.environ | {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def measure(source: Path, here: Path, batch: int) -> dict[str, float]:
    """One side, in a process whose `priscian` is the one in `source`."""
    import priscian
    from priscian.models import ModelKey
    from priscian.records import Text, TokenScores
    from priscian.scoring import ScoreStore

    assert Path(priscian.__file__).is_relative_to(source)
    raw = pickle.loads((here / "rows.pickle").read_bytes())
    rows = [(Text(t), TokenScores(s, e, tuple(v.tolist()))) for t, s, e, v in raw]
    texts = [text for text, _ in rows]
    out: dict[str, float] = {}
    with tempfile.TemporaryDirectory(dir=here) as folder:
        path = Path(folder) / "scores.sqlite"
        with ScoreStore(path) as store:
            for name in ("first", "second"):
                key = ModelKey({"name": name})
                parts = [rows[at : at + batch] for at in range(0, len(rows), batch)]
                clock(out, f"write {name} model", lambda k=key, p=parts: [
                    store.write(k, "m", part) for part in p])  # fmt: skip
        with ScoreStore(path) as store:
            clock(out, "read", lambda: store.read(key, texts))
            clock(out, "read a tenth", lambda: store.read(key, texts[: len(texts) // 10]))
            clock(out, "look for missing", lambda: store.missing(key, texts))
            hashes = [text.hash for text in texts]
            clock(out, "read in columns", lambda: columns(store, key.digest, hashes))
            assert store.read(key, texts) == dict(rows)
        out["megabytes"] = path.stat().st_size / 1e6
    return out


def columns(store: Any, digest: str, hashes: Sequence[bytes]) -> object:
    """Tokens of all texts as arrays, as the report reads them."""
    if hasattr(store, "columns"):
        return store.columns(digest, hashes)
    from priscian.runs import tokens

    rows = dict(store.packed(digest, sorted(set(hashes))))
    return getattr(tokens, "_decode")([rows.get(h, b"") for h in hashes])  # noqa: B009


def clock(out: dict[str, float], name: str, work: Callable[[], object]) -> None:
    wall, own = time.perf_counter(), time.process_time()
    work()
    out[name] = time.perf_counter() - wall
    out[f"{name}, processor"] = time.process_time() - own


def show(found: dict[str, list[dict[str, float]]], commit: str) -> bool:
    """Each measure of both sides; True if no processor time fell below the bar."""
    good = True
    for name in found["now"][0]:
        before, now = (min(r[name] for r in found[side]) for side in (commit, "now"))
        ratio = before / now
        missed = "processor" in name and ratio < BAR
        good &= not missed
        print(f"{name:32} {commit} {before:8.2f}  now {now:8.2f}  ratio {ratio:5.2f}"
              f"{f'  short of {BAR}' if missed else ''}", flush=True)  # fmt: skip
    return good


def show_room(here: Path) -> bool:
    """Bytes per token of a sweep: 20 checkpoints, 2,000 sentences, float32 values and others."""
    from priscian.models import ModelKey
    from priscian.records import Text, TokenScores
    from priscian.scoring import ScoreStore

    raw = pickle.loads((here / "rows.pickle").read_bytes())[:SENTENCES]
    tokens = MODELS * sum(len(starts) for _, starts, _, _ in raw)
    rng, good = np.random.default_rng(1), True
    for kind in ("float32", "float64"):
        path = here / f"{kind}.sqlite"
        with ScoreStore(path) as store:
            for number in range(MODELS):
                rows = [
                    (
                        Text(t),
                        TokenScores(s, e, tuple(rng.normal(-3, 1, len(s)).astype(kind).tolist())),
                    )
                    for t, s, e, _ in raw
                ]
                store.write(ModelKey({"step": str(number)}), "m", rows)
        room = path.stat().st_size / tokens
        good &= room <= ROOM
        print(f"{kind}: {room:.2f} bytes per token ({MODELS} models, {len(raw):,} sentences, "
              f"{tokens / MODELS / len(raw):.1f} tokens each; allowed {ROOM:g})")  # fmt: skip
    return good


if __name__ == "__main__":
    sys.exit(main())
