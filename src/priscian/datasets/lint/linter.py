"""Runs the checks that apply to a data set: of pairs, of suites, and of suites' files."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.datasets.columns import ANY_COLUMNS, PairColumns
from priscian.datasets.lint.checks import PAIR_CHECKS, SUITE_CHECKS, Check, CheckRegistry, Finding
from priscian.datasets.lint.words import is_english
from priscian.datasets.registry import Dataset, find_format, read_dataset
from priscian.datasets.syntaxgym import read_suite, suite_data, suite_files, suite_problems
from priscian.errors import DataError, DataWarning, UnknownNameError, UsageError
from priscian.records import ItemSet

FORMAT = "format"
"""The check of suites' files: problems that prevent a file from being read."""

KINDS: dict[str, CheckRegistry] = {
    "pairs": PAIR_CHECKS,
    "graded": PAIR_CHECKS,
    "suites": SUITE_CHECKS,
}
CHECKS = tuple(dict.fromkeys((FORMAT, *PAIR_CHECKS, *SUITE_CHECKS)))


@dataclass(frozen=True, slots=True)
class Checked:
    """What was checked and what was found; `note` is a remark for the reader."""

    kind: str
    sets: tuple[ItemSet, ...]
    findings: tuple[Finding, ...]
    note: str = ""

    @property
    def items(self) -> int:
        """Number of pairs or items that were checked."""
        return sum(map(len, self.sets))


def check_data(
    spec: str, columns: PairColumns = ANY_COLUMNS, *, skip: Collection[str] = ()
) -> Checked:
    """Everything that looks wrong in a data set of pairs or suites.

    >>> found = check_data("graded:textbook", skip=["unknown-word"])
    >>> found.kind, found.items > 100
    ('graded', True)

    Where the sentences are not English, by their `language` or because most words are unknown,
    the checks for English only are skipped, and `note` says so.
    """
    for name in skip:
        if name not in CHECKS:
            raise UnknownNameError("check", name, CHECKS)
    form, target = find_format(spec, columns)
    if form.kind not in KINDS:
        raise UsageError(
            f"{spec} holds {form.kind}; priscian check looks at pairs, graded pairs and suites"
        )
    if form.kind == "suites" and target and Path(target).exists():
        sets, broken = _read_suites(target)
    else:
        data: Dataset = read_dataset(spec, columns)
        sets = [s for s in data.sets if not _single(s)]
        broken = [Finding(FORMAT, "", "", line) for line in data.refused]
    foreign, note = _foreign(sets)
    found = [f for f in broken if FORMAT not in skip]
    for itemset in sets:
        for check in _checks(form.kind, english=itemset.name not in foreign):
            if check.name not in skip:
                found += check.find(itemset)
    return Checked(form.kind, tuple(sets), tuple(found), note)


def lint(itemset: ItemSet, kind: str = "pairs") -> list[Finding]:
    """Everything that looks wrong in one set of English pairs or one suite."""
    if _single(itemset):
        return []
    return [finding for check in _checks(kind, english=True) for finding in check.find(itemset)]


def _checks(kind: str, *, english: bool) -> Iterator[Check]:
    return (check for check in KINDS[kind].values() if english or not check.english)


def _single(itemset: ItemSet) -> bool:
    """Whether a set has single sentences, such as the population of a graded set."""
    return any("sentence" in item.conditions for item in itemset.items)


def _foreign(sets: Sequence[ItemSet]) -> tuple[set[str], str]:
    """The sets that are not English, and one line about them."""
    other = {s.name: s.language for s in sets if s.language.partition("-")[0].lower() != "en"}
    rest = [s for s in sets if s.name not in other]
    checks = [check for kind in KINDS.values() for check in kind.values()]
    names = ", ".join(dict.fromkeys(check.name for check in checks if check.english))
    if rest and not is_english(rest):
        why = "most words are not in the English lexicon"
        other |= {s.name: "" for s in rest}
    elif other:
        why = f"the language is {', '.join(dict.fromkeys(other.values()))}"
    else:
        return set(), ""
    return set(other), f"{why}: skipped checks that are for English only ({names})"


def _read_suites(target: str) -> tuple[list[ItemSet], list[Finding]]:
    """The suites that can be read, and every problem of the others."""
    sets: dict[str, ItemSet] = {}
    found: list[Finding] = []
    for file in suite_files(target):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)  # the check `spaces` lists them
                suite = read_suite(file)
            if suite.name in sets:
                raise DataError(f"{file}: another file has a suite {suite.name!r} too; rename one")
        except DataError as error:
            try:
                problems = suite_problems(suite_data(file), str(file))
            except DataError:  # not even JSON: the reader's error says so
                problems = []
            problems = problems or [str(error)]
            found += [Finding(FORMAT, file.stem, "", problem) for problem in problems]
        else:
            sets[suite.name] = suite
    return list(sets.values()), found
