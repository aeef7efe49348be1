"""Which column of a table holds what."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import DataError, UsageError

# the names that common data sets use, best known first
SENTENCES = (
    ("sentence_good", "sentence_bad"),
    ("good_sentence", "bad_sentence"),
    ("good", "bad"),
    ("sen", "wrong_sen"),
    ("acceptable", "unacceptable"),
    ("grammatical", "ungrammatical"),
    ("acceptable_sentence", "unacceptable_sentence"),
    ("grammatical_sentence", "ungrammatical_sentence"),
)
ROLES = {
    "group": ("paradigm", "UID"),
    "context": ("context",),
    "field": ("field",),
    "phenomenon": ("phenomenon", "linguistics_term"),
    "prefix": ("prefix",),
    "id": ("pairID", "pair_id", "pair_ID", "id", "ID"),
}


@dataclass(frozen=True, slots=True)
class PairColumns:
    """Which columns of a table of pairs hold what.

    `None` tries the usual names, `""` means no such column. `good` and `bad` are the
    sentences; each value of `group` becomes an item set of its own.
    """

    good: str | None = None
    """Column of the acceptable sentence (pairs)."""
    bad: str | None = None
    """Column of the unacceptable sentence (pairs)."""
    group: str | None = None
    """Column whose values divide pairs into sets (pairs)."""
    context: str | None = None
    field: str | None = None
    phenomenon: str | None = None
    prefix: str | None = None
    id: str | None = None

    def __post_init__(self) -> None:
        if bool(self.good) != bool(self.bad):
            given = "good" if self.good else "bad"
            other = "bad" if self.good else "good"
            raise UsageError(
                f"`{given}={self.good or self.bad}` without `{other}=`; name both columns"
            )
        if self.good and self.good == self.bad:
            raise UsageError(f"`good=` and `bad=` both name {self.good!r}; name two columns")


@dataclass(frozen=True, slots=True)
class FoundColumns:
    """The columns as found in one file."""

    good: str
    bad: str
    group: str | None
    context: str | None
    field: str | None
    phenomenon: str | None
    prefix: str | None
    id: str | None


ANY_COLUMNS = PairColumns()
"""Columns by their usual names."""


def has_sentences(wanted: PairColumns, header: Collection[str]) -> bool:
    """Whether the columns of both sentences exist."""
    return _sentences(wanted, [name.strip() for name in header]) is not None


def _sentences(wanted: PairColumns, header: Collection[str]) -> tuple[str, str] | None:
    pairs = ((wanted.good, wanted.bad),) if wanted.good and wanted.bad else SENTENCES
    return next((pair for pair in pairs if pair[0] in header and pair[1] in header), None)


def find_columns(wanted: PairColumns, header: Sequence[str], file: Path) -> FoundColumns:
    """The columns of a file that have the wanted or the usual names."""
    sentences = _sentences(wanted, header)
    if sentences is None:
        if wanted.good:
            missing = next(c for c in (wanted.good, wanted.bad) if c not in header)
            raise DataError(f"{file}: no column {missing!r}; its columns: {', '.join(header)}")
        raise DataError(
            f"{file}: cannot find the columns of the good and the bad sentences; its columns: "
            f"{', '.join(header)}; name them with `good=COLUMN` `bad=COLUMN`"
        )

    def find(role: str) -> str | None:
        named: str | None = getattr(wanted, role)
        if named and named not in header:
            raise DataError(f"{file}: no column {named!r}; its columns: {', '.join(header)}")
        guesses = ROLES[role] if named is None else (named,)
        return next((name for name in guesses if name in header and name not in sentences), None)

    return FoundColumns(*sentences, *(find(role) for role in ROLES))
