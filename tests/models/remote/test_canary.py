"""The canary lets honest backends pass and catches planted faults; it is a pure function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.models.remote.stand_in import InProcess, StandInModel, answer

from priscian.errors import BackendError
from priscian.models.remote.backend import Ask, Prompt, PromptScores
from priscian.models.remote.canary import Canary, CanaryLimits, CanaryTexts, run_canary
from priscian.models.remote.provider import key_of, settle

IDENTITY = {"provider": "openai", "url": "http://x"}


def test_an_honest_backend_passes_with_the_logprobs_of_its_prose(
    probes: CanaryTexts, models: list[StandInModel]
) -> None:
    backend = InProcess(models[0])
    canary = run_canary("toy", probes, backend.logprobs)
    wanted = [p for row in probes.plain for p in answer(models[0], row).logps[1:]]
    assert list(canary.logps) == wanted
    assert canary.error == 0
    assert canary.notes["canary"] == "passed"
    assert canary.rounded.split()[0] == f"{wanted[0]:.3f}"


def test_two_models_have_two_keys_and_rounding_noise_does_not_make_a_third(
    probes: CanaryTexts, models: list[StandInModel]
) -> None:
    first, second = (run_canary("toy", probes, InProcess(m).logprobs) for m in models)
    keys = [key_of(IDENTITY, settle(IDENTITY, c)) for c in (first, second)]
    noisy = Canary(tuple(p - 0.0009 for p in first.logps), 0.0)
    assert noisy.rounded != first.rounded
    assert keys[0] != keys[1]
    assert key_of(IDENTITY, settle(IDENTITY, noisy)) == keys[0]
    moved = Canary(tuple(p - 0.0011 for p in first.logps), 0.0)
    assert key_of(IDENTITY, settle(IDENTITY, moved)) not in keys


def test_the_noise_of_a_server_is_known_from_its_own_batches(
    probes: CanaryTexts, models: list[StandInModel]
) -> None:
    first = run_canary("toy", probes, InProcess(models[0]).logprobs)
    first = replace(first, error=0.01)
    key = key_of(IDENTITY, settle(IDENTITY, first))
    again = Canary(tuple(p - 0.009 for p in first.logps), 0.01)
    assert key_of(IDENTITY, settle(IDENTITY, again)) == key


def test_a_difference_between_alone_and_together_is_recorded_or_refused(
    probes: CanaryTexts, models: list[StandInModel]
) -> None:
    def score(rows: Sequence[Prompt], ask: Ask) -> list[PromptScores]:
        off = 0.015 if ask.together else 0.0
        return [
            PromptScores(tuple(p - off for p in a.logps), a.best, a.mass)
            for a in (answer(models[0], row) for row in rows)
        ]

    assert run_canary("toy", probes, score).error == pytest.approx(0.015)
    with pytest.raises(BackendError, match=r"by 0\.015 nats, more than 0\.01; .*tolerance=0\.02"):
        run_canary("toy", probes, score, CanaryLimits(tolerance=0.01))


def test_a_model_that_looks_ahead_is_refused(
    probes: CanaryTexts, models: list[StandInModel]
) -> None:
    def score(rows: Sequence[Prompt], ask: Ask) -> list[PromptScores]:
        found = [answer(models[0], row) for row in rows]
        return [
            PromptScores(tuple(p - len(a.logps) / 100 for p in a.logps), a.best, a.mass)
            for a in found
        ]

    with pytest.raises(BackendError, match="depend on what follows"):
        run_canary("toy", probes, score)


@pytest.mark.parametrize("value", [math.inf, math.nan, 0.5, -math.inf])
def test_numbers_that_are_not_logprobs_are_refused(
    probes: CanaryTexts, models: list[StandInModel], value: float
) -> None:
    def score(rows: Sequence[Prompt], ask: Ask) -> list[PromptScores]:
        return [PromptScores((math.nan, value, *answer(models[0], r).logps[2:])) for r in rows]

    with pytest.raises(BackendError, match="as a log-probability"):
        run_canary("toy", probes, score)


@pytest.mark.parametrize(("temperature", "word"), [(0.6, "strong"), (2.0, "weak")])
def test_a_built_in_temperature_is_seen_from_how_often_the_top_token_is_right(
    probes: CanaryTexts, models: list[StandInModel], temperature: float, word: str
) -> None:
    def score(rows: Sequence[Prompt], ask: Ask) -> list[PromptScores]:
        return [answer(models[0], row, temperature) for row in rows]

    with pytest.raises(BackendError, match=f"too {word}"):
        run_canary("toy", probes, score)
    run_canary("toy", probes, score, CanaryLimits(calibrated=False))


def test_a_model_that_knows_nothing_passes(probes: CanaryTexts, models: list[StandInModel]) -> None:
    blank = StandInModel([], models[0].size)
    canary = run_canary("toy", probes, InProcess(blank).logprobs)
    assert "not expected by this model" in canary.notes["near-certain words"]
