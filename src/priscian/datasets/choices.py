"""People's forced choices between the sentences of pairs: BLiMP's MTurk export, and a plain table.

The plain table has a row for each choice: `set`, `item`, `rater` and `response` (good or bad), and
optionally `attention_check` (1 or 0; its response is good if the person passed it), `order`,
`response_time` in seconds, `phenomenon`, and `kind` (person or model). Other columns are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from priscian.datasets.graded_read import number_of, yes_or_no
from priscian.datasets.reference import blimp_taxonomy, canonical_uid
from priscian.errors import DataError, UnknownNameError
from priscian.files import NumberedRows, read_table
from priscian.records import Judgement

Raters = Literal["people", "models", "all"]
RATERS: tuple[Raters, ...] = get_args(Raters)
KINDS = {"": "people", "person": "people", "model": "models"}

COLUMNS = ("set", "item", "rater", "response")
MTURK = ("AssignmentStatus", "anonCode", "Input.item_1_condition", "Answer.Choice1")
ATTENTION = "attnchk"
PER_ASSIGNMENT = 5

_CONDITION = re.compile(r"(.+)ans([12])")


@dataclass(frozen=True, slots=True)
class Choices:
    """Forced choices, 1 for the good sentence; which set a target belongs to; what was left out."""

    judgements: tuple[Judgement, ...]
    sets: Mapping[str, str]
    """Set of each target that is not an attention check."""
    phenomena: Mapping[str, str]
    """Phenomenon of each set, where it is known."""
    left_out: Mapping[str, int]
    """How many rows or answers were not read, by reason."""


def read_choices(file: Path, raters: Raters = "people") -> Choices:
    """Read either form; the header says which it is.

    `raters` says whose answers count: those of people, of models (rows with kind `model`) or all.
    """
    if raters not in RATERS:
        raise UnknownNameError("kind of raters", raters, RATERS)
    if not file.is_file():
        raise DataError(f"no file {str(file)!r}; give a CSV of forced choices")
    rows = read_table(file, lambda header: _has(header, MTURK) or _has(header, COLUMNS))
    header = rows[0][1].keys()
    if _has(header, MTURK):
        return _mturk(file, rows)
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        raise DataError(
            f"{file}:1: no column {', '.join(missing)}; it needs {', '.join(COLUMNS)}, or must be "
            "the MTurk export that BLiMP released"
        )
    return _plain(file, rows, raters)


def _has(header: Iterable[str], wanted: Sequence[str]) -> bool:
    return set(wanted) <= set(header)


def _plain(file: Path, rows: NumberedRows, raters: Raters) -> Choices:
    judgements: list[Judgement] = []
    sets: dict[str, str] = {}
    phenomena: dict[str, str] = {}
    others = 0
    for line, row in rows:
        where = f"{file}:{line}"
        kind = str(row.get("kind") or "").strip().lower()
        if kind not in KINDS:
            raise DataError(f"{where}: the kind is {kind!r}; write person or model")
        if raters not in ("all", KINDS[kind]):
            others += 1
            continue
        name, item, rater = (str(row[c]).strip() for c in ("set", "item", "rater"))
        check = bool(yes_or_no(row.get("attention_check"), "attention_check", where))
        if not item or not rater or not (name or check):
            raise DataError(f"{where}: set, item and rater may not be empty; fill them in")
        said = str(row["response"]).strip().lower()
        if said not in ("good", "bad"):
            raise DataError(f"{where}: the response is {row['response']!r}; write good or bad")
        order = number_of(row.get("order"), "order", where)
        target = item if check else f"{name}\x1f{item}"
        judgements.append(
            Judgement(
                target=target,
                task="choice",
                response=float(said == "good"),
                rater=rater,
                source=str(row.get("source", "") or "").strip(),
                order=None if order is None else int(order),
                response_time=number_of(row.get("response_time"), "response_time", where),
                attention_check=check,
            )
        )
        if not check:
            sets[target] = canonical_uid(name)
            said = str(row.get("phenomenon", "") or "").strip()
            phenomena.setdefault(sets[target], said or _phenomenon(sets[target]))
    seen: set[tuple[str, str]] = set()
    for judgement in judgements:
        key = (judgement.rater, judgement.target)
        if key in seen and not judgement.attention_check:
            item = judgement.target.replace("\x1f", " ")
            raise DataError(
                f"{file}: {judgement.rater} judged {item} twice; keep one of the two rows"
            )
        seen.add(key)
    if not judgements:
        raise DataError(f"{file}: no answers of {raters} in it; choose others with `raters=`")
    whose = "models" if raters == "people" else "people"
    left_out = {f"answers of {whose}": others} if others else {}
    return Choices(tuple(judgements), sets, {k: v for k, v in phenomena.items() if v}, left_out)


def _mturk(file: Path, rows: NumberedRows) -> Choices:
    """BLiMP's export: assignments of five choices, of which approved ones count.

    A condition is a UID with `ans1` or `ans2`, the number of the good sentence. An answer begins
    with the number chosen; the rest of it may be cut off.
    """
    judgements: list[Judgement] = []
    sets: dict[str, str] = {}
    left_out = {"assignments not approved": 0, "questions not answered": 0}
    names = ("Input.item_{}_condition", "Input.field_{}_1", "Input.field_{}_2", "Answer.Choice{}")
    numbers = range(1, PER_ASSIGNMENT + 1)
    columns = [name.format(number) for number in numbers for name in names]
    missing = [name for name in columns if name not in rows[0][1]]
    if missing:
        raise DataError(f"{file}:1: no column {missing[0]!r}; download BLiMP's export again")
    for line, row in rows:
        if row["AssignmentStatus"] != "Approved":
            left_out["assignments not approved"] += 1
            continue
        for number in numbers:
            column = f"Input.item_{number}_condition"
            found = _CONDITION.fullmatch(str(row.get(column, "")))
            if not found:
                raise DataError(
                    f"{file}:{line}: {column} is {row.get(column)!r}, not a UID and ans1 or ans2; "
                    "is this BLiMP's export?"
                )
            name, good = found[1], int(found[2])
            answer = str(row.get(f"Answer.Choice{number}", ""))[:2]
            if answer not in ("1.", "2."):
                left_out["questions not answered"] += 1
                continue
            check = name == ATTENTION
            shown = [str(row[f"Input.field_{number}_{side}"]) for side in (good, 3 - good)]
            target = "\x1f".join([name, *shown])
            if not check:
                sets[target] = canonical_uid(name)
            judgements.append(
                Judgement(
                    target=target,
                    task="choice",
                    response=float(answer == f"{good}."),
                    rater=str(row["anonCode"]),
                    source="MTurk",
                    order=number,
                    attention_check=check,
                )
            )
    if not judgements:
        raise DataError(f"{file}: no approved assignment in it; nothing was judged")
    known = {name: _phenomenon(name) for name in sets.values()}
    return Choices(tuple(judgements), sets, {k: v for k, v in known.items() if v}, left_out)


def _phenomenon(name: str) -> str:
    return blimp_taxonomy().get(name, ("", ""))[1]
