"""Results as series of a figure: which of them an analysis can use, and what each is called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from priscian.analysis.scored import Scored
from priscian.errors import DataError
from priscian.stats.proportions import Accuracy


@dataclass(frozen=True, slots=True)
class Series:
    """A result under a name that no other result of the same analysis has."""

    name: str
    scored: Scored


def pair_series(results: Iterable[Scored]) -> list[Series]:
    """Results on minimal pairs."""
    found = [r for r in results if r.kind != "suites" and "labels" not in r.summary]
    if not found:
        raise DataError("no result on minimal pairs; score models with --on blimp:DIR")
    return name_series(found)


def suite_series(results: Iterable[Scored]) -> list[Series]:
    """Results on suites."""
    found = [r for r in results if r.kind == "suites"]
    if not found:
        raise DataError("no result on suites; score models with --on sg")
    return name_series(found)


def name_series(results: Sequence[Scored]) -> list[Series]:
    """The model's name where that tells results apart, else with the data's name or a number."""
    names = [r.model for r in results]
    twice = Counter(names)
    names = [f"{r.model} on {r.data}" if twice[r.model] > 1 else r.model for r in results]
    twice = Counter(names)
    seen: Counter[str] = Counter()
    made = []
    for name, result in zip(names, results, strict=True):
        seen[name] += 1
        made.append(Series(f"{name} ({seen[name]})" if twice[name] > 1 else name, result))
    return made


def set_accuracies(scored: Scored, method: str = "full") -> dict[str, Accuracy]:
    """Accuracy of every set by one method, as the run summed it up; none if it was not used."""
    cells = scored.summary["methods"].get(method, {}).get("paradigms", {})
    return {
        name: Accuracy(c["accuracy"], c["n"], c["ties"], (c["ci"][0], c["ci"][1]))
        for name, c in cells.items()
    }


def node(scored: Scored, name: str, level: str) -> str:
    """The class of a set at a level of the taxonomy; nothing where it has none.

    A path that is shorter than the list of levels fills the narrowest.
    """
    path = scored.taxonomy.get(name, ())
    levels = scored.levels[len(scored.levels) - len(path) :]
    return dict(zip(levels, path, strict=True)).get(level, "")


def words(name: str) -> str:
    """A name as it is read: `npi_licensing` is `npi licensing`."""
    return name.replace("_", " ")
