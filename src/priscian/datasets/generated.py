"""Fresh minimal pairs from a seed: as files in BLiMP's schema, or straight into a score."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from priscian import __version__
from priscian.datasets.prefixes import CONTRASTS, Method
from priscian.errors import DataError, GrammarError, PriscianError, UsageError
from priscian.lexicon import load_lexicon
from priscian.paradigms import Paradigm, find, generate_items, generate_rows, paradigms
from priscian.records import ItemSet
from priscian.workers import can_fork, run_batches

LICENCE = "CC-BY-4.0"
MANIFEST = "manifest.json"
METHODS: dict[str | None, Method | None] = {"one": "one_prefix", "two": "two_prefix", None: None}

Watch = Callable[[str, int, int], None]  # what, paradigms done, paradigms in all


@dataclass(frozen=True, slots=True)
class Generated:
    """What was written, and the paradigms that could not be."""

    folder: Path
    pairs: int
    files: tuple[Path, ...]
    failed: dict[str, str] = field(default_factory=dict)


def choose(only: Sequence[str] = (), among: Sequence[Paradigm] = ()) -> list[Paradigm]:
    """The paradigms that are asked for; all 67 where none is named."""
    if among:
        return list(among)
    if only:
        return [find(uid) for uid in dict.fromkeys(only)]
    return [p for p in paradigms().values() if not p.extra]


def write_generated(
    folder: Path,
    *,
    seed: int,
    n: int = 1000,
    chosen: Sequence[Paradigm] = (),
    jobs: int = 1,
    watch: Watch = lambda what, done, total: None,
) -> Generated:
    """One JSONL file a paradigm and a manifest; the same seed and version give the same bytes.

    A paradigm that fails is named, and the others go on.
    """
    if n < 1:
        raise UsageError(f"--n {n} asks for no pairs; give 1 or more")
    chosen = list(chosen) or choose()
    prepare(folder)
    facts: dict[str, dict[str, Any]] = {}
    failed: dict[str, str] = {}
    for done, (uid, data, error) in enumerate(_encoded(chosen, n, seed, jobs), 1):
        watch("generating", done, len(chosen))
        if error:
            failed[uid] = error
            continue
        save(folder / f"{uid}.jsonl", data)
        facts[uid] = {"pairs": n, "sha256": hashlib.sha256(data).hexdigest()}
    manifest = {
        "name": "Priscian minimal pairs",
        "licence": LICENCE,
        "generator": f"priscian {__version__}",
        "seed": seed,
        "pairs_per_paradigm": n,
        "content_hash": _content_hash(facts),
        "files": {f"{uid}.jsonl": facts[uid] for uid in sorted(facts)},
    }
    save(folder / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())
    files = tuple(folder / f"{p.uid}.jsonl" for p in chosen if p.uid in facts)
    in_order = {p.uid: failed[p.uid] for p in chosen if p.uid in failed}
    return Generated(folder, n * len(facts), files, in_order)


def prepare(folder: Path) -> None:
    """The lexicon read and an empty folder to write to; nothing is ever overwritten."""
    load_lexicon()  # a malformed row is one error before any work, not one for each file
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise DataError(f"{folder} exists and is not empty; give --out a new folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot make {folder}: {error.strerror}; give another --out") from None


def _encoded(
    chosen: Sequence[Paradigm], n: int, seed: int, jobs: int
) -> Iterator[tuple[str, bytes, str]]:
    """Each paradigm's file, as it is ready."""
    jobs = jobs if can_fork() else 1
    remedy = "run again with --jobs 1 and a new --out"
    for _, made in run_batches(
        lambda i: _encode(chosen[i], n, seed), range(len(chosen)), jobs, remedy
    ):
        yield made


def _encode(paradigm: Paradigm, n: int, seed: int) -> tuple[str, bytes, str]:
    """A paradigm's file, or what went wrong with it."""
    try:
        rows = list(generate_rows(paradigm, n, seed))
    except PriscianError as error:
        return paradigm.uid, b"", str(error)
    except Exception as error:  # a user's paradigm may fail in any way
        return paradigm.uid, b"", f"{paradigm.uid} raised {type(error).__name__}: {error}"
    return paradigm.uid, msgspec.json.Encoder().encode_lines(rows), ""


def _content_hash(facts: dict[str, dict[str, Any]]) -> str:
    lines = "".join(f"{uid}={facts[uid]['sha256']}\n" for uid in sorted(facts))
    return hashlib.sha256(lines.encode()).hexdigest()


def save(path: Path, data: bytes) -> None:
    """Write one file of a generated set."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise DataError(
            f"cannot write {path}: {error.strerror}; free space or change --out"
        ) from None


def generated_sets(seed: int, n: int, only: Sequence[str] = ()) -> list[ItemSet]:
    """Fresh pairs as item sets, without files."""
    sets = []
    for paradigm in choose(only):
        try:
            items = tuple(generate_items(paradigm, n, seed))
        except GrammarError as error:
            raise DataError(str(error)) from None
        sets.append(
            ItemSet(
                name=paradigm.uid,
                items=items,
                contrasts=CONTRASTS[METHODS[paradigm.prefix]],
                taxonomy=(paradigm.field, paradigm.phenomenon),
                licence=LICENCE,
                reference=f"priscian {__version__}, seed {seed}",
            )
        )
    return sets


def read_generated(
    target: str, *, good: str | None = None, bad: str | None = None
) -> list[ItemSet]:
    """`generated:SEED` or `generated:SEED,N`: N fresh pairs of each paradigm (100 by default)."""
    seed, _, n = target.partition(",")
    if not seed.isdigit() or (n and not n.isdigit()) or n == "0":
        raise UsageError(f"'generated:{target}' should be generated:SEED or generated:SEED,N")
    return generated_sets(int(seed), int(n or 100))
