"""`priscian generate`: fresh minimal pairs in BLiMP's schema, from any seed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from priscian.errors import GrammarError, UnknownNameError, UsageError

KINDS = ("blimp",)


def generate_command(
    what: str = "blimp",
    *,
    seed: int,
    out: Path,
    n: Annotated[int, Parameter(name=("--n", "-n"))] = 1000,
    only: str = "",
    paradigms: Path | None = None,
    jobs: int = 1,
) -> None:
    """Generate minimal pairs: one JSONL file a paradigm in BLiMP's schema, and a manifest.

    The same seed and version give the same bytes on any machine; each paradigm has a stream of
    its own, so --only gives the same pairs as a full run.

    Examples:
      priscian generate blimp --seed 3 --out data/seed3
      priscian generate blimp --seed 3 --only adjunct_island,wh_island -n 200 --out data/islands
      priscian generate --paradigms my_paradigms.py --seed 1 --out data/mine

    Parameters
    ----------
    what
        What to generate: blimp, the 67 paradigms.
    seed
        Any whole number; another seed gives another benchmark.
    out
        A new or empty folder.
    n
        Pairs a paradigm.
    only
        UIDs, joined by commas; priscian list paradigms shows them.
    paradigms
        A Python file with paradigms of your own; docs/writing-paradigms.md tells how.
    jobs
        Processes to use.
    """
    from priscian.cli.screen import Progress
    from priscian.datasets.generated import choose, write_generated
    from priscian.paradigms import load_paradigms

    if what not in KINDS:
        raise UnknownNameError("thing to generate", what, KINDS)
    if jobs < 1:
        raise UsageError("--jobs takes a whole number from 1")
    mine = load_paradigms(paradigms) if paradigms else []
    uids = [uid.strip() for uid in only.split(",") if uid.strip()]
    chosen = choose(uids) if uids else choose(among=mine)
    with Progress() as progress:
        made = write_generated(out, seed=seed, n=n, chosen=chosen, jobs=jobs, watch=progress)
    print(f"{made.pairs:,} pairs of {len(made.files)} paradigms are in {made.folder}")
    for error in made.failed.values():
        print(f"priscian: {' '.join(error.split())}", file=sys.stderr)
    if made.failed:
        raise GrammarError(
            f"{len(made.failed)} of {len(chosen)} paradigms could not be generated (see above); "
            f"the others are written"
        )
