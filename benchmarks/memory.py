"""Peak memory of Priscian scoring with the 124M model: PSS summed over the process tree.

PSS divides a shared page among the processes that share it, so weights are not counted twice.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from materials import SHAPES, build_model, find_pairs, vocabulary_texts, write_pairs
from runs import end_cleanly

HERE = Path(__file__).parent
ROOM = 1e9
"""Bytes beyond the weights that may be used."""
PERIOD = 0.05


def main() -> int:
    """Score in a child, sample its memory every 50 ms, print the peak; exit 1 if above the bar."""
    asked = _arguments()
    end_cleanly()
    pairs = find_pairs(asked.pairs, asked.pairs_per_paradigm)
    with tempfile.TemporaryDirectory(prefix="priscian-bench-") as name:
        folder = Path(name)
        model = build_model(SHAPES[asked.shape], vocabulary_texts(asked.pairs, pairs), folder)
        write_pairs(pairs, folder / "pairs.jsonl")
        command = [sys.executable, str(HERE / "tools.py"), "priscian", str(model)]
        command += [str(folder / "pairs.jsonl"), "--cores", str(asked.cores)]
        command += ["--out", str(folder / "result.json")]
        child = subprocess.Popen(command, env=os.environ | {"PRISCIAN_CACHE": str(folder)})
        try:
            peak, processes, looks = watch(child)
        finally:
            child.kill()
        if child.returncode != 0 or not looks:
            print(f"the scoring process ended with {child.returncode}; nothing was measured")
            return 1
        weights = sum(file.stat().st_size for file in model.glob("*.safetensors"))
    rest = peak - weights
    print(
        f"{len(pairs)} pairs with {asked.shape}: peak {peak / 1e6:,.0f} MB over {processes} "
        f"processes, weights {weights / 1e6:,.0f} MB, the rest {rest / 1e6:,.0f} MB; "
        f"allowed {ROOM / 1e6:,.0f} MB: {'PASS' if rest <= ROOM else 'short'} ({looks} looks)"
    )
    return 0 if rest <= ROOM else 1


def watch(child: subprocess.Popen[bytes]) -> tuple[int, int, int]:
    """Peak bytes, processes at the peak, and the number of samples."""
    peak = processes = looks = 0
    while child.poll() is None:
        sizes = [pss(pid) for pid in tree(child.pid)]
        looks += 1
        if sum(sizes) > peak:
            peak, processes = sum(sizes), sum(size > 0 for size in sizes)
        time.sleep(PERIOD)
    return peak, processes, looks


def tree(root: int) -> list[int]:
    """A process and all its descendants."""
    found = [root]
    for pid in found:
        for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                found += [int(child) for child in tasks.read_text(encoding="ascii").split()]
            except OSError:
                continue  # it has just ended
    return found


def pss(pid: int) -> int:
    """Proportional set size in bytes; 0 for a process that has just ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(x.split()[1]) * 1024 for x in lines if x.startswith("Pss:")), 0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", choices=sorted(SHAPES), default="gpt2")
    parser.add_argument("--pairs-per-paradigm", type=int, default=100, metavar="N")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--pairs", type=Path, help="JSONL in BLiMP's schema, not our generator's")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
