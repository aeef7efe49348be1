"""Pairs per second of Priscian, lm-eval and minicons on the same model, data and cores.

`make bench`, or `python benchmarks/scoring_speed.py --help` in an environment with the peers.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from materials import (
    PARADIGMS,
    SHAPES,
    PairText,
    Shape,
    build_model,
    build_tokenizer,
    by_paradigm,
    find_pairs,
    sentences,
    take,
    vocabulary_texts,
    write_pairs,
)
from runs import Bench, Run, end_cleanly
from tools import PEERS, TOOLS

BARS = {"gpt2": (2.2, 2.5), "small": (3.5, 4.0)}
"""Ratios to the best peer: the bar and the aim."""
GROWTH = (1, 10, 100, 1000)
PROBED = 10
"""Number of whole paradigms on which the peers' batch size is chosen."""
COMPARED = 4
"""Pairs per paradigm on which the tools' scores are compared."""
BUSY = 0.05
"""Share of the machine that others may take during a run before it is marked."""
SAME = 1e-3
"""Nats by which a sentence's log-probability may differ between tools in float32."""


@dataclass(frozen=True, slots=True)
class Lists:
    """The same pairs, all of them for us and samples of every paradigm for the rest."""

    whole: list[PairText]
    sample: list[PairText]
    probe: list[PairText]
    compared: list[PairText]

    @classmethod
    def of(cls, pairs: list[PairText], peer_pairs: int) -> Lists:
        """Samples keep the order and the neighbours that the pairs have in the whole list."""
        groups = by_paradigm(pairs)
        sample = take(pairs, max(1, peer_pairs // len(groups)))
        kept = list(groups)[:: max(1, len(groups) // PROBED)][:PROBED]
        probe = [pair for pair in sample if pair.uid in kept]
        return cls(pairs, sample, probe, take(pairs, COMPARED))

    def write(self, folder: Path) -> dict[str, Path]:
        """One file each."""
        paths = {}
        for name in ("whole", "sample", "probe", "compared"):
            paths[name] = folder / f"{name}.jsonl"
            write_pairs(getattr(self, name), paths[name])
        return paths


def main() -> int:
    """Measure, print, and exit with 1 if a bar is missed."""
    asked = _arguments()
    end_cleanly()
    pairs = find_pairs(asked.pairs, asked.pairs_per_paradigm)
    lists = Lists.of(pairs, asked.peer_pairs)
    _print_setting(lists, asked)
    shapes = ["small", "gpt2"] if asked.shape == "both" else [asked.shape]
    passed = True
    with tempfile.TemporaryDirectory(prefix="priscian-bench-") as name:
        folder = Path(name)
        paths = lists.write(folder)
        for shape in (SHAPES[s] for s in shapes):
            model = build_model(shape, vocabulary_texts(asked.pairs, pairs), folder)
            bench = Bench(model, folder, asked.cores)
            passed &= measure(shape, bench, lists, paths, asked.repeats)
    print_growth(asked.pairs, asked.growth)
    return 0 if passed else 1


def measure(shape: Shape, bench: Bench, lists: Lists, paths: dict[str, Path], repeats: int) -> bool:
    """Print everything about one model; return whether the bar is reached and scores agree."""
    print(
        f"\n{shape.name}: {shape.layers} layers, width {shape.width}, {shape.heads} heads, "
        f"{shape.inner_parameters / 1e6:.1f}M weights in the layers"
    )
    agree = print_agreement(bench, paths["compared"], 2 * len(lists.compared))
    sizes, probed = {"priscian": 0}, 0.0
    for tool in PEERS:
        found = bench.probe(tool, paths["probe"])
        sizes[tool] = max(found, key=lambda run: run.rate).batch_size
        probed = max(probed, *(run.others for run in found))
        shown = ", ".join(f"{run.rate:.1f} at {run.batch_size}" for run in found)
        mark = "!" if found[0].others > BUSY else ""
        print(f"  {tool:8}  pairs/s by batch size: {shown} {mark}", flush=True)
    runs: dict[str, list[Run]] = {tool: [] for tool in TOOLS}
    for turn in range(repeats):
        first = turn % len(TOOLS)
        for tool in (*TOOLS[first:], *TOOLS[:first]):  # no tool always follows the same one
            path = paths["whole" if tool == "priscian" else "sample"]
            runs[tool].append(bench.run(tool, path, sizes[tool]))
    reached = print_runs(shape, runs, sizes, probed)
    print_peak(shape, bench, lists.whole, runs["priscian"])
    return reached and agree


def print_agreement(bench: Bench, path: Path, count: int) -> bool:
    """Largest differences of sentence log-probabilities from ours."""
    found: dict[str, float] = bench.child("agreement.py", bench.model, path)
    print(f"  largest difference of a sentence's log-probability from ours ({count} sentences):")
    for name, value in found.items():
        print(f"    {name:24} {value:.1e}{'' if value <= SAME else '  DISAGREES'}")
    return all(value <= SAME for value in found.values())


def print_runs(
    shape: Shape, runs: dict[str, list[Run]], sizes: dict[str, int], probed: float
) -> bool:
    """Every run, the medians, and the ratio to the best peer against the bar."""
    repeats = len(runs["priscian"])
    columns = "".join(f"{f'run {i + 1}':>9}" for i in range(repeats))
    print(f"\n  pairs/s    batch  pairs{columns}   median")
    for tool, mine in runs.items():
        size = str(sizes[tool]) if sizes[tool] else "auto"
        rates = "".join(f"{r.rate:8.1f}{'!' if r.others > BUSY else ' '}" for r in mine)
        print(f"  {tool:9} {size:>6} {mine[0].pairs:>6}{rates} {_median(mine):8.1f}")
    disturbed = [max(r.others for r in turn) for turn in zip(*runs.values(), strict=True)]
    worst = max(probed, *disturbed)
    if worst > BUSY:
        print(f"  ! others took up to {worst:.0%} of the machine during such a run")
    for tool in PEERS:
        ratios = [a.rate / b.rate for a, b in zip(runs["priscian"], runs[tool], strict=True)]
        print(
            f"  ratio to {tool:9} {statistics.median(ratios):.2f} "
            f"({min(ratios):.2f} to {max(ratios):.2f})"
        )
    best = max(PEERS, key=lambda tool: _median(runs[tool]))
    ratio = statistics.median(
        a.rate / b.rate for a, b in zip(runs["priscian"], runs[best], strict=True)
    )
    bar, aim = BARS[shape.name]
    # Two threads that wait for each other lose far more to a busy machine than our workers do.
    settled = max(probed, statistics.median(disturbed)) <= BUSY
    verdict = "PASS, aim reached" if ratio >= aim else "PASS" if ratio >= bar else "short"
    if not settled:
        verdict = "no verdict, the machine was busy; run it again alone"
    print(f"  {ratio:.2f} × {best}; asked {bar} ×, aimed at {aim} ×: {verdict}", flush=True)
    return settled and ratio >= bar


def print_peak(shape: Shape, bench: Bench, pairs: Sequence[PairText], mine: list[Run]) -> None:
    """The plan of our runs, its arithmetic, and the rate against the machine's."""
    from transformers import AutoTokenizer

    from work import encode, peak_flops, work_of

    plan = mine[0].notes
    encodings = encode(AutoTokenizer.from_pretrained(bench.model), pairs)
    work = work_of(plan, encodings)
    alone = sum(len(e.ids) - 1 for e in encodings)
    peak = peak_flops() * bench.cores
    rate = work.flops(shape) / statistics.median(run.seconds for run in mine)
    print(
        f"  our plan: {plan['way']}, rows of {plan['row_tokens']} and batches of "
        f"{plan['batch_tokens']} tokens, {plan['workers']} workers × {plan['threads']} threads, "
        f"self-check {plan['error']:.1e}\n"
        f"  {work.tokens:,} tokens read ({work.tokens / alone:.0%} of one text at a time), "
        f"{work.positions:,} positions scored, {work.flops(shape) / 1e12:.2f} TFLOP\n"
        f"  {rate / 1e9:.0f} of {peak / 1e9:.0f} GFLOP/s: {rate / peak:.0%} of the "
        f"matrix-multiply peak (float32, best of one thread × {bench.cores})",
        flush=True,
    )


def print_growth(source: Path | None, most: int) -> None:
    """Print how many tokens must be read per pair as the set grows."""
    from priscian.scoring.plan import ROW
    from work import sharing_of

    pairs = find_pairs(source, most)
    tokenizer = build_tokenizer(list(sentences(pairs)))  # covers the words of the largest set
    print("\ntokens read as the set grows, as a share of one sentence at a time")
    print(f"  pairs/paradigm      pairs  inside the pair  rows of {ROW}  one tree  tokens/pair")
    for n in GROWTH:
        if n <= most:
            s = sharing_of(take(pairs, n), tokenizer, ROW)
            shares = f"{s.in_pair:16.1%} {s.packed:11.1%} {s.tree:9.1%}"
            print(f"  {n:16} {s.pairs:8} {shares} {s.tokens / s.pairs:14.1f}", flush=True)


def _median(runs: Sequence[Run]) -> float:
    return statistics.median(run.rate for run in runs)


def _print_setting(lists: Lists, asked: argparse.Namespace) -> None:
    groups = len(by_paradigm(lists.whole))
    tools = ", ".join(f"{t} {version(t)}" for t in (*TOOLS, "torch", "transformers"))
    print(f"{tools}, Python {platform.python_version()}")
    print(
        f"{asked.cores} cores; {len(lists.whole)} pairs of {groups} paradigms for us, "
        f"{len(lists.sample)} of them for the peers, whose cost per pair is constant"
    )
    if groups != PARADIGMS:
        print(f"! {groups} paradigms, not {PARADIGMS}: the figures are not those of the bars")
    if hasattr(os, "getloadavg") and os.getloadavg()[0] > 0.5:
        print(f"! load average {os.getloadavg()[0]:.1f}: the machine is not idle")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", choices=["small", "gpt2", "both"], default="both")
    parser.add_argument("--pairs-per-paradigm", type=int, default=100, metavar="N")
    parser.add_argument(
        "--peer-pairs", type=int, default=1340, metavar="N", help="pairs in all for the peers"
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--pairs", type=Path, help="JSONL in BLiMP's schema, not our generator's")
    parser.add_argument(
        "--growth", type=int, default=1000, metavar="N", help="largest number of pairs per paradigm"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
