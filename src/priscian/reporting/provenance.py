"""How a run was made: models, options, data, versions: everything needed to repeat it."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import Any

from priscian.files import hide_paths, hide_place
from priscian.runs import DataFacts, ModelFacts, Run
from priscian.runs.facts import plain

SHORT = 16


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
    return RunFacts(
        run_name(run),
        run.finished,
        tuple(general),
        tuple(_model(name, about) for name, about in info.models.items()),
        tuple(_data(name, about) for name, about in request.data.items()),
    )


def run_name(run: Run) -> str:
    """The name of a run's folder."""
    return run.path.resolve().name if run.path else ""


def _model(name: str, about: ModelFacts) -> About:
    facts = [
        ("given as", hide_place(about.string)),
        ("key", about.digest),
        *((name, hide_place(value)) for name, value in about.key.items()),
        *((name, hide_paths(value)) for name, value in about.notes.items()),
    ]
    if about.texts is not None:
        facts.append(("texts", f"{about.texts:,}, {about.computed or 0:,} of them new"))
    return About(name, tuple(facts))


def _data(name: str, about: DataFacts) -> About:
    sets = about.sets
    joined = "\n".join(f"{n} {s.hash}" for n, s in sorted(sets.items()))
    references = list(dict.fromkeys(s.reference for s in sets.values()))
    return About(
        name,
        (
            ("given as", hide_place(about.spec)),
            ("kind", about.kind),
            ("sets", f"{len(sets):,}"),
            ("items", f"{sum(s.n for s in sets.values()):,}"),
            ("hash", hashlib.sha256(joined.encode()).hexdigest()[:SHORT]),
            *(("reference", r) for r in references[:3] if r),
            *(("not read", hide_paths(line)) for line in about.refused),
        ),
    )


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {v}" for k, v in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
