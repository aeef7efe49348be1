"""A store on a network disk is refused, and local disks are not taken for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from priscian.errors import StoreError
from priscian.files import cache
from priscian.files.cache import network_disk
from priscian.scoring import ScoreStore

MOUNTS = r"""
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:21 / /proc rw - proc proc rw
30 22 0:29 / /users rw,nosuid shared:9 master:2 - nfs4 server:/users rw,vers=4.2
31 30 8:17 / /users/local rw - xfs /dev/sdb1 rw
32 22 0:44 / /scratch rw - lustre 10.0.0.1@o2ib:/scratch rw,flock
33 22 0:45 / /gpfs/work rw - gpfs work rw
34 22 0:46 / /mnt/win\040share rw - cifs //server/share rw
35 22 0:47 / /mnt/ssh rw - fuse.sshfs ada@server:/ rw
36 22 0:48 / /mnt/usb rw - fuse.ntfs-3g /dev/sdc1 rw
37 22 0:49 / /mnt/host rw - 9p host rw
38 22 0:50 / /auto rw - autofs auto.home rw
39 38 0:51 / /auto rw - nfs server:/auto rw
broken line
""".strip()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/users/ada/.cache/priscian/scores.sqlite", "nfs4"),
        ("/users/local/ada/scores.sqlite", ""),  # a local disk inside a network disk
        ("/userspace/ada/scores.sqlite", ""),  # begins alike, but is another folder
        ("/scratch/ada/scores.sqlite", "lustre"),
        ("/gpfs/work/x", "gpfs"),
        ("/gpfs/elsewhere/x", ""),
        ("/mnt/win share/x", "cifs"),
        ("/mnt/ssh/x", "fuse.sshfs"),
        ("/mnt/usb/x", ""),
        ("/mnt/host/x", ""),  # a guest and its own host are one machine
        ("/auto/ada/x", "nfs"),  # the later mount hides the earlier
        ("/var/cache/x", ""),
    ],
)
def test_the_innermost_mount_decides(path: str, kind: str) -> None:
    assert network_disk(Path(path), MOUNTS) == kind


def test_a_store_on_a_network_disk_is_one_line_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(f"22 1 8:1 / / rw - ext4 x rw\n30 22 0:29 / {tmp_path} rw - nfs4 s:/ rw\n")
    monkeypatch.setattr(cache, "MOUNTS", table)
    with pytest.raises(StoreError, match=r"network disk \(nfs4\).*set PRISCIAN_CACHE to a folder"):
        ScoreStore(tmp_path / "cache" / "s.sqlite")
    assert not list(tmp_path.glob("cache/*"))
    monkeypatch.setenv("PRISCIAN_NETWORK_DISK", "allow")
    ScoreStore(tmp_path / "cache" / "s.sqlite").close()


def test_without_a_table_of_mounts_every_disk_is_local(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MOUNTS", tmp_path / "none")
    assert network_disk(tmp_path) == ""
    ScoreStore(tmp_path / "s.sqlite").close()


def test_a_store_in_memory_is_on_no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "network_disk", lambda path: "nfs")
    ScoreStore().close()
