"""A model's result on suites: SG score, circuits, suites, every region's surprisal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from priscian.datasets import Dataset
from priscian.datasets.sg import select_suites
from priscian.datasets.syntaxgym_sentences import Punctuation, contents_of, punctuate
from priscian.errors import DataError, RunError, ScoreError, UsageError
from priscian.metrics.boundary import correct_boundaries, find_boundary
from priscian.metrics.forced_choice import TieRule
from priscian.metrics.generalization import (
    Rules,
    SuiteOutcome,
    find_predictions,
    judge_suite,
    summarise_suites,
)
from priscian.metrics.regions import find_eos
from priscian.models import ModelSpec, traits_of
from priscian.records import Sentence, Text, TokenScores
from priscian.runs.endings import Ending, find_ending
from priscian.runs.folder import write_json

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """How suites are read and judged.

    `predictions`: first or all. `eos`: exclude or last-region. `punctuation`: attached, detached
    or auto, which is detached for n-gram models. `suites`: 31, 33, 34 or ours; None is all.
    `boundary`: plain sums over pieces, or corrected for the leading space of the next word.
    """

    predictions: str = "first"
    eos: str = "exclude"
    punctuation: str = "auto"
    suites: str | None = None
    boundary: str = "plain"

    def check(self) -> None:
        """Refuse what cannot be meant."""
        find_predictions(self.predictions)
        find_eos(self.eos)
        find_boundary(self.boundary)
        if self.punctuation not in ("auto", *get_args(Punctuation)):
            raise UsageError(
                f"--punctuation takes auto, attached or detached, not {self.punctuation!r}"
            )

    def to_dict(self) -> dict[str, Any]:
        """For run.json."""
        return {
            "predictions": self.predictions,
            "eos": self.eos,
            "punctuation": self.punctuation,
            "suites": self.suites,
            "boundary": self.boundary,
        }


DEFAULT_SUITE_OPTIONS = SuiteOptions()


def is_suites(data: Dataset) -> bool:
    """Whether a data set is judged by formulas over regions."""
    return data.kind == "suites"


def choose_suites(data: Dataset, options: SuiteOptions) -> Dataset:
    """The suites that are asked for."""
    if not is_suites(data) or options.suites is None:
        return data
    return select_suites(data, options.suites)


def fit_to_model(data: Dataset, spec: ModelSpec, options: SuiteOptions) -> Dataset:
    """The data set with punctuation as a model wants it."""
    if not is_suites(data):
        return data
    chosen = punctuation_for(spec, options)
    return replace(data, sets=tuple(punctuate(s, chosen) for s in data.sets))


def punctuation_for(spec: ModelSpec, options: SuiteOptions) -> Punctuation:
    """`attached` or `detached`; if left open, as the text was that the model was trained on."""
    if options.punctuation != "auto":
        return cast(Literal["attached", "detached"], options.punctuation)
    return "detached" if traits_of(spec).detached_punctuation else "attached"


def ending_for(spec: ModelSpec, data: Sequence[Dataset], options: SuiteOptions) -> Ending:
    """How the end of a text is scored; not at all by default."""
    suites = [d for d in data if is_suites(d)]
    if not suites or options.eos == "exclude":
        return Ending()
    texts = [Text(s.text, s.context) for d in suites for i in d.sets for s in i.sentences()]
    return find_ending(spec, texts)


def boundary_texts(data: Sequence[Dataset], ending: Ending, options: SuiteOptions) -> list[Text]:
    """The texts whose words are to be corrected for leading spaces: those of suites, or none."""
    if options.boundary == "plain":
        return []
    suites = [d for d in data if is_suites(d)]
    return [ending.text(s) for d in suites for i in d.sets for s in i.sentences()]


@dataclass(frozen=True, slots=True)
class SuitesResult:
    """What one model did on a set of suites; `failures` names those it could not be judged on."""

    model: str
    data: Dataset
    summary: dict[str, Any]
    suites: tuple[SuiteOutcome, ...]
    failures: tuple[str, ...] = ()

    @property
    def overall(self) -> float:
        """The SG score."""
        return float(self.summary["sg"]["score"])

    def frame(self) -> polars.DataFrame:
        """One row for each item and prediction, with the region surprisals it rests on."""
        import polars

        rows = []
        for suite in self.suites:
            for item in suite.items:
                for prediction in item.predictions:
                    rows.append(
                        {
                            "set": suite.name,
                            "circuit": suite.circuit,
                            "item": item.item,
                            "prediction": prediction.number,
                            "margin": prediction.margin,
                            "correct": prediction.correct,
                            "tie": prediction.tie,
                            "item_correct": item.correct,
                            "item_tie": item.tie,
                            "values": [
                                {"condition": c, "region": r, "surprisal": bits}
                                for c, r, bits in prediction.values
                            ],
                        }
                    )
        return polars.DataFrame(rows, infer_schema_length=None)

    def regions_frame(self) -> polars.DataFrame:
        """One row for each region of each condition of each item, in bits."""
        import polars

        sets = {s.name: {i.id: i for i in s.items} for s in self.data.sets}
        rows = []
        for suite in self.suites:
            for item in suite.items:
                contents = contents_of(sets[suite.name][item.item])
                for condition, bits in item.regions.items():
                    for number, (region, value) in enumerate(bits.items()):
                        rows.append(
                            (suite.name, item.item, condition, int(region),
                             contents[condition][number], value)
                        )  # fmt: skip
        names = ["set", "item", "condition", "region", "content", "surprisal"]
        return polars.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)

    def write(self, folder: Path) -> None:
        """Tables first, then `summary.json`: a summary means that all is there."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, frame in (("items", self.frame()), ("regions", self.regions_frame())):
                temporary = folder / f".{name}.parquet"
                frame.write_parquet(temporary)
                temporary.replace(folder / f"{name}.parquet")
        except OSError as error:
            raise RunError(
                f"cannot write to {folder}: {error}; free space or change --out"
            ) from None
        write_json(folder / "summary.json", self.summary)


def evaluate_suites(
    model: str,
    data: Dataset,
    scores: Mapping[Text, TokenScores],
    *,
    options: SuiteOptions = DEFAULT_SUITE_OPTIONS,
    ending: Ending | None = None,
    punctuation: str = "attached",
    tie: str = "wrong",
    seed: int = 0,
) -> SuitesResult:
    """Judge every suite, and sum up; a suite that cannot be judged is named, the others go on."""
    TieRule.parse(tie)
    at = ending or Ending()
    corrected = find_boundary(options.boundary) == "corrected"

    def tokens(sentence: Sentence) -> TokenScores:
        found = at.scores(scores, sentence)
        return correct_boundaries(found, sentence) if corrected else found

    rules = Rules(find_predictions(options.predictions), tie, find_eos(options.eos), seed)
    judged: list[SuiteOutcome] = []
    failures: list[str] = []
    for suite in data.sets:
        try:
            judged.append(judge_suite(suite, tokens, rules))
        except (DataError, ScoreError) as error:
            failures.append(str(error))
    if not judged:
        raise DataError(failures[0])
    summary = {
        "model": model,
        "data": data.name,
        "tie": tie,
        "predictions": options.predictions,
        "eos": options.eos,
        "punctuation": punctuation,
        "boundary": options.boundary,
        **summarise_suites(judged),
    }
    if failures:
        summary["failed"] = failures
    return SuitesResult(model, data, summary, tuple(judged), tuple(failures))
