"""lm-evaluation-harness on our tasks: our engine as its model compared with its own `hf`.

`python benchmarks/lm_eval_speed.py --help` in an environment with lm-eval. Both models run in the
harness, on the same 670 pairs, in fresh processes in turn. Accuracies must be those of `priscian
score`. Sums of log-probabilities must agree to 1e-4 with those of `hf` in float64, on the first
pair of each paradigm; in float32 its own rounding errors are larger, and only shown.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tools import quiet, set_cores

BAR = 2.0
SAME = 1e-4
"""Nats by which the log-probability of a sentence may differ."""
SIZES = (1, 16, 64)
SEED = 11
MODELS = ("priscian", "hf")


def main() -> int:
    """Measure, print, and exit with 1 if the bar is missed or scores disagree."""
    asked = _arguments()
    if asked.child:
        _measure(asked)
        return 0
    with tempfile.TemporaryDirectory(prefix="priscian-bench-") as name:
        return _compare(asked, Path(name))


def _compare(asked: argparse.Namespace, folder: Path) -> int:
    from priscian import export_tasks, score

    data = f"generated:{SEED},{asked.pairs_per_paradigm}"
    made = export_tasks(data, folder / "tasks")
    own = score(asked.model, data, out=folder / "run").results[0].summary
    accuracies = {name: cell.accuracy for name, cell in own.by_set("full").items()}
    group = made[0].stem
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in MODELS}
    size = asked.batch_size or _best_size(asked, folder, group)
    for turn in range(asked.rounds):
        for name in MODELS if turn % 2 == 0 else MODELS[::-1]:
            runs[name].append(_child(asked, folder, name, group, size))
    pairs = len(runs["hf"][0]["sums"]) // 2
    print(f"{pairs} pairs, {asked.model}, {asked.cores} cores; hf in batches of {size}")
    for name, mine in runs.items():
        seconds = ", ".join(f"{r['seconds']:.1f}" for r in mine)
        used = ", ".join(f"{r['processor']:.1f}" for r in mine)
        print(f"  {name:9} {seconds} s; processor {used} s")
    ratios = {
        kind: statistics.median(
            theirs[kind] / ours[kind]
            for ours, theirs in zip(runs["priscian"], runs["hf"], strict=True)
        )
        for kind in ("seconds", "processor")
    }
    ours, theirs = runs["priscian"][0], runs["hf"][0]
    exact = _child(asked, folder, "hf", group, size, limit=1, dtype="float64")
    rounded, furthest = (
        max(abs(ours["sums"][key] - found["sums"][key]) for key in found["sums"])
        for found in (theirs, exact)
    )
    equal = {n: r[0]["accuracies"] == accuracies for n, r in runs.items()}
    print(
        f"  largest difference of a sentence's log-probability from hf: {furthest:.1e} in float64 "
        f"({len(exact['sums'])} sentences, bar {SAME:.0e}), {rounded:.1e} in float32"
    )
    print(f"  accuracies as of priscian score: {', '.join(f'{n} {e}' for n, e in equal.items())}")
    print(
        f"  {ratios['seconds']:.2f} × faster than hf (processor time {ratios['processor']:.2f} ×); "
        f"asked {BAR} ×"
    )
    return 0 if ratios["seconds"] >= BAR and furthest <= SAME and all(equal.values()) else 1


def _best_size(asked: argparse.Namespace, folder: Path, group: str) -> int:
    times = {s: _child(asked, folder, "hf", group, s, asked.probe)["seconds"] for s in SIZES}
    print("  hf by batch size:", ", ".join(f"{s}: {t:.1f} s" for s, t in times.items()), flush=True)
    return min(times, key=lambda s: times[s])


def _child(
    asked: argparse.Namespace,
    folder: Path,
    name: str,
    group: str,
    size: int,
    limit: int = 0,
    dtype: str = "float32",
) -> dict[str, Any]:
    """One evaluation in a fresh process, with an empty score store."""
    from priscian.models import parse_model
    from priscian.models.hf.locate import locate

    out = folder / "result.json"
    command = [sys.executable, __file__, "--child", name, "--tasks", str(folder / "tasks")]
    command += ["--group", group, "--batch-size", str(size), "--limit", str(limit)]
    command += [
        "--dtype",
        dtype,
        "--cores",
        str(asked.cores),
        "--model",
        asked.model,
        "--out",
        str(out),
    ]
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        weights = Path(locate(parse_model(asked.model)).source).parent
        (Path(cache) / "weights").symlink_to(weights)
        environment = os.environ | {"PRISCIAN_CACHE": cache, "HF_DATASETS_CACHE": cache}
        subprocess.run(command, check=True, env=environment, capture_output=True)
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


def _measure(asked: argparse.Namespace) -> None:
    set_cores(asked.cores)
    quiet()
    import lm_eval
    from lm_eval.tasks import TaskManager

    from priscian.bridges.lm_eval_engine import register

    register()
    lm = _load(asked)
    spent: dict[str, float] = {}
    plain = lm.loglikelihood

    def timed(requests: Any, **options: Any) -> Any:
        start, used = time.perf_counter(), _processor()
        found = plain(requests, **options)
        spent.update(seconds=time.perf_counter() - start, processor=_processor() - used)
        return found

    lm.loglikelihood = timed
    results = lm_eval.simple_evaluate(
        model=lm,
        tasks=[asked.group],
        task_manager=TaskManager(include_path=str(asked.tasks)),
        limit=asked.limit or None,
        bootstrap_iters=0,
    )
    sums: dict[str, float] = {}
    accuracies: dict[str, float] = {}
    for task, samples in results["samples"].items():
        accuracies[samples[0]["doc"]["set"]] = results["results"][task]["acc,none"]
        for sample in samples:
            for side, answer in zip(("bad", "good"), sample["resps"], strict=True):
                sums[f"{sample['doc']['item']} {side}"] = float(answer[0][0])
    made = {**spent, "sums": sums, "accuracies": accuracies}
    asked.out.write_text(json.dumps(made), encoding="utf-8")


def _load(asked: argparse.Namespace) -> Any:
    """The model, loaded before the clock runs; ours loads itself with the first score."""
    from lm_eval.api.registry import get_model

    from priscian.models import load, parse_model
    from priscian.models.hf.encoding import Tokenizer
    from priscian.models.hf.locate import locate

    spec = parse_model(asked.model)
    if asked.child == "priscian":
        lm = get_model("priscian")(model=asked.model)
        lm._loaded = load(spec)
        return lm
    place = locate(spec)
    first = Tokenizer(spec, place).bos(spec.options.get("bos", "auto"))
    return get_model("hf")(
        pretrained=place.source,
        dtype=asked.dtype,
        device="cpu",
        batch_size=asked.batch_size,
        prefix_token_id=first,
    )


def _processor() -> float:
    """Seconds of processor time of this process and its finished children."""
    used = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="smollm2", help="an hf: model of ours")
    parser.add_argument("--pairs-per-paradigm", type=int, default=10, metavar="N")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=0, help="of hf; 0: the fastest of three")
    parser.add_argument("--probe", type=int, default=1, help="pairs per paradigm to find it with")
    parser.add_argument("--child", choices=MODELS, help=argparse.SUPPRESS)
    parser.add_argument("--tasks", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--group", help=argparse.SUPPRESS)
    parser.add_argument("--limit", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--dtype", default="float32", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
