"""The jobs of a sweep: one model each, known by what decides its weights and its scores."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from priscian.errors import UnknownNameError, UsageError
from priscian.sweeps.sweep import NGRAM, Sweep, SweepModel, epochs_of, sentences_of
from priscian.training.amounts import format_amount, parse_amount
from priscian.training.architectures import TREES
from priscian.training.job import resolve_recipe
from priscian.training.recipe import Recipe, old_names

SHORT = 8
"""Hexadecimal digits of a hash in the name of a folder."""
DECIDED = ("training.seed", "training.epochs", "training.tokens")
"""Keys of a recipe that the sweep decides."""
PATHS = ("files", "trees_of")
Hashes = Mapping[str, str]
"""The hash of the text of every corpus file."""


@dataclass(frozen=True, slots=True)
class NgramRecipe:
    """All that decides an n-gram model."""

    files: tuple[str, ...]
    size: int
    order_seed: int
    order: int
    min_count: int

    def to_dict(self) -> dict[str, Any]:
        """In the form of the other recipes."""
        corpus = {"files": list(self.files), "size": self.size, "order_seed": self.order_seed}
        return {
            "architecture": NGRAM,
            "corpus": corpus,
            "network": {"order": self.order, "min_count": self.min_count},
        }


@dataclass(frozen=True, slots=True)
class SweepJob:
    """Train one model, score it, measure its perplexity."""

    name: str
    """`lstm-1M-seed1`."""
    group: str
    architecture: str
    size: int
    seed: int
    order_seed: int
    epochs: float
    recipe: Recipe | NgramRecipe
    trained: str
    """Hash of everything that decides the weights."""
    on: tuple[str, ...]
    limit: int
    tie: str
    options: str
    test_sentences: int

    @property
    def scored(self) -> str:
        """Hash of everything else that decides the scores."""
        return _hash([self.on, self.limit, self.tie, self.options])

    @property
    def model_folder(self) -> str:
        """The name of the model's folder."""
        return f"{self.name}-{self.trained[:SHORT]}"

    @property
    def run_folder(self) -> str:
        """The name of the run's folder."""
        return f"{self.model_folder}-{self.scored[:SHORT]}"


def expand(sweep: Sweep, hashes: Hashes, threads: int = 1) -> list[SweepJob]:
    """Every job once, the smallest first; `threads` is for trainings that begin now."""
    found: dict[str, SweepJob] = {}
    for group, model in sweep.models.items():
        for size in model.sizes or sweep.sizes:
            for seed in model.seeds or sweep.seeds:
                job = _job(sweep, group, model, size, seed, hashes, threads)
                found.setdefault(job.name, job)  # counts are alike with every seed
    return sorted(found.values(), key=lambda job: (job.size, job.epochs))


def choose(jobs: Sequence[SweepJob], patterns: Sequence[str]) -> list[SweepJob]:
    """The jobs whose names match one of some patterns; all if there are none."""
    for pattern in patterns:
        if not any(fnmatchcase(job.name, pattern) for job in jobs):
            raise UnknownNameError("job", pattern, [job.name for job in jobs])
    if not patterns:
        return list(jobs)
    return [job for job in jobs if any(fnmatchcase(job.name, p) for p in patterns)]


def _job(
    sweep: Sweep,
    group: str,
    model: SweepModel,
    size: str | int,
    seed: int,
    hashes: Hashes,
    threads: int,
) -> SweepJob:
    tokens = parse_amount(size, "sizes")
    corpus, scoring = sweep.corpus, sweep.scoring
    order_seed = corpus.order_seed if isinstance(corpus.order_seed, int) else seed
    epochs = epochs_of(sweep, group, size)
    recipe: Recipe | NgramRecipe
    if model.architecture == NGRAM:
        seed = order_seed  # counts are the same with any other
        recipe = NgramRecipe(corpus.files, tokens, order_seed, model.order, model.min_count)
    else:
        for key in model.set:
            if key.startswith("corpus.") or key in DECIDED:
                raise UsageError(f"{key} is decided by the sweep; leave it out of [models] set")
        trees = model.architecture in TREES
        overrides = {
            "machine.threads": threads,
            "checkpoints.at": "none",
            **model.set,
            "corpus.files": list(corpus.trees if trees else corpus.files),
            "corpus.trees_of": list(corpus.files) if trees else [],
            "corpus.size": tokens,
            "corpus.order_seed": order_seed,
            "training.seed": seed,
            "training.epochs": epochs,
            "training.tokens": "",
        }
        recipe = resolve_recipe(model.architecture, model.recipe, overrides)
    decided = _settings(recipe)
    for key in PATHS:  # texts count, wherever they are
        if key in decided["corpus"]:
            decided["corpus"][key] = [hashes[name] for name in decided["corpus"][key]]
    return SweepJob(
        name=f"{group}-{format_amount(tokens)}-seed{seed}",
        group=group,
        architecture=model.architecture,
        size=tokens,
        seed=seed,
        order_seed=order_seed,
        epochs=epochs,
        recipe=recipe,
        trained=_hash(decided),
        on=scoring.on,
        limit=scoring.limit if model.limit is None else model.limit,
        tie=scoring.tie,
        options=model.options,
        test_sentences=sentences_of(sweep, model),
    )


def _settings(recipe: Recipe | NgramRecipe) -> dict[str, Any]:
    """The tables of a recipe that decide weights; of the machine only its precision."""
    tables = old_names(recipe.to_dict())
    precision = tables.pop("machine", {}).get("precision", "float32")
    if precision != "float32":
        tables["precision"] = precision
    tables.pop("checkpoints", None)
    return tables


def gives_same_weights(one: Recipe, other: Recipe) -> bool:
    """Whether two recipes decide the same weights, given the same texts wherever they are."""
    found = []
    for recipe in (one, other):
        tables = _settings(recipe)
        for key in PATHS:
            tables["corpus"].pop(key, None)
        found.append(_hash(tables))
    return found[0] == found[1]


def _hash(facts: Any) -> str:
    text = json.dumps(facts, sort_keys=True, default=list)
    return hashlib.sha256(text.encode()).hexdigest()
