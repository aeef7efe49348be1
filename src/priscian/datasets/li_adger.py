"""The LI-Adger release: sentences, magnitude estimates, minimal pairs, models' scores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from priscian.datasets.graded import (
    GradedSentence,
    GradedSet,
    SentenceScores,
    item_sets,
)
from priscian.datasets.graded_read import cell, number_of, read_pair_table, read_role, read_scores
from priscian.datasets.registry import data_format
from priscian.errors import DataError
from priscian.files import PathLike, Row
from priscian.records import ItemSet

SENTENCES = "li-adger_sentences.csv"
RATINGS = "human_ME_results_li-adger_sentences.csv"
PAIRS = "li-adger_min_pairs.csv"
PAIR_SCORES = "li-adger_min_pairs_all_models.csv"
REFERENCE = "adc"

_SIDES = ("gramm", "ungramm")


@dataclass(frozen=True, slots=True)
class LiAdger:
    """The graded set, the number of pairs marked `discard`, and the scores that came with it."""

    graded: GradedSet
    discarded: int
    scores: tuple[SentenceScores, ...]


@data_format("li-adger", "LI-Adger with people's magnitude estimates: a folder", kind="graded")
def _read(target: str) -> list[ItemSet]:
    return item_sets(read_li_adger(target, scores=False).graded)


def read_li_adger(path: PathLike, *, scores: bool = True) -> LiAdger:
    """The release in a folder; `scores=False` leaves out the models' scores."""
    folder = Path(path)
    for name in (SENTENCES, RATINGS, PAIRS):
        if not (folder / name).is_file():
            raise DataError(f"{folder}: no {name}; give the folder of the LI-Adger release")
    ratings: dict[str, float | None] = {}
    for line, row in read_role(folder / RATINGS, "id"):
        name, where = cell(row, "id"), f"{folder / RATINGS}:{line}"
        if name in ratings:
            raise DataError(f"{where}: id {name!r} is rated twice; delete one row")
        ratings[name] = number_of(row.get("judgement"), "the judgement", where)
    sentences = []
    for line, row in read_role(folder / SENTENCES, "id"):
        name, text = cell(row, "id"), str(row.get("sentence") or "")
        if not name or not text.strip():
            raise DataError(
                f"{folder / SENTENCES}:{line}: no {'sentence' if name else 'id'}; add it"
            )
        # the authors' mark before the item number: g is acceptable, everything else is not
        mark = name.rsplit(".", 2)[-2] if name.count(".") >= 2 else ""
        acceptable = mark == "g" if mark else None
        sentences.append(
            GradedSentence(name, text, acceptable, ratings.get(name), group=cell(row, "group"))
        )
    strangers = ratings.keys() - {s.id for s in sentences}
    if strangers:
        raise DataError(
            f"{folder / RATINGS}: {min(strangers)!r} is rated but not in {SENTENCES}; correct it"
        )
    pairs, discarded = read_pair_table(folder / PAIRS)
    graded = GradedSet("li-adger", tuple(sentences), tuple(pairs), REFERENCE)
    return LiAdger(graded, discarded, tuple(_scores(folder)) if scores else ())


def _scores(folder: Path) -> list[SentenceScores]:
    """Scores by sentence where there are such files; the rest from the table of pairs."""
    found: dict[str, SentenceScores] = {}
    for file in sorted(folder.glob("*_results_*.csv")):
        if file.name != RATINGS:
            found |= {scores.name: scores for scores in read_scores(file)}
    file = folder / PAIR_SCORES
    if file.is_file():
        rows = read_role(file, "good_id")
        header = rows[0][1]
        for side in _SIDES:
            if f"{side}_id" not in header:
                raise DataError(f"{file}:1: no column '{side}_id'; download the file again")
        for name in [c.removesuffix("_gramm") for c in header if c.endswith("_gramm")]:
            if f"{name}_zscores_gramm" in header:
                values, z = (_column(file, rows, key) for key in (name, f"{name}_zscores"))
                found.setdefault(name, SentenceScores(name, values, z, file.name))
    # masked models, classifiers, the rest: the order of the paper's Table 1
    return sorted(found.values(), key=lambda s: (not s.name.endswith("_mlm"),
                                                 not s.name.endswith("_acc")))  # fmt: skip


def _column(file: Path, rows: Iterable[tuple[int, Row]], name: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for line, row in rows:
        for side in _SIDES:
            value = number_of(row.get(f"{name}_{side}"), name, f"{file}:{line}")
            if value is not None:
                found[str(row[f"{side}_id"])] = value
    return found
