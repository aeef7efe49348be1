"""Reading the released SyntaxGym results: `model,suite,item,correct` and perplexities.

The model column is `name_corpus_seed`; the corpus is empty for models that came pre-trained.
"""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TypeVar

from priscian.datasets.reference import published_suites, selection
from priscian.errors import DataError, DataWarning, UnknownNameError
from priscian.files import PathLike, data_files, read_table, shown

COLUMNS = ("model", "suite", "item", "correct")
PERPLEXITY = "perplexity.csv"
LEFT_OUT = frozenset({"1gram", "ngram-no-rand"})
"""Not in the paper: a unigram model, and the 5-gram without its random breaking of ties."""
VOTED = frozenset({"ngram"})
"""The 5-gram ties often, and each run breaks ties at random: the majority of runs decides."""
TRUTH = {"True": True, "False": False}


@dataclass(frozen=True, slots=True, order=True)
class Instance:
    """One trained model: its class, the corpus it saw (empty: unknown) and its seed."""

    model: str
    corpus: str
    seed: str

    @property
    def controlled(self) -> bool:
        """Trained by the authors on a corpus of known size."""
        return bool(self.corpus)


@dataclass(frozen=True, slots=True)
class InstanceScore:
    """The share of a suite's items that a model instance got right."""

    instance: Instance
    suite: str
    score: float
    own_circuit: str = ""
    """The circuit of a suite that is not among the published ones."""

    @property
    def circuit(self) -> str:
        """The circuit that the suite belongs to; empty if it has none."""
        published = published_suites().get(self.suite)
        return self.own_circuit or (published.circuit if published else "")


@dataclass(frozen=True, slots=True)
class InstancePerplexity:
    """Test perplexity of one model instance."""

    instance: Instance
    value: float


Answers = dict[Instance, dict[tuple[str, str], bool]]
Key = TypeVar("Key", bound=Hashable)


def delta(scores: Iterable[InstanceScore]) -> list[InstanceScore]:
    """Scores of the controlled models minus the suite's mean over (model, corpus) cells."""
    controlled = [s for s in scores if s.instance.controlled]
    cells = means(((s.instance.model, s.instance.corpus, s.suite), s.score) for s in controlled)
    of_suite = means((suite, score) for (_, _, suite), score in cells.items())
    return [replace(s, score=s.score - of_suite[s.suite]) for s in controlled]


def means(pairs: Iterable[tuple[Key, float]]) -> dict[Key, float]:
    """Mean of the values of each key.

    >>> means([("a", 1.0), ("b", 5.0), ("a", 2.0)])
    {'a': 1.5, 'b': 5.0}
    """
    values: dict[Key, list[float]] = defaultdict(list)
    for key, value in pairs:
        values[key].append(value)
    return {key: fmean(found) for key, found in values.items()}


def read_suite_scores(folder: PathLike) -> list[InstanceScore]:
    """Scores of every instance on the 31 analysed suites; the 5-gram's runs vote."""
    answers = vote(_read_answers(folder))
    analysed = selection("31")
    scores = []
    for instance, items in sorted(answers.items()):
        by_suite: dict[str, list[bool]] = defaultdict(list)
        for (suite, _), correct in items.items():
            by_suite[suite].append(correct)
        missing = analysed - set(by_suite)
        if missing:
            warnings.warn(
                f"{_label(instance)}: no results on {', '.join(sorted(missing))}; "
                "its means are over the suites it has",
                DataWarning,
                stacklevel=2,
            )
        scores += [
            InstanceScore(instance, suite, fmean(by_suite[suite]))
            for suite in sorted(analysed & set(by_suite))
        ]
    if not scores:
        raise DataError(f"{folder}: no results on the analysed suites; check the folder")
    return scores


def vote(answers: Answers) -> Answers:
    """Merge the runs of a model that breaks ties at random: an item is right if most are."""
    runs: dict[Instance, dict[tuple[str, str], list[bool]]] = defaultdict(lambda: defaultdict(list))
    made: Answers = {}
    for instance, items in answers.items():
        if instance.model not in VOTED:
            made[instance] = items
            continue
        ballot = runs[Instance(instance.model, instance.corpus, "0")]
        for item, correct in items.items():
            ballot[item].append(correct)
    for instance, ballots in runs.items():
        made[instance] = {item: fmean(cast) > 0.5 for item, cast in ballots.items()}
    return made


def read_perplexities(file: PathLike) -> list[InstancePerplexity]:
    """Rows of `model,corpus,seed,…,test_ppl`."""
    path = Path(file)
    known: dict[Instance, float] = {}
    for line, row in _rows(path, ("model", "corpus", "seed", "test_ppl")):
        model, corpus, seed, value = row
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not 0 < number < math.inf:
            raise DataError(
                f"{path}:{line}: test_ppl is {shown(value)}, not a number; write the perplexity"
            )
        instance = Instance(model, corpus, seed)
        if known.setdefault(instance, number) != number:
            raise DataError(
                f"{path}:{line}: {_label(instance)} has another perplexity on another line; "
                "keep one of the two"
            )
    return [InstancePerplexity(instance, number) for instance, number in known.items()]


def find_perplexities(folder: PathLike) -> Path | None:
    """`perplexity.csv` in the folder of results or in its parent."""
    root = Path(folder).resolve()
    places = (root / PERPLEXITY, root.parent / PERPLEXITY)
    return next((place for place in places if place.is_file()), None)


def _read_answers(folder: PathLike) -> Answers:
    answers: Answers = {}
    known = published_suites()
    for file in data_files(folder, (".csv",)):
        if file.name == PERPLEXITY:
            continue
        of_model: dict[str, dict[tuple[str, str], bool] | None] = {}  # a file repeats few names
        for line, (model, suite, item, correct) in _rows(file, COLUMNS):
            if model not in of_model:
                parts = model.rsplit("_", 2)
                if len(parts) != 3:
                    raise DataError(
                        f"{file}:{line}: the model is {model!r}; it must be name_corpus_seed, with "
                        "an empty corpus for a pre-trained model (grnn__0)"
                    )
                instance = Instance(*parts)
                left_out = instance.model in LEFT_OUT
                of_model[model] = None if left_out else answers.setdefault(instance, {})
            items = of_model[model]
            if items is None:
                continue
            if suite not in known:
                raise DataError(f"{file}:{line}: {UnknownNameError('suite', suite, known)}")
            if correct not in TRUTH:
                raise DataError(
                    f"{file}:{line}: correct is {correct!r} for item {item} of {suite}; "
                    "it must be True or False"
                )
            if (suite, item) in items:
                raise DataError(
                    f"{file}:{line}: {model} has item {item} of {suite} twice; "
                    "remove one of the rows"
                )
            items[suite, item] = TRUTH[correct]
    return answers


def _rows(file: Path, wanted: tuple[str, str, str, str]) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and the required columns of a table."""
    a, b, c, d = wanted
    for line, row in read_table(file, needs=wanted):
        yield line, [str(row[a] or ""), str(row[b] or ""), str(row[c] or ""), str(row[d] or "")]


def _label(instance: Instance) -> str:
    return "_".join((instance.model, instance.corpus, instance.seed))
