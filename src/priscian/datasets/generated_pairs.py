"""Fresh minimal pairs from a seed, as item sets and as rows of BLiMP's schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from priscian.catalogue import LICENCE, reference
from priscian.datasets.blimp_write import blimp_rows
from priscian.datasets.prefixes import CONTRASTS, Method
from priscian.datasets.repairs import usual_spelling
from priscian.files import Row
from priscian.lexicon import Lexicon
from priscian.paradigms import Paradigm, find, generate_items, load_paradigms, paradigms
from priscian.records import ItemSet

METHODS: dict[str | None, Method | None] = {"one": "one_prefix", "two": "two_prefix", None: None}


def choose_paradigms(only: Sequence[str] = (), file: Path | None = None) -> list[str]:
    """UIDs: those named in `only`, else those of a user's file, else BLiMP's 67."""
    own = load_paradigms(file) if file else []
    if only:
        return [find(uid).uid for uid in dict.fromkeys(only)]
    return [p.uid for p in own or paradigms().values() if own or not p.extra]


def generate_set(
    uid: str | Paradigm, n: int = 1000, seed: int = 0, lexicon: Lexicon | None = None
) -> ItemSet:
    """`n` fresh pairs of a paradigm, equal in every field to those that `read_blimp` reads.

    >>> pairs = generate_set("adjunct_island", n=2, seed=7)
    >>> [item.id for item in pairs.items], pairs.licence, pairs.taxonomy
    (['adjunct_island/0', 'adjunct_island/1'], 'CC-BY-4.0', ('syntax', 'island_effects'))
    """
    paradigm = find(uid) if isinstance(uid, str) else uid
    return ItemSet(
        name=paradigm.uid,
        items=tuple(generate_items(paradigm, n, seed, lexicon)),
        contrasts=CONTRASTS[METHODS[paradigm.prefix]],
        taxonomy=(
            usual_spelling("field", paradigm.field),
            usual_spelling("linguistics_term", paradigm.phenomenon),
        ),
        licence=LICENCE,
        reference=reference(seed),
    )


def generate_rows(
    uid: str | Paradigm, n: int = 1000, seed: int = 0, lexicon: Lexicon | None = None
) -> Iterator[Row]:
    """Rows in BLiMP's schema, as the files have them."""
    return blimp_rows(generate_set(uid, n, seed, lexicon))
