"""Graded sets: sentences with experts' labels and people's ratings, and minimal pairs over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from priscian.datasets.prefixes import FULL
from priscian.errors import DataError
from priscian.records import Item, ItemSet, Sentence

SHOWN = 5


@dataclass(frozen=True, slots=True)
class GradedSentence:
    """A sentence, whether experts accept it, and people's mean rating, where there is one.

    `contested` says why the label is disputed; it is empty where it is not.
    """

    id: str
    text: str
    acceptable: bool | None = None
    rating: float | None = None
    phenomenon: str = ""
    lexicalisation: str = ""
    group: str = ""
    raters: int = 0
    contested: str = ""


@dataclass(frozen=True, slots=True)
class GradedPair:
    """The ids of an acceptable sentence and an unacceptable one."""

    good: str
    bad: str
    phenomenon: str = ""
    group: str = ""

    @property
    def ids(self) -> tuple[str, str]:
        """Both ids."""
        return (self.good, self.bad)


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """What one model gives each sentence, by id; `z` holds z-scores that came with them."""

    name: str
    values: Mapping[str, float]
    z: Mapping[str, float] | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class GradedSet:
    """Sentences and pairs that fit together: ids are unique, and pairs name known ones."""

    name: str
    sentences: tuple[GradedSentence, ...]
    pairs: tuple[GradedPair, ...]
    reference: str = ""

    def __post_init__(self) -> None:
        twice = [i for i, n in Counter(s.id for s in self.sentences).items() if n > 1]
        if twice:
            others = f" (and {len(twice) - 1} other ids too)" if len(twice) > 1 else ""
            raise DataError(
                f"{self.name}: id {twice[0]!r} is used for several sentences{others}; give each "
                "sentence its own id"
            )
        known = {s.id for s in self.sentences}
        for pair in self.pairs:
            for one in pair.ids:
                if one not in known:
                    raise DataError(
                        f"{self.name}: the pair {pair.good} / {pair.bad} names {one!r}, which no "
                        "sentence has; correct the id or add the sentence"
                    )
        twins = [p for p, n in Counter(p.ids for p in self.pairs).items() if n > 1]
        if twins:
            raise DataError(
                f"{self.name}: the pair {' / '.join(twins[0])} is listed twice; delete one row"
            )

    @property
    def by_id(self) -> dict[str, GradedSentence]:
        """The sentences by id."""
        return {s.id: s for s in self.sentences}

    @property
    def rated(self) -> bool:
        """Whether any sentence has a rating."""
        return any(s.rating is not None for s in self.sentences)

    def human_deltas(self) -> list[float]:
        """Rating of the acceptable sentence minus that of the other, for every pair."""
        ratings = {s.id: s.rating for s in self.sentences}
        deltas = []
        for pair in self.pairs:
            good, bad = ratings[pair.good], ratings[pair.bad]
            if good is None or bad is None:
                missing = pair.good if good is None else pair.bad
                raise DataError(
                    f"{self.name}: sentence {missing!r} of the pair {pair.good} / {pair.bad} has "
                    "no rating; rate it, or leave the pair out"
                )
            deltas.append(good - bad)
        return deltas


def listed(ids: Iterable[str]) -> str:
    """The first few of some ids, and how many more there are."""
    ids = list(ids)
    more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
    return ", ".join(ids[:SHOWN]) + more


def item_sets(graded: GradedSet) -> list[ItemSet]:
    """What a model is scored on: the pairs, one set per phenomenon, and then every single sentence.

    The last set has no contrast: its scores are the population that z-scores are taken over.
    """
    if not graded.pairs:
        raise DataError(
            f"{graded.name}: no pair can be formed; add columns phenomenon, lexicalisation and "
            "acceptable, or a table of pairs with good_id and bad_id"
        )
    sentences = graded.by_id
    groups: dict[str, list[Item]] = {}
    for pair in graded.pairs:
        good, bad = sentences[pair.good], sentences[pair.bad]
        item = Item(
            f"{good.id}/{bad.id}",
            {"good": Sentence(good.text), "bad": Sentence(bad.text)},
            {
                "good_id": good.id,
                "bad_id": bad.id,
                "rating_good": good.rating,
                "rating_bad": bad.rating,
                "group": pair.group,
            },
        )
        groups.setdefault(pair.phenomenon or graded.name, []).append(item)
    pairs = [
        ItemSet(name, tuple(items), (FULL,), reference=graded.reference)
        for name, items in groups.items()
    ]
    singles = tuple(
        Item(s.id, {"sentence": Sentence(s.text)}, {"rating": s.rating}) for s in graded.sentences
    )
    name = "sentences"
    while name in groups:
        name = f"all {name}"
    return [*pairs, ItemSet(name, singles, chance=None, reference=graded.reference)]
