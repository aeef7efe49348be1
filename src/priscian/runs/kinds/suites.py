"""Suites: predictions over region surprisals; SG score, circuits, suites, every region.

The end of a text may be scored as well: EOS as one more token. A model with an end token reads it
after the text, spelled as in its vocabulary, so that the score is kept in the store like any other.
Other models compute the probability of the end themselves (n-gram models: `</s>`), and a table of
scores from elsewhere has a row for it.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast

import msgspec

from priscian.datasets import Dataset
from priscian.datasets.syntaxgym import Punctuation, contents_of, punctuate, select_suites
from priscian.errors import DataError, ModelError, PriscianWarning, ScoreError, UsageError
from priscian.files import hide_paths
from priscian.metrics.forced_choice import check_score
from priscian.metrics.generalization import (
    Predictions,
    Rules,
    SuiteOutcome,
    judge_suite,
    summarise_suites,
)
from priscian.metrics.regions import Eos, correct_boundaries
from priscian.models import (
    EndScorer,
    EndTokenProvider,
    ResolvedModel,
    Traits,
)
from priscian.records import Sentence, Text, TokenScores
from priscian.runs.facts import Summary, SummaryPart
from priscian.runs.kinds.pairs import UnknownWords, summarise_unknown
from priscian.runs.kinds.registry import Evaluated, Kind, KindJob, kind
from priscian.runs.options import ScoreOptions
from priscian.runs.sources import Scores, ScoreSource

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True)
class Ending:
    """What is read after a text, or the probability of its end if the model provides it."""

    suffix: str = ""
    logps: Mapping[Text, float] = field(default_factory=dict)
    wanted: bool = False

    def text(self, sentence: Sentence) -> Text:
        """What the model reads."""
        return Text(sentence.text + self.suffix, sentence.context)

    def scores(self, scores: Mapping[Text, TokenScores], sentence: Sentence) -> TokenScores:
        """The tokens of a sentence; its end, if requested, starts after the last character."""
        text = self.text(sentence)
        found = scores[text]
        end = len(sentence.text)
        if text in self.logps:
            found = TokenScores(
                (*found.starts, end), (*found.ends, end), (*found.logps, self.logps[text])
            )
        if self.wanted and sum(start >= end for start in found.starts) != 1:
            raise DataError(
                f"the end of {sentence.text!r} is not one token of its own; use `eos=exclude`"
            )
        return found


def find_ending(model: ResolvedModel | None, texts: Sequence[Text]) -> Ending:
    """How the end of a model's texts is scored; a model that cannot do so is refused."""
    if model is None:
        raise UsageError("scores by sentence have no end of text; leave out `eos=last-region`")
    if model.traits.precomputed:
        return Ending(wanted=True)  # the table has a row for the end, or raises an error
    if isinstance(model.provider, EndTokenProvider):
        return Ending(model.provider.end_token(model.spec), wanted=True)
    if model.traits.scores_end:
        loaded = model.load().model
        assert isinstance(loaded, EndScorer)
        asked = list(dict.fromkeys(texts))
        return Ending(logps=dict(zip(asked, loaded.score_ends(asked), strict=True)), wanted=True)
    raise ModelError(
        f"{model} has no probability for the end of a text; leave out `eos=last-region`"
    )


class SuiteScore(SummaryPart, frozen=True, kw_only=True):
    """A suite: the share of right items, the chance level, and a 95 % interval."""

    accuracy: float
    n: int
    ties: int
    chance: float
    ci: tuple[float, float]


class CircuitScore(SuiteScore, frozen=True, kw_only=True):
    """The unweighted mean of a circuit's suites."""

    suites: int


class SgScore(SummaryPart, frozen=True, kw_only=True):
    """The SG score: the unweighted mean of all suites."""

    score: float
    n: int
    ties: int
    chance: float
    ci: tuple[float, float]
    suites: int

    @property
    def accuracy(self) -> float:
        """The score, under the name that other means use."""
        return self.score


class ModifierScore(SummaryPart, frozen=True, kw_only=True):
    """A suite and its version with a modifier; `same` is the share of items with equal results."""

    modified_suite: str
    accuracy: float
    modified: float
    delta: float
    same: float | None
    pairs: int


class SuitesSummary(Summary, frozen=True, kw_only=True, tag="suites"):
    """SG score, circuits, suites, stability under modifiers, and how they were judged."""

    predictions: str
    eos: str
    punctuation: str
    boundary: str
    sg: SgScore
    circuits: dict[str, CircuitScore]
    suites: dict[str, SuiteScore]
    modifiers: dict[str, ModifierScore] = msgspec.field(default_factory=dict)
    failed: tuple[str, ...] = ()
    unknown_words: UnknownWords | None = None

    unit: ClassVar[str] = "suite"

    def __post_init__(self) -> None:
        Summary.__post_init__(self)
        for name, score in ({"SG": self.sg} | self.circuits | self.suites).items():
            check_score(name, score)
            if not 0 <= score.chance <= 1:
                raise ValueError(f"the chance level of {name} is {score.chance:g}")
        if not self.suites:
            raise ValueError("no suite in it")

    @property
    def headline(self) -> SgScore:
        """The SG score."""
        return self.sg

    def by_set(self, method: str | None = None) -> Mapping[str, SuiteScore]:
        """The score of every suite."""
        return self.suites

    def by_class(self) -> Mapping[str, CircuitScore]:
        """The score of every circuit."""
        return self.circuits

    @property
    def problems(self) -> tuple[str, ...]:
        """Suites that could not be judged."""
        return self.failed


@kind("suites")
@dataclass(frozen=True, slots=True)
class Suites(Kind):
    """Items in several conditions, divided into regions, and formulas over their surprisals."""

    data: Dataset
    job: KindJob
    punctuation: Punctuation
    ending: Ending = field(default_factory=Ending)

    summary = SuitesSummary
    columns: ClassVar[Mapping[str, Sequence[str]]] = {
        "items": (
            "set", "item", "prediction", "margin", "correct", "tie", "item_correct", "item_tie",
            "values",
        ),
        "regions": ("set", "item", "condition", "region", "content", "surprisal"),
    }  # fmt: skip
    levels: ClassVar[tuple[str, ...]] = ("circuit",)

    @classmethod
    def select(cls, data: Dataset, options: ScoreOptions) -> Dataset:
        """The suites of a published selection, if one is requested."""
        chosen = options.suites.suites
        return data if chosen is None else select_suites(data, chosen)

    @classmethod
    def check(cls, data: Dataset, sources: Sequence[ScoreSource], options: ScoreOptions) -> None:
        """Refuse or warn about options that do not fit region surprisals."""
        if options.measure != "surprisal":
            raise UsageError(
                f"suites are judged by surprisal; score them without `measure={options.measure}`"
            )
        for source in sources:
            if source.measure is not None:
                raise UsageError(
                    f"{data.name} holds suites, whose regions need the surprisals of tokens, and "
                    f"{source.name} has one number for a whole sentence; give a language model, or "
                    "a table of tokens: surprisals:FILE"
                )
            if options.suites.boundary == "corrected" and not source.traits.boundary:
                raise ModelError(
                    f"{source.name} has no tokens with leading spaces to correct for: "
                    "`boundary=corrected` is for causal models (hf:); leave it out"
                )
            if source.traits.bidirectional:
                warnings.warn(
                    f"{source.name} is bidirectional: it sees what follows a region, so its "
                    "surprisals are not those of a reader from left to right",
                    PriscianWarning,
                    stacklevel=4,
                )

    @classmethod
    def prepare(cls, data: Dataset, job: KindJob) -> Self:
        """The suites with the punctuation that the model was trained on, and its end of text."""
        chosen = find_punctuation(job.options.suites.punctuation, job.source.traits)
        fitted = replace(data, sets=tuple(punctuate(s, chosen) for s in data.sets))
        if job.options.suites.eos == "exclude":
            return cls(fitted, job, chosen)
        texts = [Text(s.text, s.context) for i in fitted.sets for s in i.sentences()]
        return cls(fitted, job, chosen, find_ending(job.source.model, texts))

    def texts(self) -> list[Text]:
        """Every condition, with its end if that is scored."""
        return [self.ending.text(s) for suite in self.data.sets for s in suite.sentences()]

    def boundary_texts(self) -> list[Text]:
        """All texts, if words are corrected for leading spaces."""
        return self.texts() if self.job.options.suites.boundary != "plain" else []

    def evaluate(self, scores: Scores) -> Evaluated:
        """Judge every suite; one that cannot be judged is reported, the others are kept."""
        options = self.job.options
        corrected = options.suites.boundary == "corrected"

        def tokens(sentence: Sentence) -> TokenScores:
            found = self.ending.scores(scores.tokens, sentence)
            return correct_boundaries(found, sentence) if corrected else found

        rules = Rules(
            cast(Predictions, options.suites.predictions),
            options.tie,
            cast(Eos, options.suites.eos),
            options.seed,
        )
        judged: list[SuiteOutcome] = []
        failures: list[str] = []
        for suite in self.data.sets:
            try:
                judged.append(judge_suite(suite, tokens, rules))
            except (DataError, ScoreError) as error:
                failures.append(str(error))
        if not judged:
            raise DataError(failures[0])
        facts = {
            "kind": "suites",
            "model": self.job.model,
            "data": self.data.name,
            "tie": options.tie,
            "predictions": options.suites.predictions,
            "eos": options.suites.eos,
            "punctuation": self.punctuation,
            "boundary": options.suites.boundary,
            "failed": tuple(map(hide_paths, failures)),
            **summarise_suites(judged),
            "unknown_words": self._unknown(judged, scores),
        }
        tables = {"items": self._items(judged), "regions": self._regions(judged)}
        return Evaluated(msgspec.convert(facts, SuitesSummary), tables)

    def _unknown(self, judged: Sequence[SuiteOutcome], scores: Scores) -> UnknownWords | None:
        """Items with words that the model does not know; None for one that knows every word."""
        sentences = [s for suite in self.data.sets for s in suite.sentences()]
        unknown = scores.unknown([Text(s.text, s.context) for s in sentences])
        if unknown is None:
            return None
        verdicts = {s.name: [(i.item, "SG", i.correct) for i in s.items] for s in judged}
        return summarise_unknown(self.data, unknown, verdicts)

    def _items(self, judged: Sequence[SuiteOutcome]) -> polars.DataFrame:
        """One row for each item and prediction, with the region surprisals that it uses."""
        import polars

        value = polars.Struct(
            {"condition": polars.String, "region": polars.String, "surprisal": polars.Float64}
        )
        schema: dict[str, Any] = {
            "set": polars.String, "item": polars.String, "prediction": polars.Int64,
            "margin": polars.Float64, "correct": polars.Float64, "tie": polars.Boolean,
            "item_correct": polars.Float64, "item_tie": polars.Boolean,
            "values": polars.List(value),
        }  # fmt: skip
        rows = [
            (
                suite.name, item.item, prediction.number, prediction.margin, prediction.correct,
                prediction.tie, item.correct, item.tie,
                [{"condition": c, "region": r, "surprisal": bits}
                 for c, r, bits in prediction.values],
            )
            for suite in judged for item in suite.items for prediction in item.predictions
        ]  # fmt: skip
        return polars.DataFrame(rows, schema=schema, orient="row")

    def _regions(self, judged: Sequence[SuiteOutcome]) -> polars.DataFrame:
        """One row for each region of each condition of each item, in bits."""
        import polars

        sets = {s.name: {i.id: i for i in s.items} for s in self.data.sets}
        rows = []
        for suite in judged:
            for item in suite.items:
                contents = contents_of(sets[suite.name][item.item])
                for condition, bits in item.regions.items():
                    for number, (region, value) in enumerate(bits.items()):
                        content = contents[condition][number]
                        rows.append((suite.name, item.item, condition, int(region), content, value))
        schema: dict[str, Any] = {
            "set": polars.String, "item": polars.String, "condition": polars.String,
            "region": polars.Int64, "content": polars.String, "surprisal": polars.Float64,
        }  # fmt: skip
        return polars.DataFrame(rows, schema=schema, orient="row")


def find_punctuation(chosen: str, traits: Traits) -> Punctuation:
    """`attached` or `detached`; by default as in the text that the model was trained on."""
    if chosen != "auto":
        return cast(Literal["attached", "detached"], chosen)
    return "detached" if traits.detached_punctuation else "attached"
