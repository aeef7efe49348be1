"""Content hashes of model files, memoised by path, size and times in the cache folder."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from priscian.errors import ModelError
from priscian.files.cache import cache_folder as cache_folder
from priscian.files.digest import hash_of

WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.gguf", "*.safetensors.index.json")
TOKENIZER = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.*",
    "merges.txt",
    "*.model",
    "tekken.json",
)
CONFIG = ("config.json", "*.py")


def hash_file(path: Path) -> str:
    """SHA-256 of a file; read again only when its size, times or inode have changed."""
    try:
        stat = path.stat()
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from None
    stamp = f"{path.resolve()}|{stat.st_size}|{stat.st_mtime_ns}|{stat.st_ctime_ns}|{stat.st_ino}"
    with contextlib.closing(_open_memo()) as memo:
        row = memo.execute("SELECT hash FROM files WHERE stamp = ?", (stamp,)).fetchone()
        if row is not None:
            return str(row[0])
        digest = hash_of(path)
        with (
            contextlib.suppress(sqlite3.OperationalError),
            memo,
        ):  # losing a memo only costs time
            memo.execute("INSERT OR REPLACE INTO files VALUES (?, ?)", (stamp, digest))
    return digest


def hash_folder(folder: Path, patterns: Iterable[str]) -> str:
    """One hash over the names and contents of all files that match."""
    found = sorted({p for pattern in patterns for p in folder.glob(pattern) if p.is_file()})
    total = hashlib.sha256()
    for path in found:
        total.update(f"{path.name}={hash_file(path)}\n".encode())
    return total.hexdigest()


def _open_memo() -> sqlite3.Connection:
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        memo = sqlite3.connect(folder / "hashes.sqlite", timeout=30)
        memo.execute("CREATE TABLE IF NOT EXISTS files (stamp TEXT PRIMARY KEY, hash TEXT)")
    except (OSError, sqlite3.DatabaseError):
        memo = sqlite3.connect(":memory:")
        memo.execute("CREATE TABLE files (stamp TEXT PRIMARY KEY, hash TEXT)")
    return memo
