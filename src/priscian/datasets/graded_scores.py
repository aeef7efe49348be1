"""Scores computed elsewhere: a table with one column per model, by id or by sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from priscian.datasets.graded import GradedSet, SentenceScores
from priscian.datasets.graded_ratings import number_of
from priscian.datasets.graded_tables import ROLES, any_table, cell, column_of
from priscian.errors import DataError
from priscian.files import NumberedRows, PathLike, columns_of


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
