"""Write what was answered: exactly what `analyse human` and `analyse adc` read, and a codebook."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from priscian.errors import UsageError
from priscian.files import write_delimited, write_text
from priscian.judge.codebook import codebook
from priscian.judge.collected import collect
from priscian.judge.exclusion import CHECKS, Excluded, exclusions, float_of, kept
from priscian.judge.frozen import Frozen
from priscian.judge.items import BAD, GOOD
from priscian.judge.pace import Pace, paces
from priscian.judge.records import Given, Sitting
from priscian.judge.store import Store

Row = dict[str, object]
Transform = Literal["none", "log"]
Guard = Literal["typed", "all", "none"]
"""Which cells must not be taken for formulas: what participants typed, all text, none."""
RISKY = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
TYPED = ("demographics.csv",)
"""Tables with text that participants typed."""
CHOICES = ("set", "item", "rater", "response", "attention_check", "order", "response_time",
           "phenomenon", "kind", "timing", "list", "sitting", "version")  # fmt: skip
ANSWERS = ("id", "participant", "rating", "task", "kind", "order", "response_time", "list",
           "sitting", "version")  # fmt: skip
SENTENCES = ("id", "sentence", "acceptable", "phenomenon", "lexicalisation", "set", "condition",
             "role")  # fmt: skip

ITEMS = ("item", "set", "phenomenon", "good", "bad")
SITTINGS = ("sitting", "person", "kind", "version", "list", "state", "minutes", "device",
            "honeypot", "comprehension_tries", "server_seconds", "said_seconds", "plausible",
            "one_side", "changed_texts", "device_used_before")  # fmt: skip
REVISIONS = ("person", "item", "condition", "role", "response", "order", "response_time", "timing",
             "kind", "list", "sitting", "version")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote, and what it left out."""

    files: tuple[Path, ...]
    answers: int
    """Rows of the tables of answers, of people and of models."""
    apart: int
    """Answers of those who are not left out that only raw.jsonl has: practice, checks of scales."""
    excluded: tuple[Excluded, ...]
    other_versions: int
    tests: int
    """Test sittings."""


def export_store(
    store: Store,
    frozen: Frozen,
    out: Path,
    *,
    transform: Transform = "none",
    guard: Guard = "typed",
    keep_excluded: bool = False,
    tests: bool = False,
) -> Exported:
    """Write the answers to one version of a study; `raw.jsonl` has those to every version.

    With `tests`, those of the researcher and of simulated people are written as if they were
    people's, to try an analysis; their pseudonyms begin with `test-`.
    """
    if transform == "log" and frozen.study.task != "magnitude":
        raise UsageError("--transform log is for magnitude estimates; leave it out")
    found = collect(store, frozen, tests)
    left_out = [] if keep_excluded else exclusions(frozen, found.sittings, found.answers)
    good = kept(found.answers, left_out)
    answers: dict[str, tuple[list[Row], Sequence[str]]] = {}
    tables: dict[str, tuple[Iterable[Row], Sequence[str]]] = {
        "excluded.csv": (
            [{"person": e.person, "sitting": e.sitting, "reason": e.reason} for e in left_out],
            ("person", "sitting", "reason"),
        ),
    }
    if frozen.study.task == "choice":
        answers["choices.csv"] = (choice_rows(frozen, good), CHOICES)
        tables |= answers
        tables["items.csv"] = (item_rows(frozen, good), ITEMS)
    else:
        tables["sentences.csv"] = (sentence_rows(frozen, good), SENTENCES)
        people = [a for a in good if a.kind == "person"]
        answers["answers.csv"] = (answer_rows(frozen, people, transform), ANSWERS)
        models = [a for a in good if a.kind == "model"]
        if models:  # apart, so that no reader counts models as people
            theirs = answer_rows(frozen, models, transform)
            hopes = {s.id: s.facts.get("expected", {}) for s in found.sittings}
            for row, a in zip(theirs, _rated(models), strict=True):
                row["expected"] = hopes[a.sitting].get(str(a.position), "")
            answers["model_answers.csv"] = (theirs, (*ANSWERS, "expected"))
        tables |= answers
        pairs = pair_rows(frozen, good)
        if pairs:
            tables["pairs.csv"] = (pairs, ("good_id", "bad_id", "phenomenon"))
    if frozen.study.demographics:
        said = demographics(found.sittings)
        tables["demographics.csv"] = (said, ("person", "device", *frozen.study.demographics))
    own = sitting_rows(found.sittings, paces(found.sittings, found.answers))
    tables["sittings.csv"] = (own, SITTINGS)
    changed = [a for a in found.revisions if a.version == frozen.version]
    tables["revisions.csv"] = (revision_rows(frozen, kept(changed, left_out)), REVISIONS)
    files = []
    for name, (rows, columns) in tables.items():
        guarded = guard == "all" or (guard == "typed" and name in TYPED)
        cells = map(formula_safe, rows) if guarded else rows
        write_delimited(out / name, cells, columns, private=name in TYPED)
        files.append(out / name)
    lines = "".join(json.dumps(asdict(a), ensure_ascii=False) + "\n" for a in found.everything)
    write_text(out / "raw.jsonl", lines)
    write_text(out / "codebook.md", codebook(frozen, list(tables), transform, left_out))
    files += [out / "raw.jsonl", out / "codebook.md"]
    written = sum(len(rows) for rows, _ in answers.values())
    return Exported(
        tuple(files), written, len(good) - written, tuple(left_out),
        len(found.everything) - len(found.answers), found.tests,
    )  # fmt: skip


def formula_safe(row: Mapping[str, object]) -> Row:
    """Cells that a spreadsheet would take for a formula begin with an apostrophe."""
    return {
        name: f"'{cell}" if isinstance(cell, str) and cell.startswith(RISKY) else cell
        for name, cell in row.items()
    }


def _time(answer: Given) -> str:
    return _rounded(answer.time, 3)


def _rounded(number: float | None, digits: int) -> str:
    return "" if number is None else f"{number:.{digits}f}"


def choice_rows(frozen: Frozen, answers: Sequence[Given]) -> list[Row]:
    """One row for each forced choice; a check is good if the person passed it."""
    rows: list[Row] = []
    for a in answers:
        if a.role == "practice":
            continue
        material = frozen.materials[a.item]
        rows.append(
            {
                "set": material.set,
                "item": a.item,
                "rater": a.person,
                "response": GOOD if a.response == a.side else BAD,
                "attention_check": int(a.role in CHECKS),
                "order": a.position,
                "response_time": _time(a),
                "phenomenon": material.phenomenon,
                "kind": a.kind,
                "timing": a.timing,
                "list": a.list,
                "sitting": a.sitting,
                "version": a.version,
            }
        )
    return rows


def item_rows(frozen: Frozen, answers: Sequence[Given]) -> list[Row]:
    """The two sentences of every pair that somebody has judged."""
    judged = dict.fromkeys(a.item for a in answers if a.role in ("item", "filler"))
    found = [frozen.materials[item] for item in judged]
    return [{"item": m.id, "set": m.set, "phenomenon": m.phenomenon, **m.conditions} for m in found]


def _rated(answers: Sequence[Given]) -> list[Given]:
    """Items and fillers: z-scores need the whole scale that a person used."""
    return [a for a in answers if a.role in ("item", "filler")]


def sentence_rows(frozen: Frozen, answers: Sequence[Given]) -> list[Row]:
    """Every sentence that somebody has rated."""
    rows: dict[str, Row] = {}
    for a in _rated(answers):
        material = frozen.materials[a.item]
        label = material.labels.get(a.condition)
        own = material.sentence_id(a.condition)
        rows[own] = {
            "id": own,
            "sentence": material.conditions[a.condition],
            "acceptable": "" if label is None else int(label),
            "phenomenon": material.phenomenon or material.set,
            "lexicalisation": material.lexicalisation,
            "set": material.set,
            "condition": a.condition,
            "role": a.role,
        }
    return list(rows.values())


def answer_rows(frozen: Frozen, answers: Sequence[Given], transform: Transform) -> list[Row]:
    """One row for each rating; magnitudes as they were given, or their logarithm.

    A logarithm may be negative, which no magnitude is, so that its rows name no task.
    """
    rows: list[Row] = []
    for a in _rated(answers):
        value = float_of(a.response)
        rating: object = int(value) if frozen.study.task in ("likert", "binary") else value
        if transform == "log":
            rating = math.log(value / frozen.study.scale.modulus)
        rows.append(
            {
                "id": frozen.materials[a.item].sentence_id(a.condition),
                "participant": a.person,
                "rating": rating,
                "task": "" if transform == "log" else frozen.study.task,
                "kind": a.kind,
                "order": a.position,
                "response_time": _time(a),
                "list": a.list,
                "sitting": a.sitting,
                "version": a.version,
            }
        )
    return rows


def pair_rows(frozen: Frozen, answers: Sequence[Given]) -> list[Row]:
    """Pairs of an acceptable and an unacceptable sentence of one item, both rated."""
    rated = {frozen.materials[a.item].sentence_id(a.condition) for a in _rated(answers)}
    rows: list[Row] = []
    for material in frozen.materials.values():
        if material.kind != "item":
            continue
        goods = [c for c, label in material.labels.items() if label]
        bads = [c for c, label in material.labels.items() if not label]
        for good, bad in zip(goods, bads, strict=False):
            ids = material.sentence_id(good), material.sentence_id(bad)
            if rated.issuperset(ids):
                phenomenon = material.phenomenon or material.set
                rows.append({"good_id": ids[0], "bad_id": ids[1], "phenomenon": phenomenon})
    return rows


def sitting_rows(sittings: Sequence[Sitting], pace: Mapping[int, Pace]) -> list[Row]:
    """Every sitting: how it ended, how long it took, and what was noted."""
    return [
        {
            "sitting": s.id,
            "person": s.person,
            "kind": s.kind,
            "version": s.version,
            "list": s.list,
            "state": s.state,
            "minutes": f"{((s.finished or s.seen) - s.started) / 60:.2f}",
            "device": s.facts.get("device", ""),
            "honeypot": int(bool(s.facts.get("honeypot"))),
            "comprehension_tries": s.facts.get("tries", ""),
            "server_seconds": _rounded(pace[s.id].total, 1),
            "said_seconds": _rounded(pace[s.id].said, 1),
            "plausible": {True: 1, False: 0, None: ""}[pace[s.id].plausible],
            "one_side": _rounded(pace[s.id].one_side, 3),
            "changed_texts": s.facts.get("changed", 0),
            "device_used_before": int(bool(s.facts.get("another"))),
        }
        for s in sittings
    ]


def revision_rows(frozen: Frozen, revisions: Sequence[Given]) -> list[Row]:
    """Answers that do not count: later ones to the same trial, or from before a new beginning."""
    choice = frozen.study.task == "choice"
    return [
        {
            "person": a.person,
            "item": a.item,
            "condition": a.condition,
            "role": a.role,
            "response": (GOOD if a.response == a.side else BAD) if choice else a.response,
            "order": a.position,
            "response_time": _time(a),
            "timing": a.timing,
            "kind": a.kind,
            "list": a.list,
            "sitting": a.sitting,
            "version": a.version,
        }
        for a in revisions
    ]


def demographics(sittings: Sequence[Sitting]) -> list[Row]:
    """What people said about themselves, once for each of them."""
    rows: dict[str, Row] = {}
    for s in sittings:
        about: Mapping[str, Any] = s.facts.get("about") or {}
        if s.kind == "person" and (about or s.person not in rows):
            rows[s.person] = {"person": s.person, "device": s.facts.get("device", ""), **about}
    return list(rows.values())
