"""How fast fresh pairs are generated: all 67 paradigms, files written, on one core.

    python benchmarks/generate_speed.py [--n 1000] [--seeds 1]

The reference generator makes 6–9 pairs/s once its worst flaw is patched (measured on a machine of
this size), so 67,000 pairs take it more than two hours.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REFERENCE = 9.0  # pairs/s, the better end of what was measured

COLD = """
import sys
from priscian import generate
generate("blimp", seed=int(sys.argv[2]), n=int(sys.argv[3]), out=sys.argv[1])
"""


def main() -> None:
    """Print cold and warm speed, memory, and the ratio to the reference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", COLD, f"{folder}/a", str(options.seed), str(options.n)],
            check=True,
        )
        cold = time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        files = list(Path(folder, "a").glob("*.jsonl"))
    pairs = options.n * len(files)
    print(f"cold, import and files included: {pairs:,} pairs of {len(files)} paradigms")
    print(f"  {cold:.1f} s, {pairs / cold:,.0f} pairs/s, peak memory {peak:.0f} MB")
    print(
        f"  {pairs / cold / REFERENCE:,.0f} times the reference generator's {REFERENCE:.0f} pairs/s"
    )

    from priscian.datasets.generation import generate_rows
    from priscian.paradigms import paradigms

    chosen = [p for p in paradigms().values() if not p.extra]
    speeds = []
    for p in chosen:
        list(generate_rows(p, 20, options.seed))
        began = time.perf_counter()
        for _ in generate_rows(p, options.n, options.seed + 1):
            pass
        speeds.append((options.n / (time.perf_counter() - began), p.uid))
    warm = len(chosen) / sum(1 / speed for speed, _ in speeds)
    print(f"warm: {warm:,.0f} pairs/s; slowest:")
    for speed, uid in sorted(speeds)[:5]:
        print(f"  {speed:8,.0f}  {uid}")


if __name__ == "__main__":
    main()
