"""Pairs as tasks of lm-evaluation-harness: a YAML and a JSONL file for each set, and a group."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from priscian.errors import UsageError
from priscian.files import file_names, write_text
from priscian.records import Item, ItemSet

VERSION = 1.0
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


def write_tasks(data: str, sets: Sequence[ItemSet], out: Path) -> list[Path]:
    """Write the task files of a data set's pairs; the group has the name of the data set.

    The paths of the files: the group's YAML, then YAML and JSONL of each set. `lm-eval --tasks
    GROUP --include_path DIR` runs them all; the group's accuracy is the mean over its sets.
    """
    group = f"priscian_{_one_name(data)}"
    chosen = [(s, pairs) for s in sets if (pairs := [i for i in s.items if i.is_pair])]
    if not chosen:
        raise UsageError(
            f"{data} has no pairs; lm-eval tasks are made of pairs only, not of suites"
        )
    tasks = _task_names(group, [s.name for s, _ in chosen])
    made = [out / f"{group}.yaml"]
    for itemset, pairs in chosen:
        task = tasks[itemset.name]
        rows = out / f"{task}.jsonl"
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in _docs(itemset, pairs))
        write_text(rows, text)
        made += [out / f"{task}.yaml", rows]
        write_text(made[-2], _yaml(_task(task, itemset, rows)))
    write_text(made[0], _yaml(_group(group, list(tasks.values()))))
    return made


def _one_name(name: str) -> str:
    (made,) = file_names([name]).values()
    return made.replace(",", "-")


def _task_names(group: str, sets: Sequence[str]) -> dict[str, str]:
    """A task name for each set: a comma would end a name in the harness's --tasks."""
    names = {name: f"{group}_{short}" for name, short in file_names(sets).items()}
    plain = {name: task.replace(",", "-") for name, task in names.items()}
    if len(set(plain.values())) < len(plain):
        return {name: f"{task}-{n}" for n, (name, task) in enumerate(plain.items())}
    return plain


def _docs(itemset: ItemSet, pairs: Sequence[Item]) -> Iterator[dict[str, Any]]:
    for item in pairs:
        good, bad = item["good"], item["bad"]
        if good.context != bad.context:
            raise UsageError(
                f"{item.id}: its sentences have different contexts, which an lm-eval task cannot "
                "compare; leave the set out with --only"
            )
        yield {
            "item": item.id,
            "set": itemset.name,
            "context": good.context,
            "choices": [bad.text, good.text],
            "sentence_good": good.text,
            "sentence_bad": bad.text,
        }


def _task(name: str, itemset: ItemSet, rows: Path) -> dict[str, Any]:
    files = {"data_files": {"test": str(rows.resolve())}}
    facts = {
        "version": VERSION,
        "set": itemset.name,
        "language": itemset.language,
        "licence": itemset.licence,
        "reference": itemset.reference,
        "content_hash": itemset.content_hash,
    }
    return {"task": name, "dataset_kwargs": files, **TASK, "metadata": facts}


def _group(name: str, tasks: Sequence[str]) -> dict[str, Any]:
    mean = {"metric": "acc", "aggregation": "mean", "weight_by_size": False}
    return {
        "group": name,
        "task": list(tasks),
        "aggregate_metric_list": [mean],
        "metadata": {"version": VERSION},
    }


def _yaml(values: Mapping[str, Any]) -> str:
    """A mapping as YAML; every value is JSON, which YAML reads as it is."""
    return "".join(
        f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items()
    )
