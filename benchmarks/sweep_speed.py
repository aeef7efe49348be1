"""What a sweep over three checkpoints costs, compared with three times one checkpoint.

    python benchmarks/sweep_speed.py --pairs-per-paradigm 20 --rounds 3

Both sides run `priscian.score` with loading, in fresh processes that take turns; imports are not
counted. The smallest time of a side counts. Processor time is that of the process, its workers and
its threads: a loaded machine does not change it much. The sweep must tokenize once.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from materials import SHAPES, build_model, find_pairs, sentences, write_pairs

BAR = 1.05
STEPS = 3


def main() -> int:
    """Print both ratios; exit 1 if that of processor time misses the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", choices=SHAPES, default="small")
    parser.add_argument("--pairs-per-paradigm", type=int, default=20)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--side", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.side:
        print(json.dumps(measure(Path(given.side[0]), given.side[1], given.workers)))
        return 0
    pairs = find_pairs(None, given.pairs_per_paradigm)
    with tempfile.TemporaryDirectory(prefix="priscian-bench-") as name:
        here = Path(name)
        write_pairs(pairs, here / "pairs.jsonl")
        first = build_model(SHAPES[given.shape], list(sentences(pairs)), here / "built")
        for step in range(1, STEPS + 1):
            make_checkpoint(first, here / "sweep" / f"step{step}", step)
        found: dict[str, list[dict[str, float]]] = {"step1": [], "step*": []}
        for _ in range(given.rounds):
            for pattern, times in found.items():
                times.append(run_side(here, pattern, given.workers))
    print(f"{len(pairs)} pairs, {given.shape} model, {given.workers} workers", flush=True)
    return 0 if show(found) else 1


def make_checkpoint(source: Path, folder: Path, step: int) -> None:
    """The same model with other weights."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(source, folder)
    file = folder / "model.safetensors"
    weights = {k: v * (1 + step / 100) for k, v in load_file(file).items()}
    save_file(weights, file, metadata={"format": "pt"})


def run_side(here: Path, pattern: str, workers: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--workers", str(workers), "--side", str(here), pattern]
    with tempfile.TemporaryDirectory(dir=here) as cache:
        env = os.environ | {"PRISCIAN_CACHE": cache, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def measure(here: Path, pattern: str, workers: int) -> dict[str, float]:
    """One side: seconds, processor time, how often texts were tokenized and divided."""
    import warnings

    import priscian
    from priscian.models.hf.encoding import Tokenizer
    from priscian.models.hf.locate import import_transformers
    from priscian.scoring import Options
    from priscian.scoring.batches import PackedTree

    warnings.simplefilter("ignore")  # random weights are worse than a guess
    import_transformers()
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: F401

    calls = {"tokenized": 0, "divided": 0}
    count(calls, "tokenized", Tokenizer, "encode")
    count(calls, "divided", PackedTree, "group")
    wall, own = time.perf_counter(), sum(os.times()[:4])
    priscian.score(
        f"hf:{here / 'sweep'}",
        f"blimp:{here / 'pairs.jsonl'}",
        revisions=pattern,
        compute=Options(workers=workers),
    )
    spent = {"seconds": time.perf_counter() - wall, "processor": sum(os.times()[:4]) - own}
    return spent | calls


def count(calls: dict[str, int], name: str, owner: type, method: str) -> None:
    """Count the calls of a method."""
    before: Any = getattr(owner, method)

    def counted(*given: Any) -> Any:
        calls[name] += 1
        return before(*given)

    setattr(owner, method, counted)


def show(found: dict[str, list[dict[str, float]]]) -> bool:
    """Both ratios; True if the sweep meets the bar."""
    good = True
    for name in ("processor", "seconds"):
        one, sweep = (min(r[name] for r in found[side]) for side in ("step1", "step*"))
        ratio = sweep / (STEPS * one)
        good &= ratio <= BAR or name == "seconds"
        print(f"{name:10} one {one:7.2f}  sweep {sweep:7.2f}  ratio {ratio:5.2f}  (at most {BAR})")
    last = found["step*"][-1]
    good &= last["tokenized"] == 1 and last["divided"] == 1
    print(f"the sweep tokenized {last['tokenized']:g} times and divided {last['divided']:g} times")
    return good


if __name__ == "__main__":
    sys.exit(main())
