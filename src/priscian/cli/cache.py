"""`priscian cache`: what the score store contains, and how to free space."""

from __future__ import annotations

import json
import time
from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from priscian.cli.screen import out
from priscian.errors import UnknownNameError, UsageError, counted
from priscian.scoring import ScoreStore
from priscian.scoring.store.database import stored_bytes
from priscian.scoring.store.scores import default_store, read_default

cache_app = App(
    name="priscian cache",
    help_format="plaintext",
    version_flags=(),
    help="List the score store, or delete a model's scores.",
)


@cache_app.command(name="list")
def cache_list(*, json_: Annotated[bool, Parameter(name="--json", negative="")] = False) -> None:
    """Models in the store, with the number of texts and the space they take.

    Parameters
    ----------
    json_
        Print JSON.
    """
    with read_default() as store:
        models = store.models()
    path = default_store()
    whole = stored_bytes(path)
    if json_:
        rows = [
            {"key": m.key, "label": m.label, "texts": m.texts, "bytes": m.bytes} for m in models
        ]
        shown = {"store": str(path), "bytes": whole, "models": rows}
        print(json.dumps(shown, ensure_ascii=False))
        return
    made = Table(title=f"{path}", title_justify="left")
    for name in ("key", "model", "texts", "size", "first used"):
        made.add_column(name, justify="right" if name in {"texts", "size"} else "left")
    for m in models:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(m.created))
        made.add_row(m.key[:12], m.label, f"{m.texts:,}", _size(m.bytes), when)
    out().print(made)
    print(f"{counted(len(models), 'model')}, {_size(whole)} with the texts that they share")


@cache_app.command(name="size")
def cache_size() -> None:
    """Space that the store takes on disk."""
    print(f"{_size(stored_bytes(default_store()))}\t{default_store()}")


@cache_app.command(name="prune")
def cache_prune(
    *models: str, all_: Annotated[bool, Parameter(name="--all", negative="")] = False
) -> None:
    """Delete the scores of some models.

    If another process is scoring one of them, it computes the scores that it needs again.

    Parameters
    ----------
    models
        Keys, beginnings of keys, or labels, as `priscian cache list` shows them.
    all_
        Every model.
    """
    if not models and not all_:
        raise UsageError("name the models to delete, or --all; priscian cache list shows them")
    with ScoreStore.default() as store:
        known = store.models()
        chosen = {m.key for m in known} if all_ else set()
        for name in models:
            found = {m.key for m in known if m.label == name}
            found = found or {m.key for m in known if name and m.key.startswith(name)}
            if not found:
                raise UnknownNameError("model in the store", name, [m.label for m in known])
            if len(found) > 1 and not any(m.label == name for m in known):
                raise UsageError(f"{len(found)} keys begin with {name!r}; write more of the key")
            chosen |= found
        pruned = store.prune(chosen)
        left = store.size()
    what = f"{counted(pruned.models, 'model')} with scores of {counted(pruned.texts, 'text')}"
    print(f"removed {what}; the store takes {_size(left)} now")


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
