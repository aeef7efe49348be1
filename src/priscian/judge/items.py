"""Items of a study, from a data string or a table: what can be shown, whatever it came from."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from priscian.errors import DataError
from priscian.files import NumberedRows, Row, read_table
from priscian.judge.study import Study

if TYPE_CHECKING:
    from priscian.datasets.graded import GradedSentence

Kind = Literal["item", "filler", "practice", "check", "gold"]
GOOD, BAD = "good", "bad"
_LABELS = {
    **dict.fromkeys(("1", "yes", "true", "good", "acceptable", "1.0"), True),
    **dict.fromkeys(("0", "no", "false", "bad", "unacceptable", "0.0"), False),
}


class Material(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An item, filler, practice item, check or gold sentence, with its conditions.

    Forced choices have the conditions `good` and `bad`, which are shown together; other tasks show
    one condition at a time. `answer` is the right answer of a check: `good`, `2`, `yes`, `5-7`.
    """

    id: str
    kind: Kind
    set: str
    conditions: Mapping[str, str]
    ids: Mapping[str, str] = {}
    """The id of each condition's sentence in exports."""
    labels: Mapping[str, bool] = {}
    """Whether the sentence of a condition is acceptable, where it is known."""
    lexicalisation: str = ""
    phenomenon: str = ""
    answer: str = ""

    def sentence_id(self, condition: str) -> str:
        """The id of a sentence in exports."""
        return self.ids.get(condition) or f"{self.id}/{condition}"


def read_items(study: Study, folder: Path) -> list[Material]:
    """The items of a study, at most `per_set` of each set, drawn by the study's seed."""
    if bool(study.items.source) == bool(study.items.table):
        raise DataError(
            "items: give either source (such as generated:7,5) or table (a CSV file), not "
            + ("both" if study.items.table else "neither")
        )
    if study.items.table:
        found = read_materials(folder / study.items.table, study.task == "choice", "item")
    else:
        found = _read_source(study, folder)
    seen: set[str] = set()
    for material in found:
        if material.id in seen:
            raise DataError(f"items: the id {material.id!r} is used twice; give each its own")
        seen.add(material.id)
    number = study.items.per_set
    if not number:
        return found
    kept: list[Material] = []
    for name, members in by_set(found).items():
        if len(members) > number:
            rng = random.Random(f"{study.seed}/{name}")
            members = [members[i] for i in sorted(rng.sample(range(len(members)), number))]
        kept += members
    return kept


def by_set(materials: Iterable[Material]) -> dict[str, list[Material]]:
    """Materials by their set."""
    sets: dict[str, list[Material]] = {}
    for material in materials:
        sets.setdefault(material.set, []).append(material)
    return sets


def _read_source(study: Study, folder: Path) -> list[Material]:
    """Items of a data string, whose path may be relative to the study's folder."""
    from priscian.datasets.registry import find_format, read_dataset

    source = study.items.source
    name, colon, place = source.partition(":")
    if place and (folder / place).exists():
        source = f"{name}{colon}{folder / place}"
    form, target = find_format(source)
    if form.kind == "graded" and study.task != "choice":
        return _read_graded(form.name, target)
    if form.kind not in ("pairs", "graded"):
        raise DataError(
            f"items.source: {study.items.source} has {form.kind}, which people cannot judge yet; "
            "use pairs or graded sentences, or write a table"
        )
    return [
        Material(
            id=item.id,
            kind="item",
            set=one.name,
            conditions={c: item[c].text for c in (GOOD, BAD)},
            ids={c: str(item.meta[f"{c}_id"]) for c in (GOOD, BAD) if f"{c}_id" in item.meta},
            labels={GOOD: True, BAD: False},
            lexicalisation=item.id,
            phenomenon=one.taxonomy[-1] if one.taxonomy else "",
        )
        for one in read_dataset(source).sets
        for item in one.items
        if GOOD in item.conditions and BAD in item.conditions  # not the single sentences
    ]


def _read_graded(name: str, target: str) -> list[Material]:
    """Sentences of a graded set, grouped by phenomenon and lexicalisation."""
    from priscian.datasets.graded_read import read_target
    from priscian.datasets.li_adger import read_li_adger

    # the reader of LI-Adger is asked for by the name of its format: both give a graded set
    graded = read_li_adger(target).graded if name == "li-adger" else read_target(target)
    groups: dict[tuple[str, str], list[GradedSentence]] = {}
    for s in graded.sentences:
        place = (s.phenomenon or graded.name, s.lexicalisation or s.id)
        groups.setdefault(place, []).append(s)
    found = []
    for (phenomenon, lexicalisation), members in groups.items():
        # conditions are good and bad, with a number where several sentences have one label
        plain = [{True: GOOD, False: BAD, None: "sentence"}[s.acceptable] for s in members]
        conditions = {
            c if plain.count(c) == 1 else f"{c}-{plain[: n + 1].count(c)}": s
            for n, (c, s) in enumerate(zip(plain, members, strict=True))
        }
        found.append(
            Material(
                id=f"{phenomenon}/{lexicalisation}",
                kind="item",
                set=phenomenon,
                conditions={c: s.text for c, s in conditions.items()},
                ids={c: s.id for c, s in conditions.items()},
                labels={c: s.acceptable for c, s in conditions.items() if s.acceptable is not None},
                lexicalisation=lexicalisation,
                phenomenon=phenomenon,
            )
        )
    return found


def read_materials(file: Path, choice: bool, kind: Kind) -> list[Material]:
    """A table of items, fillers, practice or gold items."""
    if not file.is_file():
        raise DataError(f"no file {str(file)!r}; the study names it as its table of {kind}s")
    rows = read_table(file, needs=(GOOD, BAD) if choice else ("sentence",))
    made = _pairs(file, rows, kind) if choice else _sentences(file, rows, kind)
    seen: dict[str, str] = {}
    for material in made:
        for sentence in material.ids.values():
            if seen.setdefault(sentence, material.id) != material.id:
                raise DataError(f"{file}: id {sentence!r} is used twice; give each row its own id")
    return made


def _cell(row: Row, name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value).strip()


def _pairs(file: Path, rows: NumberedRows, kind: Kind) -> list[Material]:
    made = []
    for line, row in rows:
        good, bad = _cell(row, GOOD), _cell(row, BAD)
        if not good or not bad:
            raise DataError(f"{file}:{line}: a pair needs both sentences; fill in good and bad")
        own = _cell(row, "id") or f"{kind}-{line - 1}"
        made.append(
            Material(
                id=own,
                kind=kind,
                set=_cell(row, "set") or kind,
                conditions={GOOD: good, BAD: bad},
                ids={GOOD: f"{own}/good", BAD: f"{own}/bad"},
                labels={GOOD: True, BAD: False},
                lexicalisation=_cell(row, "lexicalisation") or own,
                phenomenon=_cell(row, "phenomenon"),
                answer=GOOD if kind in ("check", "gold") else "",
            )
        )
    return made


def _sentences(file: Path, rows: NumberedRows, kind: Kind) -> list[Material]:
    """Rows of one set and lexicalisation are the conditions of one item."""
    groups: dict[tuple[str, str], list[tuple[int, Row]]] = {}
    for line, row in rows:
        alone = _cell(row, "id") or f"{kind}-{line - 1}"
        place = (_cell(row, "set") or kind, _cell(row, "lexicalisation") or alone)
        groups.setdefault(place, []).append((line, row))
    made = []
    for (name, lexicalisation), members in groups.items():
        conditions: dict[str, str] = {}
        ids: dict[str, str] = {}
        labels: dict[str, bool] = {}
        for line, row in members:
            sentence, said = _cell(row, "sentence"), _cell(row, "condition")
            if not sentence:
                raise DataError(f"{file}:{line}: no sentence; write it, or delete the row")
            if not said and len(members) > 1:
                raise DataError(
                    f"{file}:{line}: an item without its condition; fill in the column condition, "
                    "since other rows have the same set and lexicalisation"
                )
            condition = said or "sentence"
            if condition in conditions:
                raise DataError(
                    f"{file}:{line}: the condition {condition!r} is there twice for one item; give "
                    "each item its own lexicalisation"
                )
            conditions[condition] = sentence
            ids[condition] = _cell(row, "id") or f"{name}/{lexicalisation}/{condition}"
            label = _cell(row, "acceptable").lower()
            if (label or said.lower()) in _LABELS:
                labels[condition] = _LABELS[label or said.lower()]
            elif label:
                raise DataError(f"{file}:{line}: acceptable is {label!r}; write 1 or 0")
        made.append(
            Material(
                id=next(iter(ids.values())) if len(ids) == 1 else f"{name}/{lexicalisation}",
                kind=kind,
                set=name,
                conditions=conditions,
                ids=ids,
                labels=labels,
                lexicalisation=lexicalisation,
                phenomenon=_cell(members[0][1], "phenomenon"),
                answer=_cell(members[0][1], "answer"),
            )
        )
    return made
