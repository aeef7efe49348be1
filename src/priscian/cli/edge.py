"""The edge of the command line: every error becomes one line and an exit code."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO

from priscian.cli.notes import NOTES, complain
from priscian.errors import PriscianError, PriscianWarning, UsageError, flat
from priscian.files.cache import cache_folder
from priscian.files.names import is_unicode
from priscian.files.reading import shown

FAILED, USAGE, INTERRUPTED = 1, 2, 130
KEPT = {
    "score": "stopped; what was scored is kept: run the same command again with --resume",
    "surprisal": "stopped; what was scored is kept and not computed again",
    "perplexity": "stopped; what was scored is kept and not computed again",
    "curve": "stopped; what was trained and scored is kept: run the same command again",
    "parse": "stopped; what was parsed is kept: the same command continues (training: --resume)",
    "watch": "stopped; what was scored is kept: the same command continues",
    "train": "stopped; continue a neural training with the same command and --resume",
}
OUT_OF_MEMORY = (
    "out of memory; use a smaller model or less data, lower --batch-tokens, or close other programs"
)
TOO_DEEP = "the input is nested too deeply to be read; simplify the file, formula or expression"


def guard(verb: str, action: Callable[[], object]) -> int:
    """Run an action and return 0, or the exit code of its error."""
    try:
        with _noting():
            action()
            sys.stdout.flush()  # flush here, so that a closed pipe is noticed here
    except BrokenPipeError:
        _discard_output()
        return FAILED
    except KeyboardInterrupt:
        complain(KEPT.get(verb, "stopped"))
        return INTERRUPTED
    except Exception as error:  # the edge of the command line
        if os.environ.get("PRISCIAN_DEBUG") and not isinstance(error, PriscianError):
            raise
        line, code = explain(verb, error)
        complain(line)
        return code
    return 0


def explain(verb: str, error: Exception) -> tuple[str, int]:
    """The line that is shown for an error, and the exit code."""
    if isinstance(error, PriscianError):
        return flat(error), error.exit_code
    if isinstance(error, MemoryError):
        return OUT_OF_MEMORY, FAILED
    if isinstance(error, RecursionError):
        return TOO_DEEP, FAILED
    if isinstance(error, OSError):
        return _os_error(error), FAILED
    if isinstance(error, RuntimeError) and str(error).startswith("Symlink loop"):
        return f"{flat(error)}; {REMEDIES[errno.ELOOP]}", FAILED  # Path.resolve() before 3.13
    if type(error).__module__.partition(".")[0] == "cyclopts":
        return f"{flat(error).rstrip('.')}; see priscian {verb} --help", USAGE
    return (
        f"unexpected {type(error).__name__}: {flat(error)}; "
        "set PRISCIAN_DEBUG=1 to see where, and please report it"
    ), FAILED


def refuse_bytes(arguments: Sequence[str]) -> None:
    """Refuse arguments that are not text: no file of ours can hold them.

    They reach Python with surrogates in place of the bytes that it could not read.
    """
    for number, argument in enumerate(arguments, 1):
        _refuse_bytes(f"argument {number}", argument)


def refuse_odd_places() -> None:
    """The same for folders that are not named on the command line."""
    with contextlib.suppress(OSError):  # it is gone; whatever needs it will say so
        _refuse_bytes("the current folder", os.getcwd())
    with contextlib.suppress(RuntimeError):  # there is no home
        _refuse_bytes("the cache folder", str(cache_folder()))


def _refuse_bytes(what: str, value: str) -> None:
    if is_unicode(value):
        return
    found = f"{what}, {shown(value, 200)},"
    try:
        os.fsencode(value).decode()
    except UnicodeError:
        raise UsageError(
            f"{found} is not UTF-8; rename the file or folder, or convert the text: "
            "iconv -f latin1 -t utf-8"
        ) from None
    raise UsageError(f"{found} is UTF-8, but the locale is not; set LANG=C.UTF-8 or PYTHONUTF8=1")


@contextlib.contextmanager
def _noting() -> Iterator[None]:
    """Our warnings become notes; those of other libraries are shown only while debugging."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", PriscianWarning)
        warnings.showwarning = _show_warning
        try:
            yield
        finally:
            NOTES.flush()


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, PriscianWarning):
        NOTES.add(str(message), category)
    elif os.environ.get("PRISCIAN_DEBUG"):
        complain(warnings.formatwarning(message, category, filename, lineno, line).strip())


def _discard_output() -> None:
    """Discard the rest of standard output, so that closing it cannot fail again."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


REMEDIES = {
    errno.EACCES: "check its permissions (ls -l) and those of the folders that it is in",
    errno.EPERM: "check its permissions (ls -l) and those of the folders that it is in",
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "check the path",
    errno.EISDIR: "give a file",
    errno.EINVAL: "give a file",
    errno.ELOOP: "check where its links lead",
    errno.EROFS: "choose another place",
    errno.EMFILE: "raise the limit of open files: ulimit -n 4096",
    errno.EIO: "check the disk",
}


def _os_error(error: OSError) -> str:
    named = error.filename2 or error.filename
    where = ""
    if isinstance(named, str):
        where = f": {named if len(named) <= 200 else named[:199] + '…'}"
    if error.errno == errno.ENOSPC:
        return f"the disk is full{where}; free some space and run again: what was scored is kept"
    if error.errno == errno.ENAMETOOLONG:
        return f"a name of {len(str(named)):,} characters is too long{where}; give a shorter one"
    remedy = REMEDIES.get(error.errno or 0)
    return f"{error.strerror or error}{where}{f'; {remedy}' if remedy else ''}"
