"""From the words of a command line to results in run folders: `RUN` or `RUN:model`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import PriscianWarning, UnknownNameError, UsageError
from priscian.runs import Result, Run, load_runs


@dataclass(frozen=True, slots=True)
class Chosen:
    """One model of one run, and its results by data set."""

    run: Path
    model: str
    results: tuple[Result, ...]


def open_runs(paths: Sequence[Path]) -> list[Run]:
    """Runs, with a note for each that is not finished."""
    runs = load_runs(paths)
    for run in runs:
        if run.missing:
            warnings.warn(
                f"{run.path} is not finished: {', '.join(run.missing)} missing; go on with "
                "priscian score --resume",
                PriscianWarning,
                stacklevel=2,
            )
    return runs


def open_models(text: str) -> list[Chosen]:
    """Every model of `RUN`, or the one that `RUN:model` names."""
    path, model = split_model(text)
    (run,) = open_runs([path])
    models = list(run.models)
    if model is not None:
        if model not in models:
            raise UnknownNameError("model", model, models, f"{path} has {', '.join(models)}.")
        models = [model]
    return [Chosen(path, name, run[name].results) for name in models]


def open_model(text: str) -> Chosen:
    """One model: `RUN:model`, or `RUN` where it has one only."""
    found = open_models(text)
    if len(found) > 1:
        names = ", ".join(c.model for c in found)
        raise UsageError(
            f"{text} has {len(found)} models, {names}; name one, as {text}:{found[0].model}"
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
