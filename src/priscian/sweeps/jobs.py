"""The jobs of a sweep: one model each, known by what decides its weights and its scores."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from priscian.errors import UnknownNameError, UsageError
from priscian.files import inside
from priscian.sweeps.sweep import NGRAM, Sweep, SweepModel, passes_of, sentences_of
from priscian.training.amounts import format_amount, parse_amount
from priscian.training.api import resolve_recipe
from priscian.training.architectures import TREES
from priscian.training.recipe import Recipe

SHORT = 8
"""Hexadecimal digits of a hash in the name of a folder."""
DECIDED = ("training.seed", "training.passes", "training.tokens")
"""Keys of a recipe that the sweep decides."""
PATHS = ("files", "trees_of")
LOCK = ".sweep.lock"
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
class Job:
    """Train one model, score it, measure its perplexity."""

    name: str
    """`lstm-1M-seed1`."""
    group: str
    architecture: str
    size: int
    seed: int
    order_seed: int
    passes: float
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


def expand(sweep: Sweep, hashes: Hashes, threads: int = 1) -> list[Job]:
    """Every job once, the smallest first; `threads` is for trainings that begin now."""
    found: dict[str, Job] = {}
    for group, model in sweep.models.items():
        for size in model.sizes or sweep.sizes:
            for seed in model.seeds or sweep.seeds:
                job = _job(sweep, group, model, size, seed, hashes, threads)
                found.setdefault(job.name, job)  # counts are alike with every seed
    return sorted(found.values(), key=lambda job: (job.size, job.passes))


def choose(jobs: Sequence[Job], patterns: Sequence[str]) -> list[Job]:
    """The jobs whose names match one of some patterns; all if there are none."""
    from fnmatch import fnmatchcase

    for pattern in patterns:
        if not any(fnmatchcase(job.name, pattern) for job in jobs):
            raise UnknownNameError("job", pattern, [job.name for job in jobs], "See --dry-run.")
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
) -> Job:
    tokens = parse_amount(size, "sizes")
    fixed = sweep.corpus.order_seed
    order_seed = fixed if isinstance(fixed, int) else seed
    recipe: Recipe | NgramRecipe
    if model.architecture == NGRAM:
        seed = order_seed  # counts are the same with any other
        recipe = NgramRecipe(sweep.corpus.files, tokens, order_seed, model.order, model.min_count)
    else:
        passes = passes_of(sweep, group, size)
        recipe = _recipe(sweep, model, tokens, (seed, order_seed), passes, threads)
    scoring = sweep.scoring
    return Job(
        name=f"{group}-{format_amount(tokens)}-seed{seed}",
        group=group,
        architecture=model.architecture,
        size=tokens,
        seed=seed,
        order_seed=order_seed,
        passes=passes_of(sweep, group, size),
        recipe=recipe,
        trained=_hash(_identity(recipe, hashes)),
        on=scoring.on,
        limit=scoring.limit if model.limit is None else model.limit,
        tie=scoring.tie,
        options=model.options,
        test_sentences=sentences_of(sweep, model),
    )


def _recipe(
    sweep: Sweep,
    model: SweepModel,
    size: int,
    seeds: tuple[int, int],
    passes: float,
    threads: int,
) -> Recipe:
    corpus = sweep.corpus
    trees = model.architecture in TREES
    own = {key: value for key, value in model.set.items() if not key.startswith("machine.")}
    for key in own:
        if key.startswith("corpus.") or key in DECIDED:
            raise UsageError(f"{key} is decided by the sweep; leave it out of [models] set")
    overrides = {
        "machine.threads": threads,
        **model.set,
        "corpus.files": list(corpus.trees if trees else corpus.files),
        "corpus.trees_of": list(corpus.files) if trees else [],
        "corpus.size": size,
        "corpus.order_seed": seeds[1],
        "training.seed": seeds[0],
        "training.passes": passes,
        "training.tokens": "",
        "checkpoints.at": model.set.get("checkpoints.at", "none"),
    }
    return resolve_recipe(model.architecture, model.recipe, overrides)


def _identity(recipe: Recipe | NgramRecipe, hashes: Hashes) -> Any:
    """A recipe with hashes of texts in the place of paths; of the machine only its precision."""
    tables = _settings(recipe)
    for key in PATHS:
        if key in tables["corpus"]:
            tables["corpus"][key] = [hashes[name] for name in tables["corpus"][key]]
    return tables


def _settings(recipe: Recipe | NgramRecipe) -> dict[str, Any]:
    """The tables that decide weights."""
    tables = recipe.to_dict()
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


@dataclass(frozen=True, slots=True)
class Place:
    """Where everything about a sweep is."""

    root: Path

    def model(self, job: Job) -> Path:
        """The folder of a job's model."""
        return inside(self.root, "models", job.model_folder)

    def run(self, job: Job) -> Path:
        """The run folder of a job's model."""
        return inside(self.root, "runs", job.run_folder)

    def desk(self, job: Job) -> Path:
        """The folder of a job's record and log."""
        return inside(self.root, "jobs", job.model_folder)

    @property
    def lock(self) -> Path:
        """What is about all jobs is written by one process at a time."""
        return self.root / LOCK

    @property
    def manifest(self) -> Path:
        """Hashes of the corpus."""
        return self.root / "manifest.json"

    @property
    def test(self) -> Path:
        """The sentences of the test part."""
        return self.root / "corpus" / "test.txt"
