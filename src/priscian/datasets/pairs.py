"""Minimal pairs: tables with columns of any name, and what all formats of pairs share."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from priscian.datasets.registry import ANY_COLUMNS, PairColumns, data_format
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
from priscian.records import Comparison, Contrast, Item, ItemSet, Sentence, Span, Value

# the names that common data sets use, best known first
SENTENCES = (
    ("sentence_good", "sentence_bad"),
    ("good_sentence", "bad_sentence"),
    ("good", "bad"),
    ("sen", "wrong_sen"),
    ("acceptable", "unacceptable"),
    ("grammatical", "ungrammatical"),
    ("acceptable_sentence", "unacceptable_sentence"),
    ("grammatical_sentence", "ungrammatical_sentence"),
)
ROLES = {
    "group": ("paradigm", "UID"),
    "context": ("context",),
    "field": ("field",),
    "phenomenon": ("phenomenon", "linguistics_term"),
    "prefix": ("prefix",),
    "id": ("pairID", "pair_id", "pair_ID", "id", "ID"),
}

SET_KEYS = ("language", "licence", "reference")

Method = Literal["one_prefix", "two_prefix"]


def lower(name: str, span: str) -> Contrast:
    """The contrast that the good sentence's span is less surprising than the bad one's."""
    return Contrast(name, Comparison("<", Value("good", span), Value("bad", span)))


FULL = lower("full", "*")
CONTRASTS: dict[Method | None, tuple[Contrast, ...]] = {
    None: (FULL,),
    "one_prefix": (FULL, lower("one_prefix", "critical")),
    "two_prefix": (FULL, lower("two_prefix", "critical")),
}

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
    groups: dict[tuple[tuple[str, ...], str], NumberedRows] = {}
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
    members: NumberedRows,
    columns: FoundColumns,
    wanted: PairColumns,
    repairs: Repairs,
) -> ItemSet:
    facts = {}  # what all rows of the set agree on
    for key in SET_KEYS:
        values = {_cell(row, key).strip() for _, row in members}
        if len(values) == 1 and values != {""}:
            facts[key] = values.pop()
    ids = [_cell(row, columns.id) for _, row in members]
    if len(set(ids)) < len(ids) or "" in ids:
        ids = [str(number) for number in range(len(members))]
    used = {columns.good, columns.bad, columns.context, columns.field, columns.phenomenon,
            columns.group, columns.prefix, *facts}  # fmt: skip
    items = []
    for own, (line, row) in zip(ids, members, strict=True):
        good = sentence_at(row, columns.good, repairs.file, line, _REMEDY)
        bad = sentence_at(row, columns.bad, repairs.file, line, _REMEDY)
        repairs.watch_edges(good, bad)
        context = optional_text(row, columns.context, repairs.file, line)
        both = {"good": Sentence(good, context=context), "bad": Sentence(bad, context=context)}
        meta = {key: value for key, value in row.items() if key not in used}
        items.append(Item(f"{name}/{own}", both, meta))
    plain = ItemSet(
        name,
        tuple(items),
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
        spans = {side: _after(begin, s) for side, s in item.conditions.items()}
        conditions = {side: s for side, s in spans.items() if s}
        if len(conditions) < len(spans):
            problem = f"{repairs.file}:{line}: {begin!r} does not begin both sentences"
            if wanted.prefix:
                raise DataError(f"{problem}; correct the column {columns.prefix!r}")
            warnings.warn(
                f"{problem}; column {columns.prefix!r} not used", DataWarning, stacklevel=5
            )
            return plain
        spanned.append(replace(item, conditions=conditions))
    return replace(plain, items=tuple(spanned), contrasts=CONTRASTS["one_prefix"])


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
    made = []
    for itemset, name in zip(sets, names, strict=True):
        if name != itemset.name:
            start = f"{itemset.name}/"
            items = (replace(i, id=f"{name}/{i.id.removeprefix(start)}") for i in itemset.items)
            itemset = replace(itemset, name=name, items=tuple(items))
        made.append(itemset)
    return made


@dataclass(frozen=True, slots=True)
class FoundColumns:
    """The columns as found in one file."""

    good: str
    bad: str
    group: str | None
    context: str | None
    field: str | None
    phenomenon: str | None
    prefix: str | None
    id: str | None


def has_sentences(wanted: PairColumns, header: Collection[str]) -> bool:
    """Whether the columns of both sentences exist."""
    return _sentences(wanted, [name.strip() for name in header]) is not None


def _sentences(wanted: PairColumns, header: Collection[str]) -> tuple[str, str] | None:
    pairs = ((wanted.good, wanted.bad),) if wanted.good and wanted.bad else SENTENCES
    return next((pair for pair in pairs if pair[0] in header and pair[1] in header), None)


def find_columns(wanted: PairColumns, header: Sequence[str], file: Path) -> FoundColumns:
    """The columns of a file that have the wanted or the usual names."""
    sentences = _sentences(wanted, header)
    if sentences is None:
        if wanted.good:
            missing = next(c for c in (wanted.good, wanted.bad) if c not in header)
            raise DataError(f"{file}: no column {missing!r}; its columns: {', '.join(header)}")
        raise DataError(
            f"{file}: cannot find the columns of the good and the bad sentences; its columns: "
            f"{', '.join(header)}; name them with `good=COLUMN` `bad=COLUMN`"
        )

    def find(role: str) -> str | None:
        named: str | None = getattr(wanted, role)
        if named and named not in header:
            raise DataError(f"{file}: no column {named!r}; its columns: {', '.join(header)}")
        guesses = ROLES[role] if named is None else (named,)
        return next((name for name in guesses if name in header and name not in sentences), None)

    return FoundColumns(*sentences, *(find(role) for role in ROLES))


_SHOWN = 10  # ids of identical pairs

_SPELLINGS = {
    "field": {"syntax/semantics": "syntax_semantics", "syntax-semantics": "syntax_semantics"},
    "linguistics_term": {"s-selection": "argument_structure"},
}


def usual_spelling(key: str, value: str) -> str:
    """The spelling that BLiMP's files use most for a `field` or `linguistics_term`."""
    return _SPELLINGS[key].get(value, value)


@dataclass(slots=True)
class Repairs:
    """The repairs of one file."""

    file: Path
    stray: Counter[str] = field(default_factory=Counter)
    capitals: Counter[str] = field(default_factory=Counter)
    spellings: Counter[tuple[str, str]] = field(default_factory=Counter)
    edges: int = 0

    def strip(self, key: str, value: str) -> str:
        """The value without spaces around it."""
        clean = value.strip()
        if clean != value:
            self.stray[key] += 1
        return clean

    def spell(self, key: str, value: str) -> str:
        """The usual spelling of a field or phenomenon."""
        usual = usual_spelling(key, value)
        if usual != value:
            self.spellings[key, value] += 1
        return usual

    def watch_edges(self, *sentences: str) -> None:
        """Count sentences with white space at an end: it is scored, so it is not removed."""
        for sentence in sentences:
            if sentence[0].isspace() or sentence[-1].isspace():
                self.edges += 1

    def tell(self) -> None:
        """Give one warning for each kind of repair."""
        for key, count in self.stray.items():
            values = "value" if count == 1 else "values"
            self._warn(f"{count} {values} of {key} had stray spaces; stripped")
        for key, count in self.capitals.items():
            self._warn(f"{count} of {key} differ from the sentence only in capitals; accepted")
        for (key, value), count in self.spellings.items():
            usual = _SPELLINGS[key][value]
            rows = "row" if count == 1 else "rows"
            self._warn(f"{key} {value!r} in {count} {rows}; read as {usual}")
        if self.edges:
            noun, verb = ("sentence", "has") if self.edges == 1 else ("sentences", "have")
            self._warn(f"{self.edges} {noun} {verb} white space at an end; scored as written")

    def _warn(self, message: str) -> None:
        warnings.warn(f"{self.file}: {message}", DataWarning, stacklevel=5)


def is_identical(item: Item) -> bool:
    """Whether all conditions have the same text and context."""
    return len({(s.text, s.context) for s in item.conditions.values()}) == 1


def identical_pairs(itemset: ItemSet) -> list[str]:
    """The ids of a set's identical pairs."""
    return [item.id for item in itemset.items if is_identical(item)]


def settle_identical(items: Iterable[Item], file: Path, *, drop: bool) -> list[Item]:
    """Report the identical pairs of one file, and keep or drop them."""
    items = list(items)
    same = [item.id for item in items if is_identical(item)]
    if not same:
        return items
    ids = ", ".join(same[:_SHOWN])
    if len(same) > _SHOWN:
        ids += f" and {len(same) - _SHOWN} more"
    noun, verb = ("pair", "has") if len(same) == 1 else ("pairs", "have")
    fate = "dropped" if drop else "kept, and will tie"
    warnings.warn(
        f"{file}: {len(same)} {noun} {verb} identical sentences ({ids}); {fate}",
        DataWarning,
        stacklevel=4,
    )
    return [item for item in items if not is_identical(item)] if drop else items
