"""Checkpoint folders of a training: which are there, and which of them are complete."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path

from priscian.files import names_in, regular
from priscian.models.safetensors_file import LARGEST_HEADER

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
