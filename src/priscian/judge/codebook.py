"""The codebook of an export: what each column means, the study's hash and its rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import msgspec

from priscian.files import read_tsv
from priscian.judge.exclusion import Excluded
from priscian.judge.frozen import Frozen


def codebook(
    frozen: Frozen, files: Sequence[str], transform: str, excluded: Sequence[Excluded]
) -> str:
    """Markdown that goes with the exported tables."""
    study = frozen.study
    lines = [
        f"# Codebook of {study.name}",
        "",
        f"Task: {study.task}. Language: {study.language}. Version {frozen.version} of the study, "
        f"SHA-256 `{frozen.hash}`.",
    ]
    if study.task == "magnitude":
        kept = "log(response / modulus)" if transform == "log" else "as they were given"
        lines += ["", f"Modulus {study.scale.modulus:g}; magnitudes are {kept}."]
    place = Path(str(resources.files("priscian.judge"))) / "data" / "columns.tsv"
    rows = [row for _, row in read_tsv(place, ("file", "column", "meaning"))]
    for file in files:
        lines += ["", f"## {file}", ""]
        lines += [f"- `{r['column']}`: {r['meaning']}" for r in rows if r["file"] == file]
        if file == "demographics.csv":
            lines += [f"- `{q}`: as the person wrote it" for q in study.demographics]
    lines += ["", "## raw.jsonl", ""]
    lines += ["Every answer to every version. Nobody is left out but test sittings."]
    lines += ["", "## Rules of exclusion", ""]
    rules = msgspec.to_builtins(study.exclusion)
    lines += [f"- {name}: {value}" for name, value in rules.items()]
    reasons = Counter(e.reason for e in excluded)
    lines += ["", *(f"Left out, {reason}: {count}." for reason, count in reasons.items())]
    return "\n".join(lines).rstrip() + "\n"
