"""The tables of the store, and how rows are added.

A row of `scores` has only integers and values. Texts and token offsets are kept once for all
models, so a sweep over checkpoints stores them once. Ids of models and texts are never reused,
and every function here looks them up inside the transaction that its caller has started:
nothing is remembered from one transaction to the next.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

from priscian.errors import StoreError
from priscian.records import TokenScores
from priscian.scoring.store.rows import CHANNELS, owner, pack_offsets, pack_values, seal

VERSION = 2
SCHEMA = (
    """CREATE TABLE models (
        id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE NOT NULL, label TEXT NOT NULL,
        fields TEXT NOT NULL, created REAL NOT NULL,
        texts INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0)""",
    "CREATE TABLE texts (id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB UNIQUE NOT NULL)",
    """CREATE TABLE offsets (
        text INTEGER NOT NULL, number INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (text, number)) WITHOUT ROWID""",
    """CREATE TABLE scores (
        model INTEGER NOT NULL, text INTEGER NOT NULL, channel INTEGER NOT NULL,
        offsets INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (model, text, channel)) WITHOUT ROWID""",
)
CHUNK = 500
T = TypeVar("T")
ROW_BYTES = 20
"""Approximate overhead of SQLite per row, in bytes."""


def create_tables(db: sqlite3.Connection) -> None:
    """Create the tables of an empty store; commit them together with the version."""
    for statement in SCHEMA:
        db.execute(statement)
    db.execute(f"PRAGMA user_version={VERSION}")


def add_model(
    db: sqlite3.Connection, key: str, label: str, fields: str, created: float | None = None
) -> int:
    """Add a new model and return its id."""
    cursor = db.execute(
        "INSERT INTO models (key, label, fields, created) VALUES (?, ?, ?, ?)",
        (key, label, fields, time.time() if created is None else created),
    )
    return int(cursor.lastrowid or 0)


def find_model(db: sqlite3.Connection, key: str) -> tuple[int, int] | None:
    """A model's id and the number of its texts; None if there is no such model."""
    row: tuple[int, int] | None = db.execute(
        "SELECT id, texts FROM models WHERE key = ?", (key,)
    ).fetchone()
    return row


def add_scores(
    db: sqlite3.Connection,
    model: int,
    key: str,
    channel: str,
    rows: Sequence[tuple[bytes, TokenScores]],
) -> None:
    """Add scores of some texts, given by hash; existing scores are not changed."""
    number = CHANNELS.index(channel)
    unique: dict[bytes, TokenScores] = {}
    for text, scores in rows:
        if not len(scores.starts) == len(scores.ends) == len(scores.logps):
            raise StoreError("token scores need as many starts and ends as values")
        unique.setdefault(text, scores)
    known = find_texts(db, list(unique))
    there = _find_rows(db, model, list(known.values()))
    new = [text for text in unique if (known.get(text), number) not in there]
    ids = known | _add_texts(db, [text for text in new if text not in known])
    offsets = pack_offsets([unique[text] for text in new])
    numbers = _add_offsets(db, [ids[text] for text in new], offsets, set(known.values()))
    values = pack_values([unique[text] for text in new])
    start = owner(key, number)
    packed = [
        (model, ids[text], number, n, seal(start, text, o, v))
        for text, n, o, v in zip(new, numbers, offsets, values, strict=True)
    ]
    db.executemany("INSERT INTO scores VALUES (?, ?, ?, ?, ?)", packed)
    scored = {text for text, _ in there}
    db.execute(
        "UPDATE models SET texts = texts + ?, bytes = bytes + ? WHERE id = ?",
        (
            sum(text not in scored for _, text, *_ in packed),
            sum(ROW_BYTES + len(data) for *_, data in packed),
            model,
        ),
    )


def find_texts(db: sqlite3.Connection, hashes: Sequence[bytes]) -> dict[bytes, int]:
    """Ids of the texts that are in the store."""
    ids: dict[bytes, int] = {}
    for chunk, marks in chunks(sorted(hashes)):  # in the order of the index
        ids.update(db.execute(f"SELECT hash, id FROM texts WHERE hash IN ({marks})", chunk))
    return ids


def _find_rows(
    db: sqlite3.Connection, model: int, texts: Sequence[int]
) -> set[tuple[int | None, int]]:
    """Texts and channels for which a model has rows."""
    there: set[tuple[int | None, int]] = set()
    for chunk, marks in chunks(texts):
        there.update(
            db.execute(
                f"SELECT text, channel FROM scores WHERE model = ? AND text IN ({marks})",
                (model, *chunk),
            )
        )
    return there


def _add_texts(db: sqlite3.Connection, hashes: Sequence[bytes]) -> dict[bytes, int]:
    """Ids for new texts."""
    if not hashes:
        return {}
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'texts'").fetchone()
    first = 1 + (int(row[0]) if row else 0)
    added = {text: first + i for i, text in enumerate(hashes)}
    db.executemany("INSERT INTO texts (hash, id) VALUES (?, ?)", added.items())
    return added


def _add_offsets(
    db: sqlite3.Connection, texts: Sequence[int], offsets: Sequence[bytes], known: set[int]
) -> list[int]:
    """For each text the number of its offsets; those of known texts are compared byte by byte."""
    old = [text for text in texts if text in known]
    if not old:
        rows = [(text, 0, data) for text, data in zip(texts, offsets, strict=True)]
        db.executemany("INSERT INTO offsets VALUES (?, ?, ?)", rows)
        return [0] * len(texts)
    kept: dict[int, dict[bytes, int]] = {}
    for chunk, marks in chunks(old):
        for text, number, data in db.execute(
            f"SELECT text, number, data FROM offsets WHERE text IN ({marks})", chunk
        ):
            kept.setdefault(text, {})[data] = number
    numbers: list[int] = []
    new: list[tuple[int, int, bytes]] = []
    for text, data in zip(texts, offsets, strict=True):
        here = kept.get(text, {})
        number = here.get(data)
        if number is None:
            number = 1 + max(here.values(), default=-1)
            new.append((text, number, data))
        numbers.append(number)
    db.executemany("INSERT INTO offsets VALUES (?, ?, ?)", new)
    return numbers


def remove_models(db: sqlite3.Connection, ids: Sequence[int]) -> None:
    """Remove models with their scores, and texts for which no other model has scores."""
    if {model for (model,) in db.execute("SELECT id FROM models")} <= set(ids):
        for table in ("scores", "offsets", "texts", "models"):
            db.execute(f"DELETE FROM {table}")  # all at once, which SQLite does without a search
        return
    db.execute("CREATE TEMP TABLE freed (text INTEGER PRIMARY KEY)")
    for model in ids:
        db.execute(
            "INSERT OR IGNORE INTO freed SELECT DISTINCT text FROM scores WHERE model = ?", (model,)
        )
        db.execute("DELETE FROM scores WHERE model = ?", (model,))
        db.execute("DELETE FROM models WHERE id = ?", (model,))
    db.execute(
        "DELETE FROM freed WHERE EXISTS (SELECT 1 FROM models CROSS JOIN scores "
        "WHERE scores.model = models.id AND scores.text = freed.text)"
    )
    db.execute("DELETE FROM offsets WHERE text IN (SELECT text FROM freed)")
    db.execute("DELETE FROM texts WHERE id IN (SELECT text FROM freed)")
    db.execute("DROP TABLE freed")


def chunks(values: Sequence[T]) -> Iterator[tuple[Sequence[T], str]]:
    """Parts that fit in one statement, each with its question marks."""
    for at in range(0, len(values), CHUNK):
        chunk = values[at : at + CHUNK]
        yield chunk, ",".join("?" * len(chunk))
