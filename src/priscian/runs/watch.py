"""Score checkpoints as a training writes them, each into a run folder of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from priscian.datasets import Dataset
from priscian.errors import ModelError, OutputError, RunError, WorkerError, flat
from priscian.files import inside, lasting_name, natural_order
from priscian.files.lock import lock_folder
from priscian.models import ModelSpec, model_key, parse_model
from priscian.models.spec import escape
from priscian.runs.checkpoints import SETTLE, CheckpointFolder, Stamp
from priscian.runs.facts import Request
from priscian.runs.job import read_data, set_up
from priscian.runs.load import load_run, read_info
from priscian.runs.options import ScoreOptions
from priscian.runs.record import FILE, came_to_nothing
from priscian.runs.run import Run
from priscian.runs.sources import Watch
from priscian.scoring.shared import Shared

LIMIT = 100
"""Items of each set by default: a tenth of BLiMP gives a curve at a tenth of the price."""
CHECKPOINTS_OWN = (ModelError, WorkerError, OSError)
"""Errors of one checkpoint, which do not end the watch."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A checkpoint that has just been scored."""

    name: str
    run: Run
    seconds: float


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A checkpoint that could not be scored, or is another than the one that was."""

    name: str
    reason: str


News = Scored | LeftOut


@dataclass(slots=True)
class Watcher:
    """Scores the complete checkpoints in a folder that have not been scored yet.

    `model` is a folder, or a model string with one: `mlm:DIR`, `DIR?tokenizer=PATH`. Each
    checkpoint gets a run folder in `out`, so nothing is scored twice, in this process or later.
    """

    model: str
    on: str | Dataset | Sequence[str | Dataset]
    out: Path
    options: ScoreOptions = field(default_factory=lambda: ScoreOptions(limit=LIMIT))
    pattern: str = "*"
    settle: float = SETTLE
    watch: Watch | None = None
    """Called with the model's name, texts done and texts in all."""
    _data: list[Dataset] = field(init=False)
    _folder: CheckpointFolder = field(init=False)
    _tried: dict[str, Stamp] = field(default_factory=dict)
    _shared: Shared = field(default_factory=Shared)

    def __post_init__(self) -> None:
        self.options = self.options.updated({})
        self._data = read_data(self.on, self.options)  # an error in the data ends the watch here
        self._folder = CheckpointFolder(self._base().path, self.pattern, self.settle)
        self.out.parent.mkdir(parents=True, exist_ok=True)
        if self.out.is_file() or (self.out / FILE).exists():
            raise RunError(f"{self.out} is a run or a file; give --out a folder of its own")
        try:
            self.out.mkdir(exist_ok=True)
        except OSError as error:
            raise OutputError(f"cannot make {self.out}: {error.strerror}; change --out") from None

    @property
    def folder(self) -> Path:
        """Where checkpoints are looked for."""
        return self._folder.path

    @property
    def runs(self) -> list[Path]:
        """Run folders with results, in the order of training."""
        found = [summary.parents[2] for summary in self.out.glob("*/*/*/summary.json")]
        return sorted(set(found), key=lambda path: natural_order(path.name))

    def waiting(self) -> list[str]:
        """Checkpoints that match and are not complete yet."""
        there = self._folder.complete()
        return [name for name in self._folder.names() if name not in there]

    def look(self, tell: Callable[[News], None] = lambda news: None) -> int:
        """Score every checkpoint that has become complete; how many there were."""
        lock = lock_folder(self.out)
        try:
            count = 0
            for name, stamp in self._folder.complete().items():
                if self._tried.get(name) == stamp:
                    continue
                began = time.monotonic()
                try:
                    run = self._score(name)
                except CHECKPOINTS_OWN as error:
                    tell(LeftOut(name, flat(error)))
                else:
                    if run is not None:
                        count += 1
                        tell(Scored(name, run, time.monotonic() - began))
                self._tried[name] = stamp
            return count
        finally:
            lock.release()

    def _score(self, name: str) -> Run | None:
        """Score one checkpoint; None if that was done before."""
        place = inside(self.out, lasting_name(name))
        spec = self._at(name)
        work, request = set_up([spec], self._data, self.options)
        resume = False
        if (place / FILE).is_file():
            if self._done(place, name, spec, request):
                return None
            resume = not came_to_nothing(place)
        return replace(work, shared=self._shared).run(request, place, resume, None, self.watch)

    def _done(self, place: Path, name: str, spec: ModelSpec, request: Request) -> bool:
        """Whether a run is finished; one of other settings or other weights is refused."""
        info = read_info(place)
        different = info.request.differences(request)
        if different:
            raise RunError(
                f"{place} was made with other settings ({', '.join(different)}); repeat them "
                "exactly, or give another --out"
            )
        digests = {facts.digest for facts in info.models.values() if facts.digest}
        if digests - {model_key(spec).digest}:
            raise ModelError(
                f"{name} is not the checkpoint that was scored: its files have changed; remove "
                f"{place} to score it again"
            )
        return info.status == "finished" and not load_run(place).missing

    def _base(self) -> ModelSpec:
        return parse_model(self.model)

    def _at(self, name: str) -> ModelSpec:
        """A checkpoint as a model; its files may say which provider reads it."""
        head, mark, query = self.model.partition("?")
        return parse_model(f"{escape(head)}@{escape(name)}{mark}{query}")
