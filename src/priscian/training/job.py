"""A whole training: corpus, vocabulary, network, loop, and the folder that a model is read from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.files import replacing_folder
from priscian.training.amounts import checkpoint_counts
from priscian.training.architectures import build
from priscian.training.folder import TrainingFolder
from priscian.training.prepare import (
    Prepared,
    is_prepared,
    keep,
    load_prepared,
    prepare,
    read_prepared,
    refuse_others,
)
from priscian.training.recipe import Recipe, write_recipe
from priscian.workers import Say

if TYPE_CHECKING:
    from priscian.training.loop import Moment
    from priscian.training.machine import Machine


def train(
    recipe: Recipe,
    out: Path,
    *,
    resume: bool = False,
    say: Say = lambda line: None,
    report: Callable[[Any], None] = lambda moment: None,
    hashes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Train a model into a folder; its card. Torch's settings are left as they were found.

    `hashes` are those that files of the corpus must have, by their names in the recipe.
    """
    from priscian.training.machine import memory_needed, settings_kept  # needs torch

    with settings_kept(), memory_needed():
        return _train(recipe, out, resume, say, report, hashes or {})


def _train(
    recipe: Recipe,
    out: Path,
    resume: bool,
    say: Say,
    report: Callable[[Any], None],
    hashes: Mapping[str, str],
) -> dict[str, Any]:
    from priscian.training.machine import Machine, check_device

    folder = TrainingFolder(out)
    folder.check(recipe, resume=resume)
    check_device(recipe.machine.device)
    by_columns = recipe.text.pack == "stream"
    machine = Machine(recipe.machine, recipe.training.grad_accumulation, by_columns=by_columns)
    first = machine.rank == 0
    # what cannot be prepared leaves no folder behind
    made = prepare(recipe, say, hashes) if first and not is_prepared(out) else None
    with folder.opened(recipe, resume=resume) if first else nullcontext():
        ready = _settle(recipe, out, made, say, hashes) if first else None
        machine.wait()
        ready = ready or load_prepared(recipe, out)  # what the first process has written
        card = _run(recipe, ready, machine, out, say, report)
    machine.leave()
    return card


def _settle(
    recipe: Recipe, out: Path, made: Prepared | None, say: Say, hashes: Mapping[str, str]
) -> Prepared:
    """What an earlier start has kept, or what this one has made, which is kept then."""
    known = read_prepared(recipe, out)
    if known is not None:
        refuse_others(recipe, known.facts, hashes)
        return known
    ready = made or prepare(recipe, say, hashes)
    keep(ready, out)
    return ready


def _run(
    recipe: Recipe,
    ready: Prepared,
    machine: Machine,
    out: Path,
    say: Say,
    report: Callable[[Any], None],
) -> dict[str, Any]:
    import torch

    from priscian.training.loop import Data, Loop
    from priscian.training.save import Log, export

    torch.manual_seed(recipe.training.seed)
    network = build(recipe.architecture, ready.vocabulary.size, recipe.network, ready.facts.network)
    data = Data(ready.main, ready.extra, ready.dev, ready.facts.digest)
    loop = Loop(network, recipe, data, out / "training", machine)
    folder = TrainingFolder(out)
    if machine.rank == 0 and not folder.has_begun():
        folder.begin(write_recipe(recipe))  # only now: what cannot be built leaves no recipe behind
    if loop.resume() and machine.rank == 0:
        say(f"resumed after {loop.progress.tokens:,} tokens")
    log = Log(out, loop, ready)

    def checkpoint(count: int) -> None:
        if machine.rank == 0:
            with loop.best_weights(), replacing_folder(out / f"tokens-{count}") as made:
                export(made, loop.network, ready.vocabulary)
                log.checkpoint(count, made)

    def watch(moment: Moment) -> None:
        log.step(moment)
        if machine.rank == 0:
            report(moment)

    loop.run(checkpoint_counts(recipe.checkpoints.at, loop.total), checkpoint, watch)
    if machine.rank:
        return {}
    with loop.final_weights():
        export(out, loop.network, ready.vocabulary)
        return log.finish()
