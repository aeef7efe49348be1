"""Watch a training: score checkpoints as they appear, and keep a report up to date."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from priscian.errors import ModelError, PriscianError, UsageError, flat
from priscian.reporting.make_report import ReportOptions, report
from priscian.runs import ScoreOptions
from priscian.runs.watch import LIMIT, SETTLE, LeftOut, News, Scored, Watcher
from priscian.runs.work import Watch

REPORT = "report.html"
EVERY = 30.0
CHEAP = 10
"""Between two reports, scoring takes this many times as long as the report took."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing to do: what is waited for."""

    path: Path
    exists: bool
    unfinished: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reported:
    """The report has been written, or why not."""

    path: Path
    problem: str = ""


Event = News | Waiting | Reported


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """Which checkpoints are scored, how often they are looked for, and what is written."""

    pattern: str = "*"
    """Names of checkpoint folders, such as 'checkpoint-*'."""
    every: float = EVERY
    """Seconds between two looks at the folder."""
    settle: float = SETTLE
    """Seconds for which nothing in a checkpoint may change before it is scored."""
    once: bool = False
    """Score what is complete now, and end."""
    page: bool = True
    """Whether a report is written."""
    score: ScoreOptions = field(default_factory=lambda: ScoreOptions(limit=LIMIT))


DEFAULTS = WatchOptions()


def watch(
    folder: str | Path,
    on: str | Sequence[str],
    out: str | Path,
    options: WatchOptions = DEFAULTS,
    *,
    tell: Callable[[Event], None] = lambda event: None,
    progress: Watch | None = None,
) -> list[Path]:
    """Score checkpoints as they appear in a folder, until interrupted; with `once`, one look.

    Each checkpoint gets a run folder in `out`, and `out/report.html` shows all of them. A
    checkpoint that is still being written is not touched; a broken one is named and left out.
    What was scored is never scored again, also after a restart. Returns the run folders.

    `folder` may be a model string with options: `"mlm:runs/bert"`, `"runs/gpt2?tokenizer=PATH"`.

    >>> from priscian.bridges.watch import WatchOptions, watch
    >>> watch("runs/gpt2", "blimp:data", "runs/curve", WatchOptions(once=True))   # doctest: +SKIP
    """
    if options.every <= 0 or options.settle < 0:
        raise UsageError("`every=` takes seconds above 0, and `settle=` seconds from 0")
    watcher = Watcher(
        str(folder), on, Path(out), options.score, options.pattern, options.settle, progress
    )
    if options.once and not watcher.folder.is_dir():
        raise ModelError(f"no folder {watcher.folder}; leave out `once=` to wait for it")
    page = _Page(watcher, tell) if options.page else None
    before: Event | None = None

    def hear(news: News) -> None:
        tell(news)
        if page is not None and isinstance(news, Scored):
            page.update(news.seconds)

    while True:
        new = watcher.look(hear)
        if page is not None:
            page.finish()
        if options.once:
            return watcher.runs
        now = Waiting(watcher.folder, watcher.folder.is_dir(), tuple(watcher.waiting()))
        if now != before or new:
            tell(now)
        before = now
        time.sleep(options.every)


@dataclass(slots=True)
class _Page:
    """The report, written again when enough has been scored since."""

    watcher: Watcher
    tell: Callable[[Event], None]
    cost: float = 0.0
    since: float = 0.0
    stale: bool = False

    def update(self, seconds: float) -> None:
        """A checkpoint was scored, which took so long."""
        self.since += seconds
        self.stale = True
        if self.since >= CHEAP * self.cost:
            self._write()

    def finish(self) -> None:
        """Nothing more to score for now."""
        missing = not (self.watcher.out / REPORT).is_file()
        if self.stale or (missing and self.watcher.runs):
            self._write()

    def _write(self) -> None:
        path, began, problem = self.watcher.out / REPORT, time.monotonic(), ""
        try:
            options = ReportOptions(title=f"Checkpoints of {self.watcher.folder.name}")
            report(self.watcher.runs, path, options)
        except PriscianError as error:  # the scores are safe: the next report may succeed
            problem = flat(error)
        self.cost, self.since, self.stale = time.monotonic() - began, 0.0, False
        self.tell(Reported(path, problem))


__all__ = ["Event", "LeftOut", "Reported", "Scored", "Waiting", "WatchOptions", "watch"]
