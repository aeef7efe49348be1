"""What inspect_ai finds under our entry point: the model API `priscian` and the task `pairs`."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    GenerateConfig,
    Logprob,
    Logprobs,
    ModelAPI,
    ModelOutput,
    get_model,
    modelapi,
)
from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, grouped, scorer, stderr
from inspect_ai.solver import solver

from priscian.bridges.inspect_engine import BatchScorer
from priscian.errors import UsageError
from priscian.runs.options import ScoreOptions, read_chosen

MANY = 1000
"""Requests at a time: they wait for each other and are scored together."""
SCORES = GenerateConfig(max_tokens=1, prompt_logprobs=1)


@modelapi("priscian")
class PriscianAPI(ModelAPI):  # type: ignore[misc]
    """Any model string of Priscian: log-probabilities of the prompt, and no generated text."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = SCORES,
        **options: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self._scorer = BatchScorer(model_name, anyio.sleep, _in_thread)

    def max_connections(self) -> int:
        """How many requests may wait at a time."""
        return MANY

    async def generate(
        self,
        input: list[Any],  # noqa: A002 - inspect_ai's name
        tools: list[Any],
        tool_choice: Any,
        config: GenerateConfig,
    ) -> ModelOutput:
        """The log-probability of every token of the last message."""
        if config.prompt_logprobs is None:
            raise UsageError(
                "priscian/… models score text and generate none; use the task priscian/pairs, or "
                "ask for prompt_logprobs=1"
            )
        tokens = await self._scorer.tokens(input[-1].text)
        content = [Logprob(token=token, logprob=logp) for token, logp in tokens]
        choice = ChatCompletionChoice(
            message=ChatMessageAssistant(content=""),
            stop_reason="stop",
            prompt_logprobs=Logprobs(content=content),
        )
        return ModelOutput(model=self.model_name, choices=[choice])


async def _in_thread(function: Any) -> None:
    await anyio.to_thread.run_sync(function)


@task  # type: ignore[untyped-decorator]
def pairs(on: str = "generated:1,100", limit: int | None = None, only: str = "") -> Task:
    """Forced choice between the sentences of minimal pairs, by their log-probability.

    Works with `priscian/MODEL` and with every model of inspect_ai that gives prompt_logprobs.
    """
    options = ScoreOptions(limit=limit).updated({"only": only})
    samples = [
        Sample(
            id=item.id,
            input=item["good"].text,
            metadata={
                "set": itemset.name,
                "good": item["good"].context + item["good"].text,
                "bad": item["bad"].context + item["bad"].text,
            },
        )
        for itemset in read_chosen(on, options).sets
        for item in itemset.items
        if item.is_pair
    ]
    if not samples:
        raise UsageError(f"{on} has no pairs; the task pairs is for pairs only, not for suites")
    return Task(
        dataset=MemoryDataset(samples), solver=score_both(), scorer=good_one(), config=SCORES
    )


@solver  # type: ignore[untyped-decorator]
def score_both() -> Any:
    """Ask the model for the log-probability of both sentences."""

    async def solve(state: Any, generate: Any) -> Any:
        for side in ("good", "bad"):
            output = await get_model().generate(state.metadata[side], config=SCORES)
            found = output.choices[0].prompt_logprobs
            if found is None:
                raise UsageError(
                    f"{state.model} gives no log-probabilities of prompts; use priscian/MODEL"
                )
            state.metadata[f"logprob_{side}"] = sum(token.logprob for token in found.content)
        return state

    return solve


@scorer(  # type: ignore[untyped-decorator]
    metrics=[grouped(accuracy(), "set", all="groups", all_label="mean over sets"), stderr()]
)
def good_one() -> Any:
    """Right if the good sentence is likelier; a tie is wrong."""

    async def judge(state: Any, target: Any) -> Score:
        good, bad = (state.metadata[f"logprob_{side}"] for side in ("good", "bad"))
        chosen = state.metadata["good" if good > bad else "bad"]
        value = CORRECT if good > bad else INCORRECT
        return Score(value=value, answer=chosen, metadata={"good": good, "bad": bad})

    return judge
