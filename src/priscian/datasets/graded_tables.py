"""Tables of sentences, ratings, pairs and scores: which column holds what."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from priscian.errors import DataError
from priscian.files import NumberedRows, Row, columns_of, read_table

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
    "contested": ("contested",),
    "task": ("task",),
    "good_id": ("good_id", "gramm_id", "acceptable_id"),
    "bad_id": ("bad_id", "ungramm_id", "unacceptable_id"),
}


def read_role(file: Path, needed: str) -> NumberedRows:
    """Rows of a CSV, TSV, JSONL or parquet file that has a column of that role."""
    rows = any_table(file, needed)
    header = columns_of(rows)
    if column_of(needed, header) is None:
        raise DataError(
            f"{file}:1: no column for the {needed.replace('_', ' ')} "
            f"(found: {', '.join(map(str, header))}); call it {ROLES[needed][0]!r}"
        )
    return rows


def any_table(file: Path, *roles: str) -> NumberedRows:
    """Rows of a file; one of the roles (else id or sentence) settles its delimiter."""
    wanted = roles or ("id", "sentence")
    return read_table(file, lambda header: any(column_of(r, header) for r in wanted))


def column_of(role: str, header: Collection[str]) -> str | None:
    """The column of a role, if a header has one."""
    return next((name for name in ROLES[role] if name in header), None)


def cell(row: Row, role: str) -> str:
    """A row's text in a role, or nothing."""
    column = column_of(role, row)
    value = row.get(column) if column else None
    return "" if value is None else str(value).strip()
