"""Stores of both kinds; Postgres is started once, where its server is installed."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from priscian.judge.opening import open_store
from priscian.judge.store import Store

ROOM = 1 << 30
"""Free bytes of a disk in memory that tests may use."""


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@contextlib.contextmanager
def running_postgres(folder: Path, options: str = "") -> Iterator[tuple[str, Callable[[], None]]]:
    """The address of a server in a folder, and how to start it again; it refuses to run as root."""
    programs = _programs()
    if programs is None:
        pytest.skip("needs Postgres: apt install postgresql")
    pytest.importorskip("psycopg")
    user: dict[str, str] = {}
    if os.getuid() == 0:
        user = {"user": "nobody"}
        shutil.chown(folder, "nobody")
    data = folder / "data"
    run = {"capture_output": True, "check": True, "cwd": folder, "timeout": 120, **user}
    try:
        subprocess.run([programs / "initdb", "-D", data, "-A", "trust", "-U", "judge"], **run)
    except (subprocess.SubprocessError, OSError) as error:
        pytest.skip(f"Postgres cannot be set up here: {error}")
    options = f"-k {folder} -h '' -c max_connections=60 {options}"
    control = [programs / "pg_ctl", "-D", data, "-l", folder / "log", "-w", "-o", options]

    def start() -> None:
        """Start the server, if it is not running."""
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **user}
        if subprocess.run([*control, "status"], check=False, **quiet).returncode:
            subprocess.run([*control, "start"], check=True, **quiet)

    start()
    try:
        yield f"postgresql://judge@/postgres?host={folder}", start
    finally:
        subprocess.run(
            [programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"], **{**run, "check": False}
        )


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory, where there is room: every answer waits until it is on the disk."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or shutil.disk_usage(memory).free < ROOM:
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="judge-", dir=memory) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a server that the tests started."""
    folder = Path(tempfile.mkdtemp(prefix="judge-pg-"))
    try:
        with running_postgres(folder, "-c fsync=off") as (address, _):
            yield address
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of 256 MB of its own, which a test can fill."""
    folder = Path(tempfile.mkdtemp(prefix="judge-disk-"))
    words = ["mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(words, capture_output=True, check=False)
    except OSError:
        done = None
    if done is None or done.returncode:
        folder.rmdir()
        pytest.skip("needs the right to mount a disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


@pytest.fixture
def empty_postgres(postgres: str) -> str:
    """The same with an empty database."""
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return postgres


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> str:
    """What `--database` may be: nothing, or the address of a server."""
    return "" if request.param == "sqlite" else str(request.getfixturevalue("empty_postgres"))


@pytest.fixture
def stores(database: str, tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Opens connections to one store."""
    opened: list[Store] = []

    def opening() -> Store:
        opened.append(open_store(tmp_path, database))
        return opened[-1]

    yield opening
    for store in opened:
        store.close()
