"""What models were trained on, from the tables of sweeps or from their cards."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from priscian.analysis.curves.sizes import Sizes
from priscian.analysis.curves.table import CurveTable, is_curve, read_curve
from priscian.analysis.named_results import suite_results
from priscian.analysis.sg.mixed_models import (
    MixedModels,
    Observation,
    fit_models,
    mixed_result,
)
from priscian.analysis.sg.shared_items import note_on, shared_accuracies
from priscian.errors import DataError, PriscianWarning
from priscian.runs import Result, Run
from priscian.runs.cards import read_card
from priscian.runs.choose import Choice, gather_results, gather_runs
from priscian.training.amounts import parse_amount


@dataclass(frozen=True, slots=True)
class TrainedFacts:
    """What may explain the scores of a model."""

    architecture: str
    size: float
    """Tokens of the corpus."""
    perplexity: float | None = None


def sweep_folders(choices: Choice | Iterable[Choice]) -> list[Path]:
    """Those of some choices that are folders of sweeps."""
    given = [choices] if isinstance(choices, str | Path | Run | Result) else list(choices)
    return [Path(c) for c in given if isinstance(c, str | Path) and is_curve(c)]


def tell_apart(choices: Choice | Iterable[Choice]) -> tuple[list[Choice], list[CurveTable]]:
    """The choices, and the tables of those that are sweeps, with names that do not clash.

    A model or curve whose name occurs elsewhere too gets the name of its folder: `small:lstm`.
    """
    given = [choices] if isinstance(choices, str | Path | Run | Result) else list(choices)
    folders = list({folder.resolve(): folder for folder in sweep_folders(given)}.values())
    if not folders:
        return given, []
    tables = [read_curve(folder) for folder in folders]
    rest = [c for c in given if not sweep_folders(c)]
    if len(folders) == 1 and not rest:
        return [folders[0]], tables
    others: list[Choice] = []
    for choice in rest:
        others += [choice] if isinstance(choice, Result) else gather_runs(choice)
    models = Counter(model for table in tables for model in {m.model for m in table.models})
    models.update({result.model for result in (gather_results(others) if others else [])})
    curves = Counter(curve for table in tables for curve in {m.curve for m in table.models})
    found: list[Choice] = []
    renamed = []
    last = [folder.resolve().name for folder in folders]
    for folder, short, table in zip(folders, last, tables, strict=True):
        name = short if last.count(short) == 1 else str(folder)
        new_models = {m.model: f"{name}:{m.model}" for m in table.models if models[m.model] > 1}
        new_curves = {m.curve: f"{name}:{m.curve}" for m in table.models if curves[m.curve] > 1}
        change = msgspec.structs.replace
        renamed.append(
            change(
                table,
                models=tuple(
                    change(
                        m,
                        model=new_models.get(m.model, m.model),
                        curve=new_curves.get(m.curve, m.curve),
                    )
                    for m in table.models
                ),
                scores=tuple(
                    change(s, model=new_models.get(s.model, s.model)) for s in table.scores
                ),
            )
        )
        for run in gather_runs(folder):
            names = [new_models.get(result.model, result.model) for result in run.results]
            results = (
                replace(result, model=name, label=name)
                for result, name in zip(run.results, names, strict=True)
            )
            found.append(replace(run, results=tuple(results)))
    return found + others, renamed


def trained_facts(
    results: Sequence[Result],
    tables: Sequence[CurveTable] = (),
    perplexities: Mapping[str, float] | None = None,
) -> dict[str, TrainedFacts]:
    """Facts by the label of each result; a note names models without any."""
    known = {
        m.model: TrainedFacts(m.curve, m.tokens, m.perplexity) for t in tables for m in t.models
    }
    found = {}
    for result in results:
        facts = known.get(result.model) or _of_card(result)
        if facts is None:
            warnings.warn(
                f"{result.label} is left out: it has no card.json that says what it was trained on",
                PriscianWarning,
                stacklevel=3,
            )
            continue
        for name in (result.label, result.model):
            if perplexities and name in perplexities:
                facts = replace(facts, perplexity=perplexities[name])
        found[result.label] = facts
    return found


def _of_card(result: Result) -> TrainedFacts | None:
    card = read_card(result.about)
    if card is None:
        return None
    size = card.corpus.words if card.corpus.size == "all" else card.corpus.size
    if not card.architecture or not size:  # a converted model
        return None
    return TrainedFacts(card.architecture, parse_amount(size, "size"))


def observations(results: Sequence[Result], facts: Mapping[str, TrainedFacts]) -> list[Observation]:
    """The score of every trained model on every suite that counts for the SG score."""
    rows = []
    named = [result for result in suite_results(results) if result.label in facts]
    for result, own in zip(named, shared_accuracies(named)[0], strict=True):
        about = facts[result.label]
        # one trained model may have several results; models of other runs may share its name
        instance = f"{result.model} {result.about.string}"
        rows += [
            Observation(
                suite, result.narrowest(suite), accuracy, about.architecture, about.size,
                instance, about.perplexity,
            )
            for suite, accuracy in own.items()
        ]  # fmt: skip
    if not rows:
        raise DataError(
            "no model has a card.json that says what it was trained on, which the regression "
            "needs; score models of priscian train, or name the folder of a priscian curve"
        )
    return rows


def mixed_models_of(
    results: Sequence[Result],
    tables: Sequence[CurveTable] = (),
    perplexities: Mapping[str, float] | None = None,
) -> MixedModels:
    """The regressions of Hu et al. (2020) on trained models."""
    named = suite_results(results)
    facts = trained_facts(named, tables, perplexities)
    note = note_on([result for result in named if result.label in facts])
    return mixed_result(fit_models(observations(named, facts)), note)


def sizes_of_sweeps(tables: Sequence[CurveTable]) -> Sizes:
    """Tokens and curve of the models of sweeps."""
    return {("", m.model): (float(m.tokens), m.curve) for t in tables for m in t.models}
