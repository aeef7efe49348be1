"""Write what was answered, as `analyse human` and `analyse adc` read it, and whom to pay.

Platform ids with completion codes go into a file of their own without any answer. Nothing in it
says which pseudonym of the exports an id belongs to: no person, no sitting, no time, and the rows
are in the order of the ids.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import msgspec

from priscian.errors import UsageError
from priscian.files import read_tsv, write_delimited, write_text
from priscian.judge.collected import collect
from priscian.judge.exclusion import CHECKS, FAILED, Excluded, exclusions, float_of, kept, paces
from priscian.judge.frozen import Frozen
from priscian.judge.items import BAD, GOOD
from priscian.judge.opening import stored_version
from priscian.judge.store import Sitting, Store, StoredAnswer
from priscian.judge.study import DATA

Row = dict[str, object]
Transform = Literal["none", "log"]
Guard = Literal["typed", "all", "none"]
"""Which cells must not be taken for formulas: what participants typed, all text, none."""
RISKY = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
TYPED = ("demographics.csv",)
"""Tables with text that participants typed."""
ALONGSIDE = ("raw.jsonl", "codebook.md")
"""Files of every export; platform ids are not written beside them."""
PAID = ("platform", "id", "assignment", "code", "state", "decision", "reason")
_MEANINGS = Path(str(DATA)) / "data" / "columns.tsv"


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
    study = frozen.study
    if transform == "log" and study.task != "magnitude":
        raise UsageError("`transform=log` is for magnitude estimates; leave it out")
    found = collect(store, frozen, tests)
    left_out = [] if keep_excluded else exclusions(frozen, found.sittings, found.answers)
    good = kept(found.answers, left_out)
    rated = [a for a in good if a.role in ("item", "filler")]  # z-scores need the whole scale
    tables: dict[str, list[Row]] = {"excluded.csv": [asdict(e) for e in left_out]}
    if study.task == "choice":
        items: dict[str, Row] = {
            m.id: {"item": m.id, "set": m.set, "phenomenon": m.phenomenon, **m.conditions}
            for m in frozen.materials.values()
        }
        tables["choices.csv"] = [
            {**items[a.item], **_answer_row(frozen, a)} for a in good if a.role != "practice"
        ]
        tables["items.csv"] = [items[item] for item in dict.fromkeys(a.item for a in rated)]
        written = len(tables["choices.csv"])
    else:
        tables["sentences.csv"] = sentence_rows(frozen, rated)
        ratings = {kind: [a for a in rated if a.kind == kind] for kind in ("person", "model")}
        tables["answers.csv"] = [rating_row(frozen, a, transform) for a in ratings["person"]]
        if ratings["model"]:  # apart, so that no reader counts models as people
            hopes = {s.id: s.facts.get("expected", {}) for s in found.sittings}
            tables["model_answers.csv"] = [
                rating_row(frozen, a, transform, hopes[a.sitting].get(str(a.position), ""))
                for a in ratings["model"]
            ]
        pairs = pair_rows(frozen, {str(row["id"]) for row in tables["sentences.csv"]})
        if pairs:
            tables["pairs.csv"] = pairs
        written = len(rated)
    if study.demographics:
        tables["demographics.csv"] = demographics(found.sittings)
    tables["sittings.csv"] = sitting_rows(found.sittings, found.answers)
    changed = [a for a in found.revisions if a.version == frozen.version]
    tables["revisions.csv"] = [_answer_row(frozen, a) for a in kept(changed, left_out)]
    meanings = _meanings(frozen, tables)
    for name, rows in tables.items():
        cells: Iterable[Row] = ({c: row.get(c, "") for c in meanings[name]} for row in rows)
        if guard == "all" or (guard == "typed" and name in TYPED):
            cells = map(formula_safe, cells)
        write_delimited(out / name, cells, list(meanings[name]), private=name in TYPED)
    lines = "".join(json.dumps(asdict(a), ensure_ascii=False) + "\n" for a in found.everything)
    write_text(out / "raw.jsonl", lines)
    write_text(out / "codebook.md", codebook(frozen, meanings, transform, left_out))
    return Exported(
        tuple(out / name for name in (*tables, *ALONGSIDE)), written, len(good) - written,
        tuple(left_out), len(found.everything) - len(found.answers), found.tests,
    )  # fmt: skip


def _meanings(frozen: Frozen, files: Iterable[str]) -> dict[str, dict[str, str]]:
    """The columns of each file in their order, and what each means."""
    found: dict[str, dict[str, str]] = {file: {} for file in files}
    for _, row in read_tsv(_MEANINGS, ("file", "column", "meaning")):
        if row["file"] in found:
            found[row["file"]][row["column"]] = row["meaning"]
    if "demographics.csv" in found:
        found["demographics.csv"] |= dict.fromkeys(
            frozen.study.demographics, "as the person wrote it"
        )
    return found


def formula_safe(row: Mapping[str, object]) -> Row:
    """Cells that a spreadsheet would take for a formula begin with an apostrophe."""
    return {
        name: f"'{cell}" if isinstance(cell, str) and cell.startswith(RISKY) else cell
        for name, cell in row.items()
    }


def _answer_row(frozen: Frozen, a: StoredAnswer) -> Row:
    """An answer under the names of all tables; of a pair the response is which was chosen.

    A check is good if the person passed it.
    """
    choice = frozen.study.task == "choice"
    return {
        **dict.fromkeys(("rater", "participant", "person"), a.person),
        "item": a.item,
        "condition": a.condition,
        "role": a.role,
        "attention_check": int(a.role in CHECKS),
        "response": (GOOD if a.response == a.side else BAD) if choice else a.response,
        "order": a.position,
        "response_time": _rounded(a.time, 3),
        "timing": a.timing,
        "kind": a.kind,
        "list": a.list,
        "sitting": a.sitting,
        "version": a.version,
    }


def rating_row(frozen: Frozen, a: StoredAnswer, transform: Transform, expected: object = "") -> Row:
    """A rating; magnitudes as they were given, or their logarithm.

    A logarithm may be negative, which no magnitude is, so that its rows name no task.
    """
    task, value = frozen.study.task, float_of(a.response)
    rating: object = int(value) if task in ("likert", "binary") else value
    if transform == "log":
        rating = math.log(value / frozen.study.scale.modulus)
    return {
        **_answer_row(frozen, a),
        "id": frozen.materials[a.item].sentence_id(a.condition),
        "rating": rating,
        "task": "" if transform == "log" else task,
        "expected": expected,
    }


def _rounded(number: float | None, digits: int) -> str:
    return "" if number is None else f"{number:.{digits}f}"


def sentence_rows(frozen: Frozen, rated: Iterable[StoredAnswer]) -> list[Row]:
    """Every sentence that somebody has rated."""
    rows: dict[str, Row] = {}
    for a in rated:
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


def pair_rows(frozen: Frozen, rated: set[str]) -> list[Row]:
    """Pairs of an acceptable and an unacceptable sentence of one item, both rated."""
    rows: list[Row] = []
    for material in frozen.materials.values():
        if material.kind != "item":
            continue
        goods = [material.sentence_id(c) for c, label in material.labels.items() if label]
        bads = [material.sentence_id(c) for c, label in material.labels.items() if not label]
        rows += [
            {"good_id": good, "bad_id": bad, "phenomenon": material.phenomenon or material.set}
            for good, bad in zip(goods, bads, strict=False)
            if good in rated and bad in rated
        ]
    return rows


def sitting_rows(sittings: Sequence[Sitting], answers: Iterable[StoredAnswer]) -> list[Row]:
    """Every sitting: how it ended, how long it took, and what was noted."""
    pace = paces(sittings, answers)
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


def demographics(sittings: Iterable[Sitting]) -> list[Row]:
    """What people said about themselves, once for each of them."""
    rows: dict[str, Row] = {}
    for s in sittings:
        about: Mapping[str, str] = s.facts.get("about") or {}
        if s.kind == "person" and (about or s.person not in rows):
            rows[s.person] = {"person": s.person, "device": s.facts.get("device", ""), **about}
    return list(rows.values())


def codebook(
    frozen: Frozen,
    meanings: Mapping[str, Mapping[str, str]],
    transform: Transform,
    excluded: Iterable[Excluded],
) -> str:
    """Markdown that goes with the tables: what columns mean, the study's hash and its rules."""
    study = frozen.study
    lines = [
        f"# Codebook of {study.name}",
        "",
        f"Task: {study.task}. Language: {study.language}. Version {frozen.version} of the study, "
        f"SHA-256 `{frozen.hash}`.",
    ]
    if study.task == "magnitude":
        given = "log(response / modulus)" if transform == "log" else "as they were given"
        lines += ["", f"Modulus {study.scale.modulus:g}; magnitudes are {given}."]
    for file, columns in meanings.items():
        lines += ["", f"## {file}", ""]
        lines += [f"- `{name}`: {meaning}" for name, meaning in columns.items()]
    lines += ["", "## raw.jsonl", ""]
    lines += ["Every answer to every version. Nobody is left out but test sittings."]
    lines += ["", "## Rules of exclusion", ""]
    rules = msgspec.to_builtins(study.exclusion)
    lines += [f"- {name}: {value}" for name, value in rules.items()]
    reasons = Counter(e.reason for e in excluded)
    lines += ["", *(f"Left out, {reason}: {count}." for reason, count in reasons.items())]
    return "\n".join(lines).rstrip() + "\n"


@dataclass(frozen=True, slots=True)
class Payments:
    """Rows of the file, and how many of each decision: approve, reject, wait."""

    rows: Sequence[Row]
    decisions: Mapping[str, int]


def payments(store: Store) -> Payments:
    """Every sitting of a person, of all versions, with what to do about it.

    `approve` if it is complete; `reject` if the questions about the instructions or a rule on how
    people answer failed it; `wait` if it is not finished. Somebody whose answers do not count for
    another reason, such as their native language, has done the work all the same.
    """
    rows: list[Row] = []
    for version, _ in store.versions():
        frozen = stored_version(store, version)
        platform = frozen.study.platform
        found = collect(store, frozen)
        left_out = exclusions(frozen, found.sittings, found.answers)
        answered = Counter(a.sitting for a in found.answers)
        for s in found.sittings:
            if s.kind != "person":
                continue
            about = [e for e in left_out if e.person == s.person and e.sitting in (0, s.id)]
            faults = [e.reason for e in about if e.fault]
            if s.state == "failed":
                decision, reasons = "reject", [FAILED]
            elif s.state != "complete":
                whole = answered[s.id] == len(store.trials(s.id))
                said = "every trial answered, end page not reached" if whole else "not finished"
                decision, reasons = "wait", [said]
            elif faults:
                decision, reasons = "reject", faults
            else:
                decision, reasons = "approve", [f"does not count: {e.reason}" for e in about]
            row: Row = {
                "platform": platform.kind,
                "id": store.identity(s.person),
                "assignment": str(s.facts.get("assignmentId") or s.facts.get("session", "")),
                "code": {"complete": s.code, "failed": platform.failed}.get(s.state, ""),
                "state": s.state,
                "decision": decision,
                "reason": "; ".join(reasons),
            }
            rows.append(row)
    rows.sort(key=lambda row: tuple(str(row[name]) for name in PAID))
    return Payments(rows, Counter(str(row["decision"]) for row in rows))


def write_payments(found: Payments, out: Path) -> None:
    """Write the file so that only its owner can read it; never into the folder of an export."""
    beside = [name for name in ALONGSIDE if (out.parent / name).exists()]
    if beside:
        raise UsageError(
            f"{out.parent} has exported answers ({beside[0]}); write platform ids to another folder"
        )
    write_delimited(out, map(formula_safe, found.rows), PAID, private=True)
