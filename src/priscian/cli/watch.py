"""`priscian watch`: score checkpoints as a training writes them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from priscian.bridges.watch import LeftOut, Reported, Waiting, WatchOptions, watch
from priscian.cli.edge import NOTES, complain
from priscian.cli.output import FLAT
from priscian.errors import ModelError
from priscian.runs import ScoreOptions
from priscian.scoring import Options

if TYPE_CHECKING:
    from priscian.bridges.watch import Event


@dataclass(frozen=True, slots=True)
class Judged:
    """What is scored, and how.

    Parameters
    ----------
    limit
        Only the first N items of each set.
    only
        Only the sets with these names or patterns, such as wh_island or 'distractor_*'.
    measure
        As in priscian score --measure.
    tie
        How a tie counts: wrong, half, random or vote:N.
    workers
        Processes on the CPU; by default one for each core.
    """

    limit: int = 100
    only: Annotated[list[str] | None, Parameter(consume_multiple=False)] = None
    measure: str = "surprisal"
    tie: str = "wrong"
    workers: int | None = None


def watch_command(
    folder: str,
    *,
    on: Annotated[list[str], Parameter(negative="", consume_multiple=False)],
    out: Path,
    pattern: str = "*",
    every: float = 30.0,
    settle: float = 10.0,
    once: Annotated[bool, Parameter(negative="")] = False,
    judged: Annotated[Judged, FLAT] = Judged(),
) -> None:
    """Score checkpoints as they appear in a folder, and keep a report with learning curves.

    Start it beside a training, before or after it begins. Each checkpoint gets a run folder in
    --out, and OUT/report.html shows all of them. A checkpoint that is still being written is not
    touched; a broken one is named and left out. Ctrl-C ends the watch; the same command continues
    it, and nothing is scored twice.

    Examples:
      priscian watch runs/gpt2 --on generated:7 --out runs/gpt2-grammar
      priscian watch runs/gpt2 --on blimp:data --out runs/curve --pattern 'checkpoint-*' --limit 50
      priscian watch 'runs/gpt2?tokenizer=my-tokenizer' --on blimp:data --out runs/curve
      priscian watch runs/gpt2 --on blimp:data --out runs/curve --once    (from cron)

    Parameters
    ----------
    folder
        The folder that the training writes checkpoints to, or a model string with it: mlm:DIR for
        masked models, DIR?tokenizer=PATH where checkpoints have no tokenizer of their own.
    on
        Data sets, as in priscian score. Repeat for several.
    out
        Folder for the runs and report.html.
    pattern
        Names of the checkpoint folders.
    every
        Seconds between two looks at the folder.
    settle
        Seconds for which nothing in a checkpoint may change before it is scored.
    once
        Score what is complete now, and end; exit code 1 if a checkpoint was left out.
    """
    score = ScoreOptions(
        limit=judged.limit,
        only=judged.only or (),
        measure=judged.measure,
        tie=judged.tie,
        compute=Options(workers=judged.workers),
    )
    left: list[LeftOut] = []

    def tell(event: Event) -> None:
        if isinstance(event, LeftOut):
            left.append(event)
        show(event)

    watch(folder, on, out, WatchOptions(pattern, every, settle, once, score=score), tell=tell)
    if left:
        names = ", ".join(event.name for event in left)
        raise ModelError(f"left out: {names}; see above for the reasons")


def show(event: Event) -> None:
    """Print one line for an event."""
    NOTES.flush()
    if isinstance(event, LeftOut):
        complain(f"{event.name} left out: {event.reason}")
        return
    if isinstance(event, Waiting):
        line = f"waiting for checkpoints in {event.path}"
        line += "" if event.exists else ", which does not exist yet"
        line += f"; not complete: {', '.join(event.unfinished)}" if event.unfinished else ""
    elif isinstance(event, Reported):
        line = f"no report: {event.problem}" if event.problem else f"{event.path} is up to date"
    else:
        scores = ", ".join(f"{r.data} {100 * r.overall:.1f} %" for r in event.run.results)
        line = f"{event.name}: {scores} ({event.seconds:.0f} s)"
    print(f"{time.strftime('%H:%M:%S')}  {line}", flush=True)
