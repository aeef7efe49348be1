"""Plain minimal pairs: JSONL, CSV, TSV or parquet with columns of any name."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from priscian.datasets.blimp import SET_KEYS
from priscian.datasets.columns import (
    ANY_COLUMNS,
    FoundColumns,
    PairColumns,
    find_columns,
    has_sentences,
)
from priscian.datasets.prefixes import CONTRASTS
from priscian.datasets.registry import data_format
from priscian.datasets.repairs import Repairs, is_identical, settle_identical
from priscian.errors import DataError, DataWarning
from priscian.files import (
    TABLE_SUFFIXES,
    NumberedRows,
    PathLike,
    Row,
    collector_paused,
    columns_of,
    data_files,
    label,
    optional_text,
    read_table,
    sentence_at,
)
from priscian.records import Item, ItemSet, Sentence, Span

_REMEDY = "every row needs both sentences"
_NEXT_WORD = re.compile(r"\s*(\S+)")
_CLOSING = ".,;:!?…\"'”’»)]。、！？"


@data_format("pairs", "minimal pairs as JSONL, CSV, TSV or parquet")
def _read(target: str, columns: PairColumns) -> list[ItemSet]:
    return read_pairs(target, columns)


@collector_paused()
def read_pairs(
    path: PathLike,
    wanted: PairColumns = ANY_COLUMNS,
    *,
    delimiter: str | None = None,
    drop_identical: bool = False,
) -> list[ItemSet]:
    """Item sets from a file of pairs or a folder of such files.

    >>> from tempfile import mkdtemp
    >>> table = Path(mkdtemp()) / "owls.csv"
    >>> _ = table.write_text("fine,odd\\nOwls hoot.,Owls hoots.\\nAn owl hoots.,An owl hoot.\\n")
    >>> [owls] = read_pairs(table, PairColumns(good="fine", bad="odd"))
    >>> owls.name, [item.id for item in owls.items], owls.items[0]["bad"].text
    ('owls', ['owls/0', 'owls/1'], 'Owls hoots.')

    A file is one item set named after it; with a column `paradigm` or `UID`, a column named as
    `group`, or several values of `phenomenon`, one set for each value. With a column `prefix` that
    begins both sentences, the contrast `one_prefix` compares the next word after it. Columns
    `language`, `licence` and `reference` become the set's where its rows agree. docs/pairs.md has
    the rest.
    """
    files = data_files(path, TABLE_SUFFIXES)
    found: list[tuple[str, ItemSet]] = []
    refused: list[DataError] = []
    for file in files:
        rows = read_table(file, lambda header: has_sentences(wanted, header), delimiter=delimiter)
        try:
            columns = find_columns(wanted, columns_of(rows), file)
        except DataError as error:
            refused.append(error)
            continue
        stem = label(file, path)
        found += [
            (stem, s) for s in sets_of_rows(file, stem, rows, columns, wanted, drop_identical)
        ]
    if not found:
        if refused:
            raise refused[0]
        raise DataError(f"{path}: every pair is identical and was dropped; check the columns")
    for refusal in refused:
        warnings.warn(f"skipped {refusal}", DataWarning, stacklevel=3)
    return unique_names(found)


def _cell(row: Row, column: str | None) -> str:
    value = row.get(column) if column else None
    return "" if value is None else str(value)


def sets_of_rows(
    file: Path,
    stem: str,
    rows: NumberedRows,
    columns: FoundColumns,
    wanted: PairColumns,
    drop: bool,
) -> list[ItemSet]:
    """The item sets of one file's rows; `stem` names the set where no column does."""
    repairs = Repairs(file)
    groups: dict[tuple[tuple[str, ...], str], list[tuple[int, Row]]] = {}
    for line, row in rows:
        narrow = _cell(row, columns.phenomenon).strip()
        wide = _cell(row, columns.field).strip() if narrow else ""
        taxonomy = tuple(level for level in (wide, narrow) if level)
        groups.setdefault((taxonomy, _cell(row, columns.group).strip()), []).append((line, row))
    sets = []
    for (taxonomy, paradigm), members in groups.items():
        name = paradigm or (stem if len(groups) == 1 or not taxonomy else taxonomy[-1])
        sets.append(_itemset(name, taxonomy, members, columns, wanted, repairs))
    repairs.tell()
    settle_identical((i for s in sets for i in s.items), file, drop=drop)
    if drop:
        sets = [replace(s, items=tuple(i for i in s.items if not is_identical(i))) for s in sets]
    return [s for s in sets if s.items]


def _itemset(
    name: str,
    taxonomy: tuple[str, ...],
    members: list[tuple[int, Row]],
    columns: FoundColumns,
    wanted: PairColumns,
    repairs: Repairs,
) -> ItemSet:
    facts = _facts(members)
    ids = [_cell(row, columns.id) for _, row in members]
    if len(set(ids)) < len(ids) or "" in ids:
        ids = [str(number) for number in range(len(members))]
    items = tuple(
        _item(f"{name}/{own}", _without(row, facts), columns, repairs, line)
        for own, (line, row) in zip(ids, members, strict=True)
    )
    plain = ItemSet(
        name,
        items,
        CONTRASTS[None],
        taxonomy,
        language=facts.get("language", "en"),
        licence=facts.get("licence", ""),
        reference=facts.get("reference", ""),
    )
    if not columns.prefix:
        return plain
    spanned = []
    for item, (line, row) in zip(items, members, strict=True):
        begin = repairs.strip(columns.prefix, _cell(row, columns.prefix))
        sides = {side: _after(begin, s) for side, s in item.conditions.items()}
        conditions = {side: s for side, s in sides.items() if s}
        if len(conditions) < len(sides):
            problem = f"{repairs.file}:{line}: {begin!r} does not begin both sentences"
            if wanted.prefix:
                raise DataError(f"{problem}; correct the column {columns.prefix!r}")
            warnings.warn(
                f"{problem}; column {columns.prefix!r} not used", DataWarning, stacklevel=5
            )
            return plain
        spanned.append(replace(item, conditions=conditions))
    return replace(plain, items=tuple(spanned), contrasts=CONTRASTS["one_prefix"])


def _facts(members: list[tuple[int, Row]]) -> dict[str, str]:
    """Language, licence and reference, if all rows of a set agree."""
    facts = {}
    for key in SET_KEYS:
        values = {_cell(row, key).strip() for _, row in members}
        if len(values) == 1 and values != {""}:
            facts[key] = values.pop()
    return facts


def _without(row: Row, keys: Collection[str]) -> Row:
    return {key: value for key, value in row.items() if key not in keys} if keys else row


def _item(name: str, row: Row, columns: FoundColumns, repairs: Repairs, line: int) -> Item:
    good = sentence_at(row, columns.good, repairs.file, line, _REMEDY)
    bad = sentence_at(row, columns.bad, repairs.file, line, _REMEDY)
    repairs.watch_edges(good, bad)
    context = optional_text(row, columns.context, repairs.file, line)
    used = {columns.good, columns.bad, columns.context, columns.field, columns.phenomenon,
            columns.group, columns.prefix}  # fmt: skip
    meta = {key: value for key, value in row.items() if key not in used}
    return Item(
        name,
        {"good": Sentence(good, context=context), "bad": Sentence(bad, context=context)},
        meta,
    )


def _after(prefix: str, sentence: Sentence) -> Sentence | None:
    """The sentence with the spans `prefix` and `critical`: the next word, without closing marks."""
    if not sentence.text.startswith(prefix):
        return None
    word = _NEXT_WORD.match(sentence.text, len(prefix))
    if word is None:
        return None
    end = word.start(1) + len(word[1].rstrip(_CLOSING) or word[1])
    spans = (Span("prefix", 0, len(prefix)), Span("critical", word.start(1), end))
    return replace(sentence, spans=spans)


def unique_names(found: list[tuple[str, ItemSet]]) -> list[ItemSet]:
    """Make names unique: add the taxonomy to a name that several sets share, then the file."""
    sets = [itemset for _, itemset in found]
    names = [itemset.name for itemset in sets]
    for qualifiers in (["/".join(s.taxonomy) for s in sets], [stem for stem, _ in found]):
        if len(set(qualifiers)) > 1:
            count = Counter(names)
            names = [
                f"{q}/{name}" if count[name] > 1 and q and q != name else name
                for name, q in zip(names, qualifiers, strict=True)
            ]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"two item sets are called {twice[0]!r}; rename one of the files")
    return [_renamed(s, name) for s, name in zip(sets, names, strict=True)]


def _renamed(itemset: ItemSet, name: str) -> ItemSet:
    if name == itemset.name:
        return itemset
    items = tuple(
        replace(i, id=f"{name}/{i.id.removeprefix(itemset.name + '/')}") for i in itemset.items
    )
    return replace(itemset, name=name, items=items)
