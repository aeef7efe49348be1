"""How runs were made, and what to know before reading their numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from priscian.errors import counted
from priscian.files import hide_paths, hide_place
from priscian.runs import GradedSummary, Result, Run
from priscian.runs.facts import plain

SHORT = 16
FEW_ITEMS = 20
"""With fewer items in a set, its figure carries a warning: an interval spans 40 points or more."""
NAMED = 3
"""Runs that a warning names; of more it gives the number."""


@dataclass(frozen=True, slots=True)
class About:
    """A name and facts, in the order in which they are shown."""

    name: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run's part of the last section."""

    name: str
    finished: bool
    general: tuple[tuple[str, str], ...]
    models: tuple[About, ...]
    data: tuple[About, ...]


def describe_run(run: Run) -> RunFacts:
    """The facts of `run.json`, in readable form."""
    info, request = run.info, run.info.request
    options = {
        k: v
        for k, v in plain(request).items()
        if k not in ("models", "data", "sg") and v not in (None, [], ())
    }
    if request.sg is not None:
        options |= {f"sg {k}": v for k, v in asdict(request.sg).items() if v is not None}
    general = [
        ("created", info.created.replace("T", " ")),
        ("status", info.status),
        ("priscian", info.priscian),
        *((k, hide_paths(hide_place(_text(v)))) for k, v in options.items()),
        *info.environment.items(),
    ]
    models = []
    for name, model in info.models.items():
        facts = [
            ("given as", hide_place(model.string)),
            ("key", model.digest),
            *((part, hide_place(value)) for part, value in model.key.items()),
            *((note, hide_paths(value)) for note, value in model.notes.items()),
        ]
        if model.texts is not None:
            facts.append(("texts", f"{model.texts:,}, {model.computed or 0:,} of them new"))
        models.append(About(name, tuple(facts)))
    data = []
    for name, about in request.data.items():
        joined = "\n".join(f"{n} {s.hash}" for n, s in sorted(about.sets.items()))
        references = list(dict.fromkeys(s.reference for s in about.sets.values()))
        facts = [
            ("given as", hide_place(about.spec)),
            ("kind", about.kind),
            ("sets", f"{len(about.sets):,}"),
            ("items", f"{sum(s.n for s in about.sets.values()):,}"),
            ("hash", hashlib.sha256(joined.encode()).hexdigest()[:SHORT]),
            *(("reference", r) for r in references[:3] if r),
            *(("not read", hide_paths(line)) for line in about.refused),
        ]
        data.append(About(name, tuple(facts)))
    return RunFacts(run_name(run), run.finished, tuple(general), tuple(models), tuple(data))


def run_name(run: Run) -> str:
    """The name of a run's folder."""
    return run.path.resolve().name if run.path else ""


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {v}" for k, v in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def limits(runs: Sequence[Run]) -> list[str]:
    """A line for each limit, if only the first items of each set were scored in some runs."""
    limited: dict[int, list[str]] = {}
    for run in runs:
        limit = run.info.request.limit
        if limit is not None:
            limited.setdefault(limit, []).append(run.path.name if run.path else "a run")
    found = []
    for limit, names in limited.items():
        listed = ", ".join(names[:NAMED])
        if len(names) > NAMED:
            listed += f" and {counted(len(names) - NAMED, 'more run')}"
        name = "" if len(names) == len(runs) else f" of {listed}"
        few = " Most intervals are wide." if limit < FEW_ITEMS else ""
        found.append(
            f"The numbers{name} are for the first {counted(limit, 'item')} of each set "
            f"(limit {limit}), not for the whole data.{few}"
        )
    return found


def about_adc(results: Sequence[Result], problems: Mapping[str, str]) -> str:
    """On how many sentences the ADC rests, where figures of it are missing and why."""
    parts = []
    rated = {r.data: r.summary for r in results if isinstance(r.summary, GradedSummary)}
    for data, summary in rated.items():
        if summary.graded.adc:
            parts.append(
                f"On {data}: {counted(summary.graded.rated_pairs, 'pair')}, standard deviations "
                f"over {counted(summary.graded.sentences, 'sentence')}."
            )
        if data in problems:
            parts.append(f"Its figures are missing: {problems[data]}.")
    return " ".join(parts)
