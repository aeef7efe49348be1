"""Words that a word-level model does not know, and items whose conditions differ in them.

All unknown words are one word, `<unk>`, or one of a few classes, with a probability of its own. So
a pair that has more of them on one side is decided by how probable that is and says little about
grammar. In a suite it depends on the regions that are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from priscian.datasets import Dataset
from priscian.records import Item, Text
from priscian.runs.summary import Part

Unknown = Mapping[Text, int]
Verdict = tuple[str, str, float]
"""The id of an item, the method by which it was judged, and its credit."""


class UnknownCounts(Part, frozen=True, kw_only=True):
    """How many items there are, how many have an unknown word, how many differ in them."""

    n: int
    with_unknown: int
    differ: int


class UnknownWords(UnknownCounts, frozen=True, kw_only=True):
    """Counts for all items and for every set; and the accuracy without the items that differ.

    `without` is the mean of the sets' accuracies, by method.
    """

    without: dict[str, float]
    paradigms: dict[str, UnknownCounts]


def unknown_in(item: Item, unknown: Unknown) -> dict[str, int]:
    """Unknown words of each condition."""
    return {name: unknown[Text(s.text, s.context)] for name, s in item.conditions.items()}


def differs(item: Item, unknown: Unknown) -> bool:
    """Whether the conditions of an item have unequal numbers of unknown words."""
    return len(set(unknown_in(item, unknown).values())) > 1


def summarise_unknown(
    data: Dataset, unknown: Unknown, verdicts: Mapping[str, Sequence[Verdict]]
) -> UnknownWords:
    """Count unknown words in the items of the sets that were judged, without single sentences."""
    paradigms = {}
    means_of: dict[str, list[float]] = {}
    for itemset in data.sets:
        if not verdicts.get(itemset.name):
            continue
        uneven = {i.id for i in itemset.items if differs(i, unknown)}
        paradigms[itemset.name] = UnknownCounts(
            n=len(itemset),
            with_unknown=sum(any(unknown_in(i, unknown).values()) for i in itemset.items),
            differ=len(uneven),
        )
        by_method: dict[str, list[float]] = {}
        for item, method, correct in verdicts[itemset.name]:
            if item not in uneven:
                by_method.setdefault(method, []).append(correct)
        for method, even in by_method.items():
            means_of.setdefault(method, []).append(sum(even) / len(even))
    counts = paradigms.values()
    return UnknownWords(
        n=sum(c.n for c in counts),
        with_unknown=sum(c.with_unknown for c in counts),
        differ=sum(c.differ for c in counts),
        without={method: sum(means) / len(means) for method, means in means_of.items()},
        paradigms=paradigms,
    )
