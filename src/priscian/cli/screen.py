"""What the terminal shows: consoles, progress, tables, colours."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from priscian.cli.edge import NOTES, printable

if TYPE_CHECKING:
    from rich.progress import ProgressColumn, TaskID


class Screen(Console):
    """A console that shows control characters in names and sentences as escapes.

    Brackets are text, never markup: they occur in file names and sentences.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """What is shown, cleaned."""
        for segment in super().render(renderable, options):
            cleaned = segment.text if segment.control else printable(segment.text)
            yield segment if cleaned == segment.text else Segment(cleaned, segment.style)


def out() -> Screen:
    """Standard output; wide and plain when it is not a terminal."""
    NOTES.flush()
    console = Screen()
    return console if console.is_terminal else Screen(width=160)


class Bars:
    """Progress bars, drawn while the block runs; none where output is not a terminal."""

    def __init__(self, console: Console, quiet: bool, *columns: ProgressColumn) -> None:
        from rich.progress import Progress as Drawn

        hidden = quiet or not console.is_terminal
        self._bars = Drawn(*columns, console=console, disable=hidden, auto_refresh=False)

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bars.stop()


class Progress(Bars):
    """A bar for each model, with rate and time left; silent if output is not a terminal."""

    def __init__(self, quiet: bool = False, unit: str = " texts") -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        super().__init__(
            Screen(stderr=True),
            quiet,
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        self._unit = unit
        self._tasks: dict[str, TaskID] = {}
        self._first: dict[str, tuple[int, float]] = {}

    def __call__(self, name: str, done: int, total: int) -> None:
        NOTES.flush()
        now = self._bars.get_time()
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=total, rate="")
        if done != self._first.setdefault(name, (done, now))[0]:
            start, began = self._first[name]
            rate = f"{(done - start) / max(now - began, 1e-9):,.0f}{self._unit}/s"
        else:
            rate = ""
            self._first[name] = (done, now)
        self._bars.update(self._tasks[name], completed=done, rate=rate)
        self._bars.refresh()


def is_terminal() -> bool:
    """Whether a person is likely to be reading standard output."""
    return sys.stdout.isatty()


def shade(bits: float) -> str:
    """A colour for a surprisal: from grey (expected) through yellow to red (surprising)."""
    steps = ((1, "grey50"), (3, "green3"), (6, "yellow3"), (10, "orange3"), (15, "red3"))
    return next((colour for limit, colour in steps if bits < limit), "bold red1")
