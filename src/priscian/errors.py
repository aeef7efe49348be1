"""One exception hierarchy. Each message says what went wrong, where, and what to do.

PriscianError
├── UsageError            the command or call is invalid (exit code 2)
│   └── UnknownNameError  no such paradigm, data set, provider …; suggests the nearest names
├── DataError             a file, row or field is not what it should be
│   ├── ChangedError      a file changed while it was read
│   ├── LexiconError      a row of the lexicon is malformed
│   └── FormulaError      a formula of a suite cannot be read; points at the place
├── GrammarError          a paradigm or phrase cannot be built
├── ModelError            a model cannot be found, loaded or used
│   ├── WrongKindError    a causal model where a masked one is needed, or vice versa
│   ├── OffsetsError      the tokenizer cannot say where its tokens are
│   ├── TooLongError      a text does not fit the model's context
│   ├── BackendError      a server or engine cannot be reached, or not trusted
│   └── ScoreError        the model gave NaN or infinity
├── TrainingError         training cannot continue: the loss is not a number
├── StoreError            the store of scores or of a study cannot be read or written
│   └── StoreFullError    the disk under it is full
├── OutputError           a file cannot be written: disk full, no permission
├── RunError              a run folder exists, is unfinished or does not match
│   └── BusyError         another process is writing into the folder
└── WorkerError           a worker process failed or died
    └── SetAsideError     a batch was given up because workers died while they computed it

PriscianWarning           something was repaired or looks wrong, and the work continued
└── DataWarning           in a file: what, where, how often
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 pair`, `2,000 pairs`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def install(extra: str) -> str:
    """How to install what an extra brings; the constraints keep CUDA packages out."""
    return f"pip install -c constraints.txt '.[{extra}]' in the folder of Priscian's source"


LONGEST = 1500
"""Longest message, in characters; a quoted cell of a damaged file can have any length."""


class PriscianError(Exception):
    """Base of every error that Priscian raises on purpose."""

    exit_code = 1

    def __init__(self, *args: object) -> None:
        super().__init__(*(_one_line(arg) if isinstance(arg, str) else arg for arg in args))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled with message and attributes, not rebuilt from arguments that it does not keep."""
        return _restored, (type(self), self.args), self.__dict__ or None


def _restored(kind: type[PriscianError], args: tuple[object, ...]) -> PriscianError:
    return kind.__new__(kind, *args)


def flat(error: BaseException) -> str:
    """What an error says, in one line; errors that are not ours may say it in several."""
    return " ".join(str(error).split())


def brief(text: str, most: int = 200) -> str:
    """What a server says, for a message: short, in one line, and printable."""
    text = " ".join(text[: 8 * most].split())
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _one_line(message: str) -> str:
    """A one-line message; the middle is left out if it is too long.

    It begins with what and where, and ends with what to do.
    """
    message = " ".join(message.splitlines())
    if len(message) <= LONGEST:
        return message
    return f"{message[: LONGEST - 300]} … {message[-290:]}"


class UsageError(PriscianError):
    """The command or call is invalid."""

    exit_code = 2


MOST = 20
"""Known names that a message lists."""


class UnknownNameError(UsageError):
    """No such name; the message suggests the nearest known ones."""

    def __init__(self, what: str, name: str, known: Iterable[str], remedy: str = "") -> None:
        known = list(known)
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        if near:
            hint = f"did you mean {', '.join(near)}?"
        elif 0 < len(known) <= 8 or (known and not remedy):
            hint = f"known: {', '.join(known[:MOST])}{' …' if len(known) > MOST else '.'}"
        else:
            hint = ""
        told = " ".join(part for part in (hint, remedy) if part)
        super().__init__(f"no {what} {name!r}" + (f"; {told}" if told else ""))
        self.name = name
        self.near = tuple(near)


class DataError(PriscianError):
    """A file, row or field is not what it should be."""


class ChangedError(DataError):
    """A file changed while it was read."""


class LexiconError(DataError):
    """A row of the lexicon is malformed."""


class FormulaError(DataError):
    """A formula that cannot be read; `position` counts characters from 0."""

    def __init__(self, formula: str, position: int, problem: str, remedy: str) -> None:
        before, after = formula[max(0, position - 24) : position], formula[position : position + 24]
        super().__init__(
            f"formula, character {position + 1} (…{before}▸{after}…): {problem}; {remedy}"
        )
        self.formula = formula
        self.position = position


class GrammarError(PriscianError):
    """A paradigm or phrase cannot be built."""


class ModelError(PriscianError):
    """A model cannot be found, loaded or used."""


class WrongKindError(ModelError):
    """A causal model where a masked one is needed, or vice versa."""


class OffsetsError(ModelError):
    """The tokenizer cannot say where its tokens are."""


class TooLongError(ModelError):
    """A text does not fit the model's context."""


class BackendError(ModelError):
    """A server or engine cannot be reached, or its log-probabilities cannot be trusted.

    `status` is the HTTP status of a server that refused a request.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class ScoreError(ModelError):
    """The model gave NaN or infinity."""


class TrainingError(PriscianError):
    """Training cannot continue: the loss is not a number."""


class StoreError(PriscianError):
    """The score store, or that of a study, cannot be read or written."""


class StoreFullError(StoreError):
    """The disk under a store is full; what was sent was not kept."""


class OutputError(PriscianError):
    """A file cannot be written: disk full, no permission."""


class RunError(PriscianError):
    """A run folder exists, is unfinished or does not match."""


class BusyError(RunError):
    """Another process is writing into the folder."""


class WorkerError(PriscianError):
    """A worker process failed or died."""


class SetAsideError(WorkerError):
    """A batch was given up because workers died while they computed it; `texts` has its texts."""

    def __init__(self, model: str, texts: Sequence[str], reason: str) -> None:
        shown = ", ".join(repr(text if len(text) <= 60 else text[:57] + "…") for text in texts[:4])
        more = f" and {len(texts) - 4} more" if len(texts) > 4 else ""
        super().__init__(
            f"{model}: {counted(len(texts), 'text')} set aside: workers died each time they were "
            f"computed ({reason}), possibly out of memory: {shown}{more}; everything else is "
            "scored and kept: continue with `resume=True`, a smaller `batch_tokens=` in a new "
            "run, or leave them out"
        )
        self.texts = tuple(texts)


class PriscianWarning(UserWarning):
    """Something was repaired or looks wrong, and the work continued."""


class DataWarning(PriscianWarning):
    """A file was repaired while it was read: what, where, how often."""
