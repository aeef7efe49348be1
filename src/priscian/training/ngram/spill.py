"""Arrays that go to temporary files when they do not fit in memory, and work in threads."""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from priscian.threads import cores

Array = npt.NDArray[Any]
Places = npt.NDArray[np.int32]

WINDOW = 32 << 20
"""Bytes of a file that are mapped at a time."""


class Positions:
    """One value for each position of a corpus, written and read at ascending positions."""

    def __init__(self, length: int, dtype: npt.DTypeLike, file: Path | None = None) -> None:
        self.length = length
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self._file = file
        self._array: Array | None = np.zeros(length, self.dtype) if file is None else None

    @classmethod
    def in_file(cls, length: int, dtype: npt.DTypeLike, file: Path) -> Positions:
        """Values in a new file, all zero."""
        reserve(file, length * np.dtype(dtype).itemsize)
        return cls(length, dtype, file)

    @classmethod
    def of_file(cls, file: Path, length: int, dtype: npt.DTypeLike) -> Positions:
        """Values that a file holds already."""
        return cls(length, dtype, file)

    def put(self, where: Places, values: Array) -> None:
        """Set the values at ascending positions."""
        if self._array is not None:
            self._array[where] = values
            return
        for part, window, base in self._windows(where, "r+"):
            window[where[part] - base] = values[part]

    def take(self, where: Places) -> Array:
        """The values at ascending positions."""
        if self._array is not None:
            return self._array[where]
        taken = np.empty(len(where), self.dtype)
        for part, window, base in self._windows(where, "r"):
            taken[part] = window[where[part] - base]
        return taken

    def copy_item(self, source: int, target: int) -> None:
        """Set one value to that of another position."""
        self.put(np.array([target], np.int32), self.take(np.array([source], np.int32)))

    def blocks(self, size: int) -> Iterator[tuple[int, Array]]:
        """Consecutive stretches with the position each begins at."""
        for start in range(0, self.length, size):
            stop = min(start + size, self.length)
            if self._array is not None:
                yield start, self._array[start:stop]
            else:
                yield start, np.array(self._map(start, stop, "r"))

    def write(self, start: int, values: Array) -> None:
        """Set a stretch that begins at a position."""
        if self._array is not None:
            self._array[start : start + len(values)] = values
        else:
            self._map(start, start + len(values), "r+")[:] = values

    def drop(self) -> None:
        """Give the memory or the disk space back."""
        self._array = None
        self.length = 0
        if self._file is not None:
            self._file.unlink(missing_ok=True)

    def _map(self, start: int, stop: int, mode: Any) -> Array:
        assert self._file is not None
        offset = start * self.dtype.itemsize
        return np.memmap(self._file, self.dtype, mode, offset, (stop - start,))

    def _windows(self, where: Places, mode: str) -> Iterator[tuple[slice, Array, int]]:
        """Slices of the positions that fall in one window, with that window and its beginning."""
        step = max(1, WINDOW // self.dtype.itemsize)
        edges = np.searchsorted(where, np.arange(0, self.length + step, step))
        for number, (first, last) in enumerate(pairwise(edges)):
            if first < last:
                base = number * step
                yield (
                    slice(int(first), int(last)),
                    self._map(base, min(base + step, self.length), mode),
                    base,
                )


class Kept:
    """An array put aside."""

    __slots__ = ("_array", "_file")

    def __init__(self, array: Array, file: Path | None) -> None:
        self._file = file
        self._array: Array | None = array if file is None else None
        if file is not None:
            reserve(file, 0)
            np.save(file, array)

    def load(self) -> Array:
        """The array again."""
        if self._array is not None:
            return self._array
        assert self._file is not None
        loaded: Array = np.load(self._file)
        return loaded


class Workspace:
    """Decides once whether arrays go to disk, and names their files."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._made = 0

    @property
    def on_disk(self) -> bool:
        """Whether arrays are kept in files."""
        return self._folder is not None

    def positions(self, length: int, dtype: npt.DTypeLike) -> Positions:
        """Values for each position, all zero."""
        file = self._name("pos")
        return Positions(length, dtype) if file is None else Positions.in_file(length, dtype, file)

    def keep(self, array: Array) -> Kept:
        """Put an array aside."""
        return Kept(array, self._name("npy"))

    def _name(self, suffix: str) -> Path | None:
        if self._folder is None:
            return None
        self._made += 1
        return self._folder / f"{self._made}.{suffix}"


def reserve(file: Path, size: int) -> None:
    """Make a file of zeros whose space is really there: a full disk is an error here, not later."""
    with file.open("wb") as made:
        if size and hasattr(os, "posix_fallocate"):
            os.posix_fallocate(made.fileno(), 0, size)
        else:
            for start in range(0, size, WINDOW):
                made.write(bytes(min(WINDOW, size - start)))


@contextmanager
def scratch_folder(near: Path | None) -> Iterator[Path]:
    """A temporary folder, gone afterwards whatever happens."""
    with tempfile.TemporaryDirectory(prefix="priscian-", dir=near) as name:
        yield Path(name)


Given = TypeVar("Given")
Made = TypeVar("Made")
MOST = 4


def count_threads() -> int:
    """Threads worth starting here: NumPy lets others run while it sorts, adds and copies."""
    return min(MOST, cores())


def map_in_order(
    work: Callable[[Given], Made], things: Iterable[Given], threads: int
) -> Iterator[Made]:
    """Results in the order of the things, no more of them under way than there are threads."""
    if threads == 1:
        yield from map(work, things)
        return
    under_way: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for thing in things:
                under_way.append(pool.submit(work, thing))
                if len(under_way) >= threads:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()
