"""Suites as files: one JSON file each in SyntaxGym's form, and a manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from priscian import __version__
from priscian.datasets.generated import LICENCE, MANIFEST, Watch, prepare, save
from priscian.errors import GrammarError, UsageError
from priscian.suites import SuiteFile, find, generate_suite, suites


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
    prepare(folder)
    facts: dict[str, dict[str, object]] = {}
    failed: dict[str, str] = {}
    for done, name in enumerate(names, 1):
        try:
            data = encode(generate_suite(name, n, seed))
        except GrammarError as error:
            failed[name] = str(error)
        else:
            save(folder / f"{name}.json", data)
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
    save(folder / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())
    return Written(folder, n * len(facts), tuple(folder / f"{name}.json" for name in facts), failed)
