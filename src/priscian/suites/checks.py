"""What every item of ours must satisfy: no word twice, none too often, fair contrasts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from priscian.formulas import comparisons_of, parse_formula
from priscian.lexicon import Word
from priscian.records import Arithmetic, Comparison, Expression, Value
from priscian.suites.registry import Suite
from priscian.suites.text import read_rows

BLOCK = 100  # items in which a word is counted
# An item: the words of every region of every condition.
Words = dict[str, list[tuple[Word, ...]]]


def content(item: Words) -> frozenset[str]:
    """The content lemmas of all conditions of an item."""
    return _lemmas(words for regions in item.values() for words in regions)


def repeated(item: Words) -> str | None:
    """A content lemma that a sentence of the item has twice: *cook cooked*, *dancer danced*."""
    for regions in item.values():
        seen: set[str] = set()
        for words in regions:
            for word in words:
                if word.is_content:
                    if word.lemma in seen:
                        return word.lemma
                    seen.add(word.lemma)
        for lemma in seen:
            if not seen.isdisjoint(_derived(lemma)):
                return lemma
    return None


@cache
def _derived(verb: str) -> frozenset[str]:
    """What is named after it: *painter*, *driver*, *engineer*, *swimmer*, *actor*, *criticize*."""
    stem = verb.removesuffix("e")
    made = (f"{stem}er", f"{stem}or", f"{verb}er", f"{verb}{verb[-1:]}er", f"{verb}ize")
    return frozenset(made)


class SuiteItems:
    """The items of a suite so far, and whether another may join them.

    Every suite: no two items share more than half of the content lemmas of the one that has fewer.
    Ours: no content lemma twice in a sentence, nor in more than so many items of a hundred.
    `caps.tsv` has the number, and the regions that are frames (*I know*, *by then*) and free.
    """

    def __init__(self, suite: Suite) -> None:
        self._ours = is_ours(suite)
        self._cap, frames = _caps()[suite.name] if self._ours else (BLOCK, frozenset())
        self._counted = [place for place, name in enumerate(suite.regions) if name not in frames]
        self._often: Counter[str] = Counter()  # items of this hundred that have a lemma
        self._sizes: list[int] = []
        self._having: dict[str, list[int]] = {}  # the items that have a lemma

    def admits(self, item: Words) -> bool:
        """True of an item whose words suit the suite, unlike all items so far."""
        if self._ours and (repeated(item) or self._is_full(item)):
            return False
        lemmas = content(item)
        shared = Counter(other for lemma in lemmas for other in self._having.get(lemma, ()))
        return all(
            2 * common <= min(len(lemmas), self._sizes[other]) for other, common in shared.items()
        )

    def add(self, item: Words) -> None:
        """Enter an item."""
        if len(self._sizes) % BLOCK == 0:
            self._often.clear()
        self._often.update(self._words(item))
        lemmas = content(item)
        for lemma in lemmas:
            self._having.setdefault(lemma, []).append(len(self._sizes))
        self._sizes.append(len(lemmas))

    def _is_full(self, item: Words) -> bool:
        begun = len(self._sizes) % BLOCK > 0
        return begun and any(self._often[lemma] >= self._cap for lemma in self._words(item))

    def _words(self, item: Words) -> frozenset[str]:
        return _lemmas(regions[place] for regions in item.values() for place in self._counted)


def is_ours(suite: Suite) -> bool:
    """True of a suite that comes with Priscian and not from a user's file."""
    return suite.name in _caps() and not suite.place


@cache
def _caps() -> Mapping[str, tuple[int, frozenset[str]]]:
    return {
        row["suite"]: (int(row["cap"]), frozenset(row.parts("frames", ",")))
        for row in read_rows("caps", "suite", "cap", "frames")
    }


def _lemmas(regions: Iterator[tuple[Word, ...]]) -> frozenset[str]:
    return frozenset(w.lemma for words in regions for w in words if w.is_content)


# ---------------------------------------------------------------- fair contrasts


def unfair(predictions: Sequence[str], texts: Mapping[str, Sequence[str]]) -> str | None:
    """A prediction whose two sides add up different words, so that words alone could decide it.

    Each comparison has the same texts on both sides, or the prediction as a whole has: *sells* and
    *sell* both count once as right and once as wrong. `texts` has the regions of each condition.
    """
    for prediction in predictions:
        comparisons = list(comparisons_of(parse_formula(prediction)))
        sides = [_difference(comparison, texts) for comparison in comparisons]
        if any(any(side.values()) for side in sides):
            total: Counter[str] = Counter()
            for side in sides:
                for text, times in side.items():
                    total[text] += times
            if any(total.values()):
                return prediction
    return None


def _difference(comparison: Comparison, texts: Mapping[str, Sequence[str]]) -> Counter[str]:
    """How often each text counts on the side that should be larger, minus the other side."""
    found: Counter[str] = Counter()
    left = 1 if comparison.op == ">" else -1
    _add(comparison.left, left, texts, found)
    _add(comparison.right, -left, texts, found)
    return found


def _add(
    tree: Expression, sign: int, texts: Mapping[str, Sequence[str]], found: Counter[str]
) -> None:
    match tree:
        case Value(condition, span):
            whole = texts[condition]
            found[" ".join(whole) if span == "*" else whole[int(span) - 1]] += sign
        case Arithmetic(op, left, right):
            _add(left, sign, texts, found)
            _add(right, sign if op == "+" else -sign, texts, found)
