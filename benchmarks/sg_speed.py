"""Scoring speed of our suites and of BLiMP pairs: tokens per second, and the ratio.

Only distinct texts count. The same model scores both in one process, in turn, each time into an
empty store.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence

from priscian.datasets import read_dataset
from priscian.datasets.generation import read_generated
from priscian.models import load, parse_model
from priscian.records import Text
from priscian.scoring import ScoreStore, score_texts

BAR = 0.8


def main() -> int:
    """Print one line per round and the median ratio; exit 1 if it is below the bar."""
    asked = _arguments()
    suites, _ = read_generated("sg", f"1,{asked.items}")
    pairs = read_dataset(f"generated:1,{asked.pairs}").sets
    jobs = {
        name: list(dict.fromkeys(Text(s.text) for itemset in sets for s in itemset.sentences()))
        for name, sets in (("suites", suites), ("pairs", pairs))
    }
    spec = parse_model(asked.model)
    model = load(spec)
    ratios = []
    for number in range(asked.rounds):
        order = ("suites", "pairs") if number % 2 else ("pairs", "suites")
        rates = {name: rate(asked.model, model, jobs[name]) for name in order}
        ratios.append(rates["suites"] / rates["pairs"])
        print(
            f"round {number + 1}: suites {rates['suites']:,.0f} tokens/s, "
            f"pairs {rates['pairs']:,.0f} tokens/s, ratio {ratios[-1]:.2f}",
            flush=True,
        )
    ratio = statistics.median(ratios)
    print(
        f"{asked.model}: {len(suites)} suites, {len(jobs['suites']):,} texts; {len(pairs)} "
        f"paradigms, {len(jobs['pairs']):,} texts; median ratio {ratio:.2f} "
        f"(bar {BAR}): {'PASS' if ratio >= BAR else 'short'}"
    )
    return 0 if ratio >= BAR else 1


def rate(name: str, model: object, texts: Sequence[Text]) -> float:
    """Tokens of distinct texts per second, from texts to stored scores."""
    with ScoreStore() as store:
        began = time.perf_counter()
        scored = score_texts(name, texts, store, loaded=model)  # type: ignore[arg-type]
        seconds = time.perf_counter() - began
    return sum(len(scores) for scores in scored.scores.values()) / seconds


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--items", type=int, default=100, help="of each suite")
    parser.add_argument("--pairs", type=int, default=100, help="of each paradigm")
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
