"""Draws the items of a suite from a seed, all different enough; always ends."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from random import Random
from typing import TypedDict

from priscian import __version__
from priscian.catalogue import LICENCE, reference
from priscian.errors import GrammarError, UsageError
from priscian.grammar import Grammar, Reject, Word
from priscian.grammar.phrases import flatten
from priscian.lexicon import Lexicon, takes_an
from priscian.suites.checks import SuiteItems, Words, is_ours, unfair
from priscian.suites.registry import Suite, family, find
from priscian.suites.text import analyse

PATIENCE = 4_000  # draws in a row without a new item before a suite is taken to be exhausted


class RegionText(TypedDict):
    """A region of a condition."""

    region_number: int
    content: str


class ConditionText(TypedDict):
    """A condition of an item."""

    condition_name: str
    regions: list[RegionText]


class ItemText(TypedDict):
    """An item of a suite."""

    item_number: int
    conditions: list[ConditionText]


class SuiteFile(TypedDict):
    """A suite as SyntaxGym writes it."""

    meta: dict[str, str]
    region_meta: dict[str, str]
    predictions: list[dict[str, str]]
    items: list[ItemText]


Items = list[ItemText]


def generate_suite(
    name: str | Suite, n: int = 100, seed: int = 1, lexicon: Lexicon | None = None
) -> SuiteFile:
    """A suite of `n` items, as SyntaxGym's JSON has it.

    No two items share more than half of the content lemmas of the one that has fewer. Suites with
    a common stem are drawn in step, so that their items pair by number.
    """
    suite = find(name) if isinstance(name, str) else name
    if n < 1:
        raise UsageError(f"{n} asks for no items; give 1 or more")
    items = [
        _item(suite, number, words)
        for number, words in enumerate(_draw_items(suite, n, seed, lexicon), 1)
    ]
    return {
        "meta": {
            "name": suite.name,
            "metric": "sum",
            "circuit": suite.circuit,
            "comment": suite.comment,
            "reference": reference(seed),
            "author": f"priscian {__version__}, seed {seed}",
            "licence": LICENCE,
        },
        "region_meta": {str(place): text for place, text in enumerate(suite.regions, 1)},
        "predictions": [{"type": "formula", "formula": text} for text in suite.predictions],
        "items": items,
    }


def _draw_items(suite: Suite, n: int, seed: int, lexicon: Lexicon | None) -> list[Words]:
    members = family(suite) if suite in family(suite) else [suite]
    streams = [Random() for _ in members]
    grammars = [Grammar(lexicon, stream) for stream in streams]
    ledgers = [SuiteItems(member) for member in members]
    needed = {member.name: member.conditions for member in members}
    made: list[Words] = []
    attempt = idle = 0
    while len(made) < n:
        digest = hashlib.sha256(f"{seed}:{suite.stem}:{attempt}".encode()).digest()
        attempt += 1
        drawn: list[Words | None] = []
        for member, stream, grammar in zip(members, streams, grammars, strict=True):
            # Every member runs, whatever became of the others: they must stay in step.
            stream.seed(int.from_bytes(digest, "big"))
            drawn.append(_draw(member, needed[member.name], grammar))
        kept = [
            words
            for words, ledger in zip(drawn, ledgers, strict=True)
            if words is not None and ledger.admits(words)
        ]
        if len(kept) < len(members):
            idle += 1
            if idle >= PATIENCE:
                raise GrammarError(
                    f"{suite.where}: only {len(made)} items that differ enough, not {n}; "
                    f"ask for at most {len(made)}, or give it more words"
                )
            continue
        idle = 0
        for words, ledger in zip(kept, ledgers, strict=True):
            ledger.add(words)
        made.append(kept[members.index(suite)])
    return made


def _draw(suite: Suite, conditions: Sequence[str], grammar: Grammar) -> Words | None:
    """One item, or None at a dead end."""
    grammar.begin()
    try:
        regions = suite.draw(grammar)
    except Reject:
        return None
    if not isinstance(regions, dict):
        raise GrammarError(
            f"{suite.where} gave {type(regions).__name__}; "
            "return a dict of conditions, each a list of regions"
        )
    missing = [name for name in conditions if name not in regions]
    if missing:
        raise GrammarError(f"{suite.where}: no condition {missing[0]!r}; the formula names it")
    item: Words = {}
    for condition, nodes in regions.items():
        if not isinstance(nodes, list | tuple):
            raise GrammarError(
                f"{suite.where}, {condition}: {type(nodes).__name__}; give a list of regions"
            )
        if len(nodes) != len(suite.regions):
            raise GrammarError(
                f"{suite.where}, {condition}: {len(nodes)} regions; "
                f"expected {len(suite.regions)}: {', '.join(suite.regions)}"
            )
        item[condition] = []
        for node in nodes:
            if isinstance(node, str):
                item[condition].append(analyse(grammar.lexicon, node))
                continue
            words: list[Word] = []
            try:
                flatten((node,), True, words, [])
            except GrammarError as error:
                raise GrammarError(f"{suite.where}, {condition}: {error}") from None
            item[condition].append(tuple(words))
    return item


def _item(suite: Suite, number: int, item: Words) -> ItemText:
    texts = {condition: _texts(regions) for condition, regions in item.items()}
    prediction = unfair(suite.predictions, texts) if is_ours(suite) else None
    if prediction:
        raise GrammarError(
            f"{suite.where}, item {number}: {prediction} compares different words; "
            "draw what a formula compares once for all conditions"
        )
    return {
        "item_number": number,
        "conditions": [
            {
                "condition_name": condition,
                "regions": [
                    {"region_number": place, "content": text}
                    for place, text in enumerate(regions, 1)
                ],
            }
            for condition, regions in texts.items()
        ],
    }


def _texts(regions: list[tuple[Word, ...]]) -> list[str]:
    """The text of each region: a capital at the start, *a* or *an* by what follows."""
    texts = [word.text for words in regions for word in words]
    for place, text in enumerate(texts[:-1]):
        if text.lower() in ("a", "an") and texts[place + 1].isalpha():
            texts[place] = "an" if takes_an(texts[place + 1]) else "a"
    if texts:
        texts[0] = texts[0][0].upper() + texts[0][1:]
    found, place = [], 0
    for words in regions:
        found.append(" ".join(texts[place : place + len(words)]))
        place += len(words)
    return found
