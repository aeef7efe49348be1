"""`priscian merge`: make a run of its shards."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from priscian.cli.score import FLAT, SHOWN, ScoreOutput, tell
from priscian.cli.screen import Progress
from priscian.runs import merge


def merge_command(run: Path, *, shown: Annotated[ScoreOutput, FLAT] = SHOWN) -> None:
    """Make a run of shards that were computed by priscian score --shard.

    Checks that all shards are there, finished and made with the same request, models and plan, and
    that every text is in exactly one of them. Then their scores are inserted into the score store,
    and the items are judged. The result is the same, bit for bit, as that of one process. If a
    shard is missing, the command that makes it is printed.

    Examples:
      priscian merge runs/a
      priscian merge runs/a --json

    Parameters
    ----------
    run
        The run folder: what --out was for every shard.
    """
    with Progress(shown.quiet) as progress:
        made = merge(run, watch=progress)
    tell(made, shown)
