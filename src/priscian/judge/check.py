"""What is wrong with a study, one line for each problem, before anyone sees it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from urllib.parse import urlsplit

from priscian.errors import DataError, UnknownNameError
from priscian.judge.languages import is_language
from priscian.judge.study import ENGLISH, PRESETS, QUESTIONS, Study, preset, spoken, texts

_NAME = re.compile(r"[\w][\w .-]{0,79}")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_HTML = re.compile(r"<[A-Za-z/!?]")


def check_study(study: Study) -> None:
    """The first problem as an error."""
    for problem in problems(study):
        raise DataError(problem)


def problems(study: Study) -> Iterator[str]:
    """Everything that can be said without reading the items, beyond what the types say."""
    if not _NAME.fullmatch(study.name):
        yield f"name: {study.name!r} is not a name; use letters, digits, - and _"
    if not _LANGUAGE.fullmatch(study.language):
        yield f"language: {study.language!r} is not a language tag; write en, de or pt-BR"
    if study.task == "magnitude" and not study.scale.reference.strip():
        yield "scale.reference: magnitude estimation needs a reference sentence; write it"
    pages = {f"pages.{name}": getattr(study.pages, name) for name in study.pages.__struct_fields__}
    for name, text in {**pages, "consent.text": study.consent.text}.items():
        if has_html(text):
            yield f"{name}: HTML is not allowed; write Markdown (**bold**, lists, [links](https://…))"
    known = texts()["words"]
    for word in study.words:
        if word not in known:
            yield f"words: {UnknownNameError('word', word, known)}"
    yield from _check_problems(study)
    yield from _people_problems(study)


def has_html(text: str) -> bool:
    """Whether a text has something that looks like a tag."""
    return bool(_HTML.search(text))


def _check_problems(study: Study) -> Iterator[str]:
    checks = study.checks
    for n, question in enumerate(checks.comprehension, start=1):
        if question.answer not in question.options:
            yield (
                f"checks.comprehension {n}: the answer {question.answer!r} is not among the "
                f"options ({', '.join(question.options)}); add it"
            )
        if len(set(question.options)) < 2:
            yield f"checks.comprehension {n}: it needs two different options or more"
    for kind in ("likert", "binary", "magnitude"):
        own = getattr(checks.texts, kind)
        if own and "{answer}" not in own:
            yield f"checks.texts.{kind}: does not say what to answer; write {{answer}} in it"
    if checks.gold_per_sitting and not checks.gold:
        yield "checks.gold_per_sitting: there is no table of gold sentences; set checks.gold"
    tests = checks.instructed or checks.gold
    if study.exclusion.failed_checks and not tests and not study.lists.table:
        yield "exclusion.failed_checks: the study has no checks; set checks.instructed or gold"


def _people_problems(study: Study) -> Iterator[str]:
    """What is asked of people, whom the study leaves out, and where they come from."""
    for question in study.demographics:
        if question not in QUESTIONS:
            yield f"demographics: {UnknownNameError('question', question, QUESTIONS)}"
    if study.exclusion.native and "native_languages" not in study.demographics:
        yield 'exclusion.native: nobody is asked; add "native_languages" to demographics'
    share = study.exclusion.one_side_above
    if share and study.task != "choice":
        yield "exclusion.one_side_above: only forced choices have sides; leave it out"
    elif 0 < share < 0.5:
        yield f"exclusion.one_side_above: {share} is not a share from 0.5 to 1; write 0.9"
    platform = study.platform
    if platform.kind == "prolific" and not platform.complete:
        yield "platform.complete: Prolific needs the completion code of the study; copy it there"
    if platform.kind == "sona":
        for name in ("sona_url", "experiment_id", "credit_token"):
            if not getattr(platform, name):
                yield f"platform.{name}: SONA needs it; copy it from the study's page"
        parts = urlsplit(platform.sona_url)
        if platform.sona_url and (
            parts.scheme != "https" or not (parts.hostname or "").endswith(".sona-systems.com")
        ):
            yield "platform.sona_url: write https://YOURS.sona-systems.com"


def notes(study: Study) -> Iterator[str]:
    """What may be meant as it is, and deserves a look."""
    english = list(_untranslated(study))
    if english:
        yield (
            f"the study is in {study.language}, but participants read these in English: "
            f"{'; '.join(english)}"
        )
    for name in study.exclusion.native:
        if not is_language(name):
            yield (
                f"exclusion.native: {name!r} is not in the table of languages; only people who "
                "write these very words count"
            )


def _untranslated(study: Study) -> Iterator[str]:
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
    shown = {"likert": ("low", "high"), "binary": ("yes", "no"), "magnitude": ("reference",)}
    for name in shown.get(study.task, ()):
        used[f"scale.{name}"] = getattr(study.scale, name)
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
