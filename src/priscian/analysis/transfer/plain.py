"""A transfer analysis as plain values for JSON."""

from __future__ import annotations

from typing import Any

from priscian.analysis.transfer.record import LEARNERS, WORDS
from priscian.analysis.transfer.transfer import SCOPES, Transfer

HOW = ("encoder", "view", "chosen_by", "c", "pairs", "test_pairs", "seed", "test_seed", "draws",
       "model", "made_by")  # fmt: skip


def plain_transfer(found: Transfer) -> dict[str, Any]:
    """How it was made, every cell by learner and words, and what follows from them."""
    names = found.phenomena
    clusters = found.clusters
    uids = [place.uid for place in found.record.paradigms]
    own = {
        words: {name: cell.as_dict() for name in names if (cell := found.own(name, words))}
        for words in WORDS
    }
    return {
        **{name: getattr(found.record, name) for name in HOW},
        "fields": {name: found.fields[name] for name in names},
        "overall": _each(
            lambda learner, words: {
                scope: found.overall(scope, learner, words).as_dict() for scope in SCOPES
            }
        ),
        "matrix": _each(
            lambda learner, words: {
                a: {b: found.cell(a, b, learner, words).as_dict() for b in names} for a in names
            }
        ),
        "without_phenomenon": _each(
            lambda learner, words: {
                name: found.left_out(name, learner, words).as_dict() for name in names
            }
        ),
        "without_paradigm": _each(
            lambda learner, words: {
                uid: found.left_out(uid, learner, words, trained="without_paradigm").as_dict()
                for uid in uids
            }
        ),
        "size": {
            learner: {
                where: {
                    str(size): cell.as_dict()
                    for size, cell in found.curve(where == "within", learner).items()
                }
                for where in ("within", "left_out")
            }
            for learner in LEARNERS
            if learner != "equal"
        },
        "own_choices": own if found.record.own else None,
        "above_controls": [[a, b] for a in names for b in names if a != b and found.is_above(a, b)],
        "asymmetry": [a.as_dict() for a in found.asymmetries],
        "clusters": None if clusters is None else clusters.as_dict(),
        "findings": found.findings,
    }


def _each(make: Any) -> dict[str, Any]:
    return {learner: {words: make(learner, words) for words in WORDS} for learner in LEARNERS}
