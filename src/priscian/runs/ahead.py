"""Load the next model of a run in a thread while the present one is computed.

At most two models are in memory. Nothing is loaded ahead where a second model of the size of
everything in memory so far would not fit, or where that cannot be told.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from priscian.models import DownloadingProvider, LoadedModel, ResolvedModel
from priscian.scoring import ScoreStore

PATIENCE = 5.0
"""Seconds to wait at the end of a failed run for a model that is still being loaded."""


@dataclass(slots=True)
class _Loading:
    """A model that is being loaded, or its error."""

    resolved: ResolvedModel
    thread: threading.Thread = field(init=False)
    model: LoadedModel | None = None
    error: BaseException | None = None

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self._load, name="next model", daemon=True)

    def _load(self) -> None:
        try:
            self.model = self.resolved.load()
        except BaseException as error:  # raised again where the model is needed
            self.error = error


@dataclass(slots=True)
class Ahead:
    """Loads models in turn, each while the one before it is computed."""

    models: Sequence[ResolvedModel] = ()
    store: ScoreStore | None = None
    temporary: frozenset[ResolvedModel] = frozenset()
    """Models whose weights are removed from the download cache after use."""
    fits: Callable[[], bool] = field(default=lambda: another_fits())
    _loading: _Loading | None = None
    _last: int | None = None  # texts done at the last report

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        loading, self._loading = self._loading, None
        if loading is not None:
            loading.thread.join(PATIENCE)

    def take(self, model: ResolvedModel) -> LoadedModel | None:
        """The model, if it was loaded ahead; an error while loading is raised here."""
        self._last = None
        loading, self._loading = self._loading, None
        if loading is None:
            return None
        loading.thread.join()
        if loading.resolved is not model:
            return None
        if loading.error is not None:
            raise loading.error
        return loading.model

    def report(self, model: ResolvedModel, done: int, total: int) -> None:
        """Progress callback: when the first batch is done, workers exist and loading may begin.

        If workers are about to be started again, loading ends first: no process is forked while
        another thread works.
        """
        last, self._last = self._last, done
        if last is None:
            return
        if done > last and self._loading is None:
            self._begin(model, total)
        elif done < last and self._loading is not None:
            self._loading.thread.join()

    def finish(self, model: ResolvedModel) -> None:
        """A model has been scored: its weights go if they are temporary and not needed again."""
        spec = model.spec
        if model in self.temporary and all(
            (spec.id, spec.revision) != (later.spec.id, later.spec.revision)
            for later in self._after(model)
        ):
            assert isinstance(model.provider, DownloadingProvider)
            model.provider.discard(spec)

    def _after(self, model: ResolvedModel) -> Sequence[ResolvedModel]:
        return self.models[self.models.index(model) + 1 :] if model in self.models else ()

    def _begin(self, model: ResolvedModel, texts: int) -> None:
        later = self._after(model)
        if not later or not later[0].traits.loads_ahead or not self.fits():
            return
        if self.store is None or self.store.texts_of(later[0].key.digest) >= texts:
            return  # probably nothing to compute
        self._loading = _Loading(later[0])
        self._loading.thread.start()


def not_downloaded(models: Iterable[ResolvedModel]) -> frozenset[ResolvedModel]:
    """The models whose weights would be downloaded now."""
    return frozenset(
        model
        for model in models
        if isinstance(model.provider, DownloadingProvider)
        and not model.provider.downloaded(model.spec)
    )


def another_fits() -> bool:
    """Whether there is memory for as much again as this process uses."""
    here, free = _resident(), _available()
    if here is None or free is None or free < here:
        return False
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return True
    return bool(torch.cuda.mem_get_info()[0] >= torch.cuda.memory_reserved())


def _resident() -> int | None:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def _available() -> int | None:
    """Free memory of the machine, or of the control group that this process is limited to."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if "MemAvailable" in line)
    except (OSError, ValueError, StopIteration):
        return None
    group = Path("/sys/fs/cgroup")
    try:
        limit = int((group / "memory.max").read_text())
        return min(free, limit - int((group / "memory.current").read_text()))
    except (OSError, ValueError):  # no limit
        return free
