"""Run folders: `run.json` and, per model and data set, `items.parquet` and `summary.json`."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import sys
import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from priscian import __version__
from priscian.errors import RunError

FORMAT = 1
LIBRARIES = ("numpy", "polars", "torch", "transformers", "tokenizers")


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A folder that holds everything one call of `score` made, and how to repeat it."""

    path: Path

    @classmethod
    def create(cls, path: Path, request: dict[str, Any]) -> RunFolder:
        """A new folder; one that holds something else is refused."""
        if path.is_file():
            raise RunError(f"{path} is a file; give --out a folder that does not exist")
        if path.is_dir() and any(path.iterdir()):
            remedy = (
                "go on with it by --resume, or give another --out"
                if (path / "run.json").is_file()
                else "give another --out"
            )
            raise RunError(f"{path} exists and is not empty; {remedy}")
        folder = cls(path)
        folder.write(
            {
                "format": FORMAT,
                "priscian": __version__,
                "created": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
                "status": "running",
                "request": request,
                "models": {},
                "environment": environment(),
            }
        )
        return folder

    @classmethod
    def resume(cls, path: Path, request: dict[str, Any]) -> RunFolder:
        """An unfinished or finished run, if it was asked for in the same words."""
        folder = cls.open(path)
        asked = folder.read()["request"]
        different = sorted(k for k in {*asked, *request} if asked.get(k) != request.get(k))
        if different:
            raise RunError(
                f"{path} was made with other settings ({', '.join(different)}); "
                f"repeat them exactly, or give another --out"
            )
        return folder

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """A folder that holds a run this version can read."""
        if not (path / "run.json").is_file():
            raise RunError(f"{path} is not a run folder: it has no run.json")
        folder = cls(path)
        if folder.read()["format"] != FORMAT:
            raise RunError(f"{path} was made by another version of Priscian; update to read it")
        return folder

    def read(self) -> dict[str, Any]:
        """`run.json`."""
        try:
            found: dict[str, Any] = json.loads((self.path / "run.json").read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise RunError(
                f"{self.path / 'run.json'} cannot be read: {error}; begin again with another --out"
            ) from None
        if not isinstance(found, dict) or not {"format", "request", "models"} <= found.keys():
            raise RunError(
                f"{self.path / 'run.json'} is not a run's; begin again with another --out"
            )
        return found

    def write(self, data: dict[str, Any]) -> None:
        """Replace `run.json`, whole or not at all."""
        write_json(self.path / "run.json", data)

    def update(self, **changes: Any) -> None:
        """Change some entries of `run.json`."""
        self.write(self.read() | changes)

    def update_model(self, name: str, **changes: Any) -> None:
        """Change what `run.json` says of one model."""
        data = self.read()
        data["models"][name] = data["models"].get(name, {}) | changes
        self.write(data)

    def results(self) -> list[tuple[str, str, Path]]:
        """Model, data set and folder of every result that is there."""
        found = sorted(self.path.glob("*/*/summary.json"))
        return [(p.parent.parent.name, p.parent.name, p.parent) for p in found]


def write_json(path: Path, data: Any) -> None:
    """Write to a temporary name, then rename, so that no half-written file is ever seen."""
    write_text(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """The same for any text."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text, "utf-8")
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise RunError(
            f"cannot write {path}: {error.strerror}; free space or change --out"
        ) from None


def safe_name(name: str) -> str:
    """A file name that any system takes and a person recognises."""
    return re.sub(r"[^\w.@=+,-]+", "-", name).strip("-.") or "unnamed"


def environment() -> dict[str, str]:
    """Versions of what the scores were computed with."""
    found = {"python": platform.python_version(), "platform": sys.platform}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
