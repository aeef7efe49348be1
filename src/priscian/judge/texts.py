"""Words of the pages, default texts and instructed checks: data files of the package."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from priscian.errors import UnknownNameError

PRESETS = ("blimp-validation", "likert", "me", "yesno", "fc")


@cache
def texts() -> Mapping[str, Any]:
    """Tables of `data/texts.toml`."""
    place = resources.files("priscian.judge") / "data" / "texts.toml"
    return tomllib.loads(place.read_text("utf-8"))


def words(own: Mapping[str, str]) -> dict[str, str]:
    """Every word of the interface, with those of the study in place of ours."""
    return {**texts()["words"], **own}


def preset(name: str) -> str:
    """The text of a study that runs as it is once it names its items."""
    if name not in PRESETS:
        raise UnknownNameError("preset", name, PRESETS)
    return (resources.files("priscian.judge") / "presets" / f"{name}.toml").read_text("utf-8")
