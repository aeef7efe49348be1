"""`priscian check`: lint minimal pairs."""

from __future__ import annotations

import json
from collections import Counter
from typing import Annotated

from cyclopts import Parameter

from priscian.errors import DataError, UnknownNameError


def check_command(
    data: str,
    *,
    skip: str = "",
    show: int = 5,
    good: str | None = None,
    bad: str | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Look for what is often wrong with minimal pairs: in ours, the official or your own files.

    Checks: identical, duplicate, near-duplicate, edit (another difference than the paradigm's),
    article (a/an), doubled (a word twice in a row), form (capital, final mark, spaces), question,
    prefix (fields that do not rebuild the sentence), unknown-word, critical (too few words).
    Exit code 1 if anything was found.

    Examples:
      priscian check data/seed3
      priscian check mine.csv --good fine --bad odd --skip unknown-word

    Parameters
    ----------
    data
        A file, a folder or a data string.
    skip
        Checks to leave out, joined by commas.
    show
        Findings to print for each check and paradigm.
    good
        Column of the acceptable sentence.
    bad
        Column of the unacceptable sentence.
    json_
        All findings as JSON.
    """
    from priscian.datasets import PairColumns, read_dataset
    from priscian.datasets.lint import CHECKS, lint

    left_out = {name.strip() for name in skip.split(",") if name.strip()}
    for name in left_out - CHECKS.keys():
        raise UnknownNameError("check", name, CHECKS)
    sets = read_dataset(data, PairColumns(good, bad)).sets
    found = [f for s in sets for f in lint(s) if f.check not in left_out]
    pairs = sum(map(len, sets))
    if json_:
        rows = [
            {"check": f.check, "set": f.set, "item": f.item, "message": f.message} for f in found
        ]
        print(json.dumps({"pairs": pairs, "findings": rows}, ensure_ascii=False))
    else:
        shown: Counter[tuple[str, str]] = Counter()
        for f in found:
            shown[f.check, f.set] += 1
            if shown[f.check, f.set] <= show:
                print(f"{f.item or f.set}: {f.check}: {f.message}")
        for (name, where), count in shown.items():
            if count > show:
                print(f"{where}: {name}: … and {count - show} more")
        total = Counter(f.check for f in found)
        listed = ", ".join(f"{name} {count}" for name, count in total.most_common())
        print(f"{pairs:,} pairs in {len(sets)} sets: {listed or 'nothing found'}")
    if found:
        raise DataError(f"{len(found):,} findings in {data}; --skip CHECK leaves a check out")
