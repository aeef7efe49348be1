"""Draws distinct, proved pairs of a paradigm from a seed; always ends."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from random import Random

from priscian.errors import GrammarError
from priscian.grammar import Grammar, Pair, Reject
from priscian.lexicon import Lexicon
from priscian.paradigms.pair import as_item, prove_pair
from priscian.paradigms.registry import Paradigm, find
from priscian.records import Item

PATIENCE = 5_000  # repeats in a row before a paradigm is taken to be exhausted
WATCHED = 2_000  # draws over which dead ends are counted
DEAD_ENDS = 0.8  # share of them that is a bug of the paradigm


def stream(seed: int, uid: str) -> Random:
    """A paradigm's own stream, so that it does not matter which others are generated."""
    digest = hashlib.sha256(f"{seed}:{uid}".encode()).digest()
    return Random(int.from_bytes(digest, "big"))


def generate(
    uid: str | Paradigm, n: int = 1000, seed: int = 0, lexicon: Lexicon | None = None
) -> Iterator[Pair]:
    """`n` distinct pairs: no good, no bad and no set of content lemmas comes twice."""
    paradigm = find(uid) if isinstance(uid, str) else uid
    grammar = Grammar(lexicon, stream(seed, paradigm.uid))
    seen: set[object] = set()
    made = repeats = draws = dead_ends = 0
    while made < n:
        draws += 1
        grammar.begin()
        try:
            pair = paradigm.draw(grammar)
        except Reject:
            dead_ends += 1
            if draws >= WATCHED and dead_ends > DEAD_ENDS * draws:
                raise GrammarError(
                    f"{paradigm.where}: {dead_ends} of {draws} draws were rejected; "
                    "draw the rarest word first or ask for less"
                ) from None
            continue
        if not isinstance(pair, Pair):
            raise GrammarError(f"{paradigm.where} gave {type(pair).__name__}; return g.pair(…)")
        prove_pair(paradigm, pair)
        keys = (
            ("good", pair.good.texts),
            ("bad", pair.bad.texts),
            tuple(sorted([w.lemma for w in pair.good.words if w.is_content])),
        )
        if not seen.isdisjoint(keys):
            repeats += 1
            if repeats >= PATIENCE:
                raise GrammarError(
                    f"{paradigm.where}: only {made} distinct pairs were found, {n} were asked for; "
                    f"ask for at most {made}"
                )
            continue
        repeats = 0
        seen.update(keys)
        made += 1
        yield pair


def generate_items(
    uid: str | Paradigm, n: int = 1000, seed: int = 0, lexicon: Lexicon | None = None
) -> Iterator[Item]:
    """Items with the conditions `good` and `bad`."""
    paradigm = find(uid) if isinstance(uid, str) else uid
    for number, pair in enumerate(generate(paradigm, n, seed, lexicon)):
        yield as_item(paradigm, pair, number)
