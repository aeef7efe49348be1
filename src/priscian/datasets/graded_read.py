"""Tables of sentences with ratings, averaged or one row per answer, of pairs and of scores."""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from priscian.datasets.graded import (
    GradedPair,
    GradedSentence,
    GradedSet,
    SentenceScores,
    item_sets,
    listed,
    pairs_by_phenomenon,
    pairs_by_types,
    read_type_pairs,
)
from priscian.datasets.registry import data_format
from priscian.errors import DataError, DataWarning
from priscian.files import (
    TABLE_SUFFIXES,
    NumberedRows,
    PathLike,
    Row,
    columns_of,
    data_files,
    read_table,
    sentence_at,
    shown,
)
from priscian.records import ItemSet, Judgement

TEXTBOOK = Path(__file__).parent / "data" / "graded_textbook.tsv"
OURS = {"textbook": False, "textbook-contested": True}  # contested or not

# the names that tables of the field use, best known first
ROLES = {
    "id": ("id", "sentence_id", "item_id"),
    "sentence": ("sentence", "text"),
    "rating": ("rating", "judgement", "judgment", "mean_rating", "response", "zscore"),
    "participant": ("participant", "rater", "subject", "worker", "annotator"),
    "acceptable": ("acceptable", "label", "grammatical"),
    "phenomenon": ("phenomenon",),
    "lexicalisation": ("lexicalisation", "lexicalization", "item", "lex"),
    "group": ("dataset", "group", "source"),
    "raters": ("raters", "n_raters"),
    "contested": ("contested",),
    "task": ("task",),
    "good_id": ("good_id", "gramm_id", "acceptable_id"),
    "bad_id": ("bad_id", "ungramm_id", "unacceptable_id"),
}
_DESCRIBES = frozenset(
    {"", "notes", "typo?", "sent_length", "length", "tokens", "condition", "discard"}
    | {name for names in ROLES.values() for name in names}
)


@data_format(
    "graded",
    "sentences with ratings or labels: a table or folder; ours: textbook, textbook-contested",
    kind="graded",
)
def _read(target: str) -> list[ItemSet]:
    return item_sets(read_target(target))


def read_graded(
    path: PathLike, *, pairs: PathLike | None = None, task: Task | None = None
) -> GradedSet:
    """A graded set from a table of sentences, or from a folder with such tables.

    >>> read_graded("ratings.csv")                                        # doctest: +SKIP
    >>> read_graded("answers.jsonl", pairs="pairs.csv", task="likert")    # doctest: +SKIP

    A table has a column `sentence` and any of id, rating, participant, acceptable, phenomenon,
    lexicalisation, dataset, task, contested. With a participant a row is one answer, and ratings
    are z-scored by participant. A folder has `sentences.*`, and may have `answers.*` (id,
    participant, rating; or good_id, bad_id, participant, choice) and `pairs.*` (good_id, bad_id; or
    type pairs as JSON).
    Without a table of pairs they come from phenomenon, lexicalisation and label.
    """
    path = Path(path)
    answers = None
    if path.is_dir():
        answers = _named(path, "answers")
        pairs = pairs or _named(path, "pairs") or _named(path, "pairs", (".json",))
        table = _named(path, "sentences")
        if table is None:
            raise DataError(f"{path}: no sentences.csv (or .tsv, .jsonl); add it")
    else:
        (table,) = data_files(path, TABLE_SUFFIXES)
    sentences = read_sentences(table, task)
    if answers is not None:
        ratings, known = read_ratings(answers, task), {s.id for s in sentences}
        strangers = [i for i in ratings if i not in known]
        if strangers:
            raise DataError(
                f"{answers}: {strangers[0]!r} has answers but no sentence; correct the id"
            )
        sentences = [
            replace(s, rating=ratings[s.id].mean, raters=ratings[s.id].n) if s.id in ratings else s
            for s in sentences
        ]
    if pairs is None:
        formed = pairs_by_phenomenon(sentences).pairs
    elif Path(pairs).suffix.lower() == ".json":
        formed = pairs_by_types(sentences, read_type_pairs(Path(pairs))).pairs
    else:
        formed = tuple(read_pair_table(Path(pairs))[0])
    return GradedSet(path.stem, tuple(sentences), formed)


def read_textbook(*, contested: bool = False) -> GradedSet:
    """The set that comes with Priscian: textbook phenomena, labelled by us, not yet rated.

    Phenomena that speakers or the literature disagree about are a set of their own.
    """
    sentences = tuple(s for s in read_sentences(TEXTBOOK) if bool(s.contested) == contested)
    name = "textbook-contested" if contested else "textbook"
    return GradedSet(name, sentences, pairs_by_phenomenon(sentences).pairs)


def read_target(target: str) -> GradedSet:
    """What `graded:TARGET` names: one of our two textbook sets, or a table or folder."""
    if target in OURS and not Path(target).exists():
        return read_textbook(contested=OURS[target])
    return read_graded(target)


def _named(folder: Path, stem: str, suffixes: Collection[str] = TABLE_SUFFIXES) -> Path | None:
    found = [folder / f"{stem}{suffix}" for suffix in suffixes]
    return next((file for file in found if file.is_file()), None)


def read_sentences(file: Path, task: Task | None = None) -> list[GradedSentence]:
    """The sentences of one table, rated where it has ratings."""
    rows = read_role(file, "sentence")
    header = columns_of(rows)
    if column_of("participant", header) is not None:
        return _from_answers(file, rows, task)
    column = column_of("rating", header)
    found = []
    for line, row in rows:
        where = f"{file}:{line}"
        rating = number_of(row.get(column), "the rating", where) if column else None
        found.append(_sentence(file, line, row, rating))
    unrated = [s.id for s in found if s.rating is None]
    if 0 < len(unrated) < len(found):
        verb = "sentence has" if len(unrated) == 1 else "sentences have"
        warnings.warn(
            f"{file}: {len(unrated)} {verb} no rating ({listed(unrated)})",
            DataWarning,
            stacklevel=4,
        )
    return found


def _sentence(
    file: Path, line: int, row: Row, rating: float | None, raters: int = 0
) -> GradedSentence:
    text = sentence_at(row, column_of("sentence", row) or "", file, line, "write the sentence")
    where = f"{file}:{line}"
    label = column_of("acceptable", row)
    counted = number_of(cell(row, "raters"), "the number of raters", where)
    return GradedSentence(
        cell(row, "id") or text,
        text,
        yes_or_no(row.get(label), f"the column {label!r}", where) if label else None,
        rating,
        cell(row, "phenomenon"),
        cell(row, "lexicalisation"),
        cell(row, "group"),
        raters or int(counted or 0),
        cell(row, "contested"),
    )


def _from_answers(file: Path, rows: NumberedRows, task: Task | None) -> list[GradedSentence]:
    """A table with one row per answer: each sentence once, in the order of its first row."""
    first: dict[str, tuple[int, Row]] = {}
    for line, row in rows:
        text = cell(row, "sentence")
        name = cell(row, "id") or text
        before = first.setdefault(name, (line, row))
        if cell(before[1], "sentence") != text:
            raise DataError(
                f"{file}:{line}: id {name!r} is used for another sentence on line "
                f"{before[0]}; give each sentence its own id"
            )
    ratings = ratings_of(_judgements(file, rows, task), str(file))
    found = []
    for name, (line, row) in first.items():
        rating = ratings.get(name)
        if rating is None:
            raise DataError(f"{file}:{line}: sentence {name!r} has no rating; rate or delete it")
        found.append(_sentence(file, line, row, rating.mean, rating.n))
    return found


def read_ratings(path: PathLike, task: Task | None = None) -> dict[str, Rating]:
    """Ratings by sentence id from a table of answers, z-scored by participant."""
    file = Path(path)
    rows = read_role(file, "participant")
    return ratings_of(_judgements(file, rows, task), str(file))


def _judgements(file: Path, rows: NumberedRows, task: Task | None) -> list[Judgement]:
    found: list[Judgement] = []
    for line, row in rows:
        where = f"{file}:{line}"
        rater = cell(row, "participant")
        if not rater:
            raise DataError(f"{where}: an answer without a participant; say who gave it")
        own = find_task(cell(row, "task"), where) if cell(row, "task") else task
        if "choice" in row and cell(row, "good_id"):
            found += choice_answers(row, (cell(row, "good_id"), cell(row, "bad_id")), rater, where)
            continue
        response = answer_of(row.get(column_of("rating", row) or ""), own, where)
        if response is None:
            raise DataError(f"{where}: an answer without a rating; write it, or delete the row")
        target = cell(row, "id") or cell(row, "sentence")
        found.append(Judgement(target, own or "magnitude", response, rater))
    return found


# ---------------------------------------------------------------- which column holds what


def read_role(file: Path, needed: str) -> NumberedRows:
    """Rows of a CSV, TSV, JSONL or parquet file that has a column of that role."""
    rows = any_table(file, needed)
    header = columns_of(rows)
    if column_of(needed, header) is None:
        raise DataError(
            f"{file}:1: no column for the {needed.replace('_', ' ')} "
            f"(found: {', '.join(map(str, header))}); call it {ROLES[needed][0]!r}"
        )
    return rows


def any_table(file: Path, *roles: str) -> NumberedRows:
    """Rows of a file; one of the roles (else id or sentence) settles its delimiter."""
    wanted = roles or ("id", "sentence")
    return read_table(file, lambda header: any(column_of(r, header) for r in wanted))


def column_of(role: str, header: Collection[str]) -> str | None:
    """The column of a role, if a header has one."""
    return next((name for name in ROLES[role] if name in header), None)


def cell(row: Row, role: str) -> str:
    """A row's text in a role, or nothing."""
    column = column_of(role, row)
    value = row.get(column) if column else None
    return "" if value is None else str(value).strip()


def read_pair_table(file: Path) -> tuple[list[GradedPair], int]:
    """Pairs of ids, and how many rows were left out: those with something in `discard`."""
    rows = [row for _, row in read_role(file, "good_id")]
    kept = [row for row in rows if not str(row.get("discard") or "").strip()]
    roles = ("good_id", "bad_id", "phenomenon", "group")
    return [GradedPair(*(cell(row, role) for role in roles)) for row in kept], len(rows) - len(kept)


# ---------------------------------------------------------------- scores of others


def read_scores(path: PathLike) -> list[SentenceScores]:
    """Scores computed elsewhere: a column `id` or `sentence`, and one column of numbers per model.

    A column `NAME_zscores` holds the z-scores of `NAME`. Columns that are known to
    describe the sentence (dataset, notes, label, …) are ignored.
    """
    file = Path(path)
    rows = any_table(file)
    header = columns_of(rows)
    key = next((role for role in ("id", "sentence") if column_of(role, header)), None)
    if key is None:
        raise DataError(f"{file}: neither a column 'id' nor 'sentence'; add one")
    names = [c for c in header if c not in _DESCRIBES and not c.endswith("_zscores")]
    if not names:
        raise DataError(f"{file}: no column of scores; add one for each model, under its name")
    return [
        SentenceScores(
            name,
            _score_column(file, rows, key, name),
            _score_column(file, rows, key, f"{name}_zscores")
            if f"{name}_zscores" in header
            else None,
            file.name,
        )
        for name in names
    ]


def _score_column(file: Path, rows: NumberedRows, key: str, name: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for line, row in rows:
        where = f"{file}:{line}"
        target = cell(row, key)
        value = number_of(row.get(name), f"{name!r}", where)
        if value is None:
            raise DataError(f"{where}: {target!r} has no {name!r}; add the score")
        if target in found and found[target] != value:
            raise DataError(f"{where}: {target!r} is here twice; keep one row")
        found[target] = value
    return found


def match_scores(scores: SentenceScores, graded: GradedSet) -> SentenceScores:
    """Scores by id; those keyed by the sentence itself are given to every id that has it."""
    known = graded.by_id
    if any(key in known for key in scores.values):
        return scores
    values = {s.id: scores.values[s.text] for s in graded.sentences if s.text in scores.values}
    if not values:
        raise DataError(
            f"{scores.source or scores.name}: none of its ids or sentences is in {graded.name}; "
            "give the scores of these sentences"
        )
    z = scores.z
    if z is not None:
        z = {s.id: z[s.text] for s in graded.sentences if s.text in z}
    return replace(scores, values=values, z=z)


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
