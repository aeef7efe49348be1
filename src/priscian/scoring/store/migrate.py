"""Convert a store of version 1 to the current version, inside one transaction.

Version 1 (which wrote `user_version` 0) kept the text's hash, the channel's name, both offsets of
each token and a double in every row.
"""

from __future__ import annotations

import sqlite3
import struct
import zlib
from itertools import groupby

from priscian.records import TokenScores
from priscian.scoring.store.rows import CHANNELS
from priscian.scoring.store.tables import add_model, add_scores, create_tables

BATCH = 2000


def migrate(db: sqlite3.Connection) -> int:
    """Rewrite every row; damaged ones are left out and counted."""
    db.execute("ALTER TABLE models RENAME TO old_models")
    db.execute("ALTER TABLE scores RENAME TO old_scores")
    create_tables(db)
    damaged = 0
    models = db.execute("SELECT id, key, label, fields, created FROM old_models ORDER BY id")
    for old, key, label, fields, created in models.fetchall():
        model = add_model(db, key, label, fields, created)
        rows = db.execute("SELECT channel, text, data FROM old_scores WHERE model = ?", (old,))
        while batch := rows.fetchmany(BATCH):
            good = [(channel, text, s) for channel, text, data in batch if (s := _unpack(data))]
            damaged += len(batch) - len(good)
            good.sort(key=lambda row: CHANNELS.index(row[0]))
            for channel, same in groupby(good, key=lambda row: row[0]):
                add_scores(db, model, key, channel, [(text, s) for _, text, s in same])
    db.execute("DROP TABLE old_scores")
    db.execute("DROP TABLE old_models")
    return damaged


def _unpack(data: bytes) -> TokenScores | None:
    """A row of version 1: checksum, n, then n starts, n ends, n doubles; None if damaged."""
    body = data[4:]
    if len(data) < 8 or zlib.crc32(body) != int.from_bytes(data[:4], "little"):
        return None
    n = int.from_bytes(body[:4], "little")
    try:
        values = struct.unpack(f"<4x{n}i{n}i{n}d", body)
    except struct.error:
        return None
    return TokenScores(values[:n], values[n : 2 * n], values[2 * n :])
