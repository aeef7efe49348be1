"""`priscian generate`: fresh minimal pairs in BLiMP's schema, or suites, from any seed."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from priscian.errors import GrammarError, UnknownNameError, UsageError

KINDS = ("blimp", "sg")
PAIRS, ITEMS = 1000, 100  # how many of each, unless told


def generate_command(
    what: str = "blimp",
    *,
    seed: int,
    out: Path,
    n: Annotated[int | None, Parameter(name=("--n", "-n"))] = None,
    only: str = "",
    paradigms: Path | None = None,
    suites: Path | None = None,
    jobs: int = 1,
) -> None:
    """Generate minimal pairs in BLiMP's schema or suites in SyntaxGym's, and a manifest.

    The same seed and version give the same bytes on any machine; each paradigm and each suite has
    a stream of its own, so --only gives the same as a full run.

    Examples:
      priscian generate blimp --seed 3 --out data/seed3
      priscian generate blimp --seed 3 --only adjunct_island,wh_island -n 200 --out data/islands
      priscian generate sg --seed 3 --out data/suites3
      priscian generate --paradigms my_paradigms.py --seed 1 --out data/mine
      priscian generate sg --suites my_suites.py --seed 1 --out data/mine

    Parameters
    ----------
    what
        What to generate: blimp, the 67 paradigms, or sg, the suites.
    seed
        Any whole number; another seed gives another benchmark.
    out
        A new or empty folder.
    n
        Pairs a paradigm (1000 unless told) or items a suite (100).
    only
        UIDs or names of suites, joined by commas; priscian list paradigms shows the UIDs.
    paradigms
        A Python file with paradigms of your own; docs/writing-paradigms.md tells how.
    suites
        A Python file with suites of your own; docs/writing-suites.md tells how.
    jobs
        Processes to use.
    """
    if what not in KINDS:
        raise UnknownNameError("thing to generate", what, KINDS)
    if jobs < 1:
        raise UsageError("--jobs takes a whole number from 1")
    names = [name.strip() for name in only.split(",") if name.strip()]
    if what == "sg":
        if paradigms:
            raise UsageError("--paradigms goes with blimp; suites of your own are --suites FILE")
        _generate_suites(out, seed, ITEMS if n is None else n, names, suites)
    else:
        if suites:
            raise UsageError("--suites goes with sg: priscian generate sg --suites FILE")
        _generate_pairs(out, seed, PAIRS if n is None else n, names, paradigms, jobs)


def _generate_pairs(
    out: Path, seed: int, n: int, names: list[str], paradigms: Path | None, jobs: int
) -> None:
    from priscian.cli.screen import Progress
    from priscian.datasets.generated import choose, write_generated
    from priscian.paradigms import load_paradigms

    mine = load_paradigms(paradigms) if paradigms else []
    chosen = choose(names) if names else choose(among=mine)
    with Progress() as progress:
        made = write_generated(out, seed=seed, n=n, chosen=chosen, jobs=jobs, watch=progress)
    print(f"{made.pairs:,} pairs of {len(made.files)} paradigms are in {made.folder}")
    _complain(made.failed, len(chosen), "paradigms")


def _generate_suites(out: Path, seed: int, n: int, names: list[str], suites: Path | None) -> None:
    from priscian.cli.screen import Progress
    from priscian.datasets.generated_suites import write_suites
    from priscian.suites import load_suites

    mine = load_suites(suites) if suites else []
    names = names or [suite.name for suite in mine]
    with Progress() as progress:
        made = write_suites(out, seed=seed, n=n, only=names, watch=progress)
    print(f"{made.items:,} items of {len(made.files)} suites are in {made.folder}")
    _complain(made.failed, len(made.files) + len(made.failed), "suites")


def _complain(failed: Mapping[str, str], total: int, what: str) -> None:
    """One line for each failure; the exit code tells."""
    for error in failed.values():
        print(f"priscian: {' '.join(error.split())}", file=sys.stderr)
    if failed:
        raise GrammarError(
            f"{len(failed)} of {total} {what} could not be generated (see above); "
            f"the others are written"
        )
