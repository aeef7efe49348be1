"""Items of a study, from a data string or a table: what can be shown, whatever it came from."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from priscian.errors import DataError
from priscian.files import NumberedRows, Row, read_table
from priscian.judge.study import Study

Kind = Literal["item", "filler", "practice", "check", "gold"]
GOOD, BAD = "good", "bad"
_YES = frozenset({"1", "yes", "true", "good", "acceptable", "1.0"})
_NO = frozenset({"0", "no", "false", "bad", "unacceptable", "0.0"})


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
        found = _from_data(study, folder)
    seen: set[str] = set()
    for material in found:
        if material.id in seen:
            raise DataError(f"items: the id {material.id!r} is used twice; give each its own")
        seen.add(material.id)
    if study.items.per_set:
        found = _draw(found, study.items.per_set, study.seed)
    return found


def _draw(found: Sequence[Material], number: int, seed: int) -> list[Material]:
    sets: dict[str, list[Material]] = {}
    for material in found:
        sets.setdefault(material.set, []).append(material)
    kept: list[Material] = []
    for name, members in sets.items():
        if len(members) > number:
            chosen = set(random.Random(f"{seed}/{name}").sample(range(len(members)), number))
            members = [m for i, m in enumerate(members) if i in chosen]
        kept += members
    return kept


def _from_data(study: Study, folder: Path) -> list[Material]:
    from priscian.datasets.registry import find_format, read_dataset

    source = _beside(study.items.source, folder)
    form, target = find_format(source)
    if form.kind == "graded" and study.task != "choice":
        return _graded(form.name, target)
    if form.kind not in ("pairs", "graded"):
        raise DataError(
            f"items.source: {study.items.source} has {form.kind}, which people cannot judge yet; "
            "use pairs or graded sentences, or write a table"
        )
    found = []
    for one in read_dataset(source).sets:
        phenomenon = one.taxonomy[-1] if one.taxonomy else ""
        for item in one.items:
            if GOOD not in item.conditions or BAD not in item.conditions:
                continue  # the single sentences of a graded set
            ids = {c: str(item.meta[f"{c}_id"]) for c in (GOOD, BAD) if f"{c}_id" in item.meta}
            found.append(
                Material(
                    id=item.id,
                    kind="item",
                    set=one.name,
                    conditions={c: item[c].text for c in (GOOD, BAD)},
                    ids=ids,
                    labels={GOOD: True, BAD: False},
                    lexicalisation=item.id,
                    phenomenon=phenomenon,
                )
            )
    return found


def _beside(source: str, folder: Path) -> str:
    """A data string whose path may be relative to the study's folder."""
    form, colon, target = source.partition(":")
    beside = folder / target
    return f"{form}{colon}{beside}" if target and beside.exists() else source


def _graded(name: str, target: str) -> list[Material]:
    """Sentences of a graded set, grouped by phenomenon and lexicalisation."""
    from priscian.datasets.graded_read import read_target
    from priscian.datasets.li_adger import read_li_adger

    # the reader of LI-Adger is asked for by the name of its format: both give a graded set
    graded = read_li_adger(target).graded if name == "li-adger" else read_target(target)
    groups: dict[tuple[str, str], list[tuple[str, str, bool | None]]] = {}
    for s in graded.sentences:
        place = (s.phenomenon or graded.name, s.lexicalisation or s.id)
        groups.setdefault(place, []).append((s.id, s.text, s.acceptable))
    found = []
    for (phenomenon, lexicalisation), members in groups.items():
        names = _condition_names([label for _, _, label in members])
        found.append(
            Material(
                id=f"{phenomenon}/{lexicalisation}",
                kind="item",
                set=phenomenon,
                conditions={n: text for n, (_, text, _) in zip(names, members, strict=True)},
                ids={n: i for n, (i, _, _) in zip(names, members, strict=True)},
                labels={
                    n: label
                    for n, (_, _, label) in zip(names, members, strict=True)
                    if label is not None
                },
                lexicalisation=lexicalisation,
                phenomenon=phenomenon,
            )
        )
    return found


def _condition_names(labels: Sequence[bool | None]) -> list[str]:
    """`good`, `bad`, and numbers where one label has several sentences."""
    plain = [{True: GOOD, False: BAD, None: "sentence"}[label] for label in labels]
    return [
        name if plain.count(name) == 1 else f"{name}-{plain[: i + 1].count(name)}"
        for i, name in enumerate(plain)
    ]


def read_materials(file: Path, choice: bool, kind: Kind) -> list[Material]:
    """A table of items, fillers, practice or gold items."""
    if not file.is_file():
        raise DataError(f"no file {str(file)!r}; the study names it as its table of {kind}s")
    needed = ("good", "bad") if choice else ("sentence",)
    rows = read_table(file, needs=needed)
    made = [_pair(file, n, row, kind) for n, row in rows] if choice else _single(file, rows, kind)
    seen: dict[str, str] = {}
    for material in made:
        for sentence in material.ids.values():
            if seen.setdefault(sentence, material.id) != material.id:
                raise DataError(f"{file}: id {sentence!r} is used twice; give each row its own id")
    return made


def _cell(row: Row, name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value).strip()


def _pair(file: Path, line: int, row: Row, kind: Kind) -> Material:
    good, bad = _cell(row, GOOD), _cell(row, BAD)
    if not good or not bad:
        raise DataError(f"{file}:{line}: a pair needs both sentences; fill in good and bad")
    own = _cell(row, "id") or f"{kind}-{line - 1}"
    return Material(
        id=own,
        kind=kind,
        set=_cell(row, "set") or kind,
        conditions={GOOD: good, BAD: bad},
        ids={GOOD: f"{own}/good", BAD: f"{own}/bad"},
        labels={GOOD: True, BAD: False},
        lexicalisation=_cell(row, "lexicalisation") or own,
        phenomenon=_cell(row, "phenomenon"),
        answer="good" if kind in ("check", "gold") else "",
    )


def _single(file: Path, rows: NumberedRows, kind: Kind) -> list[Material]:
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
            condition = _condition(file, line, row, len(members), conditions)
            conditions[condition] = _cell(row, "sentence")
            ids[condition] = _cell(row, "id") or f"{name}/{lexicalisation}/{condition}"
            label = _label(file, line, row)
            if label is not None:
                labels[condition] = label
        first = members[0][1]
        made.append(
            Material(
                id=ids[next(iter(ids))] if len(ids) == 1 else f"{name}/{lexicalisation}",
                kind=kind,
                set=name,
                conditions=conditions,
                ids=ids,
                labels=labels,
                lexicalisation=lexicalisation,
                phenomenon=_cell(first, "phenomenon"),
                answer=_cell(first, "answer"),
            )
        )
    return made


def _condition(file: Path, line: int, row: Row, many: int, before: Mapping[str, str]) -> str:
    if not _cell(row, "sentence"):
        raise DataError(f"{file}:{line}: no sentence; write it, or delete the row")
    condition = _cell(row, "condition")
    if not condition and many > 1:
        raise DataError(
            f"{file}:{line}: an item without its condition; fill in the column condition, since "
            "other rows have the same set and lexicalisation"
        )
    condition = condition or "sentence"
    if condition in before:
        raise DataError(
            f"{file}:{line}: the condition {condition!r} is there twice for one item; give each "
            "item its own lexicalisation"
        )
    return condition


def _label(file: Path, line: int, row: Row) -> bool | None:
    said = _cell(row, "acceptable").lower() or _cell(row, "condition").lower()
    if said in _YES | _NO:
        return said in _YES
    if _cell(row, "acceptable"):
        raise DataError(f"{file}:{line}: acceptable is {said!r}; write 1 or 0")
    return None
