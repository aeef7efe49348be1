"""What a sweep shows: SG score against perplexity, ΔSG, learning curves, and regressions.

Hu et al. (2020), Figures 2–4 and §4; Warstadt et al. (2020), Figure 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeVar

from msgspec import field

from priscian.analysis.charts import repaint
from priscian.analysis.curves.facts import mixed_models_of, sweep_folders
from priscian.analysis.curves.sizes import TrainedResult
from priscian.analysis.curves.table import CurveTable, comparable, read_curve
from priscian.analysis.curves.training_size import (
    TrainingSize,
    analyse_training_size,
    with_lines,
)
from priscian.analysis.named_results import FORCED_CHOICE, suite_results
from priscian.analysis.result import AnalysisResult
from priscian.analysis.sg.circuits import analyse_sg_runs
from priscian.analysis.sg.deltas import Deltas, analyse_deltas
from priscian.analysis.sg.mixed_models import MixedModels
from priscian.analysis.sg.perplexity import SgPerplexity, against_perplexity
from priscian.analysis.sg.released import Instance, InstanceScore
from priscian.analysis.sg.shared_items import shared_accuracies
from priscian.analysis.vega import Figure
from priscian.errors import DataError
from priscian.files import HIDDEN, write_json
from priscian.runs import Result, Run
from priscian.runs.choose import Choice, gather_runs

FILE = "analysis.json"
T = TypeVar("T")


class CurveAnalysis(AnalysisResult, frozen=True, kw_only=True):
    """All that the results of a sweep allow, by data set."""

    perplexity: Mapping[str, SgPerplexity] = {}
    deltas: Mapping[str, Deltas] = {}
    training_size: Mapping[str, TrainingSize] = {}
    mixed: Mapping[str, MixedModels] = field(name="mixed_effects", default_factory=dict)
    left_out: tuple[str, ...] = ()
    """What could not be computed, and why."""
    notes: tuple[str, ...] = ()
    """What a reader should know of what was computed."""
    kinds: Annotated[tuple[str, ...], HIDDEN] = ()
    """Kinds of models, each of which has one colour in all figures."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Figures 2–4 of Hu et al. (2020), Figure 5 of Warstadt et al. (2020)."""
        return tuple(
            replace(
                figure,
                name=f"{figure.name}-{number}" if number > 1 else figure.name,
                chart=repaint(figure.chart, self.kinds),
            )
            for parts in (self.perplexity, self.deltas, self.training_size)
            for number, part in enumerate(parts.values(), 1)
            for figure in part.figures
        )

    def write(self, folder: Path) -> None:
        """Write `analysis.json`."""
        write_json(folder / FILE, self.as_dict())


def analyse_sweeps(
    choices: Choice | Iterable[Choice],
) -> list[tuple[CurveTable, CurveAnalysis]]:
    """The table of every sweep among some choices, and what it shows."""
    found = []
    for folder in sweep_folders(choices):
        table = read_curve(folder)
        found.append((table, analyse_curve(table, gather_runs(folder))))
    return found


def analyse_curve(table: CurveTable, runs: Sequence[Run]) -> CurveAnalysis:
    """Every analysis that the finished models of a sweep allow."""
    left_out: list[str] = []
    notes: list[str] = []
    by_data = _by_data(table, runs)
    suites = {d: rs for d, rs in by_data.items() if rs[0].kind == "suites"}
    pairs = {d: rs for d, rs in by_data.items() if rs[0].kind in FORCED_CHOICE}

    def attempt(
        what: str, of: Mapping[str, list[Result]], make: Callable[[list[Result]], T]
    ) -> dict[str, T]:
        found = {}
        for data, results in of.items():
            try:
                found[data] = make(results)
            except DataError as error:
                left_out.append(f"{what} ({data}): {error}")
        return found

    return CurveAnalysis(
        perplexity=attempt("SG score and perplexity", suites, lambda rs: _perplexity(table, rs)),
        deltas=attempt("ΔSG", suites, lambda rs: _deltas(table, rs, left_out, notes)),
        training_size=attempt("training size", pairs, lambda rs: _sizes(table, rs, left_out)),
        mixed=attempt("regressions", suites, lambda rs: mixed_models_of(rs, [table])),
        left_out=tuple(left_out),
        notes=tuple(notes),
        kinds=tuple(dict.fromkeys(m.curve for m in table.models)),
    )


def _by_data(table: CurveTable, runs: Sequence[Run]) -> dict[str, list[Result]]:
    """Results by the data string of the sweep, whatever limit its models were scored with."""
    names: dict[tuple[str, str], str] = {}
    for run in runs:
        listed = dict.fromkeys(s.data for m in run.models for s in table.scores if s.model == m)
        for result, data in zip(run.results, listed, strict=False):
            names[result.model, result.data] = data
    found: dict[str, list[Result]] = {}
    order = {m.model: number for number, m in enumerate(table.models)}
    results = [r for run in runs for r in run.results if r.model in order]
    for result in sorted(results, key=lambda r: order[r.model]):
        found.setdefault(names[result.model, result.data], []).append(result)
    return found


def _perplexity(table: CurveTable, results: list[Result]) -> SgPerplexity:
    known = {m.model: m.perplexity for m in table.models if m.perplexity is not None}
    ordered = sorted(table.models, key=lambda m: m.tokens)
    kinds = {m.model: (m.curve, m.size) for m in ordered}
    scored = {r.model for r in results}
    alike = comparable(m for m in ordered if m.model in scored)
    return against_perplexity(analyse_sg_runs(results), known, kinds, is_comparable=alike)


def _deltas(
    table: CurveTable, results: list[Result], left_out: list[str], notes: list[str]
) -> Deltas:
    scores = []
    named = suite_results(results)
    accuracies, note = shared_accuracies(named)
    for result, own in zip(named, accuracies, strict=True):
        about = table.model(result.model)
        instance = Instance(about.curve, about.size, str(about.seed))
        scores += [
            InstanceScore(instance, suite, accuracy, result.narrowest(suite))
            for suite, accuracy in own.items()
        ]
    used = {s.instance.corpus for s in scores}
    sizes = {m.size: m.tokens for m in table.models if m.size in used}
    found = analyse_deltas(scores, sorted(sizes, key=lambda size: sizes[size]))
    left_out += [f"ΔSG: {reason}" for reason in found.left_out]
    if note:
        notes.append(f"ΔSG: {note}")
    return found


def _sizes(table: CurveTable, results: list[Result], left_out: list[str]) -> TrainingSize:
    trained = [
        TrainedResult(r, about.tokens, about.curve)
        for r in results
        for about in [table.model(r.model)]
    ]
    kept, note = with_lines(trained)
    if note:
        left_out.append(f"training size: {note}")
    return analyse_training_size(kept)
