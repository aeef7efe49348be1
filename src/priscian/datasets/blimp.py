"""BLiMP's files: the official JSONL, the Hub's parquet, BabyLM's filtered and supplement files.

Also the writing of pairs, in BLiMP's schema or as a plain table.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from priscian.datasets.official import official_paths
from priscian.datasets.pairs import CONTRASTS, SET_KEYS, Method, Repairs, settle_identical
from priscian.datasets.reference import REFERENCE, blimp_taxonomy, canonical_uid
from priscian.datasets.registry import data_format
from priscian.errors import DataError, DataWarning, UsageError
from priscian.files import (
    ROW_SUFFIXES,
    PathLike,
    Row,
    collector_paused,
    data_files,
    delimited_text,
    file_names,
    inside,
    label,
    optional_text,
    read_table,
    sentence_at,
    write_bytes,
)
from priscian.records import Item, ItemSet, Sentence, Span

PAIR_ID_KEYS = ("pairID", "pair_id", "pair_ID")

# for each method the fields of (prefix, word), for the good sentence and the bad one
FIELDS: dict[Method, dict[str, tuple[str, str]]] = {
    "one_prefix": {
        "good": ("one_prefix_prefix", "one_prefix_word_good"),
        "bad": ("one_prefix_prefix", "one_prefix_word_bad"),
    },
    "two_prefix": {
        "good": ("two_prefix_prefix_good", "two_prefix_word"),
        "bad": ("two_prefix_prefix_bad", "two_prefix_word"),
    },
}
PREFIX_KEYS = frozenset(key for sides in FIELDS.values() for pair in sides.values() for key in pair)

# keys that become part of a record; every other key of a row is kept in the item's meta
CONSUMED = PREFIX_KEYS | {
    "sentence_good", "sentence_bad", "field", "linguistics_term", "UID", *PAIR_ID_KEYS,
    "spans_good", "spans_bad", "context", "context_good", "context_bad", *SET_KEYS,
}  # fmt: skip

_SENTENCES = {"sentence_good", "sentence_bad"}
_REMEDY = (
    "BLiMP's files need sentence_good and sentence_bad; "
    "for other names use pairs:FILE with `good=` and `bad=`"
)


@dataclass(slots=True)
class _Draft:
    """An item set while its rows are read."""

    name: str
    kind: tuple[str, str]
    method: Method | None
    facts: dict[str, str]
    items: list[Item] = field(default_factory=list)
    places: dict[str, tuple[Path, int]] = field(default_factory=dict)

    def finish(self) -> ItemSet:
        wide, narrow = self.kind
        # a lone field would be read as a phenomenon: paths are read from their narrow end
        taxonomy = tuple(level for level in (wide, narrow) if level) if narrow else ()
        known = blimp_taxonomy().get(self.name)
        return ItemSet(
            self.name,
            tuple(self.items),
            CONTRASTS[self.method],
            taxonomy or known or (),
            language=self.facts.get("language", "en"),
            licence=self.facts.get("licence", ""),
            reference=self.facts.get("reference", REFERENCE if known else ""),
        )


@data_format(
    "blimp",
    "BLiMP's JSONL or parquet: a file or a folder; blimp alone fetches the official files",
    needs_path=False,
)
def _read(target: str) -> list[ItemSet]:
    return [s for path in official_paths("blimp", target) for s in read_blimp(path)]


@collector_paused()
def read_blimp(path: PathLike, *, drop_identical: bool = False) -> list[ItemSet]:
    """One item set per paradigm (UID) from a JSONL or parquet file, or a folder of them.

    >>> from tempfile import mkdtemp
    >>> row = '{"sentence_good": "Owls hoot.", "sentence_bad": "Owls hoots.", "UID": "owls"}'
    >>> file = Path(mkdtemp()) / "owls.jsonl"
    >>> _ = file.write_text(row)
    >>> for paradigm in read_blimp(file):
    ...     print(paradigm.name, len(paradigm), paradigm.items[0]["good"].text)
    owls 1 Owls hoot.

    Items keep the order of the file and are named `UID/pairID`, or by their number from 0. Each has
    the conditions `good` and `bad`. The contrast `full` compares whole sentences; where a file has
    prefix fields, `one_prefix` or `two_prefix` compares the span `critical`.
    """
    files = data_files(path, ROW_SUFFIXES)
    drafts: dict[str, _Draft] = {}
    skipped: list[Path] = []
    for file in files:
        if file.suffix.lower() in (".csv", ".tsv", ".tab"):
            raise DataError(f"{file}: BLiMP's files are JSONL or parquet; use pairs:{file}")
        rows = read_table(file)
        if file != Path(path) and not any(_SENTENCES & row.keys() for _, row in rows):
            skipped.append(file)
            continue
        _add_rows(file, label(file, path), rows, drafts, drop_identical)
    if not drafts:
        raise DataError(f"{path}: no file here has sentence_good and sentence_bad; {_REMEDY}")
    for file in skipped:
        warnings.warn(
            f"{file}: skipped, its rows have no sentence_good and sentence_bad",
            DataWarning,
            stacklevel=3,
        )
    return [draft.finish() for draft in drafts.values()]


def _add_rows(
    file: Path,
    stem: str,
    rows: Iterable[tuple[int, Row]],
    drafts: dict[str, _Draft],
    drop_identical: bool,
) -> None:
    repairs = Repairs(file)
    fresh: list[tuple[_Draft, Item]] = []
    names: dict[str, str] = {}
    for line, row in rows:
        raw = str(row.get("UID") or stem)
        name = names.get(raw) or names.setdefault(raw, canonical_uid(raw))
        method = method_of(row)
        wide, narrow = (str(row.get(key) or "") for key in ("field", "linguistics_term"))
        kind = (repairs.spell("field", wide), repairs.spell("linguistics_term", narrow))
        draft = drafts.get(name)
        if draft is None:
            facts = {key: str(row[key]) for key in SET_KEYS if row.get(key)}
            draft = drafts[name] = _Draft(name, kind, method, facts)
        else:
            _check_same(draft, row, method, kind, file, line)
        pair_ids = (row[key] for key in PAIR_ID_KEYS if row.get(key) is not None)
        item = _item(
            f"{name}/{next(pair_ids, len(draft.places))}", draft.method, row, repairs, line
        )
        if item.id in draft.places:
            there, at = draft.places[item.id]
            raise DataError(
                f"{file}:{line}: the pair {item.id} is already at {there}:{at}; "
                "give each pair of a paradigm its own pairID"
            )
        draft.places[item.id] = (file, line)
        fresh.append((draft, item))
    repairs.tell()
    owner = {item.id: draft for draft, item in fresh}
    for item in settle_identical((i for _, i in fresh), file, drop=drop_identical):
        owner[item.id].items.append(item)


def _check_same(
    draft: _Draft, row: Row, method: Method | None, kind: tuple[str, str], file: Path, line: int
) -> None:
    """A paradigm has one field, one phenomenon and one prefix method."""
    if method != draft.method:
        raise DataError(
            f"{file}:{line}: this row has {method or 'no prefix'} fields, but {draft.name} "
            f"began with {draft.method or 'none'}; every row of a paradigm needs the same ones"
        )
    for key in SET_KEYS:
        if str(row.get(key) or "") != draft.facts.get(key, ""):
            raise DataError(
                f"{file}:{line}: {key} is {row.get(key)!r}, but {draft.name} began with "
                f"{draft.facts.get(key)!r}; a paradigm has one {key}: split the file by UID"
            )
    if kind != draft.kind:
        raise DataError(
            f"{file}:{line}: field and linguistics_term are {kind}, but {draft.name} "
            f"began with {draft.kind}; a paradigm has one of each"
        )


def _item(name: str, method: Method | None, row: Row, repairs: Repairs, line: int) -> Item:
    file = repairs.file
    good = sentence_at(row, "sentence_good", file, line, _REMEDY)
    bad = sentence_at(row, "sentence_bad", file, line, _REMEDY)
    repairs.watch_edges(good, bad)
    texts = {"good": good, "bad": bad}
    found = prefix_spans(row, method, texts, repairs, line) if method else {}
    shared = optional_text(row, "context", file, line)
    conditions = {}
    for side, text in texts.items():
        listed = row.get(f"spans_{side}")
        spans: tuple[Span, ...] = found.get(side, ())
        if listed is not None:
            spans = with_spans(_listed_spans(listed, text, f"spans_{side}", file, line), spans)
        context = optional_text(row, f"context_{side}", file, line) or shared
        conditions[side] = Sentence(text, spans, context)
    meta = {key: row[key] for key in row if key not in CONSUMED}
    return Item(name, conditions, meta)


def _listed_spans(listed: object, text: str, key: str, file: Path, line: int) -> list[Span]:
    """Spans from [name, start, end] lists."""
    spans = []
    for entry in listed if isinstance(listed, list) else [listed]:
        match entry:
            case [str(name), int(start), int(end)] if 0 <= start <= end <= len(text):
                spans.append(Span(name, start, end))
            case _:
                raise DataError(
                    f"{file}:{line}: {key} has {entry!r}; each span must be [name, start, end] "
                    f"within the sentence (0–{len(text)})"
                )
    return spans


def method_of(row: Row) -> Method | None:
    """The prefix method whose fields a row has; flags alone are unreliable (the Hub's files)."""
    for key in row:
        if key in PREFIX_KEYS and row[key] is not None:
            return "one_prefix" if key.startswith("one_") else "two_prefix"
    return None


def prefix_spans(
    row: Row, method: Method, texts: dict[str, str], repairs: Repairs, line: int
) -> dict[str, tuple[Span, Span]]:
    """The spans `prefix` and `critical` of both sentences."""
    clean: dict[str, str] = {}
    for pair in FIELDS[method].values():
        for key in pair:
            if key not in clean:
                value = row.get(key)
                if not isinstance(value, str):
                    what = f"no {key!r}" if value is None else f"{key!r} is {value!r}, not a text"
                    raise DataError(
                        f"{repairs.file}:{line}: {what} (found: {', '.join(row)}); "
                        "every row of a paradigm needs the same prefix fields"
                    )
                clean[key] = repairs.strip(key, value)
    spans = {}
    for side, (prefix_key, word_key) in FIELDS[method].items():
        prefix, word, text = clean[prefix_key], clean[word_key], texts[side]
        if not word:
            raise DataError(
                f"{repairs.file}:{line}: {word_key!r} is empty; write the critical word "
                "or delete the prefix fields"
            )
        begin = f"{prefix} {word}" if prefix else word
        if not text.startswith(begin):
            if text[: len(begin)].lower() != begin.lower():
                raise DataError(
                    f"{repairs.file}:{line}: {prefix_key} and {word_key} give {begin!r}, but "
                    f"sentence_{side} is {text!r}; correct the fields or delete them"
                )
            repairs.capitals[prefix_key] += 1
        start = len(begin) - len(word)
        spans[side] = (Span("prefix", 0, len(prefix)), Span("critical", start, len(begin)))
    return spans


def with_spans(listed: Sequence[Span], computed: Sequence[Span]) -> tuple[Span, ...]:
    """The listed spans, replaced by computed ones of the same name."""
    by_name = {span.name: span for span in computed}
    merged = [by_name.pop(span.name, span) for span in listed]
    return (*merged, *by_name.values())


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
            taken = ", ".join(sorted(CONSUMED.intersection(item.meta)))
            raise DataError(
                f"item {item.id}: its meta has {taken}, which BLiMP's schema uses for something "
                "else; choose another name"
            )
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
        if good.context != bad.context:
            row.update(context_good=good.context, context_bad=bad.context)
        elif good.context:
            row["context"] = good.context
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
    rows: list[dict[str, str]] = []
    for itemset in itemsets:
        field, phenomenon = _levels(itemset)
        facts = {key: getattr(itemset, key) for key in SET_KEYS}
        for item in itemset.items:
            good, bad = _pair(item)
            if good.context != bad.context:
                raise DataError(
                    f"item {item.id} has a context for each sentence, and a table of pairs has "
                    "room for one; use write_blimp"
                )
            rows.append(
                {
                    "id": item.id.removeprefix(f"{itemset.name}/"),
                    "sentence_good": good.text,
                    "sentence_bad": bad.text,
                    "field": field,
                    "phenomenon": phenomenon,
                    "paradigm": itemset.name,
                    "context": good.context,
                    **facts,
                }
            )
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


def _same_words(good: Sentence, bad: Sentence) -> bool:
    """Whether the two sentences have the same words, in any order."""
    bags = [sorted(s.text.lower().rstrip(".?!").split()) for s in (good, bad)]
    return bags[0] == bags[1]


def _refuse(value: Any) -> Any:
    raise DataError(
        f"an item's meta has {value!r}, which JSON cannot hold; keep text and numbers there"
    )
