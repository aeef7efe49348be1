"""Hashes of files."""

from __future__ import annotations

import hashlib
from pathlib import Path

from priscian.files.reading import regular
from priscian.files.unchanged import note


def hash_of(file: Path) -> str:
    """SHA-256 of a file."""
    note(file)
    with regular(file).open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()
