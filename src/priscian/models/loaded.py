"""Load something whose key, and files, stay the same meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from priscian.errors import ModelError
from priscian.models.fingerprint import Files, changed_files, files_hashed
from priscian.models.key import ModelKey
from priscian.models.spec import ModelSpec

T = TypeVar("T")


def load_unchanged(
    spec: ModelSpec,
    find_key: Callable[[], ModelKey],
    load: Callable[[], T],
    key: ModelKey | None = None,
    before: Files | None = None,
) -> tuple[T, ModelKey, Files]:
    """Load something whose key, and files, are the same before and after; and `key`, if given.

    With `before`, the files that were just hashed for `key`, they are not hashed once more.
    """
    found = key
    if before is None or found is None:
        with files_hashed() as before:
            found = find_key()
        if key is not None and found != key:
            raise other_key(spec)
    with files_hashed() as during:
        loaded = load()
    with files_hashed() as after:
        again = find_key()
    if (
        again != found
        or any(after.get(p) != h for p, h in before.items())
        or any(after.get(p, h) != h for p, h in during.items())
    ):
        raise other_key(spec)
    return loaded, found, before | during


def refuse_changed(spec: ModelSpec, files: Files) -> None:
    """Refuse a model one of whose files has other contents than when it was hashed."""
    if changed := changed_files(files):
        raise ModelError(
            f"{changed[0]} has changed since {spec.label} was loaded; what was scored before is "
            "kept; run again when the model's files are complete"
        )


def other_key(spec: ModelSpec) -> ModelError:
    """The error for a model that is not the one whose key was computed."""
    return ModelError(
        f"{spec.label} changed while it was being loaded, so nothing of it was kept; run the same "
        "command again when its files are complete"
    )
