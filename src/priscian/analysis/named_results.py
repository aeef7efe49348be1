"""The results that an analysis can use, with unique names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from os.path import commonprefix

from priscian.catalogue import FURTHER
from priscian.errors import DataError
from priscian.runs import PairsSummary, Result, SuitesSummary
from priscian.runs.result import labelled
from priscian.stats.proportions import Accuracy

FORCED_CHOICE = ("pairs", "graded")
JOINED = {
    "filler gap": "filler–gap",
    "subject verb": "subject–verb",
    "determiner noun": "determiner–noun",
    "control raising": "control/raising",
    "npi": "NPI",
}
"""Words of BLiMP's names that belong together or are abbreviations."""


def pair_results(results: Iterable[Result]) -> list[Result]:
    """Results on minimal pairs, rated or not, with unique labels."""
    return name_results(forced_choices(results))


def forced_choices(results: Iterable[Result]) -> list[Result]:
    """Results on minimal pairs, rated or not, as they are; there must be one."""
    found = [r for r in results if r.kind in FORCED_CHOICE]
    if not found:
        raise DataError("no result on minimal pairs; score models with `on=blimp:DIR`")
    return found


def suite_results(results: Iterable[Result]) -> list[Result]:
    """Results on suites, with unique labels."""
    found = [r for r in results if r.kind == "suites"]
    if not found:
        raise DataError("no result on suites; score models with `on=sg`")
    return name_results(found)


def name_results(results: Sequence[Result]) -> list[Result]:
    """Label results by model if that is unique, else with the data's name or a number.

    Labels that were given before, and tell the results apart, stay.
    """
    given = {r.label for r in results}
    if len(given) == len(results) and any(r.label != r.model for r in results):
        return list(results)
    names = [r.model for r in results]
    twice = Counter(names)
    names = [f"{r.model} on {r.data}" if twice[r.model] > 1 else r.model for r in results]
    twice = Counter(names)
    seen: Counter[str] = Counter()
    labels = []
    for name in names:
        seen[name] += 1
        labels.append(f"{name} ({seen[name]})" if twice[name] > 1 else name)
    return labelled(results, labels)


def short_names(names: Sequence[str], many: int = 4) -> dict[str, str]:
    """Names of many models without the beginning that all share.

    >>> short_names([f"hf:lab/pythia@step{n}" for n in range(5)])["hf:lab/pythia@step3"]
    'step3'
    >>> short_names(["tokens-1M", "tokens-2M"], many=1)["tokens-2M"]
    'tokens-2M'
    """
    unique = list(dict.fromkeys(names))
    shared = commonprefix(unique) if len(unique) > many else ""  # noqa: RUF071 - of letters
    while shared:
        at = max(shared.rfind(sign) for sign in "/:@-_") + 1
        shared = shared[:at]
        # a number alone says nothing: tokens-2M stays as it is
        if not shared or all(n[at:] and not n[at].isdigit() for n in unique):
            break
        shared = shared[:-1]
    return {name: name.removeprefix(shared) for name in unique}


def set_accuracies(result: Result, method: str = "full") -> dict[str, Accuracy]:
    """Accuracy of every set by one method; none if it was not used."""
    methods = result.expect(PairsSummary).methods
    return dict(methods[method].paradigms) if method in methods else {}


def suite_accuracies(result: Result) -> dict[str, float]:
    """Accuracy on every suite that counts for the SG score: further ones if there are no others."""
    every = {name: c.accuracy for name, c in result.expect(SuitesSummary).suites.items()}
    return {n: a for n, a in every.items() if result.narrowest(n) != FURTHER} or every


def words(name: str) -> str:
    """A readable name of a class or paradigm, the same everywhere.

    >>> words("npi_licensing"), words("filler_gap_dependency")
    ('NPI licensing', 'filler–gap dependency')
    """
    text = name.replace("_", " ")
    for plain, joined in JOINED.items():
        text = re.sub(rf"\b{plain}\b", joined, text)
    return text
