"""`priscian generate`: fresh minimal pairs in BLiMP's schema, or suites, from any seed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from priscian.cli.screen import Progress
from priscian.datasets.generation import find_maker, generate
from priscian.errors import GrammarError, UsageError, counted

if TYPE_CHECKING:
    from priscian.datasets.generation import Generated, Maker


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

    The same seed and version give the same bytes on any machine. Each paradigm and each suite has
    its own random stream, so --only gives the same sentences as a full run. Every file says its
    licence (CC BY 4.0) and what made it.

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
        Pairs per paradigm (1000 by default) or items per suite (100).
    only
        UIDs or names of suites, separated by commas; priscian list shows them. `further` means all
        suites beyond the published ones, which are generated only on request.
    paradigms
        A Python file with paradigms of your own; see docs/writing-paradigms.md.
    suites
        A Python file with suites of your own; see docs/writing-suites.md.
    jobs
        Processes to use.
    """
    if what == "sg" and paradigms:
        raise UsageError("--paradigms goes with blimp; suites of your own are --suites FILE")
    if what == "blimp" and suites:
        raise UsageError("--suites goes with sg: priscian generate sg --suites FILE")
    maker = find_maker(what)
    names = [name.strip() for name in only.split(",") if name.strip()]
    file = paradigms or suites
    with Progress() as progress:
        made = generate(
            what, seed=seed, n=n, only=names, file=file, out=out, jobs=jobs, watch=progress
        )
    _tell(made, maker)


def _tell(made: Generated, maker: Maker) -> None:
    """Print what was written; a failure, which a note has explained, decides the exit code."""
    if not made.names:
        raise GrammarError(f"no {maker.noun} could be generated (see above); correct the file")
    verb = "is" if made.count == 1 else "are"
    sets = counted(len(made.names), maker.noun)
    print(f"{counted(made.count, maker.unit)} of {sets} {verb} in {made.folder}")
    if made.failed:
        total = counted(len(made.names) + len(made.failed), maker.noun)
        raise GrammarError(
            f"{len(made.failed)} of {total} could not be generated (see above); "
            "the others are written"
        )
