"""`curve`: train and score every model of a sweep, then draw what the papers draw."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from priscian.analysis.curves.curve import CurveAnalysis, analyse_curve
from priscian.analysis.curves.table import CurveTable
from priscian.analysis.vega import Figure, HasFigures, write_figures
from priscian.errors import PriscianError, UsageError
from priscian.runs.job import read_data, texts_of
from priscian.runs.options import ScoreOptions
from priscian.sweeps.collect import collect, forget_changed
from priscian.sweeps.folder import CARD, SweepFolder, begin, check_start, missing_of, read_card
from priscian.sweeps.jobs import NgramRecipe, SweepJob, choose, expand
from priscian.sweeps.pool import Event, Pool
from priscian.sweeps.sweep import NGRAM, Sweep, read_sweep
from priscian.threads import cores
from priscian.training.recipe import Recipe, read_recipe

ENDS = 1.05
"""Tokens for each word of running text: ends of sentences."""
PIECES = 1.35
"""Tokens for each word if words are cut into pieces."""
WORDS = 20
"""Words of a sentence of running text."""
FORMATS = ("svg", "png")
ASKED = re.compile(r"[1-9]\d*")
"""Threads for each process, as OpenMP's variable gives them."""


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


@dataclass(frozen=True, slots=True)
class Curve(HasFigures):
    """What a sweep has found, and what is still missing."""

    path: Path
    table: CurveTable
    analysis: CurveAnalysis
    failed: Mapping[str, str] = field(default_factory=dict)
    """Why a job failed, by its name."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """SG score against perplexity, ΔSG, and accuracy over training tokens."""
        return self.analysis.figures

    @property
    def finished(self) -> bool:
        """Whether every job of the sweep is done."""
        return not self.table.missing


@dataclass(frozen=True, slots=True)
class Processes:
    """How many processes run at a time, with how many threads, on which GPUs."""

    processes: int
    threads: int
    gpus: tuple[str, ...] = ()


def curve(
    sweep: str | Path,
    out: str | Path,
    *,
    corpus: Sequence[str | Path] = (),
    trees: Sequence[str | Path] = (),
    only: str | Sequence[str] = (),
    processes: int | None = None,
    watch: Callable[[Event], None] = lambda event: None,
) -> Curve:
    """Train models of several architectures, sizes and seeds, score them, and draw the curves.

    Finished jobs are not repeated; one that was killed resumes where it stopped. A job
    that fails is in `failed`, and the others are done all the same.

    >>> import priscian
    >>> found = priscian.curve("reference", "curve", corpus=["books.txt.xz"],
    ...                        trees=["trees.txt.xz"])                      # doctest: +SKIP
    >>> found.write_figures("figures")                                      # doctest: +SKIP

    sweep
        A TOML file, or `"reference"` or `"tiny"`.
    out
        Folder of the sweep: models, runs, `curve.json`, `curve.csv` and figures.
    corpus, trees
        Files in the place of those of the sweep.
    only
        Names or patterns of jobs, such as `"lstm-*"`: the others are left for later.
    processes
        How many jobs run at a time, by default one for each core or GPU; 0 runs one after the
        other in this process.
    """
    plan = read_sweep(sweep, corpus, trees)
    machine = find_machine(plan, processes)
    place = SweepFolder(Path(out).resolve())
    is_new = not place.path.exists()
    with place.locked(wait=True):  # one process at a time
        try:
            hashes = begin(place, plan)
        except BaseException:
            if is_new and not place.has_begun():
                place.discard()
            raise
    jobs = expand(plan, hashes, machine.threads)
    chosen = choose(jobs, _patterns(only))
    forget_changed(place, jobs, plan)
    left = [job for job in chosen if missing_of(place, job, plan)]

    def tell(event: Event) -> None:
        watch(event)
        if event.state == "done" and event.seconds:  # others may look at what is there so far
            with suppress(PriscianError), place.locked(wait=True):  # it is made again at the end
                collect(place, jobs, plan, pool.failed)

    pool = Pool(place, plan, hashes, tell, machine.processes, machine.threads, machine.gpus)
    try:
        pool.run(left)
    except BaseException:
        with place.locked(wait=True):
            collect(place, jobs, plan, pool.failed)
        raise
    with place.locked(wait=True):
        table, runs = collect(place, jobs, plan, pool.failed)
        analysis = analyse_curve(table, runs)
        write_figures(analysis.figures, place.path / "figures", FORMATS)
        analysis.write(place.path)
    failed = {job.name: table.failed[job.name] for job in chosen if job.name in table.failed}
    return Curve(Path(out), table, analysis, failed)


def plan_curve(
    sweep: str | Path,
    out: str | Path,
    *,
    corpus: Sequence[str | Path] = (),
    trees: Sequence[str | Path] = (),
    only: str | Sequence[str] = (),
) -> list[Estimate]:
    """What `curve` would do, job by job; nothing is written."""
    plan = read_sweep(sweep, corpus, trees)
    place = SweepFolder(Path(out).resolve())
    hashes = begin(place, plan) if place.has_begun() else check_start(place, plan)[1]
    jobs = choose(expand(plan, hashes), _patterns(only))
    return estimate(place, jobs, plan)


def find_machine(sweep: Sweep, processes: int | None = None) -> Processes:
    """One process for each core, or for each GPU if there are any."""
    if processes is not None and processes < 0:
        raise UsageError(f"`processes={processes}`: give a number from 0")
    gpus: tuple[str, ...] = ()
    if any(model.architecture != NGRAM for model in sweep.models.values()):
        with suppress(ImportError):
            import torch

            count = torch.cuda.device_count()
            named = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
            listed = [name.strip() for name in named if name.strip()]
            gpus = tuple(listed[:count] if listed else map(str, range(count)))
    wanted = (len(gpus) or cores()) if processes is None else processes
    threads = max(1, cores() // max(1, wanted))
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return Processes(wanted, min(threads, int(asked)) if ASKED.fullmatch(asked) else threads, gpus)


def _patterns(only: str | Sequence[str]) -> list[str]:
    given = [only] if isinstance(only, str) else list(only)
    return [part for text in given for part in text.split(",") if part]
