"""Which page comes next in a sitting, what a trial shows, and whether an answer is one."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from priscian.judge.frozen import Frozen
from priscian.judge.items import BAD, GOOD
from priscian.judge.records import Answer, Shown, Sitting, Timing
from priscian.judge.study import Study
from priscian.judge.words import words

Step = Literal["instructions", "comprehension", "trial", "about", "end", "failed"]
LONGEST_TIME = 86_400.0
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b\u2060\ufeff\ufffd]")
_SPACES = re.compile("[\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
TEXT = 2_000
"""Characters of free text."""


def step_of(study: Study, sitting: Sitting, trials: Sequence[Shown]) -> Step:
    """The page that a sitting is at."""
    if sitting.state == "failed":
        return "failed"
    if sitting.state == "complete":
        return "end"
    if not sitting.facts.get("read"):
        return "instructions"
    if study.checks.comprehension and not sitting.facts.get("understood"):
        return "comprehension"
    if next_trial(trials) is not None:
        return "trial"
    if study.demographics and "about" not in sitting.facts:
        return "about"
    return "end"


def takes_answers(study: Study, sitting: Sitting) -> bool:
    """Whether a sitting is at its trials or beyond: instructions read, questions understood."""
    if sitting.state == "failed" or not sitting.facts.get("read"):
        return False
    return bool(sitting.facts.get("understood") or not study.checks.comprehension)


def required(study: Study) -> tuple[str, ...]:
    """Questions about the person that must be answered, since a rule of exclusion needs them."""
    return ("native_languages",) if study.exclusion.native else ()


def next_trial(trials: Sequence[Shown]) -> Shown | None:
    """The first trial without an answer."""
    return next((t for t in trials if t.response is None), None)


def display(frozen: Frozen, trial: Shown, total: int) -> dict[str, Any]:
    """What a trial shows; nothing that says which answer is expected."""
    material = frozen.materials[trial.item]
    if frozen.study.task == "choice":
        pair = [material.conditions[GOOD], material.conditions[BAD]]
        sentences = pair if trial.side == "left" else pair[::-1]
    else:
        sentences = [material.conditions[trial.condition]]
    return {
        "position": trial.position,
        "total": total,
        "practice": trial.kind == "practice",
        "sentences": sentences,
    }


def heading(study: Study) -> str:
    """The words over a trial; a study in another language may have only those for sentences."""
    known = words(study)
    pairs = study.task == "choice" and not ("trial" in study.words and "pair" not in study.words)
    return known["pair" if pairs else "trial"]


def seal(sentences: Sequence[str]) -> str:
    """A short hash of what a trial shows, which the page computes of what is on the screen.

    FNV-1a over UTF-16 (`seal` in judge.js), without what cannot be seen.

    >>> seal(["A dog.", "Dogs a."]) == seal([" A  dog.", "Dogs \u00ada."]), seal(["A dog"])
    (True, '997c2ace')
    """
    plain = "\n".join(_SPACES.sub(" ", _UNSEEN.sub("", s)).strip(" ") for s in sentences)
    found = 0x811C9DC5
    for unit in memoryview(plain.encode("utf-16-le")).cast("H"):
        found = (found ^ unit) * 0x01000193 & 0xFFFFFFFF
    return f"{found:x}"


def response_of(study: Study, said: object) -> str | None:
    """An answer as it is stored, or None if the task does not allow it.

    >>> study = Study(name="x", task="magnitude", items=None)
    >>> response_of(study, " 12,50 "), response_of(study, "-1")
    ('12.50', None)
    """
    text = str(said).strip() if isinstance(said, str | int | float) else ""
    if study.task == "choice":
        return text if text in ("left", "right") else None
    if study.task == "binary":
        return text if text in ("yes", "no") else None
    if study.task == "likert":
        points = {str(n) for n in range(1, study.scale.points + 1)}
        return text if text in points else None
    return _magnitude(text)


def _magnitude(text: str) -> str | None:
    """A positive decimal with a comma or a point."""
    plain = text.replace(",", ".").replace(" ", "").replace("\u00a0", "")
    if not plain.isascii() or len(plain) > 20 or not plain.replace(".", "", 1).isdigit():
        return None
    try:
        number = Decimal(plain)
    except InvalidOperation:
        return None
    return plain if 0 < number < Decimal(10) ** 12 else None


def seconds(said: object) -> float | None:
    """A time that can be true, or None."""
    try:
        number = float(said) if isinstance(said, str | int | float) else math.nan
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= LONGEST_TIME else None


def form_answer(study: Study, form: Mapping[str, str], now: float) -> Answer | None:
    """The answer of a form; without the script the server's clock has the time."""
    response = response_of(study, form.get("answer", ""))
    position = form.get("position", "")
    if response is None or not position.isascii() or not position.isdigit() or len(position) > 6:
        return None
    time = seconds(form.get("time"))
    timing: Timing = "script"
    if time is None:
        shown = seconds_since(form.get("shown"), now)
        time, timing = shown, "server" if shown is not None else "none"
    return Answer(int(position), response, time, seconds(form.get("hidden")) or 0.0, timing)


def seconds_since(then: object, now: float) -> float | None:
    """Seconds since a moment that a form remembers."""
    try:
        return seconds(now - float(str(then)))
    except ValueError:
        return None


def json_answer(study: Study, row: object) -> Answer | None:
    """An answer that the outbox sends."""
    if not isinstance(row, Mapping):
        return None
    position = row.get("position")
    response = response_of(study, row.get("response"))
    if response is None or type(position) is not int or not 1 <= position < 10**6:
        return None
    time = seconds(row.get("time"))
    timing: Timing = "script" if time is not None else "none"
    return Answer(position, response, time, seconds(row.get("hidden")) or 0.0, timing)


def passed(study: Study, answer: str, side: str, response: str) -> bool:
    """Whether the response to a check or a gold sentence is the right one.

    `answer` is good for a pair; 2, yes, or a range such as 5-7 for one sentence.
    """
    if study.task == "choice":
        return response == side
    if study.task == "binary":
        return response == {"1": "yes", "0": "no"}.get(answer.lower(), answer.lower())
    low, dash, high = answer.partition("-")
    number = float(response)
    if not dash:
        return number == float(low)
    return (not low or number >= float(low)) and (not high or number <= float(high))
