"""Words of the pages, default texts, instructed checks and presets: data files of the package."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from priscian.errors import UnknownNameError

PRESETS = ("blimp-validation", "likert", "me", "yesno", "fc")
ENGLISH = "en"


@cache
def texts(language: str = ENGLISH) -> Mapping[str, Any]:
    """Tables of `data/texts.toml`, in the language of a tag (`de-AT`) if we have it."""
    english = _tables("texts.toml")
    if spoken(language) == ENGLISH:
        return english
    own = _tables(f"texts.{spoken(language)}.toml")
    return {name: {**table, **own.get(name, {})} for name, table in english.items()}


def spoken(language: str) -> str:
    """The language that default texts have for a tag: its own if we have it, else English."""
    main = language.split("-")[0].lower()
    place = resources.files("priscian.judge") / "data" / f"texts.{main}.toml"
    return main if main.isalpha() and place.is_file() else ENGLISH


@cache
def _tables(name: str) -> Mapping[str, Any]:
    return tomllib.loads((resources.files("priscian.judge") / "data" / name).read_text("utf-8"))


def preset(name: str) -> str:
    """The text of a study that runs as it is once it names its items."""
    if name not in PRESETS:
        raise UnknownNameError("preset", name, PRESETS)
    return (resources.files("priscian.judge") / "presets" / f"{name}.toml").read_text("utf-8")
