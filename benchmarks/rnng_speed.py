"""Speed of the grammar beside a plain implementation of the same equations, on one thread.

    python benchmarks/rnng_speed.py [--model DIR] [--words 10] [--texts 16]

The plain one is that of the tests: one sentence, one action and one hypothesis at a time. Ratios
are of processor time, which other work on the machine changes little. Without --model the weights
are random. Exits with 1 below a bar, or where results differ.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402
from tests.models.networks.simple_rnng import SimpleRnng  # noqa: E402

from priscian.models.networks.actions import PADDING  # noqa: E402
from priscian.models.networks.beam import read_texts  # noqa: E402
from priscian.models.networks.rnng import Rnng, RnngShape  # noqa: E402
from priscian.models.rnng import Beam  # noqa: E402

TRAINING_BAR, BEAM_BAR = 1.5, 3.0
LABELS = tuple(f"L{number}" for number in range(27))
VOCABULARY = 11_000
BATCH = 48
"""Trees of a batch, about 1,000 words."""


def draw_tree(draw: random.Random, words: int) -> list[int]:
    """Action ids of a random tree over so many words, with about 2.7 actions a word."""
    ids = [1 + draw.randrange(len(LABELS))]
    while words:
        part = draw.randint(1, words)
        if part > 1 and part < words + (len(ids) > 1):
            ids += draw_tree(draw, part)
        else:
            part = 1
            ids.append(len(LABELS) + min(VOCABULARY - 1, 1 + int(draw.paretovariate(0.7))))
        words -= part
    return [*ids, 0]


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time of some work, and its result."""
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def compare_training(network: Rnng, plain: int) -> float:
    """Words a second of both; the ratio."""
    draw = random.Random(1)
    trees = sorted((draw_tree(draw, draw.randint(10, 30)) for _ in range(BATCH)), key=len)
    rows = torch.tensor([[*t, *[PADDING] * (len(trees[-1]) - len(t))] for t in trees])

    def ours() -> float:
        network.zero_grad()
        loss, _ = network(rows)
        loss.backward()
        return float(loss.detach())

    some = trees[:: BATCH // plain][:plain]

    def theirs() -> float:
        network.zero_grad()
        total = 0.0
        for tree in some:
            kinds = [0 if a == 0 else 1 if a > len(LABELS) else a + 1 for a in tree]
            loss = SimpleRnng(network).nats(kinds, shifted(tree))
            loss.backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach())
        return total

    ours()
    fast, _ = seconds(ours)
    slow, nats = seconds(theirs)
    with torch.no_grad():
        check = sum(float(network(torch.tensor([t]))[0]) * (len(shifted(t)) + 1) for t in some)
    if abs(check - nats) > 1e-3 * abs(nats):
        sys.exit(f"likelihoods differ: {check} and {nats}")
    speeds = [sum(len(shifted(t)) for t in part) / s for part, s in ((trees, fast), (some, slow))]
    ratio = speeds[0] / speeds[1]
    print(f"training: {speeds[0]:,.0f} words/s, plain {speeds[1]:,.0f}: {ratio:.1f} times as fast")
    return ratio


def shifted(tree: Sequence[int]) -> list[int]:
    """Words of a tree, from 0."""
    return [a - len(LABELS) - 1 for a in tree if a > len(LABELS)]


def compare_beam(network: Rnng, texts: int, words: int) -> float:
    """Words a second of both; the ratio."""
    draw, beam = random.Random(2), Beam()
    given = [tuple(draw.randrange(2000) for _ in range(words)) for _ in range(texts)]
    read_texts(network, given[:1], beam)
    fast, found = seconds(lambda: read_texts(network, given, beam))
    slow, wanted = seconds(lambda: SimpleRnng(network).read(given[0], beam))
    if max(abs(a - b) for a, b in zip(found[0].logps, wanted, strict=True)) > 1e-2:
        sys.exit(f"surprisals differ: {found[0].logps} and {wanted}")
    speeds = texts * words / fast, words / slow
    ratio, times = speeds[0] / speeds[1], [1000 / speed for speed in speeds]
    print(f"beam {beam}: {times[0]:.0f} ms a word, plain {times[1]:.0f}: {ratio:.1f} times as fast")
    return ratio


def main() -> None:
    """Print both ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=None, help="a trained folder for the beam")
    parser.add_argument("--texts", type=int, default=16)
    parser.add_argument("--words", type=int, default=10)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    network = Rnng(RnngShape(VOCABULARY, LABELS, dropout=0.0))
    training = compare_training(network, plain=4)
    if options.model is not None:
        from priscian.models.rnng import RnngModel

        network = RnngModel(options.model, Beam()).network
    search = compare_beam(network.eval(), options.texts, options.words)
    sys.exit(int(training < TRAINING_BAR or search < BEAM_BAR))


if __name__ == "__main__":
    main()
