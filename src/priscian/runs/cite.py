"""The works that a run is based on, as BibTeX."""

from __future__ import annotations

import re
from importlib.resources import files

from priscian.datasets.cola import REFERENCE as COLA
from priscian.datasets.li_adger import REFERENCE as LI_ADGER
from priscian.datasets.reference import REFERENCE, blimp_taxonomy
from priscian.models import recorded_traits
from priscian.runs.facts import DataFacts, RunInfo


def references() -> dict[str, str]:
    """Every reference that Priscian knows, by key."""
    text = files("priscian.runs").joinpath("references.bib").read_text("utf-8")
    entries = re.findall(r"^@\w+\{([\w-]+),.*?^\}", text, flags=re.MULTILINE | re.DOTALL)
    blocks = re.findall(r"^@\w+\{[\w-]+,.*?^\}", text, flags=re.MULTILINE | re.DOTALL)
    return dict(zip(entries, blocks, strict=True))


def keys_of(run: RunInfo) -> list[str]:
    """Keys of the references for everything that a run is based on."""
    keys = ["priscian"]
    data = run.request.data.values()
    # pairs are BLiMP's or, like our own, follow one of its paradigms
    if any(
        d.spec.partition(":")[0] == "blimp"
        or _has(d, REFERENCE)
        or not d.sets.keys().isdisjoint(blimp_taxonomy())
        for d in data
    ):
        keys.append("blimp")
    if any("circuit" in d.levels for d in data):
        keys.append("sg")
    if any(_has(d, LI_ADGER) for d in data):
        keys += ["adc", "li", "adger"]
    if any(_has(d, COLA) for d in data):
        keys.append("cola")
    if run.request.measure in {"mean_lp", "pen_lp", "norm_lp", "slor"}:
        keys.append("slor")
    for model in run.models.values():
        if model.key:  # a table of scores has none
            keys += recorded_traits(model.string).references
    keys += ["wilson", "mover"]
    if "sg" in keys:
        keys.append("effective-items")
    if run.request.tie == "half":
        keys.append("tango")
    return list(dict.fromkeys(keys))


def _has(data: DataFacts, reference: str) -> bool:
    """Whether a set names this source."""
    return any(s.reference == reference for s in data.sets.values())
