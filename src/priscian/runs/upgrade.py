"""Converts run folders of older versions. No other module knows their form.

Format 1 (Priscian 0.1) had no `kind`: it was inferred from the keys of a summary. Folders were
named after models and data, with some characters replaced. Its tables lacked the columns model,
data and the classes of the taxonomy, and counted unknown words only for word-level models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.runs.facts import FORMAT, DataFacts
from priscian.runs.tables import name_columns

if TYPE_CHECKING:
    import polars

    from priscian.runs.result import OpenTable

Json = dict[str, Any]
BY_FORMAT = {"sg": "suites", "li-adger": "graded", "graded": "graded", "cola": "labels"}
LEVELS = {"suites": ("circuit",)} | dict.fromkeys(
    ("pairs", "graded", "labels"), ("field", "phenomenon")
)
PLURALS = ("overall", "fields", "phenomena", "paradigms")


def upgrade_run(raw: Json, path: Path, read_json: Callable[[Path], Json]) -> Json:
    """`run.json` of format 1; kinds are inferred from the summaries.

    A ValueError says what is invalid.
    """
    request = _object(raw, "request")
    models = {}
    for name in _object(raw, "models"):
        about = _object(raw["models"], name)
        models[name] = {"string": name, "folder": _safe_name(name), **about}
    data = {}
    for name in _object(request, "data"):
        facts = _object(request["data"], name)
        spec = str(facts.get("spec", name))
        places = (
            path / str(m["folder"]) / _safe_name(name) / "summary.json" for m in models.values()
        )
        found = next((_kind(read_json(p)) for p in places if _is_inside(p, path)), None)
        data[name] = {
            "levels": (),
            **facts,
            "spec": spec,
            "kind": found or _kind_of(spec, facts),
            "folder": _safe_name(name),
        }
    return {
        "priscian": "0.1.0",
        "created": "",
        "status": "running",
        **raw,
        "format": FORMAT,
        "request": {**request, "data": data},
        "models": models,
    }


def upgrade_summary(raw: Json) -> Json:
    """`summary.json` of format 1."""
    found = {**raw, "format": FORMAT, "kind": _kind(raw)}
    methods = raw.get("methods")
    if isinstance(methods, dict):
        found["methods"] = {name: _method(cells) for name, cells in methods.items()}
    for name, default in (("tie", "wrong"), ("predictions", "first"), ("eos", "exclude"),
                          ("punctuation", "attached"), ("boundary", "plain")):  # fmt: skip
        found.setdefault(name, default)
    return found


def upgraded_tables(
    open_table: OpenTable, model: str, data_name: str, data: DataFacts
) -> OpenTable:
    """Tables with the current columns, whichever version wrote them."""

    def upgraded(name: str) -> polars.LazyFrame | None:
        frame = open_table(name)
        if frame is None or "model" in frame.collect_schema().names():
            return frame
        return _with_columns(frame, name_columns(model, data_name, data, LEVELS.get(data.kind, ())))

    return upgraded


def _with_columns(frame: polars.LazyFrame, first: list[polars.Expr]) -> polars.LazyFrame:
    import polars

    names = frame.collect_schema().names()
    if "set" not in names:
        return frame
    added = {expression.meta.output_name() for expression in first}
    texts = [n for n in names if n.startswith("text_")]
    counts = [n.replace("text_", "oov_", 1) for n in texts]
    lacking = [polars.lit(None, polars.Int64).alias(n) for n in counts if n not in names]
    before = [n for n in names if n not in texts and n not in added]
    return frame.select(*first, *before, *lacking, *texts)


def _kind(summary: Mapping[str, Any]) -> str:
    if "sg" in summary:
        return "suites"
    if "labels" in summary:
        return "labels"
    return "graded" if "graded" in summary else "pairs"


def _kind_of(spec: str, facts: Mapping[str, Any]) -> str:
    """The kind of data without results: by its format, or the name of its classes."""
    by_level = "suites" if facts.get("levels") == ["circuit"] else "pairs"
    return BY_FORMAT.get(spec.partition(":")[0], by_level)


def _method(cells: Any) -> Any:
    """Levels of other names than field and phenomenon had keys of their own."""
    if not isinstance(cells, dict):
        return cells
    others = {k.removesuffix("s"): v for k, v in cells.items() if k not in PLURALS}
    return {**{k: v for k, v in cells.items() if k in PLURALS}, "levels": others}


def _safe_name(name: str) -> str:
    return re.sub(r"[^\w.@=+,-]+", "-", name).strip("-.") or "unnamed"


def _is_inside(file: Path, folder: Path) -> bool:
    return file.is_file() and file.resolve().is_relative_to(folder.resolve())


def _object(raw: Json, key: str) -> Json:
    found = raw.get(key)
    if not isinstance(found, dict):
        raise ValueError(f"{key} is not a JSON object")
    return found
