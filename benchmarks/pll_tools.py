"""Pseudo-log-likelihood by Priscian or by minicons: one measurement in a fresh process.

minicons' masked scorer breaks on Transformers 5, so it runs in an environment of its own; what
passes between the two is this script's JSON. Nothing here imports what the other side lacks.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from materials import read_pairs, sentences
from tools import quiet, set_cores

METRICS = {"original": "original", "word-l2r": "within_word_l2r"}
"""Our names of the variants, and minicons'."""


@dataclass(frozen=True, slots=True)
class Scored:
    """Log-probabilities of each sentence's tokens, and the seconds they took."""

    seconds: float  # wall-clock time
    cpu: float  # processor time
    batch_size: int
    tokens: list[list[float]]
    notes: dict[str, object] = field(default_factory=dict)


Score = Callable[[Sequence[str], int], Scored]


def processor_time() -> float:
    """Seconds of this process and of the workers that it has waited for."""
    return sum(os.times()[:4])


def load_priscian(model: str, metric: str) -> Score:
    """Our engine with its defaults and a fresh store on disk."""
    from priscian.models import load, model_key, parse_model
    from priscian.records import Text
    from priscian.scoring import ScoreStore, score_texts

    spec = parse_model(f"mlm:{model}?pll={metric}")
    model_key(spec)
    loaded = load(spec)

    def score(texts: Sequence[str], batch_size: int) -> Scored:
        wanted = [Text(text) for text in texts]
        with tempfile.TemporaryDirectory() as folder:
            clock, cpu = time.perf_counter(), processor_time()
            with ScoreStore(Path(folder) / "scores.sqlite") as store:
                scored = score_texts(spec, wanted, store, loaded=loaded)
            clock, cpu = time.perf_counter() - clock, processor_time() - cpu
        plan = asdict(scored.plan) if scored.plan else {}
        plan.pop("pending", None)
        tokens = [list(scored.scores[text].logps) for text in wanted]
        return Scored(clock, cpu, 0, tokens, plan)

    return score


def load_minicons(model: str, metric: str) -> Score:
    """minicons as its guide shows it: batches of sentences in the order of the data."""
    from minicons.scorer import MaskedLMScorer

    scorer = MaskedLMScorer(model, "cpu")

    def score(texts: Sequence[str], batch_size: int) -> Scored:
        clock, cpu = time.perf_counter(), processor_time()
        tokens: list[list[float]] = []
        for at in range(0, len(texts), batch_size):
            tokens += scorer.sequence_score(
                list(texts[at : at + batch_size]),
                reduction=lambda x: x.tolist(),
                PLL_metric=METRICS[metric],
            )
        clock, cpu = time.perf_counter() - clock, processor_time() - cpu
        return Scored(clock, cpu, batch_size, tokens)

    return score


def idlest_core() -> int:
    """The least busy of the allowed cores in the last half second."""

    def idle() -> dict[int, int]:
        try:
            lines = Path("/proc/stat").read_text(encoding="ascii").splitlines()
        except OSError:
            return {}
        parts = [line.split() for line in lines if line.startswith("cpu") and line[3:4].isdigit()]
        return {int(part[0][3:]): int(part[4]) for part in parts}

    before = idle()
    time.sleep(0.5)
    after = idle()
    return max(os.sched_getaffinity(0), key=lambda core: after.get(core, 0) - before.get(core, 0))


LOADERS = {"priscian": load_priscian, "minicons": load_minicons}


def main() -> None:
    """One tool, one model, one list of pairs; a result for each batch size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool", choices=LOADERS)
    parser.add_argument("model", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--metric", choices=METRICS, default="word-l2r")
    parser.add_argument("--core", type=int, default=None, help="the core to stay on")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch-size", type=int, nargs="+", default=[1])
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    if asked.threads == 1 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {idlest_core() if asked.core is None else asked.core})
    set_cores(asked.threads)
    quiet()
    texts = list(sentences(read_pairs(asked.pairs)))
    score = LOADERS[asked.tool](str(asked.model), asked.metric)
    score(texts[:8], 1)  # warm up memory pages and kernels
    results = [asdict(score(texts, size)) for size in asked.batch_size]
    asked.out.write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main()
