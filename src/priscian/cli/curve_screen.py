"""Progress of a sweep: a bar for each running job in a terminal, a line for each event in a log."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from priscian.cli.edge import NOTES
from priscian.cli.screen import Bars, Screen

if TYPE_CHECKING:
    from rich.progress import TaskID

    from priscian.sweeps.pool import Event

STAGES = {"train": "training", "score": "scoring", "perplexity": "perplexity"}


class JobScreen(Bars):
    """Shows what happens to jobs."""

    def __init__(self, quiet: bool = False) -> None:
        from rich.progress import (
            BarColumn,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        self.console = Screen(stderr=True, highlight=False)
        self.quiet = quiet
        super().__init__(
            self.console,
            quiet,
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        self._tasks: dict[str, TaskID] = {}
        self._stages: dict[str, str] = {}

    def __call__(self, event: Event) -> None:
        if event.state == "progress":
            self._progress(event)
            return
        self._drop(event.job.name)
        words = {
            "begun": "begun",
            "done": f"done in {_minutes(event.seconds)}" if event.seconds else "done",
            "failed": f"failed: {event.said}",
            "elsewhere": "running in another process",
        }
        self._say(f"{event.job.name}: {words[event.state]}")

    def _progress(self, event: Event) -> None:
        name = event.job.name
        if self._stages.get(name) != event.stage:
            self._drop(name)
            self._stages[name] = event.stage
            label = f"{name} {STAGES.get(event.stage, event.stage)}"
            self._tasks[name] = self._bars.add_task(label, total=None)
        self._bars.update(self._tasks[name], completed=event.done, total=event.total or None)
        self._bars.refresh()

    def _drop(self, name: str) -> None:
        self._stages.pop(name, None)
        if name in self._tasks:
            self._bars.remove_task(self._tasks.pop(name))

    def _say(self, line: str) -> None:
        NOTES.flush()
        if not self.quiet:
            self.console.print(f"{time.strftime('%H:%M:%S')}  {line}", soft_wrap=True)


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
