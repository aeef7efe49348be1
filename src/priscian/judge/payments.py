"""Whom to pay: platform ids with completion codes, in a file of their own without any answer.

Nothing in it says which pseudonym of the exports an id belongs to: no person, no sitting, no time,
and the rows are in the order of the ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import UsageError
from priscian.files import write_delimited
from priscian.judge.collected import Collected, collect
from priscian.judge.exclusion import FAILED, Excluded, exclusions
from priscian.judge.export import Row, formula_safe
from priscian.judge.frozen import Frozen, decode
from priscian.judge.records import Sitting
from priscian.judge.store import Store

COLUMNS = ("platform", "id", "assignment", "code", "state", "decision", "reason")
EXPORTED = ("raw.jsonl", "codebook.md")
"""Files of an export; ids are not written beside them."""


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
        frozen = decode(store.body(version), f"version {version}")
        found = collect(store, frozen)
        left_out = exclusions(frozen, found.sittings, found.answers)
        people = [s for s in found.sittings if s.kind == "person"]
        rows += [_row(store, frozen, found, sitting, left_out) for sitting in people]
    rows.sort(key=lambda row: tuple(str(row[name]) for name in COLUMNS))
    return Payments(rows, Counter(str(row["decision"]) for row in rows))


def write_payments(found: Payments, out: Path) -> None:
    """Write the file so that only its owner can read it; never into the folder of an export."""
    beside = [name for name in EXPORTED if (out.parent / name).exists()]
    if beside:
        raise UsageError(
            f"{out.parent} has exported answers ({beside[0]}); write platform ids to another folder"
        )
    write_delimited(out, map(formula_safe, found.rows), COLUMNS, private=True)


def _row(
    store: Store, frozen: Frozen, found: Collected, sitting: Sitting, left_out: Sequence[Excluded]
) -> Row:
    about = [e for e in left_out if e.person == sitting.person and e.sitting in (0, sitting.id)]
    faults = [e.reason for e in about if e.fault]
    if sitting.state == "failed":
        decision, reasons = "reject", [FAILED]
    elif sitting.state != "complete":
        answered = sum(a.sitting == sitting.id for a in found.answers)
        whole = answered == len(store.trials(sitting.id))
        decision = "wait"
        reasons = ["every trial answered, end page not reached" if whole else "not finished"]
    elif faults:
        decision, reasons = "reject", faults
    else:
        decision, reasons = "approve", [f"does not count: {e.reason}" for e in about]
    codes = {"complete": sitting.code, "failed": frozen.study.platform.failed}
    return {
        "platform": frozen.study.platform.kind,
        "id": store.identity(sitting.person),
        "assignment": str(sitting.facts.get("assignmentId") or sitting.facts.get("session", "")),
        "code": codes.get(sitting.state, ""),
        "state": sitting.state,
        "decision": decision,
        "reason": "; ".join(reasons),
    }
