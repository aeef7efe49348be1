"""A store as version 1 wrote it, by raw SQL."""

from __future__ import annotations

import json
import sqlite3
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path

from priscian.models import ModelKey
from priscian.records import Text, TokenScores

SCHEMA = """
CREATE TABLE IF NOT EXISTS models (
    id INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, label TEXT NOT NULL,
    fields TEXT NOT NULL, created REAL NOT NULL);
CREATE TABLE IF NOT EXISTS scores (
    model INTEGER NOT NULL, text BLOB NOT NULL, channel TEXT NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (model, text, channel)) WITHOUT ROWID;
"""
OldRow = tuple[ModelKey, str, Text, TokenScores]  # key, channel, text, scores


def pack(scores: TokenScores) -> bytes:
    n = len(scores)
    body = struct.pack(f"<I{n}i{n}i{n}d", n, *scores.starts, *scores.ends, *scores.logps)
    return struct.pack("<I", zlib.crc32(body)) + body


def write_old_store(path: Path, rows: Iterable[OldRow]) -> None:
    """Rows as they were, in a file with `user_version` 0."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode=WAL")
    db.executescript(SCHEMA)
    for key, channel, text, scores in rows:
        fields = json.dumps(dict(key.fields), sort_keys=True)
        db.execute(
            "INSERT OR IGNORE INTO models (key, label, fields, created) VALUES (?, ?, ?, ?)",
            (key.digest, f"label of {key.digest[:4]}", fields, 1.7e9),
        )
        (model,) = db.execute("SELECT id FROM models WHERE key = ?", (key.digest,)).fetchone()
        row = (model, text.hash, channel, pack(scores))
        db.execute("INSERT OR IGNORE INTO scores VALUES (?, ?, ?, ?)", row)
    db.commit()
    db.close()
