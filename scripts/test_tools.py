"""Get what some tests need beside Python packages: Chromium and axe-core; `make test` runs it.

    python -m scripts.test_tools

Nothing is installed twice. Chromium is Playwright's own download, or Debian's if that fails and
this is root on a machine with apt-get; axe-core comes through npm. What cannot be had is told with
the remedy, and its tests are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.axe import FOLDER, VERSION
from tests.axe import REMEDY as AXE_REMEDY
from tests.browser import REMEDY, find_chromium, launched

SECONDS = 600


def run(*words: str, folder: Path | None = None) -> bool:
    """Whether a command succeeded."""
    print("test tools:", " ".join(words), flush=True)
    try:
        return subprocess.run(words, cwd=folder, timeout=SECONDS, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def opens() -> bool:
    """Whether a browser starts."""
    with launched() as browser:
        return browser is not None


def get_chromium() -> bool:
    """A browser for tests of the report and of judge's pages."""
    if opens() or (
        run(sys.executable, "-m", "playwright", "install", "chromium-headless-shell") and opens()
    ):
        return True
    if shutil.which("apt-get") and os.geteuid() == 0:
        run("apt-get", "install", "-y", "--no-install-recommends", "chromium")
    return find_chromium() is not None


def get_axe() -> bool:
    """axe-core, which finds what makes a page hard to use with a screen reader."""
    if (FOLDER / "axe.min.js").is_file():
        return True
    if shutil.which("npm") is None:
        return False
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if not run("npm", "pack", "--silent", f"axe-core@{VERSION}", folder=folder):
            return False
        with tarfile.open(next(folder.glob("axe-core-*.tgz"))) as archive:
            archive.extract("package/axe.min.js", folder, filter="data")
        FOLDER.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / "package" / "axe.min.js", FOLDER / "axe.min.js")
    return True


def main() -> int:
    """Get everything; 1 if something is missing."""
    wanted = {
        f"Chromium: {REMEDY}": get_chromium(),
        f"axe-core: {AXE_REMEDY}": get_axe(),
        "Postgres: apt install postgresql": any(Path("/usr/lib/postgresql").glob("*/bin/initdb")),
    }
    for what, found in wanted.items():
        if not found:
            print(f"test tools: tests will be skipped without {what}", flush=True)
    return 0 if all(wanted.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
