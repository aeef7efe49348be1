"""Content hashes of model files, memoised by path, size and times in the cache folder."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import ModelError
from priscian.files.cache import cache_folder as cache_folder
from priscian.files.reading import Stamp, regular

WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.gguf", "*.index.json")
TOKENIZER = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "*vocab*",
    "merges.txt",
    "*.model",
    "*.spm",
    "bpe.codes",
    "normalizer.json",
    "tekken.json",
)
CONFIG = ("config.json", "adapter_config.json", "*.py")
_DIGEST = re.compile("[0-9a-f]{64}")
SETTLED = 2 * 10**9
"""Nanoseconds after which a second write must give a file another time, on any file system."""


@dataclass(frozen=True, slots=True)
class Hashed:
    """A file's contents, and the stamp that it had when they were hashed."""

    digest: str
    stamp: Stamp


Files = dict[Path, Hashed]

_watching: ContextVar[Files | None] = ContextVar("_watching", default=None)


@contextlib.contextmanager
def files_hashed() -> Iterator[Files]:
    """Collects every file that is hashed meanwhile."""
    found: Files = {}
    token = _watching.set(found)
    try:
        yield found
    finally:
        _watching.reset(token)
        outer = _watching.get()
        if outer is not None:
            outer.update(found)


def hash_file(path: Path) -> str:
    """SHA-256 of a file; read again only when its size, times or inode have changed.

    A file that is written meanwhile is refused. What other processes wrote through memory maps is
    flushed first: only then does their next write change the file's time.
    """
    try:
        with regular(path).open("rb") as file:
            with contextlib.suppress(OSError):  # some file systems cannot
                os.fsync(file.fileno())
            stamp = Stamp.of(os.fstat(file.fileno()))
            key = f"{path.resolve()}|{stamp.size}|{stamp.modified}|{stamp.changed}|{stamp.inode}"
            digest = _known(key)
            if digest is None:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                if Stamp.of(os.fstat(file.fileno())) != stamp:
                    raise ModelError(f"{path} is being written; run again when it is complete")
                if time.time_ns() - max(stamp.modified, stamp.changed) > SETTLED:
                    with _memo() as memo:
                        memo.execute("INSERT OR REPLACE INTO files VALUES (?, ?)", (key, digest))
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from None
    watching = _watching.get()
    if watching is not None:
        watching[path.absolute()] = Hashed(digest, stamp)
    return digest


def read_bytes(path: Path) -> bytes:
    """The contents of a model's file."""
    try:
        return regular(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelError(
            f"cannot read {path}: {reason}; check the path and its permissions"
        ) from None


def hash_folder(folder: Path, patterns: Iterable[str]) -> str:
    """One hash over the names and contents of all files that match."""
    found = sorted({p for pattern in patterns for p in folder.glob(pattern) if p.is_file()})
    total = hashlib.sha256()
    for path in found:
        total.update(f"{path.name}={hash_file(path)}\n".encode())
    return total.hexdigest()


def hashed_again(files: Files) -> Files:
    """The files as they are now; only those whose stamps differ are read again."""
    with files_hashed() as found:
        for path, hashed in files.items():
            if path.is_file() and Stamp.of(path.stat()) == hashed.stamp:
                found[path] = hashed
            else:
                hash_file(path)
    return found


def changed_files(files: Files) -> list[Path]:
    """The files that now have other contents; removed ones were read before and do not count."""
    changed = []
    for path, hashed in files.items():
        with contextlib.suppress(FileNotFoundError):
            if Stamp.of(path.stat()) != hashed.stamp and hash_file(path) != hashed.digest:
                changed.append(path)
    return changed


def _known(key: str) -> str | None:
    """The hash that is remembered for a path, size and times."""
    row = None
    with _memo() as memo:
        row = memo.execute("SELECT hash FROM files WHERE stamp = ?", (key,)).fetchone()
    digest = None if row is None else str(row[0])
    return digest if digest and _DIGEST.fullmatch(digest) else None


@contextlib.contextmanager
def _memo() -> Iterator[sqlite3.Connection]:
    """The remembered hashes; losing them only costs time."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        memo = sqlite3.connect(folder / "hashes.sqlite", timeout=30)
        memo.execute("CREATE TABLE IF NOT EXISTS files (stamp TEXT PRIMARY KEY, hash TEXT)")
    except (OSError, sqlite3.DatabaseError):
        memo = sqlite3.connect(":memory:")
        memo.execute("CREATE TABLE files (stamp TEXT PRIMARY KEY, hash TEXT)")
    with contextlib.closing(memo), contextlib.suppress(sqlite3.DatabaseError), memo:
        yield memo
