"""Selects results: by run folder, by `RUN:model`, or from runs and results in memory."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from priscian.errors import PriscianWarning, RunError, UnknownNameError, UsageError
from priscian.files import read_json, shown
from priscian.runs.load import load_run
from priscian.runs.result import Result, Run

CONTINUE = "continue it with priscian curve"
INDEX, TABLE = "runs.json", "curve.csv"
"""The run folders of a folder that holds several, such as that of a sweep, and their table."""
NO_RUNS = "no runs; name at least one run folder, as priscian score `out=` made it"

Choice = str | Path | Run | Result
"""A run folder, `RUN:model`, a run, or one result."""


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """One model of one run, and its results by data set."""

    model: str
    results: tuple[Result, ...]
    run: Path | None = None

    def __str__(self) -> str:
        return f"{self.run}:{self.model}" if self.run else self.model


def gather_runs(runs: Choice | Iterable[Choice]) -> list[Run]:
    """The selected runs without duplicates; a note names what unfinished ones lack."""
    given = [runs] if isinstance(runs, str | Path | Run | Result) else list(runs)
    if not given:
        raise UsageError(NO_RUNS)
    found: dict[object, Run] = {}
    for choice in expand_folders(given):
        if isinstance(choice, Result):
            raise UsageError(f"{choice!r} is one result of a run; give the run")
        key = choice if isinstance(choice, Run) else str(choice)
        found.setdefault(key, _open(choice))
    if not any(run.results for run in found.values()):
        names = ", ".join(str(run.path) for run in found.values())
        raise RunError(
            f"nothing is finished in {names}; continue with priscian score `resume=True`"
        )
    return list(found.values())


def expand_folders(choices: Iterable[Choice]) -> list[Choice]:
    """The choices; a folder with `runs.json` is replaced by the runs that are listed there."""
    found: list[Choice] = []
    for choice in choices:
        folder = Path(choice) if isinstance(choice, str | Path) else None
        if folder is None or not (folder / INDEX).is_file():
            found.append(choice)
            continue
        listed = read_json(folder / INDEX, list[str])
        if not listed and not (folder / TABLE).is_file():
            raise RunError(f"no job of the sweep in {folder} is finished; {CONTINUE}")
        if not listed:
            raise RunError(
                f"no model of the sweep in {folder} was scored; {TABLE} has those that are "
                f"finished, with their perplexity; {CONTINUE}"
            )
        for name in listed:
            if Path(name).is_absolute() or ".." in Path(name).parts:
                raise RunError(f"{folder / INDEX}: {name!r} is outside the folder; remove it")
            if not os.path.isdir(folder / name):  # False for a name that is too long
                raise RunError(f"{folder / INDEX}: no run {shown(name)}; {CONTINUE}")
        found += [folder / name for name in listed]
    return found


def gather_results(runs: Choice | Iterable[Choice]) -> list[Result]:
    """All results of some runs; single results may be among them."""
    given = [runs] if isinstance(runs, str | Path | Run | Result) else list(runs)
    found: list[Result] = []
    for choice in expand_folders(given):
        if isinstance(choice, Result):
            found.append(choice)
        else:
            found += [r for run in gather_runs(choice) for r in run.results if r not in found]
    if not found:
        raise UsageError(NO_RUNS)
    return found


def choose_models(choice: Choice) -> list[ChosenModel]:
    """Every model of a run, or the one that `RUN:model` names."""
    if isinstance(choice, Result):
        return [ChosenModel(choice.label, (choice,))]
    runs = [_open(c) for c in expand_folders([choice]) if not isinstance(c, Result)]
    return [ChosenModel(name, run[name].results, run.path) for run in runs for name in run.models]


def choose_model(choice: Choice) -> ChosenModel:
    """One model: `RUN:model`, or a run that has only one."""
    found = choose_models(choice)
    if not found:
        raise RunError(
            f"nothing is finished in {choice}; continue with priscian score `resume=True`"
        )
    if len(found) > 1:
        names = ", ".join(c.model for c in found)
        where = choice.path if isinstance(choice, Run) else choice
        raise UsageError(
            f"{where} has {len(found)} models, {names}; name one: {where}:{found[0].model}"
        )
    return found[0]


def split_model(text: str) -> tuple[Path, str | None]:
    """The folder and the model's name; both may have colons, so folders that exist decide."""
    if Path(text).is_dir():
        return Path(text), None
    parts = text.split(":")
    for end in range(len(parts) - 1, 0, -1):
        folder = Path(":".join(parts[:end]))
        if parts[end - 1] and folder.is_dir():
            return folder, ":".join(parts[end:])
    return Path(text), None


def _open(choice: str | Path | Run) -> Run:
    if isinstance(choice, Run):
        return choice
    path, model = split_model(str(choice))
    if model and (path / INDEX).is_file():
        runs = [load_run(c) for c in expand_folders([path]) if isinstance(c, str | Path)]
        found = next((run for run in runs if model in run.models), None)
        if found is None:
            raise UnknownNameError("model", model, [name for run in runs for name in run.models])
        run = found
    else:
        run = load_run(path)
    if run.missing and run.results:
        warnings.warn(
            f"{path} is not finished: {', '.join(run.missing)} missing; continue with "
            "priscian score `resume=True`",
            PriscianWarning,
            stacklevel=4,
        )
    if model is None:
        return run
    chosen = tuple(r for r in run.results if r.model == find_model(run, model))
    return replace(run, results=chosen)


def find_model(run: Run, name: str) -> str:
    """A model of a run by its name, its model string, or the name of its folder."""
    for model in run.models:
        facts = run.info.models.get(model)
        if name == model or (facts is not None and name in (facts.string, facts.folder)):
            return model
    raise UnknownNameError(
        "model", name, run.models, f"{run.path or 'the run'} has {', '.join(run.models)}."
    )
