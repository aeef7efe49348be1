"""A run in the file shapes of other tools: lm-evaluation-harness, BabyLM, SyntaxGym, CSV."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.bridges.syntaxgym import is_suites_folder, syntaxgym
from priscian.errors import RunError, UnknownNameError
from priscian.models import ModelSpec, recorded_traits
from priscian.runs.folder import RunFolder, safe_name, write_json, write_text

if TYPE_CHECKING:
    import polars


Folders = Mapping[str, Path]  # of a model's results, by data set


def export(run: RunFolder, form: str, out: Path) -> list[Path]:
    """Write a run in another tool's shape; the files that were made."""
    if form not in FORMATS:
        raise UnknownNameError("export format", form, FORMATS)
    results = run.results()
    if not results:
        raise RunError(f"{run.path} has no finished result to export; run score with --resume")
    by_model: dict[str, dict[str, Path]] = {}
    for model, data, folder in results:
        if form not in OF_PAIRS or not is_suites_folder(folder):
            by_model.setdefault(model, {})[data] = folder
    if not by_model:
        raise RunError(f"{run.path} has suites alone, which {form} has no place for; use syntaxgym")
    return [
        path for model, data in by_model.items() for path in FORMATS[form](run, model, data, out)
    ]


def _items(folder: Path, method: str = "full") -> polars.DataFrame:
    import polars

    frame = polars.read_parquet(folder / "items.parquet")
    return frame.filter(polars.col("method") == method)


def _sets(folder: Path, method: str = "full") -> Iterator[tuple[str, list[dict[str, Any]]]]:
    rows = _items(folder, method).to_dicts()
    for name in dict.fromkeys(row["set"] for row in rows):
        yield name, [row for row in rows if row["set"] == name]


def _csv(run: RunFolder, model: str, data: Folders, out: Path) -> list[Path]:
    import polars

    made = []
    for name, folder in data.items():
        frame = polars.read_parquet(folder / "items.parquet")
        if "values" in frame.columns:  # of suites: a list, for which CSV has no place
            shown = [json.dumps(v, ensure_ascii=False) for v in frame["values"].to_list()]
            frame = frame.with_columns(polars.Series("values", shown))
        made.append(out / f"{model}_{name}.csv")
        write_text(made[-1], frame.insert_column(0, polars.lit(model).alias("model")).write_csv())
    return made


def _babylm(run: RunFolder, model: str, data: Folders, out: Path) -> list[Path]:
    """predictions.json of the BabyLM 2025 pipeline: the chosen sentence of every pair."""
    entry = _entry(run, model)
    both_ways = recorded_traits(str(entry.get("string", model))).bidirectional
    backend = "mlm" if both_ways else "causal"
    revision = safe_name(ModelSpec.parse(entry.get("string", model)).revision or "main")
    # the checkpoints of a model share a folder, each in one of its own
    place = out / model.replace(f"@{revision}", "", 1) / revision / "zero_shot" / backend / "blimp"
    made = []
    for name, folder in data.items():
        made.append(place / name / "predictions.json")
        write_json(made[-1], {uid: _predictions(uid, rows) for uid, rows in _sets(folder)})
    return made


def _predictions(uid: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    chosen = [row["text_good"] if row["correct"] > 0.5 else row["text_bad"] for row in rows]
    return {"predictions": [{"id": f"{uid}_{i}", "pred": text} for i, text in enumerate(chosen)]}


def _lm_eval(run: RunFolder, model: str, data: Folders, out: Path) -> list[Path]:
    """results_DATE.json and samples_TASK_DATE.jsonl as lm-evaluation-harness 0.4 writes them."""
    entry, facts = _entry(run, model), run.read()
    string = str(entry.get("string", model))
    date = str(facts["created"])[:19].replace(":", "-")
    place = out / safe_name(string.partition(":")[2] or model)
    results: dict[str, Any] = {}
    groups: dict[str, Any] = {}
    tasks: dict[str, dict[str, Any]] = {}
    subtasks: dict[str, list[str]] = {}
    configs: dict[str, Any] = {}
    made = [place / f"results_{date}.json"]
    for name, folder in data.items():
        summary = json.loads((folder / "summary.json").read_text("utf-8"))["methods"]["full"]
        named = {uid: _task(uid, name, tasks) for uid in summary["paradigms"]}
        cells = {named[uid]: cell for uid, cell in summary["paradigms"].items()}
        groups[name] = _lm_eval_row(name, summary["overall"], stderr_of=list(cells.values()))
        results[name] = groups[name]
        results |= {task: _lm_eval_row(f" - {task}", cell) for task, cell in cells.items()}
        configs |= {task: _lm_eval_config(task, name) for task in cells}
        subtasks[name] = list(cells)
        tasks |= cells
        for uid, rows in _sets(folder):
            made.append(place / f"samples_{safe_name(named[uid])}_{date}.jsonl")
            samples = [_lm_eval_sample(i, row) for i, row in enumerate(rows)]
            lines = [json.dumps(sample, ensure_ascii=False) for sample in samples]
            write_text(made[-1], "\n".join(lines) + "\n")
    payload = {
        "results": results,
        "groups": groups,
        "group_subtasks": subtasks,
        "configs": configs,
        "versions": dict.fromkeys(tasks, 1.0),
        "n-shot": dict.fromkeys(tasks, 0),
        "higher_is_better": {task: {"acc": True} for task in tasks},
        "n-samples": {t: {"original": c["n"], "effective": c["n"]} for t, c in tasks.items()},
        "config": {
            "model": "hf",
            "model_args": string,
            "batch_size": "auto",
            "device": ModelSpec.parse(string).options.get("device"),
            "limit": facts["request"].get("limit"),
        },
        "git_hash": None,
        "date": facts["created"],
        "model_source": "hf",
        "model_name": string,
        "model_name_sanitized": place.name,
        "task_hashes": dict.fromkeys(tasks, ""),
        "total_evaluation_time_seconds": str(entry.get("seconds", "")),
        "made_by": f"priscian {facts['priscian']}",
    }
    write_json(made[0], payload)
    return made


def _task(uid: str, data: str, taken: Mapping[str, Any]) -> str:
    """A task's name: lm-eval's own, unless an earlier data set has a paradigm of that name."""
    return f"blimp_{uid}" if f"blimp_{uid}" not in taken else f"{data}_{uid}"


def _lm_eval_row(
    alias: str, cell: dict[str, Any], stderr_of: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    def variance(c: dict[str, Any]) -> float:
        return float(c["accuracy"] * (1 - c["accuracy"]) / max(c["n"] - 1, 1))

    parts = stderr_of or [cell]
    stderr = math.sqrt(sum(variance(c) for c in parts)) / len(parts)
    return {"alias": alias, "acc,none": cell["accuracy"], "acc_stderr,none": stderr}


def _lm_eval_config(task: str, data: str) -> dict[str, Any]:
    return {
        "task": task,
        "dataset_path": data,
        "output_type": "multiple_choice",
        "target_delimiter": "",
        "num_fewshot": 0,
    }


def _lm_eval_sample(number: int, row: dict[str, Any]) -> dict[str, Any]:
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
    return hashlib.sha256(text.encode()).hexdigest()


def _entry(run: RunFolder, model: str) -> dict[str, Any]:
    """What `run.json` says of the model whose results are in that folder."""
    models: dict[str, dict[str, Any]] = run.read()["models"]
    return next((m for m in models.values() if m.get("folder") == model), {})


Exporter = Callable[[RunFolder, str, Folders, Path], list[Path]]
FORMATS: dict[str, Exporter] = {
    "lm-eval": _lm_eval,
    "babylm": _babylm,
    "csv": _csv,
    "syntaxgym": syntaxgym,
}
OF_PAIRS = frozenset({"lm-eval", "babylm"})
"""Formats that know minimal pairs alone."""
