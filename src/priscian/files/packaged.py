"""Tables that come with the package: tab-separated, with a header, never quoted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from priscian.errors import DataError


def read_tsv(
    path: Path,
    columns: Sequence[str] = (),
    optional: Sequence[str] = (),
    error: type[DataError] = DataError,
) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows below the header line with their line numbers; every cell is stripped.

    Blank lines and lines that begin with # are skipped; short rows are padded with empty cells.
    """
    header: list[str] | None = None
    for number, line in enumerate(_text(path, error).split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if header is None:
            header = cells
            missing = [column for column in columns if column not in header]
            if missing:
                raise error(
                    f"{path.name}:{number}: no column {', '.join(missing)}; "
                    f"expected {' · '.join((*columns, *optional))}"
                )
            continue
        if len(cells) > len(header):
            raise error(
                f"{path.name}:{number}: {len(cells)} fields; expected {len(header)}: "
                f"{' · '.join(header)}"
            )
        cells += [""] * (len(header) - len(cells))
        if not cells[0]:
            raise error(f"{path.name}:{number}: field {header[0]!r}: empty; expected a word")
        yield number, dict.fromkeys(optional, "") | dict(zip(header, cells, strict=True))


def _text(path: Path, error: type[DataError]) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise error(f"{path.name} is missing from {path.parent}; install Priscian again") from None
    except UnicodeDecodeError as problem:
        raise error(f"{path.name}: not UTF-8 at byte {problem.start}; save it as UTF-8") from None
    except OSError as problem:
        raise error(f"{path} cannot be read ({problem.strerror}); check the path") from None
