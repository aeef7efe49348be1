"""Suites as files: one JSON file each in SyntaxGym's form, and a manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from priscian import __version__
from priscian.errors import DataError, GrammarError, UsageError
from priscian.lexicon import load_lexicon
from priscian.suites.generate import SuiteFile, generate_suite
from priscian.suites.registry import find, suites

LICENCE = "CC-BY-4.0"
MANIFEST = "manifest.json"

Watch = Callable[[str, int, int], None]  # what, suites done, suites in all


@dataclass(frozen=True, slots=True)
class Written:
    """What was written, and the suites that could not be."""

    folder: Path
    items: int
    files: tuple[Path, ...]
    failed: dict[str, str] = field(default_factory=dict)


def encode(suite: SuiteFile) -> bytes:
    """The bytes of a suite's file."""
    return (json.dumps(suite, indent=1, ensure_ascii=False) + "\n").encode()


def write_suites(
    folder: Path,
    *,
    seed: int,
    n: int = 100,
    only: Sequence[str] = (),
    watch: Watch = lambda what, done, total: None,
) -> Written:
    """One file a suite and a manifest; the same seed and version give the same bytes.

    A suite that fails is named, and the others go on.
    """
    if n < 1:
        raise UsageError(f"--n {n} asks for no items; give 1 or more")
    names = [find(name).name for name in dict.fromkeys(only)] or list(suites())
    load_lexicon()  # a malformed row is one error, not one for each suite
    _prepare(folder)
    facts: dict[str, dict[str, object]] = {}
    failed: dict[str, str] = {}
    for done, name in enumerate(names, 1):
        try:
            data = encode(generate_suite(name, n, seed))
        except GrammarError as error:
            failed[name] = str(error)
        else:
            _save(folder / f"{name}.json", data)
            facts[name] = {"items": n, "sha256": hashlib.sha256(data).hexdigest()}
        watch("generating", done, len(names))
    manifest = {
        "name": "Priscian suites",
        "licence": LICENCE,
        "generator": f"priscian {__version__}",
        "seed": seed,
        "items_per_suite": n,
        "files": {f"{name}.json": facts[name] for name in sorted(facts)},
    }
    _save(folder / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())
    return Written(folder, n * len(facts), tuple(folder / f"{name}.json" for name in facts), failed)


def _prepare(folder: Path) -> None:
    """An empty folder to write to; nothing is ever overwritten."""
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise DataError(f"{folder} exists and is not empty; give --out a new folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot make {folder}: {error.strerror}; give another --out") from None


def _save(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise DataError(
            f"cannot write {path}: {error.strerror}; free space or change --out"
        ) from None
