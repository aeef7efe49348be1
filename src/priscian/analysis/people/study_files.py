"""Read the folder that `priscian judge export` wrote: people's and models' answers to pairs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from priscian.analysis.people.agreement import (
    RULE,
    HumanAgreement,
    JudgedSet,
    human_agreement,
)
from priscian.datasets.choices import read_choices
from priscian.datasets.graded_read import number_of, standardise
from priscian.errors import DataError, counted
from priscian.files import Row, read_table, read_text, unchanged

CODEBOOK, CHOICES, ITEMS = "codebook.md", "choices.csv", "items.csv"
AGAIN = "export the study again"
_TITLE = re.compile(r"# Codebook of (.+)")
_DRAW = re.compile(r"#\d+$")


@dataclass(frozen=True, slots=True)
class StudyPair:
    """Two sentences of a study, with the set and phenomenon that they belong to."""

    good: str
    bad: str
    set: str
    phenomenon: str


@dataclass(frozen=True, slots=True)
class Read:
    """What a folder holds: credits by pair of people and of each model; ratings; times.

    Of forced choices, `judged` has people's agreement with the labels by class of sets, as
    `human_agreement` computes it; the credits are on the pairs that count in it.
    """

    name: str
    task: str
    people: Mapping[StudyPair, float]
    models: Mapping[str, Mapping[StudyPair, float]]
    units: Mapping[str, Mapping[str, float]]
    """People's answers by unit (pair or sentence) and rater, for measures of agreement."""
    times: tuple[float, ...]
    notes: tuple[str, ...] = ()
    judged: Mapping[str, Sequence[JudgedSet]] = field(default_factory=dict)


def is_study(folder: Path) -> bool:
    """Whether a folder is an export of `priscian judge`."""
    return (folder / CODEBOOK).is_file() and (folder / "raw.jsonl").is_file()


def read_study_files(folder: Path) -> Read:
    """Forced choices or ratings, whichever the folder has."""
    with unchanged():
        title = _TITLE.match(read_text(folder / CODEBOOK))
        name = title[1].strip() if title else folder.name
        if (folder / CHOICES).is_file():
            return _choices(folder, name)
        return _ratings(folder, name)


def _rows(file: Path, *columns: str) -> list[tuple[str, Row]]:
    if not file.is_file():
        raise DataError(f"no {file}; write the folder again with priscian judge export")
    rows = read_table(file, lambda header: set(columns) <= set(header))
    missing = [c for c in columns if c not in (rows[0][1] if rows else columns)]
    if missing:
        raise DataError(f"{file}:1: no column {', '.join(missing)}; export the study again")
    return [(f"{file}:{line}", row) for line, row in rows]


def _text(row: Row, column: str) -> str:
    return str(row.get(column) or "").strip()


def _one_of(row: Row, column: str, known: tuple[str, str], where: str) -> int:
    """Which of two words a cell has: 0 or 1."""
    said = _text(row, column)
    if said not in known:
        raise DataError(f"{where}: {column} is {said!r}, not {' or '.join(known)}; {AGAIN}")
    return known.index(said)


def _choices(folder: Path, name: str) -> Read:
    pairs = {
        _text(row, "item"): StudyPair(
            _text(row, "good"), _text(row, "bad"), _text(row, "set"), _text(row, "phenomenon")
        )
        for _, row in _rows(folder / ITEMS, "item", "set", "phenomenon", "good", "bad")
    }
    agreement, notes = _agreement(folder / CHOICES)
    people: dict[StudyPair, float] = {}
    judged: dict[str, list[JudgedSet]] = {}
    for s in agreement.included:
        known = [pairs[item] for t in s.targets if (item := t.partition("\x1f")[2]) in pairs]
        people |= dict(zip(known, s.means, strict=False))
        if known:
            judged.setdefault(known[0].phenomenon or known[0].set, []).append(s)
    said: dict[str, dict[StudyPair, list[float]]] = {}
    units: dict[str, dict[str, float]] = {}
    times: list[float] = []
    for where, row in _rows(folder / CHOICES, "item", "rater", "response", "kind"):
        item, rater = _text(row, "item"), _text(row, "rater")
        if _text(row, "attention_check") == "1":
            continue
        if item not in pairs:
            raise DataError(f"{where}: {ITEMS} has no item {item!r}; export the study again")
        credit = float(_one_of(row, "response", ("bad", "good"), where))
        if _one_of(row, "kind", ("person", "model"), where):
            if pairs[item] in people:
                of = said.setdefault(_DRAW.sub("", rater), {})
                of.setdefault(pairs[item], []).append(credit)
        else:
            units.setdefault(item, {})[rater] = credit
            time = number_of(row.get("response_time"), "response_time", where)
            times += [] if time is None else [time]
    means = {w: {p: math.fsum(c) / len(c) for p, c in of.items()} for w, of in said.items()}
    return Read(name, "choice", people, means, units, tuple(times), tuple(notes), judged)


def _agreement(file: Path) -> tuple[HumanAgreement, list[str]]:
    """As `priscian analyse human` counts it, and what it leaves out.

    Where its rule would leave nothing, all sets count; where all people failed a check, all people.
    """
    choices = read_choices(file)
    failed = {j.rater for j in choices.judgements if j.attention_check and j.response != 1.0}
    all_failed = failed >= {j.rater for j in choices.judgements}
    notes = []
    try:
        found = human_agreement(choices, keep_failed=all_failed)
    except DataError:
        found = human_agreement(choices, rule="none", keep_failed=all_failed)
        notes.append(f"No set meets the rule {RULE}, so all sets count.")
    if found.exclusion:
        notes.append(found.exclusion)
    if all_failed:
        notes.append("Everybody failed an attention check, so all answers count.")
    elif failed:
        people = counted(len(failed), "person").replace("persons", "people")
        notes.append(
            f"{people} failed an attention check; their {found.attention.dropped:,} answers do "
            "not count."
        )
    return found, notes


def _ratings(folder: Path, name: str) -> Read:
    texts = {_text(r, "id"): r for _, r in _rows(folder / "sentences.csv", "id", "sentence")}
    people, task, times = _rated(folder / "answers.csv")
    pairs: dict[tuple[str, str], StudyPair] = {}
    if (folder / "pairs.csv").is_file():
        for where, row in _rows(folder / "pairs.csv", "good_id", "bad_id"):
            good, bad = (_text(row, f"{side}_id") for side in ("good", "bad"))
            if unknown := {good, bad} - texts.keys():
                raise DataError(f"{where}: sentences.csv has no id {min(unknown)!r}; {AGAIN}")
            about = texts[good]
            pairs[good, bad] = StudyPair(
                _text(about, "sentence"), _text(texts[bad], "sentence"),
                _text(about, "set"), _text(row, "phenomenon"),
            )  # fmt: skip
    if not pairs:
        raise DataError(
            f"{folder}: no pairs of an acceptable and an unacceptable sentence, so that there is "
            "nothing to compare; use priscian analyse adc"
        )
    models: dict[str, dict[StudyPair, float]] = {}
    if (folder / "model_answers.csv").is_file():
        asked, _, _ = _rated(folder / "model_answers.csv", "expected")
        by_model: dict[str, Ratings] = {}
        for rater, ratings in asked.items():
            by_model.setdefault(_DRAW.sub("", rater), {})[rater] = ratings
        models = {model: _higher(pairs, own) for model, own in by_model.items()}
    units: dict[str, dict[str, float]] = {}
    for rater, ratings in people.items():
        for sentence, value in ratings.items():
            units.setdefault(sentence, {})[rater] = (
                math.log(value) if task == "magnitude" else value
            )
    return Read(name, task, _higher(pairs, people), models, units, times)


Ratings = dict[str, dict[str, float]]
"""Ratings by rater and sentence."""


def _rated(file: Path, finer: str = "") -> tuple[Ratings, str, tuple[float, ...]]:
    """Answers by rater; `finer` is a column that is preferred to the rating."""
    found: Ratings = {}
    task, times = "", []
    for where, row in _rows(file, "id", "participant", "rating"):
        value = number_of(row.get(finer), finer, where) if finer else None
        if value is None:
            value = number_of(row["rating"], "rating", where)
        if value is None:
            raise DataError(f"{where}: the rating is empty; {AGAIN}")
        task = task or _text(row, "task") or "log magnitude"
        if task == "magnitude" and value <= 0:
            raise DataError(f"{where}: a magnitude of {value:g}, which cannot be; {AGAIN}")
        found.setdefault(_text(row, "participant"), {})[_text(row, "id")] = value
        time = number_of(row.get("response_time"), "response_time", where)
        times += [] if time is None else [time]
    return found, task, tuple(times)


def _higher(pairs: Mapping[tuple[str, str], StudyPair], raters: Ratings) -> dict[StudyPair, float]:
    """1 where the good sentence has the higher mean z-score, else 0; raters who never vary drop."""
    scores: dict[str, list[float]] = {}
    for ratings in raters.values():
        standard = standardise(list(ratings.values()))
        for sentence, z in zip(ratings, standard or (), strict=False):
            scores.setdefault(sentence, []).append(z)
    means = {s: math.fsum(z) / len(z) for s, z in scores.items()}
    return {
        pair: float(means[good] > means[bad])
        for (good, bad), pair in pairs.items()
        if good in means and bad in means
    }
