"""The lock of a job, on disks where a folder cannot be locked."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from priscian.sweeps import collect, work
from priscian.sweeps.folder import SweepFolder

fcntl = pytest.importorskip("fcntl")


def test_a_job_is_locked_on_a_disk_that_locks_only_what_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As NFS does, which refuses a descriptor that was opened for reading."""

    def flock(handle: int, how: int) -> None:
        if fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "Bad file descriptor")
        fcntl.flock(handle, how)

    nfs = SimpleNamespace(flock=flock, LOCK_EX=fcntl.LOCK_EX, LOCK_NB=fcntl.LOCK_NB)
    monkeypatch.setattr("priscian.files.folder.locks", nfs)
    place = SweepFolder(tmp_path)
    job: Any = SimpleNamespace(name="a", model_folder="a")
    sweep: Any = None
    seen = []

    def missing_of(*given: object) -> list[str]:
        seen.append(work.is_busy(place, job))
        assert not collect._forget(place, job)
        with pytest.raises(work.Busy):
            work.do_job(place, job, sweep, lambda *moment: None)
        return []

    monkeypatch.setattr(work, "missing_of", missing_of)
    assert not work.is_busy(place, job)
    work.do_job(place, job, sweep, lambda *moment: None)
    assert seen == [True]
    assert not work.is_busy(place, job)
