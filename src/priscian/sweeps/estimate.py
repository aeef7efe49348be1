"""How much work a job is: tokens to train on, texts to score, and about how long that takes."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from priscian.runs.job import read_data, texts_of
from priscian.runs.options import ScoreOptions
from priscian.sweeps.folder import CARD, SweepFolder, missing_of, read_card
from priscian.sweeps.jobs import NgramRecipe, SweepJob
from priscian.sweeps.sweep import Sweep
from priscian.training.recipe import Recipe, read_recipe

ENDS = 1.05
"""Tokens for each word of running text: ends of sentences."""
PIECES = 1.35
"""Tokens for each word if words are cut into pieces."""
WORDS = 20
"""Words of a sentence of running text."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is left of a job."""

    job: SweepJob
    missing: tuple[str, ...]
    tokens: int
    """Tokens to train on."""
    texts: int
    """Texts to score, those of the perplexity included."""
    seconds: float | None
    """On one core, with the tiny recipe or as measured in this sweep; None if not known."""


@cache
def speeds() -> Mapping[str, Mapping[str, float]]:
    """Tokens a second in training and words a second in scoring, by architecture."""
    text = (resources.files("priscian.sweeps") / "data" / "speeds.toml").read_text("utf-8")
    return tomllib.loads(text)


def estimate(place: SweepFolder, jobs: Sequence[SweepJob], sweep: Sweep) -> list[Estimate]:
    """What is left of every job."""
    words: dict[tuple[tuple[str, ...], int], tuple[int, int]] = {}
    measured: dict[str, list[float]] = {}  # tokens a second of the trainings that are finished
    for job in jobs:
        if (place.model(job) / CARD).is_file():
            card = read_card(place, job)
            if card.seconds >= 1:
                measured.setdefault(job.group, []).append(card.tokens_seen / card.seconds)
    found = []
    for job in jobs:
        missing = tuple(missing_of(place, job, sweep))
        texts = read = 0
        if "score" in missing:
            if (job.on, job.limit) not in words:
                words[job.on, job.limit] = count_texts(job.on, job.limit)
            texts, read = words[job.on, job.limit]
        if "perplexity" in missing:
            texts, read = texts + job.test_sentences, read + WORDS * job.test_sentences
        tokens = tokens_of(job) if "train" in missing else 0
        known = speeds()[job.architecture]
        speed: float | None = None
        if own := measured.get(job.group):
            speed = sum(own) / len(own)
        elif isinstance(job.recipe, NgramRecipe) or is_tiny(job.recipe):
            speed = known["train"]
        seconds = None
        if speed or not tokens:
            seconds = tokens / (speed or 1) + read / known["score"]
        found.append(Estimate(job, missing, tokens, texts, seconds))
    return found


def count_texts(on: Sequence[str], limit: int) -> tuple[int, int]:
    """Texts of data sets, and their words."""
    if not on:
        return 0, 0
    options = ScoreOptions(limit=limit or None).updated({})
    texts = {text.text for text in texts_of(read_data(list(on), options))}
    return len(texts), sum(len(text.split()) for text in texts)


def tokens_of(job: SweepJob) -> int:
    """Tokens in all passes through the corpus, roughly."""
    if isinstance(job.recipe, NgramRecipe):
        return round(job.size * ENDS)
    pieces = job.recipe.text.tokenizer.startswith("bpe")
    return round(job.size * job.epochs * (PIECES if pieces else ENDS))


def is_tiny(recipe: Recipe) -> bool:
    """Whether a network has the sizes of the tiny recipe; other sizes have other speeds."""
    tiny: dict[str, Any] = read_recipe("tiny", recipe.architecture)["network"]
    return all(recipe.network.get(key) == value for key, value in tiny.items())
