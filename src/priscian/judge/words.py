"""What a study says to its participants: its own words, and ours in its language."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache

from priscian.judge.study import Study
from priscian.judge.texts import ENGLISH, PRESETS, preset, spoken, texts


def words(study: Study) -> dict[str, str]:
    """Every word of the interface, with those of the study in place of ours."""
    return {**texts(study.language)["words"], **study.words}


def page_language(study: Study) -> str:
    """The language of the pages around the sentences."""
    own = study.words or spoken(study.language) != ENGLISH
    return study.language if own else ENGLISH


def error_text(study: Study, status: int, english: str) -> str:
    """What an error page says: our own words in English, else the study's for this status."""
    known = words(study)
    said = known.get(f"error_{status}", known["error_500" if status >= 500 else "error_400"])
    return english if said in texts()["words"].values() else said


def untranslated(study: Study) -> Iterator[str]:
    """Texts that participants will read in English although the study is in another language."""
    if study.language.split("-")[0].lower() == ENGLISH:
        return
    if spoken(study.language) == ENGLISH:
        missing = [name for name in texts()["words"] if name not in study.words]
        if missing:
            yield f"words: {', '.join(missing)}"
        pages = {
            "consent.text": study.consent.text,
            "pages.instructions": study.pages.instructions,
            "pages.end": study.pages.end,
        }
        yield from (name for name, own in pages.items() if not own)
        if study.checks.instructed:
            kinds = ("choose", "avoid") if study.task == "choice" else (study.task,)
            own = study.checks.texts
            yield from (f"checks.texts.{kind}" for kind in kinds if not getattr(own, kind))
    used = {"title": study.title, "question": study.question}
    if study.task == "likert":
        used |= {"scale.low": study.scale.low, "scale.high": study.scale.high}
    if study.task == "binary":
        used |= {"scale.yes": study.scale.yes, "scale.no": study.scale.no}
    if study.task == "magnitude":
        used["scale.reference"] = study.scale.reference
    yield from (name for name, own in used.items() if own in _english())


@cache
def _english() -> frozenset[str]:
    """Titles, questions and scales of the presets, and the scale that a study has by default."""
    found = {str(said) for said in texts()["scale"].values()}
    for name in PRESETS:
        tables = tomllib.loads(preset(name))
        found |= {tables["title"], tables["question"]}
        found |= {said for said in tables.get("scale", {}).values() if isinstance(said, str)}
    return frozenset(found)
