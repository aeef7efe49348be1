"""The data formats `sg` and `syntaxgym`: suites from files, or our own, generated when needed."""

from __future__ import annotations

import warnings
from dataclasses import replace

from priscian.datasets.official import official_paths
from priscian.datasets.reference import selection
from priscian.datasets.registry import Dataset, Partial, data_format
from priscian.datasets.syntaxgym import read_suites
from priscian.errors import DataError, PriscianWarning, UsageError
from priscian.records import ItemSet

SEED, ITEMS = 1, 100


@data_format(
    "sg",
    "suites of syntactic generalization: ours, or SyntaxGym's JSON or CSV as sg:PATH",
    levels=("circuit",),
    needs_path=False,
    kind="suites",
)
def _read(target: str, limit: int | None) -> Partial:
    return Partial(*read_sg(target, min(limit or ITEMS, ITEMS)))


@data_format(
    "syntaxgym",
    "the 34 suites of Hu et al. (2020): syntaxgym alone fetches the official files",
    levels=("circuit",),
    needs_path=False,
    kind="suites",
)
def _read_official(target: str) -> Partial:
    (path,) = official_paths("syntaxgym", target)
    return Partial(*read_sg(path))


def read_sg(target: str, n: int = ITEMS) -> tuple[list[ItemSet], list[str]]:
    """Suites of a file or folder; without one, our own from seed 1, `n` items each.

    The second list has a line for each suite that could not be read.
    """
    sets, refused = read_suites(target) if target else own_suites(n=n)
    if not sets:
        for line in refused[1:]:
            warnings.warn(line, PriscianWarning, stacklevel=2)
        raise DataError(refused[0])
    return sets, refused


def own_suites(seed: int = SEED, n: int = ITEMS) -> tuple[list[ItemSet], list[str]]:
    """Our own suites, generated, and one line for each that could not be made."""
    from priscian.datasets.generation import read_generated  # the grammar takes time to load

    return read_generated("sg", f"{seed},{n}")


def own_suite(name: str, seed: int = SEED, n: int = ITEMS) -> ItemSet:
    """One suite of our own."""
    from priscian.datasets.generation import generate_suite_set

    return generate_suite_set(name, n, seed)


def select_suites(data: Dataset, name: str) -> Dataset:
    """The suites of a selection: `31`, `33`, `34` or `ours`; warns about missing ones."""
    wanted = selection(name)
    sets = tuple(s for s in data.sets if s.name in wanted)
    if not sets:
        raise UsageError(f"{data.spec} has none of the suites of `suites={name}`; leave it out")
    if len(sets) < len(wanted):
        warnings.warn(
            f"{data.spec} has {len(sets)} of the {len(wanted)} suites of `suites={name}`; the SG "
            "score is based on these",
            PriscianWarning,
            stacklevel=2,
        )
    return replace(data, sets=sets)
