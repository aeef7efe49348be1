"""Tab-separated tables; every error names the file, line and field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import LexiconError
from priscian.files import read_tsv


@dataclass(frozen=True, slots=True)
class LexiconRow:
    """One row of a table, with its file and line."""

    file: str
    line: int
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]

    def parts(self, column: str, separator: str | None = ";") -> list[str]:
        """The parts of a cell, without blanks; no separator splits at spaces."""
        return [part.strip() for part in self.cells[column].split(separator) if part.strip()]

    def one_of(self, column: str, allowed: Sequence[str]) -> str:
        """The cell, which must be one of these."""
        value = self.cells[column]
        if value not in allowed:
            expected = ", ".join(name or "nothing" for name in allowed)
            raise self.error(column, f"{value!r}; expected {expected}")
        return value

    def error(self, column: str, message: str) -> LexiconError:
        return LexiconError(f"{self.file}:{self.line}: field {column!r}: {message}")


def read_table(
    path: Path, columns: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[LexiconRow]:
    """Rows below a header line; comments and blank lines are skipped, short rows padded."""
    for number, cells in read_tsv(path, columns, optional, LexiconError):
        yield LexiconRow(path.name, number, cells)
