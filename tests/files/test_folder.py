"""The folder of a job: one process at a time, resumed by the same request, never half replaced."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from priscian.errors import BusyError, OutputError, RunError
from priscian.files import replacing_folder
from priscian.files.folder import JobFolder, lock_file

REPLACE = """
import os, sys
from pathlib import Path
from priscian.files import replacing_folder
stop = int(sys.argv[2])
rename, count = Path.rename, 0
def counted(self, to):
    global count
    count += 1
    if count == stop:
        os._exit(9)  # killed here
    return rename(self, to)
Path.rename = counted
with replacing_folder(Path(sys.argv[1])) as made:
    (made / "weights").write_text("new")
os._exit(0)
"""


class Count(JobFolder[str]):
    """Counts to a number."""

    what, record, beside = "count", "count.txt", frozenset({"notes"})

    def read(self) -> str:
        """The number."""
        return (self.path / self.record).read_text()

    def differences(self, before: str, now: str) -> Sequence[str]:
        """The numbers."""
        return [f"number {before}, now {now}"] if before != now else []


def count(path: Path, number: str, *, resume: bool = False, fail: bool = False) -> str | None:
    folder = Count(path)
    with folder.opened(number, resume=resume) as earlier:
        if fail:
            raise KeyboardInterrupt
        if earlier is None:
            folder.begin(number)
        return earlier


def test_a_job_begins_once_and_is_resumed_by_the_same_request(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    assert count(out, "7") is None
    with pytest.raises(RunError, match=r"out holds a count; continue it with `resume=True`, or"):
        count(out, "7")
    with pytest.raises(RunError, match=r"other settings \(number 7, now 8\); repeat them exactly"):
        count(out, "8", resume=True)
    assert count(out, "7", resume=True) == "7"
    assert sorted(path.name for path in out.iterdir()) == ["count.txt", "lock"]


def test_a_folder_with_other_contents_is_refused_but_not_what_may_be_beside(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine")
    (tmp_path / ".count.txt.1234abcd").write_text("of a process that was killed")
    assert Count(tmp_path).check("7") is None
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(RunError, match=r"is not empty and holds no count; give another `out=`"):
        count(tmp_path, "7")
    with pytest.raises(RunError, match=r"thesis\.tex is a file; give `out=` a folder"):
        count(tmp_path / "thesis.tex", "7")
    assert not (tmp_path / "lock").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(OutputError, match=r"cannot write to the folder .*: Permission denied"):
            count(tmp_path / "out", "7")
    finally:
        tmp_path.chmod(0o700)


def test_a_new_folder_is_removed_if_nothing_began_and_any_other_stays(tmp_path: Path) -> None:
    out, old = tmp_path / "out", tmp_path / "old"
    old.mkdir()
    for path in (out, old):
        with pytest.raises(KeyboardInterrupt):
            count(path, "7", fail=True)
    assert not out.exists()
    assert old.is_dir()
    count(out, "7")
    with pytest.raises(KeyboardInterrupt):
        count(out, "7", resume=True, fail=True)
    assert Count(out).read() == "7"


def test_a_second_process_is_refused_or_waits(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    folder = Count(tmp_path / "out")
    assert not folder.is_busy()
    with folder.locked():
        assert folder.is_busy()
        with pytest.raises(BusyError, match=r"another count is writing to .*out; wait until it"):
            count(folder.path, "7")
    assert not folder.is_busy()
    with folder.locked(wait=True):
        assert folder.is_busy()


def test_a_lock_whose_file_is_gone_is_not_taken_for_one(tmp_path: Path) -> None:
    """Else two processes would hold the lock: one of the old file, one of the new."""
    locks = pytest.importorskip("fcntl")
    file = tmp_path / "lock"
    flock, stolen = locks.flock, []

    def steal(handle: int, mode: int) -> None:
        flock(handle, mode)
        if not stolen:  # its owner removes it between our opening and our locking
            stolen.append(file.unlink())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("priscian.files.folder.locks.flock", steal)
        held = lock_file(file, "busy")
    with pytest.raises(BusyError, match="busy"):
        lock_file(file, "busy")
    held.release()


def test_of_two_that_begin_without_locks_only_one_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("priscian.files.folder.locks", None)
    folder = Count(tmp_path / "out")
    with folder.opened("7"), Count(folder.path).opened("8"):
        folder.begin("7")
        with pytest.raises(RunError, match=r"has just started in .*out; give another"):
            folder.begin("8")
    assert folder.read() == "7"


@pytest.mark.parametrize("stop", [1, 2])
def test_a_kill_while_a_folder_is_replaced_loses_nothing(tmp_path: Path, stop: int) -> None:
    """Whatever the next call does, the old folder is there until a new one is in its place."""
    path = tmp_path / "tokens-1000"
    path.mkdir()
    (path / "weights").write_text("old")
    killed = subprocess.run([sys.executable, "-c", REPLACE, path, str(stop)], check=False)
    assert killed.returncode == 9
    with pytest.raises(KeyboardInterrupt), replacing_folder(path):
        raise KeyboardInterrupt
    assert (path / "weights").read_text() == "old"
    with replacing_folder(path) as made:
        (made / "weights").write_text("newer")
    assert (path / "weights").read_text() == "newer"
    assert [entry.name for entry in tmp_path.iterdir()] == ["tokens-1000"]


def test_a_folder_that_cannot_be_put_in_place_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    path.mkdir()
    (path / "weights").write_text("old")
    rename = Path.rename

    def refused(self: Path, to: Path) -> Path:
        if self.name == ".model":
            raise OSError(5, "Input/output error")
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(OutputError, match="model: Input/output error"), replacing_folder(path):
        pass
    assert (path / "weights").read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]
