"""Priscian and its peers behind one function each: load, then score sentences by log-probability.

Run as a script it is one measurement in a fresh process, so that no run warms up another:
`python tools.py TOOL MODEL PAIRS --cores 2 --batch-size 32 --out RESULT.json`.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from materials import read_pairs, sentences

PEERS = ("lm-eval", "minicons")
TOOLS = ("priscian", *PEERS)


@dataclass(frozen=True, slots=True)
class Timed:
    """Sentence log-probabilities, the seconds they took, and how they were obtained."""

    seconds: float
    scores: list[float]
    notes: dict[str, object] = field(default_factory=dict)


Score = Callable[[Sequence[str], int], Timed]


def load_priscian(model: str, bos: str = "auto") -> Score:
    """Our engine with its defaults; every run has a fresh score store on disk."""
    from priscian.models import load, model_key, parse_model
    from priscian.records import Text
    from priscian.scoring import ScoreStore, score_texts

    spec = parse_model(f"hf:{model}?bos={bos}")
    model_key(spec)  # the command line, too, knows the key before it loads the model
    loaded = load(spec)

    def score(texts: Sequence[str], batch_size: int) -> Timed:
        wanted = [Text(text) for text in texts]
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            with ScoreStore(Path(folder) / "scores.sqlite") as store:
                scored = score_texts(spec, wanted, store, loaded=loaded)
            seconds = time.perf_counter() - start
        plan = asdict(scored.plan) if scored.plan else {}
        plan.pop("pending", None)
        return Timed(seconds, [scored.scores[text].total for text in wanted], plan)

    return score


def load_lm_eval(model: str) -> Score:
    """lm-eval's own model class, with the requests that its BLiMP task makes."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    def score(texts: Sequence[str], batch_size: int) -> Timed:
        lm.batch_size_per_gpu = batch_size
        start = time.perf_counter()
        requests = [
            # Empty prompt and default delimiter: there is a space before every sentence.
            Instance("loglikelihood", {}, ("", f" {text}"), i)
            for i, text in enumerate(texts)
        ]
        answers = lm.loglikelihood(requests, disable_tqdm=True)
        return Timed(time.perf_counter() - start, [logp for logp, _ in answers])

    lm = HFLM(pretrained=model, device="cpu", dtype="float32", batch_size=1)
    return score


def load_minicons(model: str, bos: bool = False) -> Score:
    """minicons as its guide shows it: batches in order, no BOS, the first token unscored."""
    from minicons.scorer import IncrementalLMScorer

    def score(texts: Sequence[str], batch_size: int) -> Timed:
        start = time.perf_counter()
        scores: list[float] = []
        for at in range(0, len(texts), batch_size):
            batch = list(texts[at : at + batch_size])
            scores += lm.sequence_score(batch, reduction=lambda x: x.sum(0).item(), bos_token=bos)
        return Timed(time.perf_counter() - start, scores)

    lm = IncrementalLMScorer(model, "cpu")
    return score


LOADERS: dict[str, Callable[[str], Score]] = {
    "priscian": load_priscian,
    "lm-eval": load_lm_eval,
    "minicons": load_minicons,
}


def set_cores(cores: int) -> None:
    """Keep this process and its children on some of the cores; torch uses a thread on each."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    import torch

    torch.set_num_threads(cores)


def quiet() -> None:
    """No network, no progress bars, no messages."""
    os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    from transformers.utils import logging as transformers_logging

    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()


def main() -> None:
    """One tool, one model, one list of pairs, one batch size or several."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("model", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--batch-size", type=int, nargs="+", default=[1])
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    set_cores(asked.cores)
    quiet()
    texts = list(sentences(read_pairs(asked.pairs)))
    score = LOADERS[asked.tool](str(asked.model))
    results = []
    for size in asked.batch_size:
        timed = score(texts, size)
        assert len(timed.scores) == len(texts)
        results.append(
            {
                "batch_size": size,
                "seconds": timed.seconds,
                "pairs": len(texts) // 2,
                "notes": timed.notes,
            }
        )
    asked.out.write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main()
