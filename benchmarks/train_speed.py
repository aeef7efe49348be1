"""Speed of training beside its peers: one thread, the same rows, the same first weights, float32.

`python benchmarks/train_speed.py [gpt2|on-lstm]`. Every measurement is a fresh process; the tools
take turns. The ratio is of processor time, which other work on the machine changes little; wall
time stands beside it. Exits with 1 below a bar, where losses differ, or above 6 GB.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

BARS = {
    "gpt2": {"trainer": 1.25, "nanogpt": 1.0, "mkl": 0.95},
    "on-lstm": {"plain": 1.3, "mkl": 0.95},
}
"""How many times as fast as each tool we must be; `mkl` is ours without products by oneDNN, which
are used on CPUs of AMD only: elsewhere both are the same."""
MOST_MEMORY = 6000  # MB
WARM_UP = 2
VOCABULARY = 8192
CHANGES: dict[str, dict[str, Any]] = {
    "gpt2": {"training.batch_tokens": 2048},
    "on-lstm": {"network.hidden": 384, "network.layers": 3, "network.projected": False},
}


def prepare(architecture: str, steps: int) -> tuple[Any, Any, Any]:
    """The recipe, the sentences, and the batches of the first steps."""
    from priscian.training.job import resolve_recipe
    from priscian.training.rows import Encoded, Packing, make_pass

    changes = {"corpus.files": ["none"], "training.tokens": "10M", **CHANGES[architecture]}
    recipe = resolve_recipe(architecture, "small", changes)
    draw = np.random.default_rng(1)
    # about as long as sentences of books, in tokens
    lengths = np.clip(draw.lognormal(2.9, 0.6, 20_000).astype(int), 3, 58) + 2
    ids = draw.zipf(1.3, int(lengths.sum())) % (VOCABULARY - 1) + 1
    starts = np.concatenate([[0], np.cumsum(lengths)])
    ids[starts[:-1]] = ids[starts[1:] - 1] = 0
    data = Encoded(ids.astype(np.int32), starts.astype(np.int64))
    training = recipe.training
    packing = Packing(recipe.text.pack, training.batch_tokens, training.stream_length)
    whole = make_pass(data, None, packing, training.seed, 0)
    return recipe, data, [whole[n] for n in range(steps)]


def losses_of(tool: str, architecture: str, steps: int) -> Iterator[float]:
    """Steps of one tool; the first value comes before any step, when all is ready."""
    import torch

    recipe, data, batches = prepare(architecture, steps)
    from priscian.training.architectures import build
    from priscian.training.optimisers import rate_at

    torch.manual_seed(1)
    network = build(architecture, VOCABULARY, recipe.network)
    if tool in ("priscian", "mkl"):
        yield from _ours(network, recipe, data, mkl=tool == "mkl")
        return
    rows = [torch.from_numpy(batch) for batch in batches]
    seen = np.concatenate([[0], np.cumsum([batch[:, 1:].size for batch in batches])])
    rates = [rate_at(recipe.training, done / recipe.tokens) for done in seen[:-1]]
    state = network.state_dict()
    if tool == "trainer":
        yield from _trainer(network.config(), state, rows, rates, recipe.training)
        return
    from train_peers import NanoGpt, PlainOnLstm, train_plainly

    shape = network.shape
    peer: NanoGpt | PlainOnLstm
    if tool == "nanogpt":
        peer = NanoGpt(VOCABULARY, shape.layers, shape.width, shape.heads, shape.positions)
    else:
        widths = [shape.embedding, *[shape.hidden] * (shape.layers - 1), shape.embedding]
        peer = PlainOnLstm(VOCABULARY, widths, shape.chunk)
    peer.take(state)
    yield 0.0
    yield from train_plainly(peer, rows, rates, recipe.training.betas, recipe.training.weight_decay)


def _ours(network: Any, recipe: Any, data: Any, *, mkl: bool) -> Iterator[float]:
    import torch

    from priscian.training.loop import Data, Loop
    from priscian.training.machine import Machine

    machine = Machine(recipe.machine, recipe.training.grad_accumulation)
    if mkl:
        torch.set_float32_matmul_precision("highest")
    with tempfile.TemporaryDirectory() as folder:
        loop = Loop(network, recipe, Data(data, None, data), Path(folder), machine)
        yield 0.0
        for _, loss, _ in loop._steps():
            yield loss


def _trainer(
    config: dict[str, Any], state: dict[str, Any], rows: Any, rates: list[float], training: Any
) -> Iterator[float]:
    """Hugging Face Trainer on the same batches; it cannot be stopped between steps, so it notes."""
    import torch
    import transformers

    facts = {k: v for k, v in config.items() if k not in ("model_type", "architectures")}
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(**facts, use_cache=False))
    model.load_state_dict(state, strict=False)
    model.tie_weights()
    moments: list[tuple[float, float]] = []
    losses: list[float] = []

    class Note(transformers.TrainerCallback):
        def on_step_begin(self, *args: Any, **named: Any) -> None:
            moments.append((time.perf_counter(), time.process_time()))

    class Plain(transformers.Trainer):
        def training_step(self, *args: Any, **named: Any) -> Any:
            loss = super().training_step(*args, **named)
            losses.append(float(loss))
            return loss

        def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
            optimizer = optimizer or self.optimizer
            self.lr_scheduler = torch.optim.lr_scheduler.LambdaLR(
                optimizer, lambda step: rates[min(step, len(rates) - 1)] / training.learning_rate
            )
            return self.lr_scheduler

    with tempfile.TemporaryDirectory() as folder:
        options = transformers.TrainingArguments(
            folder, max_steps=len(rows), per_device_train_batch_size=1, use_cpu=True,
            learning_rate=training.learning_rate, weight_decay=training.weight_decay,
            max_grad_norm=training.grad_clip,
            adam_beta1=training.betas[0], adam_beta2=training.betas[1], report_to=[],
            save_strategy="no", logging_strategy="no", disable_tqdm=True,
            optim="adamw_torch_fused", remove_unused_columns=False,
        )  # fmt: skip
        trainer = Plain(
            model, options, train_dataset=[{"rows": batch} for batch in rows], callbacks=[Note()],
            data_collator=_labelled,
        )  # fmt: skip
        trainer._get_train_sampler = lambda *args: torch.utils.data.SequentialSampler(rows)
        trainer.train()
    moments.append((time.perf_counter(), time.process_time()))
    TRAINER_MOMENTS.extend(moments)
    yield 0.0
    yield from losses


def _labelled(items: Any) -> dict[str, Any]:
    """A batch; the first token has no label, for Trainer divides the loss by their number."""
    rows = items[0]["rows"]
    labels = rows.clone()
    labels[:, 0] = -100
    return {"input_ids": rows, "labels": labels}


TRAINER_MOMENTS: list[tuple[float, float]] = []


def child(tool: str, architecture: str, steps: int) -> None:
    """One measurement: seconds and processor time of the steps after the warm-up."""
    import torch

    torch.set_num_threads(1)
    running = losses_of(tool, architecture, steps)
    next(running)
    marks = [(time.perf_counter(), time.process_time())]
    losses = []
    for _ in range(steps):
        losses.append(next(running))
        marks.append((time.perf_counter(), time.process_time()))
    marks = TRAINER_MOMENTS or marks
    wall, cpu = (marks[-1][n] - marks[WARM_UP][n] for n in (0, 1))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"wall": wall, "cpu": cpu, "losses": losses, "peak": peak}))


def measure(tool: str, architecture: str, steps: int) -> dict[str, Any]:
    """A fresh process."""
    command = [sys.executable, "-W", "ignore", __file__, architecture, "--child", tool]
    done = subprocess.run(
        [*command, "--steps", str(steps)], check=True, capture_output=True, text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def compare(architecture: str, steps: int, rounds: int) -> bool:
    """All tools in turn; whether every bar is held."""
    tools = ["priscian", *BARS[architecture]]
    runs: dict[str, list[dict[str, Any]]] = {tool: [] for tool in tools}
    for number in range(rounds):
        for tool in tools if number % 2 == 0 else tools[::-1]:
            runs[tool].append(measure(tool, architecture, steps))
    tokens = sum(batch[:, 1:].size for batch in prepare(architecture, steps)[2][WARM_UP:])
    held = True
    for tool, own in runs.items():
        cpu, peak = median(run["cpu"] for run in own), max(run["peak"] for run in own)
        gap = max(
            abs(a - b) for a, b in zip(own[0]["losses"], runs["priscian"][0]["losses"], strict=True)
        )
        line = (
            f"{architecture} {tool}: {tokens / cpu:,.0f} tokens/s of processor time, {peak:,.0f} MB"
        )
        if tool != "priscian":
            ratios = {
                clock: median(
                    theirs[clock] / ours[clock]
                    for theirs, ours in zip(own, runs["priscian"], strict=True)
                )
                for clock in ("cpu", "wall")
            }
            bar = BARS[architecture][tool]
            line += f"; ours is {ratios['cpu']:.2f} times as fast (wall {ratios['wall']:.2f}), "
            line += f"bar {bar:g}; losses differ by {gap:.1e}"
            held &= ratios["cpu"] >= bar and gap < 0.02
        held &= peak <= MOST_MEMORY or tool != "priscian"
        print(line)
    return held


def main() -> None:
    """One architecture, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("architecture", nargs="?", choices=list(BARS))
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        child(asked.child, asked.architecture, asked.steps)
        return
    chosen = [asked.architecture] if asked.architecture else list(BARS)
    held = [compare(name, asked.steps, asked.rounds) for name in chosen]
    sys.exit(not all(held))


if __name__ == "__main__":
    main()
