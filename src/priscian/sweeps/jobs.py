"""The jobs of a sweep: one model each, known by what decides its weights and its scores."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from priscian.errors import RunError, UnknownNameError, UsageError
from priscian.files import inside, read_json
from priscian.files.folder import JobFolder
from priscian.sweeps.sweep import NGRAM, Sweep, SweepModel, epochs_of, sentences_of
from priscian.training.amounts import format_amount, parse_amount
from priscian.training.api import resolve_recipe
from priscian.training.architectures import TREES
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
class Job:
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


def expand(sweep: Sweep, hashes: Hashes, threads: int = 1) -> list[Job]:
    """Every job once, the smallest first; `threads` is for trainings that begin now."""
    found: dict[str, Job] = {}
    for group, model in sweep.models.items():
        for size in model.sizes or sweep.sizes:
            for seed in model.seeds or sweep.seeds:
                job = _job(sweep, group, model, size, seed, hashes, threads)
                found.setdefault(job.name, job)  # counts are alike with every seed
    return sorted(found.values(), key=lambda job: (job.size, job.epochs))


def choose(jobs: Sequence[Job], patterns: Sequence[str]) -> list[Job]:
    """The jobs whose names match one of some patterns; all if there are none."""
    from fnmatch import fnmatchcase

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
) -> Job:
    tokens = parse_amount(size, "sizes")
    fixed = sweep.corpus.order_seed
    order_seed = fixed if isinstance(fixed, int) else seed
    recipe: Recipe | NgramRecipe
    if model.architecture == NGRAM:
        seed = order_seed  # counts are the same with any other
        recipe = NgramRecipe(sweep.corpus.files, tokens, order_seed, model.order, model.min_count)
    else:
        epochs = epochs_of(sweep, group, size)
        recipe = _recipe(sweep, model, tokens, (seed, order_seed), epochs, threads)
    scoring = sweep.scoring
    return Job(
        name=f"{group}-{format_amount(tokens)}-seed{seed}",
        group=group,
        architecture=model.architecture,
        size=tokens,
        seed=seed,
        order_seed=order_seed,
        epochs=epochs_of(sweep, group, size),
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
    epochs: float,
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
        "training.epochs": epochs,
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


class CorpusFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file by its content; the same text packed in another way has the same hash."""

    name: str
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """`manifest.json`: what a sweep began with."""

    version: int
    corpus: tuple[CorpusFile, ...]
    test: str
    """Hash of `corpus/test.txt`."""
    test_sentences: int


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """Perplexity per word on the shared test part."""

    perplexity: float
    nats: float
    words: int
    sentences: int
    unknown: int | None
    asked: int
    """Number of sentences that were asked for; there may be fewer."""
    longest: int
    options: str = ""
    """Options of the model string."""


class JobRecord(msgspec.Struct, frozen=True, kw_only=True):
    """`jobs/NAME/record.json`: what of a job is done."""

    name: str
    trained: str
    scored: str = ""
    """Hash of the scoring that is done."""
    measured: Measured | None = None
    """On all the sentences that its model asks for."""
    shared: Measured | None = None
    """On those that all models of the sweep are measured on, if they are fewer."""
    seconds: dict[str, float] = msgspec.field(default_factory=dict)


class JobRecordFolder(JobFolder[str]):
    """The record and the log of one job of a sweep."""

    what, record = "job", "record.json"

    def read(self) -> str:
        """What decides its weights, as a hash."""
        return read_json(self.path / self.record, JobRecord).trained

    def differences(self, before: str, now: str) -> Sequence[str]:
        """Nothing: the name of the folder has the hash."""
        return []


class SweepFolder(JobFolder[tuple[CorpusFile, ...]]):
    """Where everything about a sweep is; it is known by its corpus.

    What is about all jobs is written by one process at a time, in the block of `locked`.
    """

    what, record, lock = "sweep", "manifest.json", ".sweep.lock"
    beside = frozenset({"corpus"})

    def read(self) -> tuple[CorpusFile, ...]:
        """The corpus that it began with."""
        return self.manifest().corpus

    def manifest(self) -> Manifest:
        """What the sweep began with."""
        return read_json(self.path / self.record, Manifest)

    def differences(
        self, before: tuple[CorpusFile, ...], now: tuple[CorpusFile, ...]
    ) -> Sequence[str]:
        """Files that have changed, or that are others."""
        if [file.sha256 for file in before] == [file.sha256 for file in now]:
            return []
        old = {file.name: file.sha256 for file in before}
        changed = [file.name for file in now if old.get(file.name, file.sha256) != file.sha256]
        if changed:
            return [f"{', '.join(changed)} changed since the sweep in {self.path} began"]
        named = ", ".join(file.name for file in before)
        return [f"the sweep in {self.path} began with other files of its corpus: {named}"]

    def refuse_other(self, different: Sequence[str]) -> None:
        """Refuse another corpus."""
        raise RunError(
            f"{different[0]}, so its models would not be comparable; restore the corpus, or give "
            "another `out=`"
        )

    def model(self, job: Job) -> Path:
        """The folder of a job's model."""
        return inside(self.path, "models", job.model_folder)

    def run(self, job: Job) -> Path:
        """The run folder of a job's model."""
        return inside(self.path, "runs", job.run_folder)

    def job(self, job: Job) -> JobRecordFolder:
        """The folder of a job's record and log."""
        return JobRecordFolder(inside(self.path, "jobs", job.model_folder))

    @property
    def test(self) -> Path:
        """The sentences of the test part."""
        return self.path / "corpus" / "test.txt"
