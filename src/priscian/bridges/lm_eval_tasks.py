"""Pairs as tasks of lm-evaluation-harness: a YAML and a JSONL file for each set, and a group."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from priscian.errors import UsageError
from priscian.files import inside, name_files, write_text
from priscian.files.folder import lock_folder
from priscian.records import Item, ItemSet

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
    names = _task_names({name: [s.name for s, _ in chosen] for name, chosen in pairs.items()})
    made: dict[Path, str] = {}
    for name, chosen in pairs.items():
        group = inside(out, f"{names[name, GROUP]}.yaml")
        made[group] = _yaml(_group(group.stem, [names[name, s.name] for s, _ in chosen]))
        for itemset, found in chosen:
            task = names[name, itemset.name]
            rows = inside(out, f"{task}.jsonl")
            docs = _docs(itemset, found)
            made[inside(out, f"{task}.yaml")] = _yaml(_task(task, itemset, rows))
            made[rows] = "".join(json.dumps(doc, ensure_ascii=False) + "\n" for doc in docs)
    with lock_folder(out, "priscian export-tasks"):
        for path, text in made.items():
            write_text(path, text)
    return list(made)


def _task_names(data: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], str]:
    """Names of the groups and of all tasks: a comma would end a name in the harness's --tasks."""
    wanted = {(name, GROUP): f"priscian_{name}" for name in data}
    wanted |= {(name, s): f"priscian_{name}_{s}" for name, sets in data.items() for s in sets}
    return name_files({key: name.replace(",", "-") for key, name in wanted.items()})


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
