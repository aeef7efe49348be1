"""Compare our generated pairs with BLiMP's figures: duplicates, diversity, length, edits.

    python benchmarks/paradigm_figures.py [--n 1000] [--seeds 1 2 3]

The official figures are read from ../shared/spec/blimp/paradigms.json; without it, ours are printed
alone. Exit code 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from priscian.datasets.lint_words import tokens
from priscian.grammar import Pair
from priscian.paradigms import Paradigm, generate, paradigms
from priscian.paradigms.pair import as_item
from priscian.records import Item

OFFICIAL = Path(__file__).resolve().parents[2] / "shared/spec/blimp/paradigms.json"
CLOSED = {"an": "a", "these": "this", "those": "that", "are": "be", "is": "be", "was": "be"} | {
    "were": "be",
    "been": "be",
    "has": "have",
    "had": "have",
    "does": "do",
    "did": "do",
}


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of one seed's pairs of one paradigm."""

    words_good: float
    words_bad: float
    types: int
    lemmas: int
    top_share: float
    equal_length: float
    repeats: int
    near_repeats: int
    broken_prefixes: int


def measure(paradigm: Paradigm, pairs: list[Pair]) -> tuple[Figures, Counter[str]]:
    """Figures of some pairs, and how often each word was used."""
    goods = [p.good.text for p in pairs]
    bads = [p.bad.text for p in pairs]
    words = Counter(t.lower() for text in (*goods, *bads) for t in tokens(text))
    bags = [
        tuple(sorted(CLOSED.get(w.lemma, w.lemma).lower() for w in p.good.words)) for p in pairs
    ]
    lemmas = {lemma for bag in bags for lemma in bag}
    lengths = [(len(g.split()), len(b.split())) for g, b in zip(goods, bads, strict=True)]
    critical = Counter(_contrast(p) for p in pairs)
    repeats = 2 * len(pairs) - len(set(goods)) - len(set(bads))
    repeats += sum(g == b for g, b in zip(goods, bads, strict=True))
    n = len(pairs)
    figures = Figures(
        words_good=sum(g for g, _ in lengths) / n,
        words_bad=sum(b for _, b in lengths) / n,
        types=len(words),
        lemmas=len(lemmas),
        top_share=100 * critical.most_common(1)[0][1] / n,
        equal_length=100 * sum(g == b for g, b in lengths) / n,
        repeats=repeats,
        near_repeats=n - len(set(bags)),
        broken_prefixes=sum(not _rebuilds(as_item(paradigm, p, i)) for i, p in enumerate(pairs)),
    )
    return figures, words


def _contrast(pair: Pair) -> str:
    ours, theirs = pair.good.texts, pair.bad.texts
    start = next(i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b)
    end = len(ours)
    while end > start + 1 and ours[end - 1] == theirs[end - 1 - len(ours) + len(theirs)]:
        end -= 1
    return " ".join(ours[start:end]).lower()


def _rebuilds(item: Item) -> bool:
    if not (item.meta["one_prefix_method"] or item.meta["two_prefix_method"]):
        return True
    sides = item.conditions.values()
    return all(s.text.startswith(f"{s['prefix']} {s['critical']}") for s in sides)


def misses(figures: Figures, official: dict[str, object]) -> list[str]:
    """Bars that a paradigm misses."""
    wanted = {k: float(str(official[k])) for k in NEEDED}
    checks = {
        "repeats": figures.repeats == 0,
        "near-repeats": figures.near_repeats == 0,
        "prefix": figures.broken_prefixes == 0,
        "types": figures.types >= wanted["vocab_types"],
        "lemmas": figures.lemmas >= wanted["distinct_lemmas_good"],
        "top share": figures.top_share <= wanted["critical_span_top_share_pct"],
        "length": abs(figures.words_good - wanted["mean_words_good"]) <= 2
        and abs(figures.words_bad - wanted["mean_words_bad"]) <= 2,
        "equal length": figures.equal_length
        >= (100 if wanted["pct_equal_word_count"] >= 98 else 95),
    }
    return [name for name, holds in checks.items() if not holds]


NEEDED = (
    "vocab_types",
    "distinct_lemmas_good",
    "critical_span_top_share_pct",
    "mean_words_good",
    "mean_words_bad",
    "pct_equal_word_count",
)


def main() -> int:
    """Print one line per paradigm and seed that misses a bar, and the totals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--all", action="store_true", help="print every paradigm")
    options = parser.parse_args()
    known = {r["UID"]: r for r in json.loads(OFFICIAL.read_text())} if OFFICIAL.exists() else {}
    failed = 0
    for seed in options.seeds:
        words: Counter[str] = Counter()
        for paradigm in paradigms().values():
            if paradigm.extra:
                continue
            figures, used = measure(paradigm, list(generate(paradigm, options.n, seed)))
            words += used
            missed = misses(figures, known[paradigm.uid]) if known else []
            failed += bool(missed)
            if missed or options.all:
                facts = known.get(paradigm.uid, {})
                print(
                    f"seed {seed} {paradigm.uid}: {', '.join(missed) or 'ok'}; "
                    f"words {figures.words_good:.1f}/{figures.words_bad:.1f} "
                    f"({facts.get('mean_words_good')}/{facts.get('mean_words_bad')}), "
                    f"types {figures.types} ({facts.get('vocab_types')}), "
                    f"lemmas {figures.lemmas} ({facts.get('distinct_lemmas_good')}), "
                    f"top {figures.top_share:.1f} ({facts.get('critical_span_top_share_pct')}), "
                    f"equal {figures.equal_length:.1f}, repeats {figures.repeats}, "
                    f"near {figures.near_repeats}"
                )
        print(f"seed {seed}: {len(words):,} word types over the whole set (official 2,640)")
    print(f"{failed} paradigm runs miss a bar")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
