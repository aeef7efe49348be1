"""Read damaged files, many of them: no traceback, no hang, no record changed in silence."""

from __future__ import annotations

import contextlib
import re
import signal
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from priscian.errors import PriscianError, PriscianWarning
from tests.fuzz.mutations import BINARY, FIELDS, TEXT, Draft, Mutation, mutate
from tests.fuzz.truths import REFUSED, alike

SECONDS = 20
"""For one input; a good one takes milliseconds."""
MARK = re.compile(r"zq(\d+)zq")


@dataclass(frozen=True)
class Sample:
    """A reader, and a small valid file for it.

    Every record of the file has its mark, `zq7zq`, on each of its lines, and so has each fact that
    `facts` takes from what was read: so it is known which facts a damaged line may change.
    """

    name: str
    file: str
    make: Callable[[Path], object]
    """Write the valid files into a folder; `file` is the one that is damaged."""
    read: Callable[[Path], Any]
    """Read from the folder."""
    facts: Callable[[Any], Iterable[str]] = lambda found: ()
    whole: bool = False
    """The file has checksums: it is refused, or nothing in it has changed."""
    binary: bool = False
    plain: Callable[[Any], list[str]] | None = None
    """What was read, in the words of `truth`."""
    truth: Callable[[Path], list[str] | None] | None = None
    """What a damaged file says, read in another way than ours; None where that cannot be said."""
    fields: bool = False
    """Every second change is one of a field of JSON or TOML."""
    repaired: bool = False
    """It is only a cache: damage costs time, and nothing is ever refused."""
    cost: int = 1
    """How many times longer than others one reading takes: so many times fewer are done."""

    @property
    def kinds(self) -> tuple[Mutation, ...]:
        """What is done to the file."""
        return BINARY if self.binary else FIELDS if self.fields else TEXT


class Hang(BaseException):
    """An input that took too long."""


@contextlib.contextmanager
def limited(seconds: int) -> Iterator[None]:
    """End what takes more of the processor's time; how busy the machine is does not matter."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise Hang(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass(frozen=True)
class Outcome:
    """What came of one reading: facts by record, or a refusal; and what was warned of."""

    facts: dict[str, list[str]]
    notes: frozenset[str]
    refusal: str = ""
    plain: tuple[str, ...] = ()


@dataclass
class Report:
    """What came of many readings."""

    inputs: int = 0
    refused: int = 0
    compared: int = 0
    """Accepted ones that were compared with the truth."""
    hangs: int = 0
    tracebacks: int = 0
    seconds: float = 0.0
    """Of the processor, for the slowest input."""
    slowest: str = ""
    failures: list[str] = field(default_factory=list)

    @property
    def accepted(self) -> int:
        return self.inputs - self.refused - self.hangs - self.tracebacks

    def __str__(self) -> str:
        return (
            f"{self.inputs} damaged files: {self.refused} refused, {self.accepted} accepted "
            f"({self.compared} compared with the truth), {self.tracebacks} tracebacks, "
            f"{self.hangs} hangs, {len(self.failures)} failures, slowest {self.seconds:.1f} s"
        )

    def add(self, other: Report) -> None:
        """Count another reader's inputs too."""
        for name in ("inputs", "refused", "compared", "hangs", "tracebacks"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        if other.seconds > self.seconds:
            self.seconds, self.slowest = other.seconds, other.slowest
        self.failures += other.failures


def read(sample: Sample, folder: Path) -> Outcome:
    """One reading; anything but an error of ours comes through."""
    facts: dict[str, list[str]] = {}
    plain: tuple[str, ...] = ()
    refusal = ""
    with warnings.catch_warnings(record=True) as caught, limited(SECONDS):
        warnings.simplefilter("always")
        try:
            found = sample.read(folder)
            facts = _by_record(sample.facts(found))
            plain = tuple(sample.plain(found)) if sample.plain else ()
        except PriscianError as error:
            refusal = str(error) or "nothing said"
    strangers = [w for w in caught if not issubclass(w.category, PriscianWarning)]
    if strangers:
        raise AssertionError(
            f"a warning of {strangers[0].category.__name__}: {strangers[0].message}"
        )
    return Outcome(facts, frozenset(str(w.message) for w in caught), refusal, plain)


def true_of(sample: Sample, folder: Path) -> tuple[str, ...] | None:
    """What the file says by another reading; None where that other reading cannot read it."""
    if sample.truth is None:
        return None
    try:
        with warnings.catch_warnings(), limited(SECONDS):
            warnings.simplefilter("ignore")
            found = sample.truth(folder)
    except Exception:  # it reads less than ours, or more
        return None
    return None if found is None else tuple(found)


def _by_record(facts: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for fact in facts:
        marks = set(MARK.findall(fact))
        if len(marks) == 1:
            found.setdefault(marks.pop(), []).append(fact)
        elif not marks:
            found.setdefault("", []).append(fact)
    return {mark: sorted(own) for mark, own in found.items()}


class Records:
    """The lines of a valid file: those of each record, and those that all records share."""

    def __init__(self, data: bytes) -> None:
        self.own: dict[str, list[tuple[int, int]]] = {}
        self.shared: list[tuple[int, int]] = []
        for start, end in Draft(data).lines():
            marks = set(MARK.findall(data[start:end].decode("utf-8", "replace")))
            for mark in marks:
                self.own.setdefault(mark, []).append((start, end))
            if not marks:
                self.shared.append((start, end))

    def untouched(self, draft: Draft) -> set[str]:
        """Records that the damage has left as they were; none if it is in a shared line."""
        if not all(draft.keeps(*stretch) for stretch in self.shared):
            return set()
        return {m for m, own in self.own.items() if all(draft.keeps(*line) for line in own)}


def fuzz(sample: Sample, folder: Path, count: int, seed: int) -> Report:
    """Read so many damaged files; a line (and a traceback) for each that went wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    sample.make(folder)
    file = folder / sample.file
    data = file.read_bytes()
    valid = read(sample, folder)
    assert not valid.refusal, f"{sample.name}: the valid file is refused: {valid.refusal}"
    wanted = true_of(sample, folder)
    assert (wanted is None) == (sample.truth is None), f"{sample.name}: the truth is not known"
    if wanted is not None:
        assert alike(wanted, valid.plain), f"{sample.name}: {valid.plain} is not true: {wanted}"
    records = Records(data)
    report = Report()
    for number in range(max(1, count // sample.cost)):
        random = Random(f"{seed} {sample.name} {number}")
        draft, done = mutate(data, random, sample.kinds)
        file.write_bytes(draft.data)
        label = f"{sample.name} {number} ({done})"
        report.inputs += 1
        begun = time.process_time()
        try:
            found = read(sample, folder)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            report.hangs += isinstance(error, Hang)
            report.tracebacks += not isinstance(error, Hang)
            lines = traceback.format_exception(error)
            report.failures.append(
                f"{label}: {type(error).__name__}: {error}\n{''.join(lines[-3:])}"
            )
            continue
        if (took := time.process_time() - begun) > report.seconds:
            report.seconds, report.slowest = took, label
        report.refused += bool(found.refusal)
        problem = _problem(sample, records, draft, valid, found)
        said = found.notes - valid.notes and not sample.repaired
        if not problem and not found.refusal and not said:
            wanted = true_of(sample, folder)
            report.compared += wanted is not None
            if wanted is not None and not alike(wanted, found.plain):
                problem = f"{found.plain} was read, and the file says {wanted}"
        if problem:
            report.failures.append(f"{label}: {problem}")
    file.write_bytes(data)
    if report.inputs >= 500 and not report.refused and not sample.repaired:
        report.failures.append(
            f"{sample.name}: nothing was ever refused; the damage does not reach it"
        )
    return report


def _problem(sample: Sample, records: Records, draft: Draft, valid: Outcome, found: Outcome) -> str:
    if found.refusal and sample.repaired:
        return f"a damaged cache is an error: {found.refusal}"
    if found.refusal:
        if "\n" in found.refusal.strip():
            return f"an error of several lines: {found.refusal!r}"
        return f"an error of {len(found.refusal)} characters" if len(found.refusal) > 2000 else ""
    if sample.whole:
        same = found.facts == valid.facts or bool(found.notes - valid.notes)
        return "" if same else "a file with checksums was read, and its contents have changed"
    if found.notes - valid.notes:
        return ""  # something was said
    for mark in sorted(records.untouched(draft)):
        before, after = valid.facts.get(mark, []), found.facts.get(mark, [])
        told = bool(after) and all(REFUSED in fact for fact in after)
        # a damaged line may have become one that looks like another record's
        if Counter(before) - Counter(after) and not told:
            return f"record {mark} was not touched and has changed: {before} became {after}"
    return ""
