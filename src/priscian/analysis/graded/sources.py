"""Reads the data and scores of graded analyses: from a release, a table, or a run folder."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.analysis.graded.adc import AdcAnalysis, ModelAdc, analyse_adc
from priscian.datasets.graded import GradedSet, SentenceScores
from priscian.datasets.graded_read import match_scores, read_graded, read_scores, read_target
from priscian.datasets.li_adger import SENTENCES, read_li_adger
from priscian.errors import DataError, PriscianError, PriscianWarning, RunError, UsageError
from priscian.files import inside, unchanged
from priscian.files.reading import hash_of
from priscian.runs import GradedSummary, Result, Run, load_run
from priscian.runs.result import TABLE

TINY = 1e-9
"""Shares that differ by less are equal."""
_SENTENCES = tuple(f"sentences{suffix}" for suffix in (".csv", ".tsv", ".jsonl"))


def is_run(path: Path) -> bool:
    """Whether a path is a run folder."""
    return (path / "run.json").is_file()


def read_graded_data(data: Path) -> tuple[GradedSet, list[SentenceScores]]:
    """A graded set and the scores that come with it.

    `data` is the folder of the LI-Adger release, a table or folder of rated sentences, or a run on
    one graded set, whose own scores are then taken.
    """
    if is_run(data):
        run = load_run(data)
        rated = {r.data: r for r in run.results if isinstance(r.summary, GradedSummary)}
        if not rated:
            raise UsageError(
                f"{data} has no result on graded data; score with `on=li-adger:DIR` or graded:FILE"
            )
        if len(rated) > 1:
            raise UsageError(
                f"{data} is on {', '.join(rated)}; name the data and give the run as scores: "
                f"priscian analyse adc DATA `scores={data}`"
            )
        result = next(iter(rated.values()))
        graded = read_spec(result.facts.spec)
        same = [r for r in run.results if r.data == result.data]
        return graded, [found for r in same for found in _scores_of(run, r, graded)]
    if data.is_dir() and any((data / name).is_file() for name in _SENTENCES):
        return read_graded(data), []
    if data.is_dir():
        found = read_li_adger(data)
        return found.graded, list(found.scores)
    if not data.exists():
        raise DataError(
            f"no file or folder {str(data)!r}; give a run on graded data, a folder with "
            f"{SENTENCES}, or a table of rated sentences"
        )
    return read_graded(data), []


def read_spec(spec: str) -> GradedSet:
    """The graded set that a data string of a run names."""
    form, _, target = spec.partition(":")
    if form == "li-adger":
        return read_li_adger(target, scores=False).graded
    return read_target(target)


def read_graded_scores(paths: Iterable[Path], graded: GradedSet) -> list[SentenceScores]:
    """Scores of tables and runs, matched with a graded set's sentences."""
    return [match_scores(found, graded) for path in paths for found in read_any_scores(path)]


def read_any_scores(path: Path) -> list[SentenceScores]:
    """The scores of a table, or of every table in a run folder."""
    if not path.exists():
        raise DataError(
            f"no file or folder {str(path)!r}; give a run, a classifier's folder, or a table of "
            "scores"
        )
    files = sorted(path.glob(f"**/{TABLE}")) if path.is_dir() else [path]
    if not files:
        raise DataError(f"{path}: no {TABLE} in it; give a run on graded data, or a table")
    return [found for file in files for found in read_scores(file)]


def _scores_of(run: Run, result: Result, graded: GradedSet) -> list[SentenceScores]:
    """The scores of a result, from the file that was written with it."""
    file = inside(Path(run.path or ""), result.about.folder, result.facts.folder) / TABLE
    known = result.about.files.get(result.data, {}).get(TABLE)
    with unchanged():
        found = read_graded_scores([file], graded)
        if known is not None and hash_of(file) != known:
            raise RunError(
                f"{file} is not the file that belongs to this result: it changed, or results of "
                "two runs are mixed; score again into another folder"
            )
    return found


@dataclass(frozen=True, slots=True)
class GradedSets:
    """Analyses by name of the data, and why others have none."""

    analyses: dict[str, AdcAnalysis]
    problems: dict[str, str]


def read_graded_sets(runs: Sequence[Run]) -> GradedSets:
    """The ADC analysis of each rated data set of some runs whose files still exist."""
    rated: dict[str, list[tuple[Run, Result]]] = {}
    found = GradedSets({}, {})
    for run in runs:
        for result in run.results:
            summary = result.summary
            if run.path is None or not isinstance(summary, GradedSummary) or not summary.graded.adc:
                continue
            rated.setdefault(result.data, []).append((run, result))
            limit = run.info.request.limit
            if limit is not None:
                found.problems[result.data] = (
                    f"they need all sentences of {result.data}, and the run was limited to "
                    f"{limit:,}; score it without a limit"
                )
    for data, of in rated.items():
        if data in found.problems:
            continue
        try:
            graded = read_spec(of[-1][1].facts.spec)
            scores = [s for run, result in of for s in _scores_of(run, result, graded)]
            analysis = analyse_adc(graded, scores)
            for (_, result), model in zip(of, analysis.models, strict=True):
                _compare(model, result)
            found.analyses[data] = analysis
        except (PriscianError, OSError) as error:
            found.problems[data] = str(error)
            warnings.warn(
                f"the figures of graded judgements are left out: {error}",
                PriscianWarning,
                stacklevel=2,
            )
    return found


def _compare(model: ModelAdc, result: Result) -> None:
    """The ratings must be those that the result was compared with when it was made."""
    summary = result.expect(GradedSummary).graded
    for delta, share in model.adc.items():
        before = summary.adc.get(str(delta))
        if before is not None and abs(before.accuracy - share.accuracy) > TINY:
            raise DataError(
                f"{result.facts.spec} has other ratings than when {result.model} was scored on it; "
                "put the file back, or score again"
            )


def find_cola(paths: Sequence[Path]) -> Path:
    """The folder that a run read CoLA from."""
    for path in paths:
        if path.is_dir():
            for facts in load_run(path).info.request.data.values():
                form, _, target = facts.spec.partition(":")
                if form == "cola":
                    whole = Path(target)
                    return whole if whole.exists() else Path(target.removesuffix(",train"))
    raise UsageError("cannot locate CoLA from scores alone; add `data=DIR`")
