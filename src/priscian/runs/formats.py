"""A run in the file shapes of other tools: lm-evaluation-harness, BabyLM, plain CSV."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.errors import RunError, UnknownNameError
from priscian.models import ModelSpec
from priscian.runs.folder import RunFolder, safe_name, write_json, write_text

if TYPE_CHECKING:
    import polars


def export(run: RunFolder, form: str, out: Path) -> list[Path]:
    """Write a run in another tool's shape; the files that were made."""
    if form not in FORMATS:
        raise UnknownNameError("export format", form, FORMATS)
    results = run.results()
    if not results:
        raise RunError(f"{run.path} has no finished result to export; run score with --resume")
    made: list[Path] = []
    for model, data, folder in results:
        made += FORMATS[form](run, model, data, folder, out)
    return made


def _items(folder: Path, method: str = "full") -> polars.DataFrame:
    import polars

    frame = polars.read_parquet(folder / "items.parquet")
    return frame.filter(polars.col("method") == method)


def _sets(folder: Path, method: str = "full") -> Iterator[tuple[str, list[dict[str, Any]]]]:
    rows = _items(folder, method).to_dicts()
    for name in dict.fromkeys(row["set"] for row in rows):
        yield name, [row for row in rows if row["set"] == name]


def _csv(run: RunFolder, model: str, data: str, folder: Path, out: Path) -> list[Path]:
    import polars

    path = out / f"{model}_{data}.csv"
    frame = polars.read_parquet(folder / "items.parquet")
    write_text(path, frame.insert_column(0, polars.lit(model).alias("model")).write_csv())
    return [path]


def _babylm(run: RunFolder, model: str, data: str, folder: Path, out: Path) -> list[Path]:
    """predictions.json of the BabyLM 2025 pipeline: the chosen sentence of every pair."""
    entry = _entry(run, model)
    backend = "mlm" if entry.get("key", {}).get("provider") == "mlm" else "causal"
    revision = ModelSpec.parse(entry.get("string", model)).revision or "main"
    path = out / model / revision / "zero_shot" / backend / "blimp" / data / "predictions.json"
    predictions = {
        name: {
            "predictions": [
                {
                    "id": f"{name}_{i}",
                    "pred": row["text_good"] if row["correct"] > 0.5 else row["text_bad"],
                }
                for i, row in enumerate(rows)
            ]
        }
        for name, rows in _sets(folder)
    }
    write_json(path, predictions)
    return [path]


def _lm_eval(run: RunFolder, model: str, data: str, folder: Path, out: Path) -> list[Path]:
    """results_DATE.json and samples_TASK_DATE.jsonl as lm-evaluation-harness 0.4 writes them."""
    entry, facts = _entry(run, model), run.read()
    summary = json.loads((folder / "summary.json").read_text("utf-8"))["methods"]["full"]
    date = str(facts["created"])[:19].replace(":", "-")
    place = out / safe_name(str(entry.get("string", model)).partition(":")[2] or model)
    tasks = {f"blimp_{name}": cell for name, cell in summary["paradigms"].items()}
    results = {task: _lm_eval_row(f" - {task}", cell) for task, cell in tasks.items()}
    group = _lm_eval_row(data, summary["overall"], stderr_of=list(tasks.values()))
    payload = {
        "results": {data: group, **results},
        "groups": {data: group},
        "group_subtasks": {data: list(tasks)},
        "configs": {task: _lm_eval_config(task, data) for task in tasks},
        "versions": dict.fromkeys(tasks, 1.0),
        "n-shot": dict.fromkeys(tasks, 0),
        "higher_is_better": {task: {"acc": True} for task in tasks},
        "n-samples": {t: {"original": c["n"], "effective": c["n"]} for t, c in tasks.items()},
        "config": {
            "model": "hf",
            "model_args": str(entry.get("string", model)),
            "batch_size": "auto",
            "device": entry.get("key", {}).get("device"),
            "limit": facts["request"].get("limit"),
        },
        "git_hash": None,
        "date": facts["created"],
        "model_source": "hf",
        "model_name": str(entry.get("string", model)),
        "model_name_sanitized": place.name,
        "task_hashes": dict.fromkeys(tasks, ""),
        "total_evaluation_time_seconds": str(entry.get("seconds", "")),
        "made_by": f"priscian {facts['priscian']}",
    }
    made = [place / f"results_{date}.json"]
    write_json(made[0], payload)
    for name, rows in _sets(folder):
        path = place / f"samples_blimp_{name}_{date}.jsonl"
        lines = [
            json.dumps(_lm_eval_sample(i, row), ensure_ascii=False) for i, row in enumerate(rows)
        ]
        write_text(path, "\n".join(lines) + "\n")
        made.append(path)
    return made


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
        "target": 0,
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


Exporter = Callable[[RunFolder, str, str, Path, Path], list[Path]]
FORMATS: dict[str, Exporter] = {"lm-eval": _lm_eval, "babylm": _babylm, "csv": _csv}
