"""BLiMP's files: the official JSONL, the Hub's parquet, BabyLM's filtered and supplement files."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from priscian.datasets.official import official_paths
from priscian.datasets.prefixes import (
    CONTRASTS,
    PREFIX_KEYS,
    Method,
    method_of,
    prefix_spans,
    with_spans,
)
from priscian.datasets.reference import REFERENCE, blimp_taxonomy, canonical_uid
from priscian.datasets.registry import data_format
from priscian.datasets.repairs import Repairs, settle_identical
from priscian.errors import DataError, DataWarning
from priscian.files import (
    ROW_SUFFIXES,
    PathLike,
    Row,
    collector_paused,
    data_files,
    label,
    optional_text,
    read_table,
    sentence_at,
)
from priscian.records import Item, ItemSet, Sentence, Span

PAIR_ID_KEYS = ("pairID", "pair_id", "pair_ID")
SET_KEYS = ("language", "licence", "reference")

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
        draft = drafts.get(name)
        if draft is None:
            facts = {key: str(row[key]) for key in SET_KEYS if row.get(key)}
            draft = drafts[name] = _Draft(name, _kind(row, repairs), method_of(row), facts)
        else:
            _check_same(draft, row, repairs, line)
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


def _kind(row: Row, repairs: Repairs) -> tuple[str, str]:
    return (
        repairs.spell("field", str(row.get("field") or "")),
        repairs.spell("linguistics_term", str(row.get("linguistics_term") or "")),
    )


def _check_same(draft: _Draft, row: Row, repairs: Repairs, line: int) -> None:
    """A paradigm has one field, one phenomenon and one prefix method."""
    method = method_of(row)
    if method != draft.method:
        raise DataError(
            f"{repairs.file}:{line}: this row has {method or 'no prefix'} fields, but {draft.name} "
            f"began with {draft.method or 'none'}; every row of a paradigm needs the same ones"
        )
    for key in SET_KEYS:
        if str(row.get(key) or "") != draft.facts.get(key, ""):
            raise DataError(
                f"{repairs.file}:{line}: {key} is {row.get(key)!r}, but {draft.name} began with "
                f"{draft.facts.get(key)!r}; a paradigm has one {key}: split the file by UID"
            )
    kind = _kind(row, repairs)
    if kind != draft.kind:
        raise DataError(
            f"{repairs.file}:{line}: field and linguistics_term are {kind}, but {draft.name} "
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
