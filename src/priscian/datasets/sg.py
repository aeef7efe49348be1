"""The data kind `sg`: suites from files, or our own, made on the spot."""

from __future__ import annotations

import warnings
from dataclasses import replace
from importlib.util import find_spec

from priscian.datasets.published_suites import selection
from priscian.datasets.registry import Dataset
from priscian.datasets.syntaxgym import read_suites, suite_from_json, with_circuit
from priscian.errors import DataError, GrammarError, PriscianWarning, UsageError
from priscian.records import ItemSet

SEED, ITEMS = 1, 100
LICENCE = "CC-BY-4.0"


def read_sg(target: str) -> tuple[list[ItemSet], list[str]]:
    """Suites of a file or folder; without one, our own from seed 1, 100 items each.

    The second list has a line for each suite that could not be read.
    """
    sets, refused = read_suites(target) if target else own_suites()
    if not sets:
        for line in refused[1:]:
            warnings.warn(line, PriscianWarning, stacklevel=2)
        raise DataError(refused[0])
    return sets, refused


def own_suites(seed: int = SEED, n: int = ITEMS) -> tuple[list[ItemSet], list[str]]:
    """Our own suites, generated; a suite that cannot be made is named."""
    if find_spec("priscian.suites") is None:
        raise _none_of_our_own()
    from priscian.suites import suites

    found, refused = [], []
    for name in suites():
        try:
            found.append(own_suite(name, seed, n))
        except GrammarError as error:
            refused.append(str(error))
    if not found and not refused:
        raise _none_of_our_own()
    return found, refused


def own_suite(name: str, seed: int = SEED, n: int = ITEMS) -> ItemSet:
    """One suite of our own."""
    from priscian.suites import find, generate_suite

    suite = find(name)
    made = suite_from_json(generate_suite(suite, n, seed), f"suite {name} (seed {seed})")
    return replace(with_circuit(made, suite.circuit), licence=LICENCE)


def _none_of_our_own() -> DataError:
    return DataError("this installation has no suites of its own; give a file or folder: sg:PATH")


def select_suites(data: Dataset, name: str) -> Dataset:
    """The suites of a selection: `31`, `33`, `34` or `ours`; those that lack are told of."""
    wanted = selection(name)
    sets = tuple(s for s in data.sets if s.name in wanted)
    if not sets:
        raise UsageError(f"{data.spec} has none of the suites of --suites {name}; leave it out")
    lacking = len(wanted) - len(sets)
    if lacking:
        warnings.warn(
            f"{data.spec} has {len(sets)} of the {len(wanted)} suites of --suites {name}; the SG "
            "score rests on these",
            PriscianWarning,
            stacklevel=2,
        )
    return replace(data, sets=sets)
