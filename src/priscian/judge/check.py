"""What is wrong with a study, one line for each problem, before anyone sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from priscian.errors import DataError, UnknownNameError
from priscian.judge.languages import is_language
from priscian.judge.markdown import has_html
from priscian.judge.study import QUESTIONS, Study
from priscian.judge.texts import texts
from priscian.judge.words import untranslated

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
MOST = 100_000
"""Largest number of anything that a study may ask for."""
_NAME = re.compile(r"[\w][\w .-]{0,79}")


def problems(study: Study) -> Iterator[str]:
    """Everything that can be said without reading the items."""
    if not _NAME.fullmatch(study.name):
        yield f"name: {study.name!r} is not a name; use letters, digits, - and _"
    if not _LANGUAGE.fullmatch(study.language):
        yield f"language: {study.language!r} is not a language tag; write en, de or pt-BR"
    if study.task == "likert" and not 2 <= study.scale.points <= 9:
        yield f"scale.points: {study.scale.points}; a scale has 2 to 9 points, one key for each"
    if study.task == "magnitude" and not study.scale.reference.strip():
        yield "scale.reference: magnitude estimation needs a reference sentence; write it"
    if not 0 < study.scale.modulus < 1e9:
        yield f"scale.modulus: {study.scale.modulus}; give a number above 0"
    yield from _numbers(study)
    yield from _pages(study)
    yield from _checks(study)
    yield from _people(study)
    yield from _one_side(study)
    yield from _platform(study)


def _numbers(study: Study) -> Iterator[str]:
    for name, value in {
        "items.per_set": study.items.per_set,
        "lists.per_sitting": study.lists.per_sitting,
        "lists.number": study.lists.number,
        "fillers.per_sitting": study.fillers.per_sitting,
        "practice.per_sitting": study.practice.per_sitting,
        "checks.instructed": study.checks.instructed,
        "checks.gold_per_sitting": study.checks.gold_per_sitting,
        "order.between_same_set": study.order.between_same_set,
        "order.same_in_a_row": study.order.same_in_a_row,
        "targets.sittings_per_list": study.targets.sittings_per_list,
        "exclusion.failed_checks": study.exclusion.failed_checks,
        "exclusion.median_time_below": study.exclusion.median_time_below,
        "exclusion.shortest_time_below": study.exclusion.shortest_time_below,
        "exclusion.total_time_below": study.exclusion.total_time_below,
        "exclusion.one_side_above": study.exclusion.one_side_above,
    }.items():
        if value < 0:
            yield f"{name}: {value} is below 0; write 0 to turn it off"
        if value > MOST:
            yield f"{name}: {value} is more than {MOST:,}; give a smaller number"
    for name, value in {
        "targets.sittings_per_person": study.targets.sittings_per_person,
        "targets.stale_after": study.targets.stale_after,
        "targets.resume_within": study.targets.resume_within,
        "checks.tries": study.checks.tries,
    }.items():
        if value <= 0:
            yield f"{name}: {value}; give a number above 0"


def notes(study: Study) -> Iterator[str]:
    """What may be meant as it is, and deserves a look."""
    english = list(untranslated(study))
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


def _pages(study: Study) -> Iterator[str]:
    pages = {
        "pages.welcome": study.pages.welcome,
        "pages.instructions": study.pages.instructions,
        "pages.end": study.pages.end,
        "consent.text": study.consent.text,
    }
    for name, text in pages.items():
        if has_html(text):
            yield f"{name}: HTML is not allowed; write Markdown (**bold**, lists, [links](https://…))"
    known = texts()["words"]
    for word in study.words:
        if word not in known:
            yield f"words: {UnknownNameError('word', word, known)}"


def _checks(study: Study) -> Iterator[str]:
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


def _one_side(study: Study) -> Iterator[str]:
    share = study.exclusion.one_side_above
    if share and study.task != "choice":
        yield "exclusion.one_side_above: only forced choices have sides; leave it out"
    elif share and not 0.5 <= share < 1:
        yield f"exclusion.one_side_above: {share} is not a share from 0.5 to 1; write 0.9"


def _people(study: Study) -> Iterator[str]:
    for question in study.demographics:
        if question not in QUESTIONS:
            yield f"demographics: {UnknownNameError('question', question, QUESTIONS)}"
    if study.exclusion.native and "native_languages" not in study.demographics:
        yield 'exclusion.native: nobody is asked; add "native_languages" to demographics'


def _platform(study: Study) -> Iterator[str]:
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


def check_study(study: Study) -> None:
    """The first problem as an error."""
    for problem in problems(study):
        raise DataError(problem)
