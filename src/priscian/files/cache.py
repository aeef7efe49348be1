"""The cache folder: where it is, how files get into it atomically, and whether its disk will do."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from priscian.errors import OutputError, StoreError

DAY = 24 * 3600

Say = Callable[[str], None]


def cache_folder() -> Path:
    """Where scores, weights and fetched data are kept.

    It is `$PRISCIAN_CACHE`, else `priscian` in the user's cache folder.
    """
    named = os.environ.get("PRISCIAN_CACHE")
    if named:
        try:
            return Path(named).expanduser()
        except RuntimeError:  # no such user
            return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "priscian"


def tell(line: str) -> None:
    """Tell the user what takes a while."""
    print(line, file=sys.stderr, flush=True)


@contextlib.contextmanager
def scratch_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder on the same disk as `folder`, removed in the end.

    Several processes may work at once: each has its own, and the first to finish wins.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob(".tmp-*"):  # left by a process that was killed
            if time.time() - old.stat().st_mtime > DAY:
                shutil.rmtree(old, ignore_errors=True)
        with tempfile.TemporaryDirectory(
            prefix=".tmp-", dir=folder, ignore_cleanup_errors=True
        ) as made:
            yield Path(made)
    except OSError as error:
        raise OutputError(
            f"cannot write to {folder}: {error.strerror or error}; free some space, or "
            f"set PRISCIAN_CACHE to another folder"
        ) from error


def move_into_place(made: Path, folder: Path, shop: Path, is_whole: Callable[[Path], bool]) -> None:
    """Move a folder from a scratch_folder into place, unless another process has done so."""
    if folder.exists() and not is_whole(folder):
        with contextlib.suppress(OSError):
            folder.rename(shop / "damaged")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made.rename(folder)
    except OSError:
        if not is_whole(folder):
            raise


MOUNTS = Path("/proc/self/mountinfo")
ALLOW = "PRISCIAN_NETWORK_DISK"
"""Set to `allow` by someone who knows that only one machine ever opens the store."""

NETWORK = frozenset(
    {"nfs", "nfs3", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "ncpfs", "afs", "coda", "davfs"}
    | {"lustre", "gpfs", "ceph", "glusterfs", "beegfs", "fhgfs_client", "panfs", "pvfs2"}
    | {"orangefs", "wekafs", "ocfs2", "gfs", "gfs2"}
)
"""9p and virtiofs are not included: they connect a guest to its own host."""
NETWORK_FUSE = frozenset(
    {"sshfs", "s3fs", "gcsfuse", "goofys", "rclone", "ceph", "ceph-fuse", "glusterfs", "juicefs"}
    | {"mfs", "moosefs", "davfs", "davfs2", "smbnetfs", "curlftpfs", "blobfuse", "blobfuse2"}
    | {"mount-s3", "hdfs"}
)


def network_disk(path: Path, mounts: str | None = None) -> str:
    """The type of the network file system that a path is on; empty if it is on a local disk.

    `mounts` is the text of `/proc/self/mountinfo`; without such a file (outside Linux) every disk
    counts as local.

    >>> network_disk(Path("/users/ada/x"), "30 1 0:29 / /users rw - nfs4 server:/users rw")
    'nfs4'
    """
    if mounts is None:
        try:
            mounts = MOUNTS.read_text("utf-8", "surrogateescape")
        except OSError:
            return ""
    best: tuple[int, str] = (-1, "")
    parts = path.resolve().parts
    for line in mounts.splitlines():
        mount, dash, system = line.partition(" - ")
        fields = mount.split(" ")
        if not dash or len(fields) < 5:
            continue
        # spaces, tabs and backslashes are octal escapes
        plain = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4])
        point = Path(plain).parts
        if parts[: len(point)] == point and len(point) >= best[0]:  # later mounts hide earlier
            best = (len(point), system.split(" ")[0])
    kind = best[1]
    fuse, _, name = kind.partition(".")
    return kind if kind in NETWORK or (fuse == "fuse" and name in NETWORK_FUSE) else ""


def refuse_network_disk(path: Path, what: str, loses: str, remedy: str) -> None:
    """An error, with the remedy, for a database on a network disk."""
    if os.environ.get(ALLOW) == "allow":
        return
    kind = network_disk(path)
    if kind:
        raise StoreError(
            f"{what} {path} is on a network disk ({kind}), where SQLite can lose or damage "
            f"{loses}; {remedy}, or {ALLOW}=allow if only this machine ever opens it"
        )
