"""The BLiMP paper's systems, and where their figures come from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from priscian.datasets.reference import REFERENCE, published
from priscian.errors import UnknownNameError
from priscian.files import read_tsv
from priscian.runs import Result

PEOPLE = "People*"
PAIRS = 1_000
"""Pairs of each of BLiMP's paradigms."""


def find_systems(baselines: str | Sequence[str]) -> list[str]:
    """Published systems by their names, separated by commas if it is one text; all or none."""
    if baselines == "all":
        return list(published())
    if baselines == "none":
        return []
    named = baselines.split(",") if isinstance(baselines, str) else list(baselines)
    for name in named:
        if name not in published():
            raise UnknownNameError("published system", name, published())
    return named


def starred(system: str) -> str:
    """The name of a published system, or of people, in tables and figures."""
    return PEOPLE if system == "human" else f"{system}*"


@cache
def _sources() -> dict[str, tuple[str, str, str, str]]:
    rows = (row for _, row in read_tsv(Path(__file__).parent / "data" / "published_overall.tsv"))
    return {
        row["system"]: (row["source"], row["printed"], row["printed_paradigms"], row["note"])
        for row in rows
    }


def published_notes(systems: Sequence[str], named: Sequence[Result]) -> list[str]:
    """Where the paper's figures come from, and what its Table 3 prints instead."""
    if not systems:
        return []
    notes = [f"* published, on BLiMP's own sentences (Warstadt et al. 2020){_other_data(named)}"]
    for system in systems:
        source, printed, over, note = _sources()[system]
        text = f"{starred(system)}: {source}, {len(published()[system])} paradigms; Table 3 prints"
        text += f" {100 * float(printed):.1f} overall"
        text += f", over {over} paradigms" if over else ""
        notes.append(f"{text} ({note})" if note else text)
    return notes


def _other_data(named: Sequence[Result]) -> str:
    """Which results are not on BLiMP's sentences, or only on some of them."""
    known = published()["human"]
    sets = {r.label: [s for name, s in r.facts.sets.items() if name in known] for r in named}
    others = [label for label, of in sets.items() if any(s.reference != REFERENCE for s in of)]
    if others:
        scored = "those scored" if len(others) == len(named) else f"those of {', '.join(others)}"
        return f", not on {scored}"
    if any(s.n != PAIRS for of in sets.values() for s in of):
        return f", all {PAIRS:,} pairs of a paradigm; here fewer were scored"
    return ", as those scored"
