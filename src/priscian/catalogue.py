"""A decorator-based registry of paradigms or suites, including those in a user's file."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Generic, ParamSpec, TypeVar

from priscian import __version__
from priscian.errors import GrammarError, PriscianError, UnknownNameError, UsageError

LICENCE = "CC-BY-4.0"
"""The licence of everything that paradigms and suites generate."""
FURTHER = "Further Suites"
"""The circuit of suites that no published set has; they never count for the SG score."""


def reference(seed: int) -> str:
    """The reference of generated data: what made it, and from which seed."""
    return f"Priscian {__version__}, seed {seed}"


Entry = TypeVar("Entry")
P = ParamSpec("P")
R = TypeVar("R")


class Catalogue(Generic[Entry]):
    """Entries by name: those of a package, imported on first use, and a user's own."""

    def __init__(self, what: str, package: str) -> None:
        self.what = what
        self.package = package
        self.entries: dict[str, Entry] = {}
        self.files: dict[str, Path] = {}
        """The user's file that an entry came from."""
        self._loaded = False

    def add(self, name: str, entry: Entry) -> None:
        """Register an entry under a new name."""
        if name in self.entries:
            raise GrammarError(f"there are two {self.what}s {name!r}; rename one")
        self.entries[name] = entry

    def all(self) -> dict[str, Entry]:
        """Every entry by name, in alphabetical order."""
        self._load()
        return dict(sorted(self.entries.items()))

    def find(self, name: str) -> Entry:
        """The entry with that name; an unknown name suggests the nearest ones."""
        known = self.all()
        if name not in known:
            raise UnknownNameError(self.what, name, known)
        return known[name]

    def load_file(self, path: Path) -> list[str]:
        """Run a user's Python file and return the names that it registered.

        A file that was loaded before replaces its own entries. One that fails registers nothing,
        and the error names the file and the line.
        """
        self._load()
        if not path.is_file():
            raise UsageError(f"there is no file {path}; give one that defines {self.what}s")
        if path.suffix != ".py":
            raise UsageError(f"{path} is not a Python file; give one that defines {self.what}s")
        before = dict(self.entries)
        own = path.resolve()
        for name in [name for name, file in self.files.items() if file == own]:
            self.entries.pop(name, None)
        others = set(self.entries)
        try:
            with blaming(path):
                module = ModuleType(f"priscian_user_{path.stem}")
                module.__file__ = str(path)
                # from the source: a compiled copy may be older than its last change
                code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
                exec(code, module.__dict__)
            added = [name for name in self.entries if name not in others]
            if not added:
                raise UsageError(
                    f"{path} defines no {self.what}; decorate a function with @{self.what}"
                )
        except PriscianError:
            self.entries.clear()
            self.entries.update(before)
            raise
        self.files |= dict.fromkeys(added, own)
        return added

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        package = importlib.import_module(self.package)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{self.package}.{module.name}")


@contextmanager
def blaming(file: Path, *let_through: type[Exception]) -> Iterator[None]:
    """Report any failure of a user's code as one line that names its file and line."""
    try:
        yield
    except let_through:
        raise
    except (Exception, SystemExit) as error:  # a user's code may fail in any way
        place = _place(error, file)
        if isinstance(error, PriscianError):
            raise GrammarError(f"{place}: {error}") from error
        message = str(error.msg if isinstance(error, SyntaxError) else error)
        name = type(error).__name__
        raise GrammarError(f"{place}: {name}{message and ': '}{message}") from error


def blamed(function: Callable[P, R], file: Path, *let_through: type[Exception]) -> Callable[P, R]:
    """The same function, whose failures name the user's file and line."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        with blaming(file, *let_through):
            return function(*args, **kwargs)

    return call


def place_of(function: Callable[..., object], file: Path) -> str:
    """Where a user's function begins, as `file:line`."""
    code = getattr(function, "__code__", None)
    return f"{file}:{code.co_firstlineno}" if code else str(file)


def _place(error: BaseException, file: Path) -> str:
    """The innermost line of the user's file that an error passed through."""
    own = file.resolve()
    if isinstance(error, SyntaxError) and error.filename:
        broken = Path(error.filename)
        return f"{file if broken.resolve() == own else broken}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if f.lineno and Path(f.filename).resolve() == own]
    return f"{file}:{lines[-1]}" if lines else str(file)
