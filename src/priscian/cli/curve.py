"""`priscian curve`: learning curves of several architectures, sizes and seeds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from priscian.analysis.curves.table import BOUND, CLOSED, MARKS_NOTE, marked_perplexity
from priscian.cli.edge import NOTES, complain
from priscian.cli.output import grid, print_json
from priscian.cli.screen import Bars, Screen
from priscian.cli.screen import out as console
from priscian.errors import RunError, counted
from priscian.sweeps.curve import curve, plan_curve

if TYPE_CHECKING:
    from rich.progress import TaskID
    from rich.table import Table

    from priscian.sweeps.curve import Curve, Estimate
    from priscian.sweeps.pool import Event

Files = Annotated[list[Path] | None, Parameter(consume_multiple=True, negative="")]
Flag = Annotated[bool, Parameter(negative="")]
SHORT = "under 1 min"


def curve_command(
    sweep: str,
    /,
    *,
    out: Path,
    corpus: Files = None,
    trees: Files = None,
    only: Annotated[list[str] | None, Parameter(consume_multiple=False)] = None,
    processes: int | None = None,
    dry_run: Flag = False,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Train models of several architectures, corpus sizes and seeds, score them, draw the curves.

    A sweep is a TOML file; reference and tiny are built in. Every job trains one model, scores it
    and measures its perplexity on the shared test part. Run the same command again to go on after
    a stop or a failure: finished steps are not repeated. Two commands may share one folder.

    Examples:
      priscian curve tiny --corpus books.txt.xz --out curve --dry-run
      priscian curve reference --corpus books.txt.xz --trees trees.txt.xz --out curve
      priscian curve sweep.toml --out curve --only 'lstm-*' --processes 1
      priscian report curve --out curve.html

    Parameters
    ----------
    sweep
        A TOML file, or reference or tiny.
    out
        Folder of the sweep.
    corpus
        Text files that replace those of the sweep.
    trees
        Trees of the same text, for grammars.
    only
        Only the jobs with this name or pattern, such as 'lstm-*'. Repeat for several.
    processes
        Jobs at a time; by default one for each core, or for each GPU.
    dry_run
        List the jobs and the work that is left, and do nothing.
    json_
        Print JSON.
    """
    texts, parsed, chosen = corpus or (), trees or (), only or ()
    if dry_run:
        jobs = plan_curve(sweep, out, corpus=texts, trees=parsed, only=chosen)
        _print_plan(jobs, json_)
        return
    with JobScreen(quiet=json_) as screen:
        found = curve(
            sweep, out, corpus=texts, trees=parsed, only=chosen, processes=processes, watch=screen
        )
    if json_:
        print_json({"models": list(found.table.rows()), **found.analysis.as_dict()})
    else:
        _print(found)
    if found.failed:
        *others, last = [f"{name}: {reason}" for name, reason in found.failed.items()]
        for line in others:
            complain(line)
        raise RunError(
            f"{last}; {counted(len(found.failed), 'job')} failed: fix the cause and run the same "
            "command again, which does only what is missing"
        )


def _print_plan(jobs: Sequence[Estimate], as_json: bool) -> None:
    if as_json:
        print_json(
            [
                {
                    "job": e.job.name, "missing": e.missing, "tokens": e.tokens,
                    "texts": e.texts, "seconds": e.seconds,
                }
                for e in jobs
            ]
        )  # fmt: skip
        return
    made = grid("Jobs", ["job", "to do", "tokens to read", "texts to score", "one core"], left=2)
    for e in jobs:
        made.add_row(
            e.job.name, ", ".join(e.missing) or "finished", f"{e.tokens:,}" if e.tokens else "",
            f"{e.texts:,}" if e.texts else "", hours(e.seconds) if e.missing else "",
        )  # fmt: skip
    console().print(made)
    known = [e.seconds for e in jobs if e.missing and e.seconds is not None]
    unknown = sum(1 for e in jobs if e.missing and e.seconds is None)
    left = sum(1 for e in jobs if e.missing)
    line = f"{left} of {counted(len(jobs), 'job')} to do"
    if known:
        time = hours(sum(known))
        line += f", {time if time == SHORT else f'about {time}'} on one core"
    if unknown:
        line += f" and {counted(unknown, 'job')} of unknown length (networks of another size)"
    print(line)


def hours(seconds: float | None) -> str:
    """A rough time.

    >>> hours(7500), hours(40), hours(20), hours(None)
    ('2 h 05 min', '1 min', 'under 1 min', '?')
    """
    if seconds is None:
        return "?"
    minutes = round(seconds / 60)
    if not minutes:
        return SHORT
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"


def _print(found: Curve) -> None:
    console().print(_models(found))
    for line in found.analysis.notes:
        print(line)
    for line in found.analysis.left_out:
        print(f"left out: {line}")
    done = len(found.table.models)
    print(
        f"{found.path}: {done} of {counted(done + len(found.table.missing), 'job')} finished; "
        f"table curve.csv, figures/; the page: priscian report {found.path}"
    )


def _models(found: Curve) -> Table:
    data = list(dict.fromkeys(s.data for s in found.table.scores))
    overall = {(s.model, s.data): s for s in found.table.scores if s.level == "overall"}
    made = grid(
        "Models, per cent right with 95 % intervals",
        ["model", "parameters", "tokens seen", "perplexity", *data],
    )
    for m in found.table.models:
        cells = []
        for name in data:
            s = overall.get((m.model, name))
            cells.append(
                f"{100 * s.accuracy:.1f}  {100 * s.low:.1f}–{100 * s.high:.1f}" if s else ""
            )
        perplexity = marked_perplexity(m)
        made.add_row(m.model, f"{m.parameters:,}", f"{m.tokens_seen:,}", perplexity, *cells)
        if CLOSED in perplexity or BOUND in perplexity:
            made.caption, made.caption_justify = MARKS_NOTE, "left"
    return made


STAGES = {"train": "training", "score": "scoring", "perplexity": "perplexity"}


class JobScreen(Bars):
    """Shows what happens to jobs."""

    def __init__(self, quiet: bool = False) -> None:
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

        self.console = Screen(stderr=True, highlight=False)
        self.quiet = quiet
        super().__init__(
            self.console, quiet, TextColumn("{task.description}", markup=False), BarColumn(),
            TaskProgressColumn(), TextColumn("left"), TimeRemainingColumn(),
        )  # fmt: skip
        self._tasks: dict[str, TaskID] = {}
        self._stages: dict[str, str] = {}

    def __call__(self, event: Event) -> None:
        name = event.job.name
        if event.state == "progress":
            if self._stages.get(name) != event.stage:
                self._drop(name)
                self._stages[name] = event.stage
                label = f"{name} {STAGES.get(event.stage, event.stage)}"
                self._tasks[name] = self._bars.add_task(label, total=None)
            self._bars.update(self._tasks[name], completed=event.done, total=event.total or None)
            self._bars.refresh()
            return
        self._drop(name)
        NOTES.flush()
        seconds = event.seconds
        took = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
        words = {
            "begun": "begun",
            "done": f"done in {took}" if seconds else "done",
            "failed": f"failed: {event.said}",
            "elsewhere": "running in another process",
        }
        if not self.quiet:
            line = f"{time.strftime('%H:%M:%S')}  {name}: {words[event.state]}"
            self.console.print(line, soft_wrap=True)

    def _drop(self, name: str) -> None:
        self._stages.pop(name, None)
        if name in self._tasks:
            self._bars.remove_task(self._tasks.pop(name))
