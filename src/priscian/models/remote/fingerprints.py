"""Canaries that were seen before, so that rounding noise does not give a model two keys.

A file in the cache folder for each identity (URL and served model, or the contents of a file). A
canary that agrees with a saved one is the same model and gets the same key; any other is new.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from priscian.files import regular, write_json
from priscian.models.fingerprint import cache_folder
from priscian.models.key import ModelKey
from priscian.models.remote.canary import ROUNDING, Canary

FIELD = "canary"


def saved_canaries(identity: Mapping[str, str]) -> list[Canary]:
    """Every canary that this identity has given, the oldest first."""
    try:
        rows = json.loads(regular(_file(identity)).read_text("utf-8"))["canaries"]
        return [Canary(tuple(map(float, row["logps"])), float(row["error"])) for row in rows]
    except (OSError, ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return []


def settle(identity: Mapping[str, str], canary: Canary) -> Canary:
    """The saved canary of the same model; a canary unlike all saved ones is saved.

    Two are the same if no log-probability differs by more than rounding, or than batching does.
    """
    known = saved_canaries(identity)
    for old in known:
        if old.distance(canary) <= max(ROUNDING, old.error, canary.error):
            return old
    rows = [{"logps": list(c.logps), "error": c.error} for c in (*known, canary)]
    path = _file(identity)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {"identity": dict(identity), "canaries": rows})
    return canary


def key_of(identity: Mapping[str, str], canary: Canary) -> ModelKey:
    """The model key: the identity and the rounded log-probabilities of the canary."""
    digest = hashlib.sha256(canary.rounded.encode()).hexdigest()[:32]
    return ModelKey({**identity, FIELD: digest})


def _file(identity: Mapping[str, str]) -> Path:
    return cache_folder() / "canaries" / f"{ModelKey(identity).digest}.json"
