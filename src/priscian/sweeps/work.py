"""One job from beginning to end: train, score, measure. Finished steps are not repeated."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from priscian.errors import BusyError, DataError, RunError
from priscian.files import write_json, write_text
from priscian.files.folder import lock_folder
from priscian.runs import score
from priscian.runs.cards import name_path
from priscian.runs.options import IN_ONE_PROCESS, ScoreOptions
from priscian.runs.surprisal.perplexity import count_words, sentence_perplexity
from priscian.sweeps.folder import (
    CARD,
    PerplexityOnTest,
    SweepFolder,
    asked_of,
    missing_of,
    read_record,
    read_test,
    write_record,
)
from priscian.sweeps.jobs import Hashes, NgramRecipe, SweepJob, gives_same_weights
from priscian.sweeps.sweep import Sweep
from priscian.training.job import resolve_recipe, train_recipe
from priscian.training.ngram.estimate import NgramSettings, train_ngram
from priscian.training.recipe import SAVED
from priscian.training.subsets import read_corpus, refuse_changed
from priscian.workers import Watch

Stage = Callable[[SweepFolder, SweepJob, Sweep, Watch], dict[str, Any]]
"""Does one stage of a job; what is said of it in the job's record."""
NGRAM_FILE = "model.pngm"


class Busy(Exception):
    """Another process works on this job."""


def is_busy(place: SweepFolder, job: SweepJob) -> bool:
    """Whether another process holds the lock of a job."""
    return place.job(job).is_busy()


def do_job(
    place: SweepFolder, job: SweepJob, sweep: Sweep, watch: Watch, hashes: Hashes | None = None
) -> None:
    """Do what is missing of a job; `Busy` if another process is running it.

    With the hashes that name the job, it is not trained on files that have changed since.
    """
    try:
        lock = place.job(job).locked()
    except BusyError:
        raise Busy(job.name) from None
    train = partial(_train, hashes=hashes or {})
    stages: Mapping[str, Stage] = {"train": train, "score": _score, "perplexity": _measure}
    try:
        for stage in missing_of(place, job, sweep):  # asked again, now that nobody else changes it
            began = time.monotonic()
            watch(stage, 0, 1)
            changes = stages[stage](place, job, sweep, watch)
            before = read_record(place, job).seconds
            seconds = {**before, stage: round(time.monotonic() - began, 1)}
            write_record(place, job, seconds=seconds, **changes)
    finally:
        lock.release()


def _train(
    place: SweepFolder, job: SweepJob, sweep: Sweep, watch: Watch, hashes: Hashes
) -> dict[str, Any]:
    out = place.model(job)
    if isinstance(job.recipe, NgramRecipe):
        _train_ngram(job.recipe, out, watch, hashes)
        return {}
    recipe = job.recipe
    if (out / SAVED).is_file():  # threads may be others now; bits stay the same with the old ones
        recipe = resolve_recipe(job.architecture, out / SAVED)
        if not gives_same_weights(recipe, job.recipe):
            raise RunError(
                f"{out / SAVED} is not the recipe of {job.name} any more; restore it, or delete "
                f"{out} to train the model again"
            )
    train_recipe(
        recipe, out, resume=True, hashes=hashes,
        report=lambda moment: watch("train", moment.tokens, moment.total),
    )  # fmt: skip
    return {}


def _train_ngram(recipe: NgramRecipe, out: Path, watch: Watch, hashes: Hashes) -> None:
    """Write the subset, estimate, and leave a card as other trainings do."""
    began = time.monotonic()
    corpus = read_corpus([Path(name) for name in recipe.files])
    refuse_changed(recipe.files, corpus.files, hashes)
    sentences = corpus.subset(recipe.size, recipe.order_seed)
    text = out / "corpus.txt"
    write_text(text, "".join(f"{sentence}\n" for sentence in sentences))
    settings = NgramSettings(
        order=recipe.order, min_count=recipe.min_count, split_sentences=False, threads=1
    )
    made = train_ngram([text], out / NGRAM_FILE, settings, lambda _, a, b: watch("train", a, b))
    text.unlink()
    card = {
        "architecture": "ngram",
        "parameters": sum(made.ngrams),
        "tokens_seen": made.words + made.sentences,
        "passes": 1,
        "seconds": round(time.monotonic() - began),
        "threads": 1,
        "seed": recipe.order_seed,
        "words": "ptb",
        "closed_vocabulary": True,
        "corpus": {
            "files": [list(file) for file in corpus.files],
            "size": recipe.size,
            "sentences": made.sentences,
            "words": made.words,
            "left_out": 0,
        },
        "vocabulary": made.vocabulary,
    }
    write_json(out / CARD, card)


def model_string(place: SweepFolder, job: SweepJob) -> str:
    """How other verbs call a job's model."""
    folder = place.model(job)
    counts = isinstance(job.recipe, NgramRecipe)
    named = name_path(folder / NGRAM_FILE, "ngram") if counts else name_path(folder)
    extra = f"&{job.options}" if job.options else ""
    return f"{named}?name={quote(job.name)}{extra}"


def _score(place: SweepFolder, job: SweepJob, sweep: Sweep, watch: Watch) -> dict[str, Any]:
    out = place.run(job)
    if (out / "run.json").is_file():
        try:
            _score_into(out, place, job, watch, resume=True)
            return {"scored": job.scored}
        except BusyError:
            raise
        except RunError:  # the folder was moved, or a library is another one now
            with lock_folder(out):  # all of it is removed or nothing; scores are in the store
                aside = out.with_name(f".{out.name}")
                shutil.rmtree(aside, ignore_errors=True)  # of a removal that was killed
                out.rename(aside)
                shutil.rmtree(aside, ignore_errors=True)
    _score_into(out, place, job, watch)
    return {"scored": job.scored}


def _score_into(
    out: Path, place: SweepFolder, job: SweepJob, watch: Watch, resume: bool = False
) -> None:
    score(
        model_string(place, job),
        list(job.on),
        out=out,
        resume=resume,
        options=ScoreOptions(limit=job.limit or None, tie=job.tie, compute=IN_ONE_PROCESS),
        watch=lambda _, done, total: watch("score", done, total),
    )


def _measure(place: SweepFolder, job: SweepJob, sweep: Sweep, watch: Watch) -> dict[str, Any]:
    max_length = sweep.scoring.max_length
    every = read_test(place)
    fitting = [s for s, n in zip(every, count_words(every), strict=True) if 0 < n <= max_length]
    if not fitting:
        raise DataError(
            f"no sentence of the test part has from 1 to {max_length} words; raise max_length in "
            "[scoring], or set test_sentences = 0"
        )
    made: dict[int, PerplexityOnTest] = {}
    for asked in reversed(asked_of(job, sweep)):  # the smaller part is then in the store
        found = sentence_perplexity(
            model_string(place, job), fitting[:asked],
            progress=lambda done, total: watch("perplexity", done, total),
        )  # fmt: skip
        made[asked] = PerplexityOnTest(
            perplexity=found.value,
            nats=found.nats,
            words=found.words,
            sentences=found.sentences,
            unknown=found.unknown,
            asked=asked,
            longest=max_length,
            options=job.options,
        )
    measured = made.pop(job.test_sentences)
    return {"measured": measured, "shared": next(iter(made.values()), None)}
