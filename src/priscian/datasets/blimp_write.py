"""Writing minimal pairs: BLiMP's own schema, or a plain table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from priscian.datasets.blimp import CONSUMED, SET_KEYS
from priscian.datasets.prefixes import FIELDS, Method
from priscian.datasets.reference import REFERENCE, blimp_taxonomy
from priscian.errors import DataError, UsageError
from priscian.files import (
    PathLike,
    Row,
    collector_paused,
    delimited_text,
    file_names,
    inside,
    write_bytes,
)
from priscian.records import Item, ItemSet, Sentence

OPTIONAL = {"context": "", "language": "en", "licence": "", "reference": ""}
_SIDES = {"good", "bad"}


def write_blimp(itemsets: Iterable[ItemSet], folder: PathLike) -> list[Path]:
    """One `NAME.jsonl` per set in BLiMP's schema; `read_blimp` gives the same sets back.

    Keys that BLiMP does not have are added only if they have a value: `spans_good` and
    `spans_bad`, `context`, `language`, `licence`, `reference`, and what an item's meta holds.
    """
    encoded: dict[str, bytes] = {}
    for itemset in itemsets:
        if itemset.name in encoded:
            raise DataError(f"two sets are called {itemset.name!r}; rename one")
        encoded[itemset.name] = encode_blimp(itemset)
    paths = [inside(Path(folder), f"{stem}.jsonl") for stem in file_names(encoded).values()]
    for path, data in zip(paths, encoded.values(), strict=True):
        write_bytes(path, data)
    return paths


@collector_paused()
def encode_blimp(itemset: ItemSet) -> bytes:
    """The bytes of a set's file in BLiMP's schema."""
    return msgspec.json.Encoder(enc_hook=_refuse).encode_lines(list(blimp_rows(itemset)))


def blimp_rows(itemset: ItemSet) -> Iterator[Row]:
    """The lines of BLiMP's JSONL: the one form in which pairs are written."""
    field, term = _levels(itemset)
    contrasts = {contrast.name for contrast in itemset.contrasts}
    method = next((method for method in FIELDS if method in contrasts), None)
    shared = {
        "field": field,
        "linguistics_term": term,
        "UID": itemset.name,
        "simple_LM_method": True,
        "one_prefix_method": method == "one_prefix",
        "two_prefix_method": method == "two_prefix",
    }
    # the reader finds this reference by the UID, so that no row has to hold it
    usual = REFERENCE if itemset.name in blimp_taxonomy() else ""
    known = {"language": "en", "licence": "", "reference": usual}
    facts = {key: getattr(itemset, key) for key in SET_KEYS}
    said = {key: value for key, value in facts.items() if value != known[key]}
    plain = {"prefix", "critical"} if method else set()
    start = f"{itemset.name}/"
    for item in itemset.items:  # written for speed: a benchmark has 67,000 of them
        good, bad = _pair(item)
        if not CONSUMED.isdisjoint(item.meta):
            _refuse_keys(item)
        row: Row = {"sentence_good": good.text, "sentence_bad": bad.text}
        if method:
            row.update(_prefix_fields(method, item))
        row.update(shared)
        same = item.meta.get("lexically_identical")
        row["lexically_identical"] = _same_words(good, bad) if same is None else same
        row["pairID"] = item.id.removeprefix(start)
        for key, sentence in (("spans_good", good), ("spans_bad", bad)):
            spans = [[span.name, span.start, span.end] for span in sentence.spans]
            if not plain.issuperset([span[0] for span in spans]):
                row[key] = spans
        if good.context or bad.context:
            row.update(_contexts(good, bad))
        row.update(said)
        row.update(item.meta)
        yield row


def blimp_row(itemset: ItemSet, item: Item) -> Row:
    """One line of BLiMP's JSONL."""
    return next(blimp_rows(replace(itemset, items=(item,))))


def write_pairs(itemsets: Iterable[ItemSet], path: PathLike) -> Path:
    """One table of all sets, as JSONL, CSV or TSV by the suffix; spans are not written.

    Columns: id, sentence_good, sentence_bad, field, phenomenon, paradigm, and if they have a
    value context, language, licence and reference.
    """
    path = Path(path)
    rows = [_table_row(itemset, item) for itemset in itemsets for item in itemset.items]
    for key in [k for k, usual in OPTIONAL.items() if all(row[k] == usual for row in rows)]:
        for row in rows:
            del row[key]
    match path.suffix.lower():
        case ".jsonl" | ".ndjson":
            data = msgspec.json.Encoder().encode_lines(rows)
        case ".csv":
            data = delimited_text(rows).encode()
        case ".tsv" | ".tab":
            data = delimited_text(rows, delimiter="\t").encode()
        case other:
            raise UsageError(f"cannot write pairs as {other!r}; use .jsonl, .csv or .tsv")
    write_bytes(path, data)
    return path


def _table_row(itemset: ItemSet, item: Item) -> dict[str, str]:
    good, bad = _pair(item)
    if good.context != bad.context:
        raise DataError(
            f"item {item.id} has a context for each sentence, and a table of pairs has room for "
            "one; use write_blimp"
        )
    field, phenomenon = _levels(itemset)
    return {
        "id": item.id.removeprefix(f"{itemset.name}/"),
        "sentence_good": good.text,
        "sentence_bad": bad.text,
        "field": field,
        "phenomenon": phenomenon,
        "paradigm": itemset.name,
        "context": good.context,
        **{key: getattr(itemset, key) for key in SET_KEYS},
    }


def _pair(item: Item) -> tuple[Sentence, Sentence]:
    if item.conditions.keys() != _SIDES:
        raise DataError(
            f"item {item.id} has the conditions {', '.join(item.conditions)}; "
            "only pairs with good and bad can be written in this format"
        )
    return item.conditions["good"], item.conditions["bad"]


def _levels(itemset: ItemSet) -> tuple[str, str]:
    if len(itemset.taxonomy) > 2:
        raise DataError(
            f"set {itemset.name}: taxonomy {' > '.join(itemset.taxonomy)} is deeper than "
            "field and phenomenon; shorten it"
        )
    field, term = ("", "", *itemset.taxonomy)[-2:]
    return field, term


def _prefix_fields(method: Method, item: Item) -> dict[str, str]:
    fields: dict[str, str] = {}
    for side, (prefix_key, word_key) in FIELDS[method].items():
        sentence = item.conditions[side]
        prefix, word = sentence["prefix"], sentence["critical"]
        begin = f"{prefix} {word}" if prefix else word
        shared = (
            fields.setdefault(prefix_key, prefix) == prefix
            and fields.setdefault(word_key, word) == word
        )
        if not (shared and sentence.text.startswith(begin)):
            raise DataError(
                f"item {item.id}: the spans prefix ({prefix!r}) and critical ({word!r}) do not fit "
                f"the {method.replace('_', '-')} method; correct them or remove its contrast"
            )
    return fields


def _contexts(good: Sentence, bad: Sentence) -> dict[str, str]:
    if good.context == bad.context:
        return {"context": good.context} if good.context else {}
    return {"context_good": good.context, "context_bad": bad.context}


def _same_words(good: Sentence, bad: Sentence) -> bool:
    """Whether the two sentences have the same words, in any order."""
    bags = [sorted(s.text.lower().rstrip(".?!").split()) for s in (good, bad)]
    return bags[0] == bags[1]


def _refuse_keys(item: Item) -> NoReturn:
    taken = ", ".join(sorted(CONSUMED.intersection(item.meta)))
    raise DataError(
        f"item {item.id}: its meta has {taken}, which BLiMP's schema uses for something else; "
        "choose another name"
    )


def _refuse(value: Any) -> Any:
    raise DataError(
        f"an item's meta has {value!r}, which JSON cannot hold; keep text and numbers there"
    )
