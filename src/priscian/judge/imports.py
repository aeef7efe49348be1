"""Results of other tools as tables of ours: MTurk (BLiMP's form), jsPsych, PCIbex.

Forced choices (answers good or bad) become `choices.csv`; ratings become `sentences.csv` and
`answers.csv`, which `analyse human` and `graded:FOLDER` read.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from priscian.errors import DataError, UnknownNameError, UsageError
from priscian.files import read_json, read_table, read_text, refuse_replacing, write_delimited

Form = Literal["mturk", "jspsych", "pcibex"]
FORMS: tuple[Form, ...] = get_args(Form)
PEOPLE = ("participant", "subject", "subject_id", "participant_id", "PROLIFIC_PID", "workerId",
          "run_id", "submission")  # fmt: skip
SUBMISSION = ("MD5 hash of participant's IP address", "Results reception time",
              "Time results were received")  # fmt: skip
"""Columns of PCIbex that tell submissions apart; people of one network share their address."""
TRIAL = ("Order number of item", "Item number")
ITEMS = ("item", "item_id", "id", "sentence", "stimulus")
SENTENCES = ("sentence", "stimulus", "text")
SETS = ("set", "paradigm", "phenomenon")
CHOSEN = ("Choice", "Selection", "Final", "Chosen")
"""Parameters of PCIbex's rows that have an answer."""
_HTML = re.compile(r"<[^>]+>")
_COLUMN = re.compile(r"#\s*(\d{1,4})\.\s*(.+?)\.?\s*$")
_ESCAPED = {"%2C": ",", "%0A": "\n", "%0D": "\r", "%25": "%"}
"""What PCIbex writes for the characters that its files cannot have in a cell."""


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
    order: int
    """Its place among the answers of a person, from 1."""

    @property
    def id(self) -> str:
        """The id of the sentence that was rated."""
        return "/".join(part for part in (self.set, self.item, self.condition) if part)

    @property
    def row(self) -> dict[str, object]:
        """What every table of answers has."""
        time = "" if self.time is None else f"{self.time:.3f}"
        return {"order": self.order, "response_time": time}


WRITTEN = ("choices.csv", "sentences.csv", "answers.csv")


def import_results(file: Path, form: Form, out: Path, items: Path | None = None) -> Imported:
    """Read results of another tool and write them as tables of ours.

    `items` is a table with item, sentence and, where items have several, condition: for results
    that say which item was rated, but not how it reads.
    """
    if form not in FORMS:
        raise UnknownNameError("form of results", form, FORMS)
    for name in WRITTEN:
        refuse_replacing(out / name, [file, items or file], "the file")
    if form == "mturk":
        if items is not None:
            raise UsageError(
                "MTurk's results are forced choices, which need no items; leave it out"
            )
        return _import_mturk(file, out)
    rows = _jspsych_rows(file) if form == "jspsych" else _pcibex_rows(file)
    found: list[_Answer] = []
    skipped = 0
    before: Counter[str] = Counter()
    for row in rows:
        person, item = _first(row, PEOPLE), _first(row, ITEMS)
        response = _first(row, ("response", "rating", "answer")).lower()
        usable = response in ("good", "bad") or _number(response) is not None
        if not (person and item and usable):
            skipped += 1
            continue
        time = _number(_first(row, ("rt", "response_time")))
        before[person] += 1
        found.append(
            _Answer(
                person,
                _HTML.sub("", item),
                _first(row, SETS),
                _first(row, ("condition",)),
                _HTML.sub("", _first(row, SENTENCES)),
                response,
                None if time is None or time < 0 else time / 1000,  # both count milliseconds
                before[person],
            )
        )
    if not found:
        raise DataError(
            f"{file}: no answers to items; rows need a participant ({', '.join(PEOPLE[:3])}), an "
            "item and a response (good, bad or a number)"
        )
    choices = [a for a in found if a.response in ("good", "bad")]
    ratings = [a for a in found if a.response not in ("good", "bad")]
    if items is not None and not ratings:
        raise UsageError(f"{file} has forced choices, which need no items; leave it out")
    tables: dict[str, list[dict[str, object]]] = {}
    if choices:
        tables["choices.csv"] = [
            {"set": a.set or "imported", "item": a.item, "rater": a.person, "response": a.response,
             "kind": "person", **a.row}
            for a in choices
        ]  # fmt: skip
    if ratings:
        tables["sentences.csv"] = _sentence_rows(file, ratings, items)
        tables["answers.csv"] = [
            {"id": a.id, "participant": a.person, "rating": a.response, **a.row} for a in ratings
        ]
    for name, listed in tables.items():
        write_delimited(out / name, listed)
    return Imported(tuple(out / name for name in tables), len(found), skipped)


def _import_mturk(file: Path, out: Path) -> Imported:
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


def _jspsych_rows(file: Path) -> Iterable[Mapping[str, Any]]:
    """Trials of jsPsych's data: JSON as it writes it, or CSV."""
    if file.suffix.lower() != ".json":
        return [row for _, row in read_table(file)]
    found = read_json(file)
    if not isinstance(found, list):
        raise DataError(f"{file}: not a list of trials; export it again from jsPsych")
    flat = [t for trial in found for t in (trial if isinstance(trial, list) else [trial])]
    return [trial for trial in flat if isinstance(trial, Mapping)]


def _pcibex_rows(file: Path) -> Iterator[Mapping[str, Any]]:
    """Rows of PCIbex's results, whose columns are named in comments before them.

    Times are from when something was last printed in the trial, if that was logged, or else from
    the beginning of the trial.
    """
    columns: dict[int, str] = {}
    shown: dict[tuple[str, ...], float] = {}
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        named = _COLUMN.match(line)
        if named:
            if int(named[1]) == 1:
                columns = {}
            columns[int(named[1])] = named[2]
        elif line.strip() and not line.startswith("#"):
            try:
                cells = next(csv.reader(io.StringIO(line.rstrip("\r"))))
            except csv.Error as error:
                raise DataError(f"{file}:{number}: {error}; delete or correct the line") from None
            row: dict[str, Any] = {}
            for n, cell in enumerate(cells, start=1):
                for code, character in _ESCAPED.items():
                    cell = cell.replace(code, character)
                row[columns.get(n, f"column {n}")] = cell
            row["submission"] = "-".join(str(row[n]) for n in SUBMISSION if n in row)
            trial = (row["submission"], *(str(row[n]) for n in TRIAL if n in row))
            parameter, now = row.get("Parameter", "Choice"), _number(row.get("EventTime"))
            if (parameter == "_Trial_" and row.get("Value") == "Start") or parameter == "Print":
                if now is not None:
                    shown[trial] = now
            elif parameter in CHOSEN:
                begun = shown.get(trial)
                time = {} if now is None or begun is None else {"rt": now - begun}
                yield {**row, "response": row.get("Value", row.get("response", "")), **time}


def _first(row: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((str(row[n]).strip() for n in names if row.get(n) not in (None, "")), "")


def _number(text: object) -> float | None:
    """A finite number, if a cell has one."""
    try:
        found = float(str(text))
    except ValueError:
        return None
    return found if abs(found) < 1e100 else None


def _sentence_rows(
    file: Path, ratings: Sequence[_Answer], items: Path | None
) -> list[dict[str, object]]:
    """Every sentence that was rated, as the results or the table of items have it."""
    known: dict[tuple[str, str], str] = {}
    for line, row in read_table(items, needs=("item", "sentence")) if items else ():
        item, condition, text = (_first(row, (name,)) for name in ("item", "condition", "sentence"))
        if known.setdefault((item, condition), text) != text:
            raise DataError(
                f"{items}:{line}: item {item} has another sentence above; fill in the column "
                "condition, or correct the item"
            )
    rows: dict[str, dict[str, object]] = {}
    for a in ratings:
        text = known.get((a.item, a.condition), "") if items else a.sentence
        if not text:
            told = f"condition {a.condition} of item {a.item}" if a.condition else f"item {a.item}"
            raise DataError(
                f"{items}: no sentence for {told}, which {file} has; add a row"
                if items
                else f"{file}: no sentence for {told}, only its id; log the sentence in a column "
                f"({', '.join(SENTENCES)}), or give items, a table of item, condition and sentence"
            )
        sentence: dict[str, object] = {
            "id": a.id,
            "sentence": text,
            "phenomenon": a.set or "imported",
            "acceptable": {"good": 1, "bad": 0}.get(a.condition, ""),
            "lexicalisation": a.item,
        }
        if rows.setdefault(a.id, sentence)["sentence"] != text:
            raise DataError(
                f"{file}: {a.id} has two sentences ({rows[a.id]['sentence']} / {text}); give each "
                "its own item, or name the conditions in a column condition"
            )
    return list(rows.values())
