"""`predictions.json` of the BabyLM 2025 pipeline: the chosen sentence of every pair."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from priscian.errors import PriscianWarning, RunError
from priscian.files import file_names, inside, name_files, read_tsv, write_json
from priscian.models import ModelSpec, recorded_traits
from priscian.runs import ModelFacts, Result, Run

SIZES = Path(__file__).parent / "data" / "babylm_sizes.tsv"
MAIN = "main"
"""The revision of a model that was named without one."""
TASKS = {"ewok": "ewok", "comps": "comps"}
"""The pipeline's task by our data format; everything else is `blimp`."""
METHODS = {"comps": "two_prefix"}
"""COMPS compares the property alone; the others compare the whole sentence or target."""
COMPS_SETS = {
    "comps_base": "base",
    "comps_wugs": "wugs",
    "comps_wugs_dist-before": "wugs_dist_before",
}
"""The pipeline's names of COMPS' files; every other file is `wugs_dist_in_between`."""


def babylm(run: Run, by_model: Mapping[str, Sequence[Result]], out: Path) -> list[Path]:
    """One file for each model and data set, where the pipeline's collate step looks for it."""
    places = _places({model: results[0].about for model, results in by_model.items()})
    made = []
    for model, results in by_model.items():
        bidirectional = recorded_traits(results[0].about.string).bidirectional
        folder = inside(out, *places[model], "zero_shot", "mlm" if bidirectional else "causal")
        for result in results:
            task = TASKS.get(result.facts.spec.partition(":")[0], "blimp")
            predictions = _predictions(result, task)
            _check_sizes(result, {uid: len(p["predictions"]) for uid, p in predictions.items()})
            made.append(inside(folder, task, result.facts.folder) / "predictions.json")
            write_json(made[-1], predictions)
    return made


def _places(models: Mapping[str, ModelFacts]) -> dict[str, tuple[str, str]]:
    """A folder for each model, and in it one for the revision.

    The checkpoints of a model share its folder. Different models of one revision do not, however
    much their names look alike.
    """
    revisions = {name: ModelSpec.parse(about.string).revision for name, about in models.items()}
    folders = file_names(revision or MAIN for revision in revisions.values())
    found: dict[str, tuple[str, str]] = {}
    for revision, folder in folders.items():
        wanted = {}
        for name, about in models.items():
            own = revisions[name]
            if (own or MAIN) == revision:
                wanted[name] = about.folder
            if own and own == revision:  # `pythia-70m@step1000,dtype=bfloat16` without `@step1000`
                (shown,) = file_names([own]).values()
                wanted[name] = re.sub(rf"@{re.escape(shown)}(?![\w.])", "", about.folder, count=1)
        found |= {name: (place, folder) for name, place in name_files(wanted).items()}
    return found


def _predictions(result: Result, task: str) -> dict[str, dict[str, Any]]:
    """The chosen sentence of every pair, by the pipeline's name of each set."""
    found: dict[str, dict[str, Any]] = {}
    choices = result.choices(METHODS.get(task, "full"))
    for (name,), rows in choices.group_by("set", maintain_order=True):
        uid = str(name)
        if task == "comps":
            uid = COMPS_SETS.get(uid, "wugs_dist_in_between")
        if uid in found:
            raise RunError(
                f"{result.model} on {result.data}: two of its sets are {uid} in BabyLM's "
                "pipeline; score one of them with `only=`"
            )
        chosen = [
            row["text_good"] if row["correct"] > 0.5 else row["text_bad"]
            for row in rows.iter_rows(named=True)
        ]
        predictions = [{"id": f"{uid}_{i}", "pred": text} for i, text in enumerate(chosen)]
        found[uid] = {"predictions": predictions}
    return found


@cache
def collate_sizes() -> Mapping[str, Mapping[str, int]]:
    """By folder of the data, how many predictions of each set the collate step expects."""
    found: dict[str, dict[str, int]] = {}
    for _, row in read_tsv(SIZES, ("folder", "set", "size")):
        found.setdefault(row["folder"], {})[row["set"]] = int(row["size"])
    return found


def _check_sizes(result: Result, counts: Mapping[str, int]) -> None:
    """Warn about a data set that the collate step would not count, with the first reason."""
    wanted = collate_sizes().get(result.facts.folder)
    if wanted is None:
        return
    lower = {uid.lower(): count for uid, count in counts.items()}
    reasons = [f"{uid} is missing" for uid in wanted if uid not in lower]
    reasons += [f"{uid} is not one of its sets" for uid in lower if uid not in wanted]
    reasons += [
        f"{uid} has {count:,} predictions, not {wanted[uid]:,}"
        for uid, count in lower.items()
        if uid in wanted and count != wanted[uid]
    ]
    if reasons:
        more = f" and {len(reasons) - 1} more" if len(reasons) > 1 else ""
        warnings.warn(
            f"{result.model} on {result.data}: BabyLM's collate step will leave it out: "
            f"{reasons[0]}{more}; score all of its data, without `limit=` or `only=`",
            PriscianWarning,
            stacklevel=3,
        )
