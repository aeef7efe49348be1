"""Files of lm-evaluation-harness 0.4: the results of a run, and pairs as tasks.

A run becomes `results_DATE.json` and a file of samples by task, as the harness writes them. Every
set of pairs becomes a task, a YAML and a JSONL file, and every data set a group of tasks.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from priscian.errors import UsageError
from priscian.files import file_names, inside, name_files, write_json, write_text
from priscian.files.folder import lock_folder
from priscian.models import ModelSpec
from priscian.records import ItemSet
from priscian.runs import PairsSummary, Result, Run
from priscian.runs.facts import Score

SECONDS = 19
"""Length of a date and time up to the seconds."""
VERSION = 1.0
GROUP = ""
"""In the place of a set's name: the group of all sets."""
# The bad sentence comes first: of two equal scores the harness takes the first, and a tie counts
# as wrong here. There is no space before a sentence, unlike in the harness's own BLiMP.
TASK: Mapping[str, Any] = {
    "dataset_path": "json",
    "output_type": "multiple_choice",
    "test_split": "test",
    "doc_to_text": "{{context}}",
    "doc_to_choice": "choices",
    "doc_to_target": 1,
    "target_delimiter": "",
    "num_fewshot": 0,
    "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
}


def lm_eval(run: Run, by_model: Mapping[str, Sequence[Result]], out: Path) -> list[Path]:
    """For each model a results file, and one file of samples for each set."""
    folders = name_files({model: public_name(own[0]) for model, own in by_model.items()})
    date = run.info.created[:SECONDS].replace(":", "-")
    made = []
    for model, results in by_model.items():
        place = inside(out, folders[model])
        tasks = name_tasks(results)
        made.append(inside(place, f"results_{date}.json"))
        write_json(made[-1], _results(run, results, tasks, place.name))
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


def _results(
    run: Run, results: Sequence[Result], tasks: Mapping[tuple[str, str], str], folder: str
) -> dict[str, Any]:
    about = results[0].about
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
    return {
        "results": scores,
        "groups": groups,
        "group_subtasks": {
            r.data: [tasks[r.data, uid] for uid in r.summary.by_set("full")] for r in results
        },
        "configs": {
            task: {
                "task": task,
                "dataset_path": data,
                "output_type": "multiple_choice",
                "target_delimiter": "",
                "num_fewshot": 0,
            }
            for (data, _), task in tasks.items()
        },
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
        "model_name_sanitized": folder,
        "task_hashes": dict.fromkeys(cells, ""),
        "total_evaluation_time_seconds": "" if about.seconds is None else str(about.seconds),
        "made_by": f"priscian {run.info.priscian}",
    }


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


def write_tasks(data: Mapping[str, Sequence[ItemSet]], out: Path) -> list[Path]:
    """Write the task files of the pairs of some data sets, each of which becomes a group.

    The paths of the files: for each data set the group's YAML, then YAML and JSONL of each set.
    `lm-eval --tasks GROUP --include_path DIR` runs them all; the group's accuracy is the mean over
    its sets.
    """
    pairs = {
        name: [(s, found) for s in sets if (found := [i for i in s.items if i.is_pair])]
        for name, sets in data.items()
    }
    for name, chosen in pairs.items():
        if not chosen:
            raise UsageError(
                f"{name} has no pairs; lm-eval tasks are made of pairs only, not of suites"
            )
    # a comma would end a name in the harness's --tasks
    wanted = {(name, GROUP): f"priscian_{name}" for name in pairs}
    wanted |= {(n, s.name): f"priscian_{n}_{s.name}" for n, own in pairs.items() for s, _ in own}
    names = name_files({key: name.replace(",", "-") for key, name in wanted.items()})
    made: dict[Path, str] = {}
    for name, chosen in pairs.items():
        group = inside(out, f"{names[name, GROUP]}.yaml")
        facts: dict[str, Any] = {
            "group": group.stem,
            "task": [names[name, itemset.name] for itemset, _ in chosen],
            "aggregate_metric_list": [
                {"metric": "acc", "aggregation": "mean", "weight_by_size": False}
            ],
            "metadata": {"version": VERSION},
        }
        made[group] = _yaml(facts)
        for itemset, found in chosen:
            task = names[name, itemset.name]
            rows = inside(out, f"{task}.jsonl")
            facts = {
                "task": task,
                "dataset_kwargs": {"data_files": {"test": str(rows.resolve())}},
                **TASK,
                "metadata": {
                    "version": VERSION,
                    "set": itemset.name,
                    "language": itemset.language,
                    "licence": itemset.licence,
                    "reference": itemset.reference,
                    "content_hash": itemset.content_hash,
                },
            }
            made[inside(out, f"{task}.yaml")] = _yaml(facts)
            lines = []
            for item in found:
                good, bad = item["good"], item["bad"]
                if good.context != bad.context:
                    raise UsageError(
                        f"{item.id}: its sentences have different contexts, which an lm-eval task "
                        "cannot compare; leave the set out with `only=`"
                    )
                doc = {
                    "item": item.id,
                    "set": itemset.name,
                    "context": good.context,
                    "choices": [bad.text, good.text],
                    "sentence_good": good.text,
                    "sentence_bad": bad.text,
                }
                lines.append(json.dumps(doc, ensure_ascii=False) + "\n")
            made[rows] = "".join(lines)
    with lock_folder(out, "priscian export-tasks"):
        for path, text in made.items():
            write_text(path, text)
    return list(made)


def _yaml(values: Mapping[str, Any]) -> str:
    """A mapping as YAML; every value is JSON, which YAML reads as it is."""
    return "".join(
        f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items()
    )
