"""Named things that the modules of a package enter by a decorator: paradigms, suites."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Collection
from pathlib import Path
from typing import Generic, TypeVar

from priscian.errors import GrammarError, UnknownNameError, UsageError

Entry = TypeVar("Entry")


class Catalogue(Generic[Entry]):
    """Entries by name: those of a package, imported when first asked for, and a user's own."""

    def __init__(self, what: str, package: str, machinery: Collection[str]) -> None:
        self.what = what
        self.package = package
        self.machinery = machinery
        """Modules of the package that enter nothing."""
        self.entries: dict[str, Entry] = {}
        self._loaded = False

    def add(self, name: str, entry: Entry) -> None:
        """Enter something under a name of its own."""
        if name in self.entries:
            raise GrammarError(f"there are two {self.what}s {name!r}; rename one")
        self.entries[name] = entry

    def all(self) -> dict[str, Entry]:
        """Everything by name, in alphabetical order."""
        self._load()
        return dict(sorted(self.entries.items()))

    def find(self, name: str) -> Entry:
        """The entry of that name; an unknown one suggests the nearest."""
        known = self.all()
        if name not in known:
            raise UnknownNameError(self.what, name, known)
        return known[name]

    def load_file(self, path: Path) -> list[str]:
        """Run a user's Python file; the names that it entered."""
        self._load()
        before = set(self.entries)
        spec = importlib.util.spec_from_file_location(f"priscian_user_{path.stem}", path)
        if spec is None or spec.loader is None or not path.is_file():
            raise UsageError(f"{path} is no Python file; give one that defines {self.what}s")
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
        added = [name for name in self.entries if name not in before]
        if not added:
            raise UsageError(
                f"{path} defines no {self.what}; decorate a function with @{self.what}"
            )
        return added

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        package = importlib.import_module(self.package)
        for module in pkgutil.iter_modules(package.__path__):
            if module.name not in self.machinery:
                importlib.import_module(f"{self.package}.{module.name}")
