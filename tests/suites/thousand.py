"""A thousand items of a suite, from ten seeds, for facts that must hold of every one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from priscian.lexicon import CONTENT, Lexicon, Word, load_lexicon
from priscian.suites import SuiteFile, generate_suite
from priscian.suites.text import analyse

SEEDS = range(101, 111)
LEXICON: Lexicon = load_lexicon()
# Verbs whose past is spelt like their participle, but which have no passive.
NEVER_TRANSITIVE = frozenset({
    "bloom", "blush", "creak", "disappear", "fizz", "glitter", "glow", "laugh", "remain", "rot",
    "seem", "shiver", "smile", "sneeze", "sparkle", "vanish", "weep",
})  # fmt: skip


@cache
def file_of(name: str, seed: int = 1) -> SuiteFile:
    """A suite of a hundred items, by default those of `sg`; read it and change nothing."""
    return generate_suite(name, 100, seed)


@cache
def hundred(name: str, seed: int = 1) -> list[dict[str, list[str]]]:
    """Condition name to region contents, for each item."""
    return [
        {c["condition_name"]: [r["content"] for r in c["regions"]] for c in item["conditions"]}
        for item in file_of(name, seed)["items"]
    ]


@cache
def thousand(name: str) -> list[dict[str, list[str]]]:
    """The same of ten seeds."""
    return [item for seed in SEEDS for item in hundred(name, seed)]


def words(text: str) -> tuple[Word, ...]:
    return analyse(LEXICON, text)


def content(text: str) -> list[str]:
    """The lemmas of its content words, repeated ones too."""
    return [word.lemma for word in words(text) if word.category in CONTENT]


def sentences(name: str) -> Iterator[tuple[str, list[str]]]:
    """Every condition of every item."""
    for item in thousand(name):
        yield from item.items()
