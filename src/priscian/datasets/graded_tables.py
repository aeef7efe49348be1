"""Tables of sentences, ratings, pairs and scores: which column holds what; scores of others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from priscian.datasets.graded import GradedPair, GradedSet, SentenceScores
from priscian.datasets.graded_ratings import number_of
from priscian.errors import DataError
from priscian.files import NumberedRows, PathLike, Row, columns_of, read_table

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


def read_pair_table(file: Path) -> tuple[list[GradedPair], int]:
    """Pairs of ids, and how many rows were left out: those with something in `discard`."""
    rows = [row for _, row in read_role(file, "good_id")]
    kept = [row for row in rows if not str(row.get("discard") or "").strip()]
    roles = ("good_id", "bad_id", "phenomenon", "group")
    return [GradedPair(*(cell(row, role) for role in roles)) for row in kept], len(rows) - len(kept)


def read_scores(path: PathLike) -> list[SentenceScores]:
    """Scores computed elsewhere: a column `id` or `sentence`, and one column of numbers per model.

    A column `NAME_zscores` holds the z-scores of `NAME`. Columns that are known to
    describe the sentence (dataset, notes, label, …) are ignored.
    """
    file = Path(path)
    rows = any_table(file)
    header = columns_of(rows)
    key = next((role for role in ("id", "sentence") if column_of(role, header)), None)
    if key is None:
        raise DataError(f"{file}: neither a column 'id' nor 'sentence'; add one")
    names = [c for c in header if _is_score(c)]
    if not names:
        raise DataError(f"{file}: no column of scores; add one for each model, under its name")
    return [
        SentenceScores(
            name,
            _score_column(file, rows, key, name),
            _score_column(file, rows, key, f"{name}_zscores")
            if f"{name}_zscores" in header
            else None,
            file.name,
        )
        for name in names
    ]


_DESCRIBES = frozenset(
    {"", "notes", "typo?", "sent_length", "length", "tokens", "condition", "discard"}
    | {name for names in ROLES.values() for name in names}
)


def _is_score(column: str) -> bool:
    return column not in _DESCRIBES and not column.endswith("_zscores")


def _score_column(file: Path, rows: NumberedRows, key: str, name: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for line, row in rows:
        where = f"{file}:{line}"
        target = cell(row, key)
        value = number_of(row.get(name), f"{name!r}", where)
        if value is None:
            raise DataError(f"{where}: {target!r} has no {name!r}; add the score")
        if target in found and found[target] != value:
            raise DataError(f"{where}: {target!r} is here twice; keep one row")
        found[target] = value
    return found


def match_scores(scores: SentenceScores, graded: GradedSet) -> SentenceScores:
    """Scores by id; those keyed by the sentence itself are given to every id that has it."""
    known = graded.by_id
    if any(key in known for key in scores.values):
        return scores
    values = {s.id: scores.values[s.text] for s in graded.sentences if s.text in scores.values}
    if not values:
        raise DataError(
            f"{scores.source or scores.name}: none of its ids or sentences is in {graded.name}; "
            "give the scores of these sentences"
        )
    z = scores.z
    if z is not None:
        z = {s.id: z[s.text] for s in graded.sentences if s.text in z}
    return replace(scores, values=values, z=z)
