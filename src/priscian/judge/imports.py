"""Results of other tools as tables of ours: MTurk (BLiMP's form), jsPsych, PCIbex.

Forced choices (answers good or bad) become `choices.csv`; ratings become `sentences.csv` and
`answers.csv`, which `analyse human` and `graded:FOLDER` read.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from priscian.errors import DataError, UnknownNameError
from priscian.files import read_table, read_text, write_delimited

Form = Literal["mturk", "jspsych", "pcibex"]
FORMS: tuple[Form, ...] = get_args(Form)
PEOPLE = ("participant", "subject", "subject_id", "participant_id", "PROLIFIC_PID", "workerId",
          "run_id", "MD5 hash of participant's IP address", "Results reception time")  # fmt: skip
ITEMS = ("item", "item_id", "id", "Item number", "sentence", "stimulus")
SENTENCES = ("sentence", "stimulus", "text")
_HTML = re.compile(r"<[^>]+>")
_COLUMN = re.compile(r"#\s*([0-9]{1,6})\.\s*(.+?)\.?\s*$")


@dataclass(frozen=True, slots=True)
class Imported:
    """What was written, and how many rows had no answer to an item."""

    files: tuple[Path, ...]
    answers: int
    skipped: int


@dataclass(frozen=True, slots=True)
class _Answer:
    person: str
    item: str
    set: str
    condition: str
    sentence: str
    response: str
    time: float | None


def import_results(file: Path, form: Form, out: Path) -> Imported:
    """Read results of another tool and write them as tables of ours."""
    if form not in FORMS:
        raise UnknownNameError("form of results", form, FORMS)
    if form == "mturk":
        return _mturk(file, out)
    rows = _jspsych(file) if form == "jspsych" else _pcibex(file)
    found, skipped = [], 0
    for row in rows:
        answer = _answer(row)
        if answer is None:
            skipped += 1
        else:
            found.append(answer)
    if not found:
        raise DataError(
            f"{file}: no answers to items; rows need a participant ({', '.join(PEOPLE[:3])}), an "
            "item and a response (good, bad or a number)"
        )
    return _write(found, out, skipped)


def _mturk(file: Path, out: Path) -> Imported:
    from priscian.datasets.choices import read_choices

    found = read_choices(file)
    rows = [
        {
            "set": found.sets.get(j.target, "attention_check"),
            "item": j.target.replace("\x1f", " | "),
            "rater": j.rater,
            "response": "good" if j.response == 1 else "bad",
            "attention_check": int(j.attention_check),
            "order": j.order,
            "kind": "person",
        }
        for j in found.judgements
    ]
    write_delimited(out / "choices.csv", rows)
    return Imported((out / "choices.csv",), len(rows), sum(found.left_out.values()))


def _jspsych(file: Path) -> Iterable[Mapping[str, Any]]:
    """Trials of jsPsych's data: JSON as it writes it, or CSV."""
    if file.suffix.lower() != ".json":
        return [row for _, row in read_table(file)]
    try:
        found = json.loads(read_text(file))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file}: not JSON ({error}); export it again from jsPsych") from None
    if not isinstance(found, list):
        raise DataError(f"{file}: not a list of trials; export it again from jsPsych")
    flat: list[Mapping[str, Any]] = []
    for trial in found:
        several = trial if isinstance(trial, list) else [trial]
        flat += [t for t in several if isinstance(t, Mapping)]
    return flat


def _pcibex(file: Path) -> Iterable[Mapping[str, Any]]:
    """Rows of PCIbex's results, whose columns are named in comments before them."""
    columns: dict[int, str] = {}
    for line in read_text(file).splitlines():
        named = _COLUMN.match(line)
        if named:
            if int(named[1]) == 1:
                columns = {}
            columns[int(named[1])] = named[2]
        elif line.strip() and not line.startswith("#"):
            cells = next(csv.reader(io.StringIO(line)))
            row = {columns.get(n, f"column {n}"): c for n, c in enumerate(cells, start=1)}
            if row.get("Parameter", "Choice") in ("Choice", "Selection", "Final", "Chosen"):
                yield {**row, "response": row.get("Value", row.get("response", ""))}


def _first(row: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((str(row[n]).strip() for n in names if row.get(n) not in (None, "")), "")


def _answer(row: Mapping[str, Any]) -> _Answer | None:
    """An answer to an item; None for instructions, consent and the like."""
    person, item = _first(row, PEOPLE), _first(row, ITEMS)
    response = _first(row, ("response", "rating", "answer")).lower()
    if not person or not item or not _usable(response):
        return None
    rt = _first(row, ("rt", "response_time"))
    try:
        time = float(rt) / 1000 if rt else None  # jsPsych counts milliseconds
    except ValueError:
        time = None
    return _Answer(
        person,
        _HTML.sub("", item),
        _first(row, ("set", "paradigm", "group", "phenomenon")) or "imported",
        _first(row, ("condition",)),
        _HTML.sub("", _first(row, SENTENCES)),
        response,
        time,
    )


def _usable(response: str) -> bool:
    if response in ("good", "bad"):
        return True
    try:
        return abs(float(response)) < 1e100
    except ValueError:
        return False


def _write(found: Sequence[_Answer], out: Path, skipped: int) -> Imported:
    choices = [a for a in found if a.response in ("good", "bad")]
    ratings = [a for a in found if a.response not in ("good", "bad")]
    files: list[Path] = []
    if choices:
        rows = [
            {"set": a.set, "item": a.item, "rater": a.person, "response": a.response,
             "response_time": "" if a.time is None else a.time, "kind": "person"}
            for a in choices
        ]  # fmt: skip
        write_delimited(out / "choices.csv", rows)
        files.append(out / "choices.csv")
    if ratings:
        sentences = {
            _id(a): {"id": _id(a), "sentence": a.sentence or a.item, "phenomenon": a.set,
                     "acceptable": {"good": 1, "bad": 0}.get(a.condition, ""),
                     "lexicalisation": a.item}
            for a in ratings
        }  # fmt: skip
        write_delimited(out / "sentences.csv", sentences.values())
        answers = [{"id": _id(a), "participant": a.person, "rating": a.response} for a in ratings]
        write_delimited(out / "answers.csv", answers)
        files += [out / "sentences.csv", out / "answers.csv"]
    return Imported(tuple(files), len(found), skipped)


def _id(answer: _Answer) -> str:
    return f"{answer.item}/{answer.condition}" if answer.condition else answer.item
