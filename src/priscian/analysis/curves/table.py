"""`curve.json` and `curve.csv`: every model of a sweep with its facts and scores, one row each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from priscian.analysis.charts import CHANCE
from priscian.errors import RunError
from priscian.files import read_json, write_delimited, write_json
from priscian.runs import Result
from priscian.runs.facts import plain
from priscian.runs.load import DIALECT
from priscian.training.architectures import TREES

FILE = "curve.json"
CSV = "curve.csv"
VERSION = 1
Level = Literal["overall", "phenomenon", "circuit", "set"]
CLOSED, BOUND = "*", "≤"
MARKS_NOTE = (
    f"{CLOSED} closed vocabulary: comparable only if vocabularies are equal; "
    f"{BOUND} upper bound (grammar)"
)


class CurveModel(msgspec.Struct, frozen=True, kw_only=True):
    """One trained model of a sweep."""

    model: str
    """Its name in runs: `lstm-1M-seed1`."""
    curve: str
    """The kind of model, which has a curve of its own: `lstm`."""
    architecture: str
    tokens: int
    """Size of the corpus that was asked for, in Penn Treebank tokens."""
    size: str
    """The same, short: `1M`."""
    words: int
    """Tokens of its part of the corpus."""
    seed: int
    order_seed: int
    tokens_seen: int
    """Tokens in all passes, by the model's own vocabulary."""
    parameters: int
    vocabulary: int
    closed_vocabulary: bool
    left_out: int = 0
    """Sentences of its part of the corpus that were too long, or had no tree that fits."""
    perplexity: float | None = None
    """Per word, ends of sentences included, on test sentences that all models are measured on."""
    test_sentences: int = 0
    test_words: int = 0
    unknown: int | None = None
    """Words of the test sentences that are outside the vocabulary."""
    whole_perplexity: float | None = None
    """The same on all test sentences that were asked for this model, which may be more."""
    whole_sentences: int = 0
    training_seconds: float = 0.0
    scoring_seconds: float = 0.0
    limit: int = 0
    """Items of each set that were scored; 0 for all."""
    string: str = ""
    """The model string."""
    run_folder: str = ""
    """The run folder, inside the folder of the sweep."""


class CurveScore(msgspec.Struct, frozen=True, kw_only=True):
    """The accuracy of one model on a data set, or on a part of it."""

    model: str
    data: str
    """The data string as the sweep names it."""
    kind: str
    level: Level
    name: str
    accuracy: float
    low: float
    high: float
    n: int
    chance: float


class CurveTable(msgspec.Struct, frozen=True, kw_only=True):
    """`curve.json`."""

    kind: Literal["curve"] = "curve"
    version: int = VERSION
    priscian: str
    models: tuple[CurveModel, ...]
    scores: tuple[CurveScore, ...]
    failed: dict[str, str] = msgspec.field(default_factory=dict)
    """Why a job failed, by its name."""
    missing: tuple[str, ...] = ()
    """Jobs that are not finished."""

    def model(self, name: str) -> CurveModel:
        """A model by its name."""
        return next(m for m in self.models if m.model == name)

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row for each score, with the facts of its model; one for a model without scores."""
        for m in self.models:
            facts = plain(m)
            own = [s for s in self.scores if s.model == m.model]
            yield from ({**facts, **plain(s)} for s in own) if own else (facts,)

    def write(self, folder: Path) -> None:
        """Write both files."""
        write_json(folder / FILE, plain(self))
        names = [f.name for f in msgspec.structs.fields(CurveModel)]
        names += [f.name for f in msgspec.structs.fields(CurveScore) if f.name not in names]
        write_delimited(folder / CSV, self.rows(), names)


def marked_perplexity(model: CurveModel) -> str:
    """A perplexity, marked if it is over a closed vocabulary or an upper bound: `≤131.3*`."""
    if model.perplexity is None:
        return ""
    bound = BOUND if model.architecture in TREES else ""
    return f"{bound}{model.perplexity:,.1f}{CLOSED if model.closed_vocabulary else ''}"


def comparable(models: Iterable[CurveModel]) -> bool:
    """Whether all perplexities have the same vocabulary, or open ones, and none is only a bound."""
    kinds = {
        (m.vocabulary if m.closed_vocabulary else 0, m.architecture in TREES)
        for m in models
        if m.perplexity is not None
    }
    return len(kinds) < 2


def curve_schema() -> dict[str, Any]:
    """The JSON schema of `curve.json`.

    >>> curve_schema()["$ref"]
    '#/$defs/CurveTable'
    """
    return {"$schema": DIALECT, "title": FILE, **msgspec.json.schema(CurveTable)}


def is_curve(folder: Path | str) -> bool:
    """Whether a folder is that of a sweep with results."""
    return (Path(folder) / FILE).is_file()


def read_curve(folder: Path | str) -> CurveTable:
    """`curve.json` of a sweep's folder, checked."""
    file = Path(folder) / FILE
    if not file.is_file():
        raise RunError(f"{folder} holds no {FILE}; make it with priscian curve SWEEP `out=DIR`")
    return read_json(file, CurveTable)


def scores_of(result: Result, data: str) -> Iterator[CurveScore]:
    """Overall, by phenomenon or circuit, and by set."""
    summary = result.summary

    def row(level: Level, name: str, cell: Any) -> CurveScore:
        low, high = cell.ci
        return CurveScore(
            model=result.model, data=data, kind=result.kind, level=level, name=name,
            accuracy=cell.accuracy, low=low, high=high, n=cell.n,
            chance=getattr(cell, "chance", CHANCE),
        )  # fmt: skip

    yield row("overall", "overall", summary.headline)
    narrow: Level = "circuit" if result.kind == "suites" else "phenomenon"
    for name, cell in summary.by_class().items():
        yield row(narrow, name, cell)
    for name, cell in summary.by_set().items():
        yield row("set", name, cell)
