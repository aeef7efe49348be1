"""How many tokens models were trained on: from a table, or as MODEL=1M."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from priscian.analysis.named_results import FORCED_CHOICE, forced_choices
from priscian.errors import DataError, PriscianWarning, UsageError
from priscian.files import read_table, shown
from priscian.runs import Result, Run

UNITS = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12}
SIZE = re.compile(r"(\d+(?:\.\d+)?(?:e\d+)?)(?:/(\d+))?\s*([kmbgt]?)", re.IGNORECASE)

COLUMNS = ("model", "tokens", "run", "curve")

Sizes = dict[tuple[str, str], tuple[float, str]]
"""Tokens and curve, by run (empty: any run) and model."""


@dataclass(frozen=True, slots=True)
class TrainedResult:
    """A result, how many tokens its model was trained on, and the curve it belongs to."""

    result: Result
    tokens: float
    curve: str = ""


def parse_tokens(text: str, where: str) -> float:
    """A number of tokens.

    >>> parse_tokens("1/2M", "here"), parse_tokens("3.1B", "here")
    (500000.0, 3100000000.0)
    """
    match = SIZE.fullmatch(text.strip().replace(",", "").replace("_", ""))
    value = 0.0
    if match and (match[2] is None or int(match[2])):
        value = float(match[1]) / int(match[2] or 1) * UNITS[match[3].lower()]
    if not 0 < value < math.inf:
        raise UsageError(
            f"{where}: {shown(text)} is not a number of tokens; write 250k, 1/2M or 3.1B"
        )
    return value


def known_sizes(table: Path | None, tokens: Mapping[str, str | float] | Sequence[str]) -> Sizes:
    """Training sizes from a table and by model: `{"lstm": "1M"}` or `["lstm=1M"]`."""
    known: Sizes = read_sizes(table) if table is not None else {}
    if not isinstance(tokens, Mapping):
        pairs = [(text, text.rpartition("=")) for text in tokens]
        for text, (model, _, _) in pairs:
            if not model:
                raise UsageError(f"`tokens=` takes MODEL=1M, not {text!r}")
        tokens = {model: size for _, (model, _, size) in pairs}
    for model, size in tokens.items():
        value = (
            parse_tokens(size, f"`tokens={model}={size}`") if isinstance(size, str) else float(size)
        )
        known["", model] = (value, "")
    return known


def read_sizes(file: Path) -> Sizes:
    """Training sizes from a table with the columns model, tokens and optionally run and curve."""
    found: Sizes = {}
    for number, row in read_table(file, needs=("model", "tokens")):
        model, size, run, curve = (str(row.get(name) or "") for name in COLUMNS)
        value = (parse_tokens(size, f"{file}:{number}"), curve)
        if found.setdefault((run.rstrip("/"), model), value) != value:
            raise DataError(
                f"{file}:{number}: another row gives {shown(model)} another size; keep one of "
                "the two"
            )
    return found


def trained_models(runs: Sequence[Run], sizes: Sizes) -> list[TrainedResult]:
    """The results on pairs whose training size is known; a note names the others.

    If a model was scored on several data sets, each of them has curves of its own: `lstm on blimp`.
    """
    scored = forced_choices(result for run in runs for result in run.results)
    made: list[TrainedResult] = []
    used: dict[tuple[str, str], set[str]] = {}
    for run in runs:
        path = run.path or Path()
        names = (str(path).rstrip("/"), path.resolve().name, "")
        for result in run.results:
            if result.kind not in FORCED_CHOICE:
                continue
            key = next((k for n in names if (k := (n, result.model)) in sizes), None)
            if key is None:
                warnings.warn(
                    f"{result.model} of {path} is left out: its training size is not given; "
                    f"add `tokens={result.model}=1M`",
                    PriscianWarning,
                    stacklevel=3,
                )
                continue
            used.setdefault(key, set()).add(result.data)
            made.append(TrainedResult(result, *sizes[key]))
    for run_name, model in sizes.keys() - used.keys():
        raise DataError(
            f"no result of {model!r}{f' in {run_name}' if run_name else ''} on minimal pairs; the "
            f"runs have {', '.join(dict.fromkeys(result.model for result in scored))}"
        )
    if any(len(names) > 1 for names in used.values()):
        return [
            replace(t, curve=f"{t.curve} on {t.result.data}" if t.curve else t.result.data)
            for t in made
        ]
    data = {t.result.data for t in made}
    if len(data) > 1:
        warnings.warn(
            f"the models were scored on data of different names: {', '.join(sorted(data))}; "
            "curves use the paradigms that they share",
            PriscianWarning,
            stacklevel=3,
        )
    return made
