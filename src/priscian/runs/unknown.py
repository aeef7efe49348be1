"""Words that a model of whole words does not know, and pairs whose sides differ in them.

All unknown words are one word, `<unk>`, with a probability of its own. So a pair that has more of
them on one side is decided by how probable `<unk>` is and says little of grammar.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from priscian.datasets import Dataset
from priscian.metrics import Outcome
from priscian.models import (
    ClosedVocabulary,
    LanguageModel,
    ModelSpec,
    TorchModel,
    load,
    traits_of,
)
from priscian.records import Item, Text

Unknown = Mapping[Text, int]


def count_unknown(
    spec: ModelSpec, texts: Sequence[Text], loaded: LanguageModel | TorchModel | None
) -> Unknown | None:
    """Unknown words of each text, or None for a model that has none such."""
    if not traits_of(spec).closed_vocabulary:
        return None
    model = loaded or load(spec)
    if not isinstance(model, ClosedVocabulary):
        return None
    asked = list(dict.fromkeys(texts))
    return dict(zip(asked, model.oov_counts(asked), strict=True))


def unknown_in(item: Item, unknown: Unknown) -> dict[str, int]:
    """Unknown words of each condition."""
    return {name: unknown[Text(s.text, s.context)] for name, s in item.conditions.items()}


def differs(item: Item, unknown: Unknown) -> bool:
    """Whether the conditions of an item have unequal numbers of unknown words."""
    return len(set(unknown_in(item, unknown).values())) > 1


def summarise_unknown(
    data: Dataset, unknown: Unknown, outcomes: Mapping[str, Sequence[Outcome]]
) -> dict[str, Any]:
    """How many pairs have unknown words, how many differ in them, and the accuracy without these.

    `without` is the mean of the paradigms' accuracies over the pairs whose sides are equal.
    """
    paradigms = {}
    means_of: dict[str, list[float]] = {}
    for itemset in data.sets:
        uneven = {i.id for i in itemset.items if differs(i, unknown)}
        paradigms[itemset.name] = {
            "n": len(itemset),
            "with_unknown": sum(any(unknown_in(i, unknown).values()) for i in itemset.items),
            "differ": len(uneven),
        }
        by_method: dict[str, list[float]] = {}
        for outcome in outcomes[itemset.name]:
            if outcome.item not in uneven:
                by_method.setdefault(outcome.method, []).append(outcome.correct)
        for method, even in by_method.items():
            means_of.setdefault(method, []).append(sum(even) / len(even))
    return {
        **{key: sum(p[key] for p in paradigms.values()) for key in ("n", "with_unknown", "differ")},
        "without": {method: sum(means) / len(means) for method, means in means_of.items()},
        "paradigms": paradigms,
    }
