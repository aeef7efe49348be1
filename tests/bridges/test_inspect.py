"""inspect_ai: requests are gathered and scored together; the task gives our accuracies."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from priscian import load_model, score
from priscian.bridges.inspect_engine import BatchScorer
from priscian.errors import ModelError, ScoreError

pytestmark = pytest.mark.filterwarnings("ignore:.*worse than guessing")


def make(model: str) -> BatchScorer:
    async def in_thread(function: Callable[[], None]) -> None:
        await asyncio.to_thread(function)

    return BatchScorer(model, asyncio.sleep, in_thread)


def test_requests_at_the_same_time_are_one_batch_with_our_scores(
    causal: Callable[..., Path],
) -> None:
    model = f"hf:{causal('gpt2')}"
    scorer = make(model)
    texts = ["The cat sleeps.", "The cat sleep.", "The cat sleeps."]

    async def ask() -> list[list[tuple[str, float]]]:
        return await asyncio.gather(*(scorer.tokens(text) for text in texts))

    found = asyncio.run(ask())
    assert scorer.batches == 1
    ours = load_model(model)
    for text, tokens in zip(texts, found, strict=True):
        assert "".join(token for token, _ in tokens) == text
        assert sum(logp for _, logp in tokens) == pytest.approx(ours.logprob(text), abs=1e-4)


def test_a_model_that_fails_does_not_leave_requests_waiting(tmp_path: Path) -> None:
    scorer = make(f"hf:{tmp_path}")

    async def ask() -> list[object]:
        asked = [scorer.tokens("The cat sleeps."), scorer.tokens("The cat sleep.")]
        return await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 60)

    first, second = sorted(asyncio.run(ask()), key=lambda error: type(error).__name__)
    assert isinstance(first, ModelError)
    assert "is not a model" in str(first)
    assert isinstance(second, ScoreError)


# in a process of its own: inspect_ai leaves streams open, which is an error in tests
EVALUATE = """
import json, sys
from inspect_ai import eval as evaluate
from priscian.bridges.inspect_registry import pairs
model, data, logs = sys.argv[1:]
(log,) = evaluate(pairs(on=data), model=f"priscian/{model}", log_dir=logs, display="none")
metrics = log.results.scores[0].metrics
print(json.dumps([log.status, {name: metric.value for name, metric in metrics.items()}]))
"""


@pytest.mark.skipif(find_spec("inspect_ai") is None, reason="inspect_ai is not installed")
@pytest.mark.slow
def test_the_task_gives_the_accuracies_of_priscian_score(
    causal: Callable[..., Path], blimp: Path, tmp_path: Path
) -> None:
    model, data = f"hf:{causal('gpt2')}", f"blimp:{blimp}"
    run = score(model, data, out=tmp_path / "run")
    own = {n: c.accuracy for n, c in run.results[0].summary.by_set("full").items()}
    command = [sys.executable, "-c", EVALUATE, model, data, str(tmp_path / "logs")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    status, found = json.loads(done.stdout.splitlines()[-1])
    assert status == "success"
    assert {name: found[name] for name in own} == pytest.approx(own)
    assert found["mean over sets"] == pytest.approx(sum(own.values()) / len(own))
