"""What a run rests on, as BibTeX."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

from priscian.datasets.cola import REFERENCE as COLA
from priscian.datasets.li_adger import REFERENCE as LI_ADGER
from priscian.datasets.reference import REFERENCE
from priscian.models import recorded_traits


def references() -> dict[str, str]:
    """Every reference that Priscian knows, by key."""
    text = files("priscian.runs").joinpath("references.bib").read_text("utf-8")
    entries = re.findall(r"^@\w+\{([\w-]+),.*?^\}", text, flags=re.MULTILINE | re.DOTALL)
    blocks = re.findall(r"^@\w+\{[\w-]+,.*?^\}", text, flags=re.MULTILINE | re.DOTALL)
    return dict(zip(entries, blocks, strict=True))


def keys_of(run: dict[str, Any]) -> list[str]:
    """Keys of the references that a `run.json` calls for."""
    keys = ["priscian"]
    if any(_rests_on_blimp(data) for data in run["request"]["data"].values()):
        keys.append("blimp")
    if any("circuit" in data.get("levels", ()) for data in run["request"]["data"].values()):
        keys.append("sg")
    if any(_has(data, LI_ADGER) for data in run["request"]["data"].values()):
        keys += ["adc", "li", "adger"]
    if any(_has(data, COLA) for data in run["request"]["data"].values()):
        keys.append("cola")
    if run["request"].get("measure") in {"mean_lp", "pen_lp", "norm_lp", "slor"}:
        keys.append("slor")
    for model in run["models"].values():
        if "key" in model:  # a table of scores has none
            keys += recorded_traits(str(model["string"])).references
    keys += ["wilson", "mover"]
    return list(dict.fromkeys(keys))


def _rests_on_blimp(data: dict[str, Any]) -> bool:
    """Whether a data set was named as BLiMP, or its sets say that they come from there."""
    named = str(data["spec"]).partition(":")[0] == "blimp"
    return named or _has(data, REFERENCE)


def _has(data: dict[str, Any], reference: str) -> bool:
    """Whether a set says that it comes from there."""
    return any(s.get("reference") == reference for s in data["sets"].values())
