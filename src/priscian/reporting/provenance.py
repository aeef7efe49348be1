"""How a run was made: models, options, data, versions, all that is needed to repeat it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from priscian.reporting.source import Source

SHORT = 16


@dataclass(frozen=True, slots=True)
class About:
    """A name and facts, in the order in which they are shown."""

    name: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run's part of the last section."""

    path: str
    finished: bool
    general: tuple[tuple[str, str], ...]
    models: tuple[About, ...]
    data: tuple[About, ...]


def describe_run(source: Source) -> RunFacts:
    """What `run.json` says, for people."""
    info = source.info
    request = info["request"]
    options = {
        k: v for k, v in request.items() if k not in ("models", "data", "sg") and v is not None
    }
    options |= {f"sg {k}": v for k, v in request.get("sg", {}).items() if v is not None}
    general = [
        ("made", str(info.get("created", "")).replace("T", " ")),
        ("status", str(info.get("status", ""))),
        ("priscian", str(info.get("priscian", ""))),
        *((k, _text(v)) for k, v in options.items()),
        *((k, str(v)) for k, v in info.get("environment", {}).items()),
    ]
    return RunFacts(
        source.path,
        source.finished,
        tuple(general),
        tuple(_model(name, about) for name, about in info["models"].items()),
        tuple(_data(name, about) for name, about in request["data"].items()),
    )


def _model(name: str, about: Mapping[str, Any]) -> About:
    facts = [
        ("string", str(about.get("string", name))),
        ("key", str(about.get("digest", ""))),
        *((k, str(v)) for k, v in about.get("key", {}).items()),
        *((k, str(v)) for k, v in about.get("notes", {}).items()),
    ]
    if "texts" in about:
        facts.append(("texts", f"{about['texts']:,}, {about.get('computed', 0):,} of them new"))
    return About(name, tuple(facts))


def _data(name: str, about: Mapping[str, Any]) -> About:
    sets = about["sets"]
    joined = "\n".join(f"{n} {s['hash']}" for n, s in sorted(sets.items()))
    references = list(dict.fromkeys(s.get("reference", "") for s in sets.values()))
    return About(
        name,
        (
            ("spec", str(about["spec"])),
            ("sets", f"{len(sets):,}"),
            ("items", f"{sum(s['n'] for s in sets.values()):,}"),
            ("hash", hashlib.sha256(joined.encode()).hexdigest()[:SHORT]),
            *(("reference", r) for r in references[:3] if r),
        ),
    )


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {v}" for k, v in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
