"""`predictions.json` of the BabyLM 2025 pipeline: the chosen sentence of every pair."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from priscian.errors import PriscianWarning
from priscian.files import file_names, read_tsv, write_json
from priscian.models import ModelSpec, recorded_traits
from priscian.runs import Result, Run

SIZES = Path(__file__).parent / "data" / "babylm_sizes.tsv"
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


def babylm(run: Run, results: Sequence[Result], out: Path) -> list[Path]:
    """One file for each data set, in the folder where the pipeline's collate step looks for it."""
    about = results[0].about
    backend = "mlm" if recorded_traits(about.string).bidirectional else "causal"
    revision = ModelSpec.parse(about.string).revision or "main"
    (name,) = file_names([revision]).values()
    # the checkpoints of a model share a folder, with one subfolder each
    place = out / about.folder.replace(f"@{name}", "", 1) / name / "zero_shot" / backend
    made = []
    for result in results:
        task = TASKS.get(result.facts.spec.partition(":")[0], "blimp")
        predictions = {uid: _predictions(uid, rows) for uid, rows in _sets(task, result)}
        _check_sizes(result, {uid: len(p["predictions"]) for uid, p in predictions.items()})
        made.append(place / task / result.facts.folder / "predictions.json")
        write_json(made[-1], predictions)
    return made


def _sets(task: str, result: Result) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    method = METHODS.get(task, "full")
    for (name,), rows in result.choices(method).group_by("set", maintain_order=True):
        uid = str(name)
        if task == "comps":
            uid = COMPS_SETS.get(uid, "wugs_dist_in_between")
        yield uid, rows.to_dicts()


def _predictions(uid: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    chosen = [row["text_good"] if row["correct"] > 0.5 else row["text_bad"] for row in rows]
    return {"predictions": [{"id": f"{uid}_{i}", "pred": text} for i, text in enumerate(chosen)]}


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
            f"{reasons[0]}{more}; score all of its data, without --limit or --only",
            PriscianWarning,
            stacklevel=4,
        )
