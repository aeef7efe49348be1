"""A run in the format of lm-evaluation-harness 0.4: `results_DATE.json` and samples by task."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from priscian.files import file_names, inside, name_files, write_json, write_text
from priscian.models import ModelSpec
from priscian.runs import PairsSummary, Result, Run
from priscian.runs.facts import Score

SECONDS = 19
"""Length of a date and time up to the seconds."""


def lm_eval(run: Run, by_model: Mapping[str, Sequence[Result]], out: Path) -> list[Path]:
    """For each model a results file, and one file of samples for each set."""
    folders = name_files({model: public_name(own[0]) for model, own in by_model.items()})
    return [
        path
        for model, results in by_model.items()
        for path in _one_model(run, results, inside(out, folders[model]))
    ]


def _one_model(run: Run, results: Sequence[Result], place: Path) -> list[Path]:
    about = results[0].about
    date = run.info.created[:SECONDS].replace(":", "-")
    tasks = name_tasks(results)
    scores: dict[str, Any] = {}
    groups: dict[str, Any] = {}
    cells: dict[str, Score] = {}
    for result in results:
        summary = result.expect(PairsSummary).scores("full")
        own = {tasks[result.data, uid]: cell for uid, cell in summary.paradigms.items()}
        groups[result.data] = _row(result.data, summary.overall, list(own.values()))
        scores[result.data] = groups[result.data]
        scores |= {task: _row(f" - {task}", cell, [cell]) for task, cell in own.items()}
        cells |= own
    payload = {
        "results": scores,
        "groups": groups,
        "group_subtasks": {
            r.data: [tasks[r.data, uid] for uid in r.summary.by_set("full")] for r in results
        },
        "configs": {task: _config(task, data) for (data, _), task in tasks.items()},
        "versions": dict.fromkeys(cells, 1.0),
        "n-shot": dict.fromkeys(cells, 0),
        "higher_is_better": {task: {"acc": True} for task in cells},
        "n-samples": {t: {"original": c.n, "effective": c.n} for t, c in cells.items()},
        "config": {
            "model": "hf",
            "model_args": about.string,
            "batch_size": "auto",
            "device": ModelSpec.parse(about.string).options.get("device"),
            "limit": run.info.request.limit,
        },
        "git_hash": None,
        "date": run.info.created,
        "model_source": "hf",
        "model_name": public_name(results[0]),
        "model_name_sanitized": place.name,
        "task_hashes": dict.fromkeys(cells, ""),
        "total_evaluation_time_seconds": "" if about.seconds is None else str(about.seconds),
        "made_by": f"priscian {run.info.priscian}",
    }
    made = [inside(place, f"results_{date}.json")]
    write_json(made[0], payload)
    files = file_names(tasks.values())
    for result in results:
        for (uid,), rows in result.choices("full").group_by("set", maintain_order=True):
            task = files[tasks[result.data, str(uid)]]
            made.append(inside(place, f"samples_{task}_{date}.jsonl"))
            lines = [
                json.dumps(_sample(i, row), ensure_ascii=False)
                for i, row in enumerate(rows.iter_rows(named=True))
            ]
            write_text(made[-1], "\n".join(lines) + "\n")
    return made


def public_name(result: Result) -> str:
    """The model's public name: its Hub id, or the name of a local file or folder."""
    spec = ModelSpec.parse(result.about.string)
    local = spec.path.is_absolute() or spec.id.startswith((".", "~")) or spec.path.exists()
    if "name" in spec.options or local or ":" in result.model:
        return result.model
    return f"{spec.id}@{spec.revision}" if spec.revision else spec.id


def name_tasks(results: Sequence[Result]) -> dict[tuple[str, str], str]:
    """A task name for each set: lm-eval's own, unless an earlier data set uses it."""
    tasks: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for result in results:
        for uid in result.summary.by_set("full"):
            name = f"blimp_{uid}" if f"blimp_{uid}" not in taken else f"{result.data}_{uid}"
            number = 2
            while name in taken:
                name, number = f"{result.data}_{uid}_{number}", number + 1
            taken.add(name)
            tasks[result.data, uid] = name
    return tasks


def _row(alias: str, score: Score, parts: Sequence[Score]) -> dict[str, Any]:
    variance = sum(a.accuracy * (1 - a.accuracy) / max(a.n - 1, 1) for a in parts)
    stderr = math.sqrt(variance) / len(parts)
    return {"alias": alias, "acc,none": score.accuracy, "acc_stderr,none": stderr}


def _config(task: str, data: str) -> dict[str, Any]:
    return {
        "task": task,
        "dataset_path": data,
        "output_type": "multiple_choice",
        "target_delimiter": "",
        "num_fewshot": 0,
    }


def _sample(number: int, row: Mapping[str, Any]) -> dict[str, Any]:
    texts = (row["text_good"], row["text_bad"])
    scores = (row["score_good"], row["score_bad"])
    doc = {"sentence_good": texts[0], "sentence_bad": texts[1], "UID": row["set"]}
    arguments = {f"gen_args_{i}": {"arg_0": "", "arg_1": text} for i, text in enumerate(texts)}
    return {
        "doc_id": number,
        "doc": doc,
        "target": "0",
        "arguments": arguments,
        "resps": [[[str(s), "False"]] for s in scores],
        "filtered_resps": [[str(s), "False"] for s in scores],
        "filter": "none",
        "metrics": ["acc"],
        "doc_hash": _hash(json.dumps(doc, ensure_ascii=False)),
        "prompt_hash": _hash(""),
        "target_hash": _hash("0"),
        "acc": row["correct"],
    }


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
