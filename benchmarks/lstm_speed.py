"""How fast the built-in LSTM scores fresh pairs, compared with the same network in torch.

    python benchmarks/lstm_speed.py [--model builtin:lstm] [--n 50] [--seed 900]

Torch reads sentences of one length together, the usual way. Where torch is not installed, only our
own speed is printed.
"""

from __future__ import annotations

import argparse
import time
from itertools import groupby
from pathlib import Path

from priscian.datasets.generation import generate_rows
from priscian.models.lstm import LstmModel
from priscian.paradigms import paradigms
from priscian.records import Text

BAR = 800.0  # sentences/s on two cores


def main() -> None:
    """Print sentences per second, the ratio to torch and the largest difference from it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=None, help="a model file; the embedded one")
    parser.add_argument("--n", type=int, default=50)
    parser.add_argument("--seed", type=int, default=900)
    options = parser.parse_args()
    path = options.model or embedded()
    chosen = [p for p in paradigms().values() if not p.extra]
    rows = [row for p in chosen for row in generate_rows(p, options.n, options.seed)]
    texts = [Text(side) for row in rows for side in (row["sentence_good"], row["sentence_bad"])]

    began = time.perf_counter()
    model = LstmModel(path)
    loaded = time.perf_counter() - began
    list(model.score(texts[:64]))
    began, cpu = time.perf_counter(), time.process_time()
    scores = list(model.score(texts))
    ours, cpu = time.perf_counter() - began, time.process_time() - cpu
    tokens = sum(map(len, scores))
    print(f"{len(texts):,} sentences, {tokens:,} tokens; model read in {loaded:.2f} s")
    print(f"NumPy: {len(texts) / ours:,.0f} sentences/s ({tokens / ours:,.0f} tokens/s)")
    print(f"  {len(texts) / ours / BAR:.1f} times the bar of {BAR:.0f}; {cpu:.1f} s of CPU")

    try:
        import torch

        from priscian.training.plstm import restore
    except ImportError:
        return
    network = restore(path)
    coded = [model.pieces.encode(text.text)[0] for text in texts]
    began = time.perf_counter()
    worst = 0.0
    order = sorted(range(len(coded)), key=lambda number: len(coded[number]))
    with torch.inference_mode():
        for length, group in groupby(order, key=lambda number: len(coded[number])):
            alike = list(group)
            for at in range(0, len(alike), 256):
                some = alike[at : at + 256]
                ids = torch.tensor([[0, *coded[number]] for number in some])
                states = network.read(ids[:, :-1])[0].reshape(length * len(some), -1)
                found = network.words.logprobs(states, ids[:, 1:].T.reshape(-1)).view(length, -1).T
                wanted = torch.tensor([scores[number].logps for number in some])
                worst = max(worst, float((found - wanted).abs().max()))
    peer = time.perf_counter() - began
    print(f"torch: {len(texts) / peer:,.0f} sentences/s; NumPy is {peer / ours:.2f} times as fast")
    print(f"largest difference of a token's log-probability: {worst:.1e} nats")


def embedded() -> Path:
    """The file of builtin:lstm."""
    import priscian.models

    return Path(priscian.models.__file__).parent / "data" / "lstm.plstm"


if __name__ == "__main__":
    main()
