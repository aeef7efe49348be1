"""Graded sets: sentences with labels and ratings of people, and the pairs formed of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.datasets.pairs import FULL
from priscian.errors import DataError
from priscian.files import read_json, shown
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


TypePair = tuple[str, str]

# chosen on LI-Adger itself, so recall and precision there are too good (docs/graded.md): a type
# pair must share half its words, and each step between example numbers costs 3 % of them
OVERLAP = 0.5
PER_STEP = 0.03
FARTHEST = 10

_WORD = re.compile(r"[\w']+")
_ID = re.compile(r"(?P<source>.+)\.(?P<example>[^.]+)\.(?P<mark>[^.]+)\.(?P<item>\d+)")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Formation:
    """The pairs that a rule formed, and the sentences it left out, each with the reason."""

    rule: str
    pairs: tuple[GradedPair, ...]
    left_out: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PairOverlap:
    """Pairs compared with those of a reference: recall, precision, and the difference both ways."""

    found: int
    reference: int
    missing: tuple[tuple[str, str], ...]
    extra: tuple[tuple[str, str], ...]

    @property
    def recall(self) -> float:
        """Share of the reference's pairs that were found."""
        return (self.reference - len(self.missing)) / self.reference if self.reference else 0.0

    @property
    def precision(self) -> float:
        """Share of the pairs found that are in the reference."""
        return (self.found - len(self.extra)) / self.found if self.found else 0.0


def compare_pairs(found: Iterable[GradedPair], reference: Iterable[GradedPair]) -> PairOverlap:
    """How the pairs found differ from a reference."""
    ours = dict.fromkeys(p.ids for p in found)
    theirs = dict.fromkeys(p.ids for p in reference)
    return PairOverlap(
        len(ours),
        len(theirs),
        tuple(ids for ids in theirs if ids not in ours),
        tuple(ids for ids in ours if ids not in theirs),
    )


def pairs_by_phenomenon(sentences: Sequence[GradedSentence]) -> Formation:
    """Every acceptable × unacceptable sentence of one phenomenon and lexicalisation."""
    cells: dict[tuple[str, str], tuple[list[GradedSentence], list[GradedSentence]]] = {}
    left: dict[str, str] = {}
    for s in sentences:
        if not s.phenomenon:
            left[s.id] = "no phenomenon"
        elif s.acceptable is None:
            left[s.id] = "no label"
        else:
            cell = cells.setdefault((s.phenomenon, s.lexicalisation), ([], []))
            cell[not s.acceptable].append(s)
    pairs = [
        GradedPair(good.id, bad.id, phenomenon, good.group)
        for (phenomenon, _), (goods, bads) in cells.items()
        for good in goods
        for bad in bads
    ]
    return _formation("phenomenon", pairs, sentences, left)


def read_type_pairs(path: str | Path) -> list[TypePair]:
    """Type pairs from JSON: `{"type_pairs": [[acceptable, unacceptable], …]}` or the list alone."""
    file = Path(path)
    found = read_json(file)
    rows = found.get("type_pairs") if isinstance(found, dict) else found
    shape = 'it needs {"type_pairs": [["ch8.151.g", "ch8.150.*"], …]}'
    if not isinstance(rows, list) or not rows:
        raise DataError(f"{file}: no type pairs; {shape}")
    for row in rows:
        if not (isinstance(row, list) and len(row) == 2 and all(isinstance(t, str) for t in row)):
            raise DataError(f"{file}: {shown(row)} is not a pair of types; {shape}")
    return [(good, bad) for good, bad in rows]


def pairs_by_types(
    sentences: Sequence[GradedSentence], type_pairs: Iterable[TypePair]
) -> Formation:
    """Sentences of paired types with the same item number: `ch8.151.g` and `ch8.150.*`, `.01`."""
    types = _types(sentences)
    pairs = []
    for good, bad in type_pairs:
        for name in (good, bad):
            if name not in types:
                raise DataError(
                    f"type {name!r} of a type pair has no sentence; correct it in the list"
                )
        pairs += _expand(types, good, bad)
    return _formation("type pairs", pairs, sentences, {})


def pairs_by_overlap(
    sentences: Sequence[GradedSentence],
    *,
    overlap: float = OVERLAP,
    per_step: float = PER_STEP,
) -> Formation:
    """An approximation from ids such as `ch8.150.*.01` and the words that sentences share.

    Within a source, an acceptable type (mark `g`) is paired with an unacceptable one if the mean
    Dice overlap of their words, item by item, less `per_step` for each step between their example
    numbers, reaches `overlap`; an unacceptable type without such a partner gets its best one.
    """
    left = {s.id: "the id has no source, example, mark and item" for s in sentences
            if not _ID.fullmatch(s.id)}  # fmt: skip
    types = _types([s for s in sentences if s.id not in left])
    words = {s.id: Counter(_WORD.findall(s.text.lower())) for s in sentences}
    sources: dict[str, tuple[list[str], list[str]]] = {}
    for name in types:
        source, _, mark = name.rsplit(".", 2)
        sources.setdefault(source, ([], []))[mark != "g"].append(name)
    chosen: list[TypePair] = []
    for goods, bads in sources.values():
        for bad in bads:
            likeness = {
                good: _likeness(types, words, good, bad) - per_step * _steps(good, bad)
                for good in goods
                if types[good].keys() & types[bad].keys()
            }
            near = [good for good, value in likeness.items() if value >= overlap]
            if not near and likeness:
                near = [max(likeness, key=likeness.__getitem__)]
            chosen += [(good, bad) for good in near]
    pairs = [pair for good, bad in chosen for pair in _expand(types, good, bad)]
    return _formation("ids and word overlap", pairs, sentences, left)


def dice(a: Counter[str], b: Counter[str]) -> float:
    """Twice the words shared over the words of both.

    >>> dice(Counter(["it", "rains"]), Counter(["it", "snows"]))
    0.5
    """
    both = a.total() + b.total()
    return 2 * (a & b).total() / both if both else 0.0


def _types(sentences: Iterable[GradedSentence]) -> dict[str, dict[str, GradedSentence]]:
    """Sentences by type and item number: the id up to its last point, and what follows it."""
    types: dict[str, dict[str, GradedSentence]] = {}
    for s in sentences:
        name, _, item = s.id.rpartition(".")
        types.setdefault(name, {})[item] = s
    return types


def _expand(
    types: Mapping[str, Mapping[str, GradedSentence]], good: str, bad: str
) -> list[GradedPair]:
    return [
        GradedPair(s.id, types[bad][item].id, s.phenomenon, s.group)
        for item, s in types[good].items()
        if item in types[bad]
    ]


def _likeness(
    types: Mapping[str, Mapping[str, GradedSentence]],
    words: Mapping[str, Counter[str]],
    good: str,
    bad: str,
) -> float:
    items = types[good].keys() & types[bad].keys()
    shared = (dice(words[types[good][i].id], words[types[bad][i].id]) for i in sorted(items))
    return sum(shared) / len(items)


def _steps(good: str, bad: str) -> int:
    """The distance between two types' example numbers, up to the largest that counts."""
    numbers = [_NUMBER.match(name.rsplit(".", 2)[1]) for name in (good, bad)]
    a, b = (int(found[0]) if found else 0 for found in numbers)
    return min(FARTHEST, abs(a - b))


def _formation(
    rule: str,
    pairs: Iterable[GradedPair],
    sentences: Iterable[GradedSentence],
    left: Mapping[str, str],
) -> Formation:
    pairs = tuple(pairs)
    used = {i for pair in pairs for i in pair.ids}
    reasons = {
        s.id: left.get(s.id, "no partner") for s in sentences if s.id not in used or s.id in left
    }
    return Formation(rule, pairs, reasons)
