"""Tables of sentences, ratings, pairs and scores: which column holds what."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from priscian.errors import DataError
from priscian.files.delimited import DELIMITED_SUFFIXES, read_delimited
from priscian.files.rows import (
    JSONL_SUFFIXES,
    PARQUET_SUFFIXES,
    NumberedRows,
    Row,
    read_rows,
)

SUFFIXES = (*DELIMITED_SUFFIXES, *JSONL_SUFFIXES, *PARQUET_SUFFIXES)

# the names that tables of the field use, best known first
ROLES = {
    "id": ("id", "sentence_id", "item_id"),
    "sentence": ("sentence", "text"),
    "rating": ("rating", "judgement", "judgment", "mean_rating", "response", "zscore"),
    "participant": ("participant", "rater", "subject", "worker", "annotator"),
    "acceptable": ("acceptable", "label", "grammatical"),
    "phenomenon": ("phenomenon",),
    "lexicalisation": ("lexicalisation", "lexicalization", "item", "lex"),
    "group": ("dataset", "group", "source"),
    "raters": ("raters", "n_raters"),
    "task": ("task",),
    "good_id": ("good_id", "gramm_id", "acceptable_id"),
    "bad_id": ("bad_id", "ungramm_id", "unacceptable_id"),
}


def read_table(file: Path, needed: str) -> NumberedRows:
    """Rows of a CSV, TSV, JSONL or parquet file that has a column of that role."""
    rows = any_table(file, needed)
    if column_of(needed, rows[0][1]) is None:
        raise DataError(
            f"{file}: no column for the {needed.replace('_', ' ')}; call it {ROLES[needed][0]!r} "
            f"(its columns: {', '.join(map(str, rows[0][1]))})"
        )
    return rows


def any_table(file: Path, *roles: str) -> NumberedRows:
    """Rows of a file; one of the roles (else id or sentence) settles its delimiter."""
    suffix = file.suffix.lower()
    if suffix in DELIMITED_SUFFIXES:
        wanted = roles or ("id", "sentence")
        rows = read_delimited(file, lambda header: any(column_of(r, header) for r in wanted))
    elif suffix in SUFFIXES:
        rows = read_rows(file)
    else:
        raise DataError(
            f"{file}: unknown kind of file {suffix!r}; tables are read from {', '.join(SUFFIXES)}"
        )
    if not rows:
        raise DataError(f"{file}: the file has no rows; it needs at least one")
    return rows


def column_of(role: str, header: Collection[str]) -> str | None:
    """The column of a role, if a header has one."""
    return next((name for name in ROLES[role] if name in header), None)


def cell(row: Row, role: str) -> str:
    """A row's text in a role, or nothing."""
    column = column_of(role, row)
    value = row.get(column) if column else None
    return "" if value is None else str(value).strip()
