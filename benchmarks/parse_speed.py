"""Words a second of the parser.

    python benchmarks/parse_speed.py [--model DIR] [--text FILE] [--words 40000] [--workers 2]

Without --model the weights are random, which costs as much as trained ones. Without --text the
sentences are random words, 5 to 40 of them. Processor time is what counts,
since other work on the machine changes it little. Exits with 1 below 2,000 words a second.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import torch

from priscian import parse_corpus, train_parser

BAR = 2000
LABELS = ("NP", "VP", "PP", "S", "SBAR", "ADJP", "ADVP")


def draw_text(words: int) -> str:
    """Sentences of 5 to 40 words of the built-in model's vocabulary."""
    from priscian.models.builtin import MODELS
    from priscian.models.plstm import read_model

    draw = random.Random(1)
    tokens = read_model(MODELS["lstm"].path).pieces.tokens
    known = [token for token in tokens if token.isalpha() and token.islower()][:8000]
    lines = []
    while words > 0:
        length = draw.randint(5, 40)
        lines.append("The " + " ".join(draw.choices(known, k=length - 2)) + ".\n")
        words -= length
    return "".join(lines)


def untrained(folder: Path) -> Path:
    """A parser of full size after one step or two, with 50 labels."""
    trees = folder / "trees.txt"
    names = [f"{first}+{second}" for first in LABELS for second in LABELS]
    trees.write_text("".join(f"(S ({name} (NN a) (NN b)) (NN c))\n" for name in 5 * names))
    train_parser(trees, folder / "parser", overrides={"training.epochs": 0.1})
    return folder / "parser"


def main() -> int:
    """Print figures; 1 below the bar."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--model", type=Path)
    options.add_argument("--text", type=Path)
    options.add_argument("--words", type=int, default=40_000)
    options.add_argument("--workers", type=int, default=2)
    given = options.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = given.model or untrained(folder)
        text = given.text
        if text is None:
            text = folder / "text.txt"
            text.write_text(draw_text(given.words))
        began, used = time.perf_counter(), processor_time()
        found = parse_corpus(text, model, folder / "out.txt", workers=given.workers)
        seconds, processor = time.perf_counter() - began, processor_time() - used
    alone = given.workers * found.words / processor
    print(f"{found.words:,} words in {found.trees:,} sentences, loading and reading included")
    print(f"by the clock: {found.words / seconds:,.0f} words/s with {given.workers} processes")
    print(f"{given.workers} idle cores, by processor time: {alone:,.0f} words/s (bar {BAR:,})")
    return int(alone < BAR)


def processor_time() -> float:
    """Seconds of this process and of those that it has started and that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    sys.exit(main())
