"""`priscian check`: lint minimal pairs and suites."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Annotated

from cyclopts import Parameter

from priscian.cli.edge import complain
from priscian.datasets import PairColumns
from priscian.datasets.lint import check_data
from priscian.errors import DataError, counted


@dataclass(frozen=True, slots=True)
class TableColumns:
    """Columns of a table of pairs, if their names are not the usual ones.

    Parameters
    ----------
    good
        Column of the acceptable sentence.
    bad
        Column of the unacceptable sentence.
    group
        Column whose values divide the pairs into sets.
    """

    good: str | None = None
    bad: str | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """Which checks are run, and how much is printed.

    Parameters
    ----------
    skip
        Checks to skip, separated by commas.
    show
        Findings to print for each check and set.
    json_
        Print all findings as JSON.
    """

    skip: str = ""
    show: int = 5
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False


ANY, ALL = TableColumns(), Shown()


def check_command(
    data: str,
    *,
    columns: Annotated[TableColumns, Parameter(name="*")] = ANY,
    shown: Annotated[Shown, Parameter(name="*")] = ALL,
) -> None:
    """Look for what is often wrong with minimal pairs or suites: ours, published ones, your own.

    Pairs: identical, duplicate, near-duplicate, edit (another difference than the paradigm's),
    article (a/an), doubled (a word twice in a row), script (letters of two scripts), final-mark (in
    one sentence only), form (capital, final mark, spaces), question, prefix (fields that do not
    rebuild the sentence), unknown-word, critical (too few words).

    Suites: format (what keeps a file from being read: missing regions, unknown conditions …),
    spaces, identical (two conditions with one text), duplicate, no-contrast (a comparison that
    always ties), empty-region, form, capital, article, doubled.

    Checks for English only are skipped for other languages. Exit code 1 if anything was
    found.

    Examples:
      priscian check data/seed3
      priscian check mine.csv --good fine --bad odd --group construction --skip unknown-word
      priscian check sg:my_suites/

    Parameters
    ----------
    data
        A file, a folder or a data string.
    columns
        Columns of a table of pairs.
    shown
        Which checks are run, and how much is printed.
    """
    skip = [name.strip() for name in shown.skip.split(",") if name.strip()]
    checked = check_data(data, PairColumns(columns.good, columns.bad, columns.group), skip=skip)
    if checked.note:
        complain(f"note: {checked.note}")
    if shown.json_:
        unit = "items" if checked.kind == "suites" else "pairs"
        rows = [asdict(finding) for finding in checked.findings]
        print(json.dumps({unit: checked.items, "findings": rows}, ensure_ascii=False))
    else:
        seen: Counter[tuple[str, str]] = Counter()
        for f in checked.findings:
            seen[f.check, f.set] += 1
            if seen[f.check, f.set] <= shown.show:
                # the message about a format names the file
                where = "" if f.check == "format" else f"{f.item or f.set}: "
                print(f"{where}{f.check}: {f.message}")
        for (name, where), count in seen.items():
            if count > shown.show:
                print(f"{where}: {name}: … and {count - shown.show} more")
        total = Counter(f.check for f in checked.findings)
        listed = ", ".join(f"{name} {count}" for name, count in total.most_common())
        unit, noun = ("item", "suite") if checked.kind == "suites" else ("pair", "set")
        print(
            f"{counted(checked.items, unit)} in {counted(len(checked.sets), noun)}: "
            f"{listed or 'nothing found'}"
        )
    if checked.findings:
        found = counted(len(checked.findings), "finding")
        raise DataError(f"{found} in {data}; --skip CHECK skips a check")
