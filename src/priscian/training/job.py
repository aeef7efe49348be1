"""Train a model: corpus, vocabulary, network, loop, and the folder that it is read from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.errors import UsageError
from priscian.files import check_folder, read_text, replacing_folder
from priscian.files.folder import JobFolder
from priscian.training.amounts import checkpoint_counts
from priscian.training.architectures import architectures, build, shape_of
from priscian.training.prepare import (
    Prepared,
    is_prepared,
    keep,
    load_prepared,
    prepare,
    read_prepared,
    refuse_others,
)
from priscian.training.recipe import (
    SAVED,
    Recipe,
    choose_recipe,
    make_recipe,
    read_recipe,
    recipe_differences,
    write_recipe,
)
from priscian.workers import Say

if TYPE_CHECKING:
    from priscian.training.loop import Moment
    from priscian.training.machine import Machine


def resolve_recipe(
    architecture: str, recipe: str | Path = "small", overrides: Mapping[str, Any] | None = None
) -> Recipe:
    """A recipe by name or file, with keys overridden: `{"network.layers": 4}`."""
    tables = read_recipe(str(recipe), architecture)
    named = tables.setdefault("architecture", architecture)
    if isinstance(named, str) and named != architecture:
        raise UsageError(f"{recipe} is a recipe for {named}; run priscian train {named}")
    shapes = {architecture: shape_of(architecture)}
    made = make_recipe(tables, shapes, overrides, str(recipe))
    if not made.corpus.files:
        raise UsageError("no corpus; name text files: `corpus=books.txt`")
    return made


def train(
    architecture: str,
    out: str | Path,
    *,
    corpus: Sequence[str | Path] = (),
    recipe: str | Path = "",
    resume: bool = False,
    overrides: Mapping[str, Any] | None = None,
    say: Say = lambda line: None,
    report: Callable[[Moment], None] = lambda moment: None,
) -> dict[str, Any]:
    """Train a model on plain text into a folder that every other function reads; its card.

    >>> import priscian
    >>> priscian.train("gpt2", "my-gpt2", corpus=["books.txt"],
    ...                overrides={"training.tokens": "4M"})            # doctest: +SKIP
    >>> priscian.score("my-gpt2", "generated:7", revisions="tokens-*")  # doctest: +SKIP

    architecture
        gpt2, transformer-xl, lstm, on-lstm or rnng.
    out
        Folder of the model, its checkpoints (`tokens-N`), recipe, card and log.
    corpus
        Text files with one paragraph per line (rnng: one tree per line). Can also be set in the
        recipe.
    recipe
        `"tiny"`, `"small"`, `"paper"`, or a TOML file; where none is given, `"small"`, or the
        saved one of a training to resume.
    resume
        Resume the training in `out`; the weights are bit-identical to those without a stop.
    overrides
        Keys of the recipe: `{"network.layers": 4, "training.seed": 2}`.
    """
    if architecture not in architectures():
        listed = ", ".join(architectures())
        raise UsageError(f"no architecture {architecture!r}; known: {listed}")
    changes = dict(overrides or {})
    if corpus:
        changes["corpus.files"] = [str(path) for path in corpus]
    made = resolve_recipe(architecture, choose_recipe(recipe, Path(out), resume=resume), changes)
    return train_recipe(made, Path(out), resume=resume, say=say, report=report)


class TrainingFolder(JobFolder[Recipe | str]):
    """A training of a model or parser; text that an earlier start prepared may be there."""

    what, record, lock = "training", SAVED, "training/lock"
    beside = frozenset({"vocabulary.json", "tokenizer.json", "tokenizer_config.json"})
    refusal = UsageError

    def check(self, request: Recipe | str, *, resume: bool = False) -> Recipe | str | None:
        """Also refuse a place that cannot be written, before the corpus is read for hours."""
        before = super().check(request, resume=resume)
        if before is None:
            check_folder(self.path)
        return before

    def read(self) -> str:
        """The saved recipe, as it was written."""
        return read_text(self.path / SAVED)

    def differences(self, before: Recipe | str, now: Recipe | str) -> Sequence[str]:
        """Keys of the recipe."""
        assert isinstance(before, str)
        assert isinstance(now, Recipe)
        return recipe_differences(before, now)


def train_recipe(
    recipe: Recipe,
    out: Path,
    *,
    resume: bool = False,
    say: Say = lambda line: None,
    report: Callable[[Moment], None] = lambda moment: None,
    hashes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Train a model into a folder; its card. Torch's settings are left as they were found.

    `hashes` are those that files of the corpus must have, by their names in the recipe.
    """
    from priscian.training.machine import Machine, memory_needed, settings_kept  # needs torch

    folder = TrainingFolder(out)
    with settings_kept(), memory_needed():
        folder.check(recipe, resume=resume)
        by_columns = recipe.text.pack == "stream"
        machine = Machine(recipe.machine, recipe.training.grad_accumulation, by_columns=by_columns)
        first = machine.rank == 0
        # what cannot be prepared leaves no folder behind
        made = prepare(recipe, say, hashes) if first and not is_prepared(out) else None
        with folder.opened(recipe, resume=resume) if first else nullcontext():
            ready = read_prepared(recipe, out) if first else None
            if ready is not None:
                refuse_others(recipe, ready.facts, hashes or {})
            elif first:
                ready = made or prepare(recipe, say, hashes)
                keep(ready, out)
            machine.wait()
            ready = ready or load_prepared(recipe, out)  # what the first process has written
            card = _run(recipe, ready, machine, out, say, report)
        machine.leave()
    return card


def _run(
    recipe: Recipe,
    ready: Prepared,
    machine: Machine,
    out: Path,
    say: Say,
    report: Callable[[Moment], None],
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
