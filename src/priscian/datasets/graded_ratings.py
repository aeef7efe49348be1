"""People's answers, one by one: read, checked by task, and turned into one rating per sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from priscian.errors import DataError
from priscian.files import shown
from priscian.records import Judgement

Task = Literal["choice", "likert", "magnitude", "binary"]
TASKS: tuple[Task, ...] = get_args(Task)

LARGEST = 1e100
"""Numbers beyond this are mistakes, and their squares overflow."""
MISSING = frozenset({"", "na", "n/a", "#n/a"})
_YES = frozenset({"1", "yes", "y", "true", "acceptable", "good", "1.0"})
_NO = frozenset({"0", "no", "n", "false", "unacceptable", "bad", "0.0"})
_TASK_NAMES: dict[str, Task] = {
    "me": "magnitude",
    "magnitude_estimation": "magnitude",
    "ls": "likert",
    "yn": "binary",
    "yes/no": "binary",
    "yes_no": "binary",
    "fc": "choice",
    "forced_choice": "choice",
}


@dataclass(frozen=True, slots=True)
class Rating:
    """A sentence's mean z-score and the number of answers."""

    mean: float
    n: int


def find_task(name: str, where: str) -> Task:
    """The task of that name; abbreviations of the field are known: ME, LS, YN, FC."""
    plain = name.strip().lower().replace(" ", "_").replace("-", "_")
    for task in TASKS:
        if plain == task:
            return task
    if plain in _TASK_NAMES:
        return _TASK_NAMES[plain]
    raise DataError(f"{where}: no task {name!r}; use {', '.join(TASKS)}")


def number_of(value: object, what: str, where: str) -> float | None:
    """A finite number; nothing for an empty cell or NA."""
    if value is None or (isinstance(value, str) and value.strip().lower() in MISSING):
        return None
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not abs(number) <= LARGEST or isinstance(value, bool):
        raise DataError(
            f"{where}: {what} is {shown(value)}, not a number; write a number, "
            "or leave the cell empty"
        )
    return number


def yes_or_no(value: object, what: str, where: str) -> bool | None:
    """A label or a yes/no answer; nothing for an empty cell."""
    plain = "" if value is None else str(value).strip().lower()
    if plain in MISSING:
        return None
    if plain in _YES:
        return True
    if plain in _NO:
        return False
    raise DataError(f"{where}: {what} is {shown(value)}; write 1 or 0, yes or no")


def answer_of(value: object, task: Task | None, where: str) -> float | None:
    """An answer as a number, if the task allows it; nothing for an empty cell."""
    if task in ("binary", "choice"):
        said = yes_or_no(value, "the answer", where)
        return None if said is None else float(said)
    number = number_of(value, "the rating", where)
    if number is not None and task == "magnitude" and number <= 0:
        raise DataError(f"{where}: invalid magnitude {value}; magnitude estimates are above 0")
    if number is not None and task == "likert" and number != int(number):
        raise DataError(
            f"{where}: {value} is not a point of a Likert scale; write a whole number, "
            "or leave the task's name out"
        )
    return number


def standardise(values: Sequence[float]) -> list[float] | None:
    """z-scores with the population's standard deviation; none where all values are equal."""
    mean = math.fsum(values) / len(values)
    spread = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / len(values))
    if len(set(values)) < 2 or spread == 0:
        return None
    return [(v - mean) / spread for v in values]


def ratings_of(judgements: Iterable[Judgement], name: str) -> dict[str, Rating]:
    """Each sentence's rating: z-scores within each participant and task, averaged over them.

    In a forced choice the sentence that was chosen has 1 and the other 0. A participant who gave
    one answer throughout has no z-score, which is an error: nobody is dropped in silence.
    """
    people: dict[tuple[str, str], list[Judgement]] = {}
    for judgement in judgements:
        if not judgement.attention_check:
            people.setdefault((judgement.rater, judgement.task), []).append(judgement)
    gathered: dict[str, list[float]] = {}
    for (rater, _), answers in people.items():
        scores = standardise([float(a.response) for a in answers])
        if scores is None:
            raise DataError(
                f"{name}: participant {rater!r} gave the same answer {len(answers)} times, so "
                "z-scores are undefined; leave this participant out"
            )
        for answer, z in zip(answers, scores, strict=True):
            gathered.setdefault(answer.target, []).append(z)
    return {target: Rating(math.fsum(z) / len(z), len(z)) for target, z in gathered.items()}


def choice_answers(
    row: Mapping[str, object], ids: tuple[str, str], rater: str, where: str
) -> tuple[Judgement, Judgement]:
    """One forced choice as two answers: 1 for the sentence chosen, 0 for the other."""
    said = str(row.get("choice", "")).strip()
    chosen = {"good": ids[0], "bad": ids[1]}.get(said, said)
    if chosen not in ids:
        raise DataError(f"{where}: the choice {said!r} is neither {ids[0]!r} nor {ids[1]!r}")
    first, second = (Judgement(i, "choice", float(i == chosen), rater) for i in ids)
    return first, second
