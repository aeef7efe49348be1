"""How long `priscian --help` and `import priscian` take, and which modules are imported."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

BAR = 0.3
HEAVY = ("torch", "transformers", "scipy")
IMPORT = "import json, sys, priscian; print(json.dumps(sorted(sys.modules)))"


def main() -> int:
    """Print medians in fresh processes; exit 1 if help is slow or the import is heavy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10)
    repeats = parser.parse_args().repeats
    bare = seconds([sys.executable, "-c", "pass"], repeats)
    imported = seconds([sys.executable, "-c", "import priscian"], repeats)
    command = Path(sys.executable).with_name("priscian")
    if not command.exists():
        print(f"no {command.name} beside {sys.executable}; install it with pip install -e .")
        return 1
    helped = seconds([str(command), "--help"], repeats)
    answer = subprocess.run([sys.executable, "-c", IMPORT], check=True, capture_output=True)
    loaded = set(json.loads(answer.stdout))
    heavy = [name for name in HEAVY if name in loaded]
    verdict = "PASS" if helped < BAR else "short"
    print(f"Python alone     {bare:.3f} s")
    print(f"import priscian  {imported:.3f} s; heavy modules: {', '.join(heavy) or 'none'}")
    print(f"priscian --help  {helped:.3f} s; allowed {BAR} s: {verdict} (medians of {repeats})")
    return 0 if helped < BAR and not heavy else 1


def seconds(command: Sequence[str], repeats: int) -> float:
    """Median wall time of a command in a fresh process, after one run to fill the file cache."""
    times = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


if __name__ == "__main__":
    sys.exit(main())
