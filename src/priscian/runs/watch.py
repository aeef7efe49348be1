"""Score checkpoints as a training writes them, each into a run folder of its own."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from priscian.datasets import Dataset
from priscian.errors import ModelError, OutputError, RunError, WorkerError, flat
from priscian.files import inside, lasting_name, names_in, natural_order, regular
from priscian.files.folder import lock_folder
from priscian.models import ModelSpec, parse_model
from priscian.models.safetensors_file import LARGEST_HEADER
from priscian.models.spec import escape
from priscian.runs.job import read_data, set_up
from priscian.runs.load import load_run, read_info
from priscian.runs.options import ScoreOptions
from priscian.runs.record import FILE, Record, came_to_nothing
from priscian.runs.result import Run
from priscian.runs.work import RunWork, Watch
from priscian.scoring.plan import Shared

SETTLE = 10.0
"""Seconds for which nothing in a folder may change before it counts as complete."""
UNFINISHED = ("tmp-", ".")
"""How names of folders begin while a trainer writes into them."""
WEIGHTS = ("*.safetensors", "pytorch_model*.bin", "*.gguf", "classifier.json")
TRAINER = ("optimizer.*", "scheduler.pt", "rng_state*.pth")
TRAINER_LAST = "trainer_state.json"
"""Transformers' Trainer writes this file last, after those above."""

Stamp = tuple[tuple[str, int, int], ...]  # names, sizes and times of files


@dataclass(slots=True)
class CheckpointFolder:
    """Looks for checkpoints in a folder."""

    path: Path
    pattern: str = "*"
    settle: float = SETTLE
    _seen: dict[str, tuple[Stamp, float]] = field(default_factory=dict)

    def complete(self) -> dict[str, Stamp]:
        """Names of complete checkpoints, in the order of training, with stamps of their files."""
        found: dict[str, Stamp] = {}
        for name in self.names():
            stamp = self._settled(name)
            if stamp is not None and is_whole(self.path / name):
                found[name] = stamp
        return found

    def names(self) -> list[str]:
        """All folders that match, complete or not; numbers in names count as numbers."""
        try:
            names = names_in(self.path, self.pattern)
        except OSError:  # it was removed at this moment
            return []
        return [n for n in names if not n.startswith(UNFINISHED) and (self.path / n).is_dir()]

    def _settled(self, name: str) -> Stamp | None:
        """A stamp of the folder's files, if they have not changed for a while.

        Times of files decide, and where clocks disagree, two looks at the folder.
        """
        stamp = stamp_of(self.path / name)
        if not stamp:
            return None
        before, since = self._seen.get(name, (None, 0.0))
        if before != stamp:
            since = time.monotonic()
            self._seen[name] = (stamp, since)
        newest = max(changed for _, _, changed in stamp) / 1e9
        quiet = max(time.time() - newest, time.monotonic() - since)
        return stamp if quiet >= self.settle else None


def stamp_of(folder: Path) -> Stamp:
    """Names, sizes and times of a folder's files; empty if the folder has none or is gone."""
    try:
        files = sorted(p for p in folder.iterdir() if p.is_file())
        stats = [(p.name, p.stat()) for p in files]
    except OSError:  # removed meanwhile
        return ()
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)


def is_whole(folder: Path) -> bool:
    """Whether a folder has a configuration and all of its weights, and its trainer has finished."""
    if not (folder / "config.json").is_file():
        return False
    weights = [p for pattern in WEIGHTS for p in folder.glob(pattern)]
    in_training = any(True for pattern in TRAINER for _ in folder.glob(pattern))
    if not weights or (in_training and not (folder / TRAINER_LAST).is_file()):
        return False
    return all(_has_all_parts(p) for p in folder.glob("*.index.json")) and all(
        _has_its_length(p) for p in weights if p.suffix == ".safetensors"
    )


def _has_all_parts(index: Path) -> bool:
    """Whether every file that an index of weights names is there."""
    try:
        parts = set(json.loads(regular(index).read_text("utf-8"))["weight_map"].values())
        return all((index.parent / str(part)).is_file() for part in parts)
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError):
        return False


def _has_its_length(file: Path) -> bool:
    """Whether a safetensors file is as long as its header says.

    A file whose header cannot be read at all is left to the reader, which says what is wrong.
    """
    try:
        with regular(file).open("rb") as opened:
            length = int.from_bytes(opened.read(8), "little")
            size = file.stat().st_size
            if size < 8 + length:
                return size > 8 and length > LARGEST_HEADER  # else it has just been begun
            header = json.loads(opened.read(length))
            ends = [facts["data_offsets"][1] for k, facts in header.items() if k[:2] != "__"]
        return bool(size >= 8 + length + max(ends, default=0))
    except OSError:
        return False
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return True


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
            raise RunError(f"{self.out} is a run or a file; give `out=` a folder of its own")
        try:
            self.out.mkdir(exist_ok=True)
        except OSError as error:
            raise OutputError(f"cannot make {self.out}: {error.strerror}; change `out=`") from None

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
        count = 0
        with lock_folder(self.out):
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

    def _score(self, name: str) -> Run | None:
        """Score one checkpoint; None if that was done before."""
        place = inside(self.out, lasting_name(name))
        spec = self._at(name)
        work = set_up([spec], self._data, self.options)
        resume = False
        if (place / FILE).is_file():
            if self._done(place, name, work):
                return None
            resume = not came_to_nothing(place)
        record = Record.begin(work.request, place, resume=resume)
        return replace(work, shared=self._shared).run(record, None, self.watch)

    def _done(self, place: Path, name: str, work: RunWork) -> bool:
        """Whether a run is finished; one of other settings or other weights is refused."""
        info = read_info(place)
        different = info.request.differences(work.request)
        if different:
            raise RunError(
                f"{place} was made with other settings ({', '.join(different)}); repeat them "
                "exactly, or give another `out=`"
            )
        digests = {facts.digest for facts in info.models.values() if facts.digest}
        if digests - {s.model.key.digest for s in work.sources if s.model is not None}:
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
