"""Classifiers trained on CoLA, on graded pairs: all, those untouched by training, and without ad03.

CoLA's source `ad03` is Adger's textbook, from which half of LI-Adger comes: some sentences of the
graded pairs were in the training set, with their labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Struct, structs

from priscian.analysis.graded.adc import AdcAnalysis, ModelAdc
from priscian.errors import ModelError, counted
from priscian.files import only
from priscian.metrics.adc import meets_blimp, share
from priscian.runs import load_run
from priscian.stats.proportions import Accuracy
from priscian.training.classifiers.reading import TrainedOn, seen_in_cola, trained_on

ALL, UNTOUCHED, WITHOUT = "all pairs", "untouched by training", "trained without ad03"
LEAK = "ad03"
RELEASED = "_acc"
"""How the names of the paper's released classifiers end."""


class Way(Struct, frozen=True):
    """One of the three rows of a model; without figures where no such model was trained."""

    model: str
    way: str
    pairs: int
    blimp: Annotated[Accuracy | None, only("accuracy")] = None
    adc: Annotated[Mapping[float, Accuracy] | None, only("accuracy")] = None
    note: str = ""


def untouched_pairs(analysis: AdcAnalysis, seen: TrainedOn) -> list[int]:
    """The places of pairs neither of whose sentences was in the training set."""
    texts = {s.id: s.text for s in analysis.graded.sentences}
    known = {i: seen.has_seen(text) for i, text in texts.items()}
    return [
        place
        for place, pair in enumerate(analysis.graded.pairs)
        if not any(known[i] for i in pair.ids)
    ]


def three_ways(analysis: AdcAnalysis, trained: Mapping[str, TrainedOn]) -> tuple[Way, ...]:
    """Three rows for each model that was trained on all of CoLA; two for any other."""
    by_name = {model.name: model for model in analysis.models}
    known = {name: seen for name, seen in trained.items() if name in by_name}
    every = list(range(len(analysis.graded.pairs)))
    twins = {_kind(s): name for name, s in known.items() if LEAK in s.without_sources and s.twin}
    whole = {_kind(s) for s in known.values() if LEAK not in s.without_sources}
    rows: list[Way] = []
    for name, seen in known.items():
        if LEAK in seen.without_sources:
            if _kind(seen) not in whole:
                rows.append(_way(analysis, by_name[name], name, WITHOUT, every))
            continue
        own = by_name[name]
        rows.append(_way(analysis, own, name, ALL, every))
        rows.append(_way(analysis, own, name, UNTOUCHED, untouched_pairs(analysis, seen)))
        twin = twins.get(_kind(seen)) if seen.twin else None
        if twin is None:
            rows.append(Way(name, WITHOUT, len(every)))
        else:
            way = _way(analysis, by_name[twin], name, WITHOUT, every)
            if seen.restarts != known[twin].restarts:
                note = (
                    f"{name} is the best of {counted(seen.restarts, 'restart')}, {twin} (without "
                    f"{LEAK}) the best of {known[twin].restarts}: more restarts alone can give a "
                    "better one"
                )
                way = structs.replace(way, note=note)
            rows.append(way)
    return tuple(rows)


def _kind(seen: TrainedOn) -> tuple[str, ...]:
    """What a classifier shares with its twin, the other sources left out included."""
    return (*seen.twin, *sorted(set(seen.without_sources) - {LEAK}))


@dataclass(frozen=True, slots=True)
class SeenInTraining:
    """What classifiers have seen, by model, and a note for each where that is unknown."""

    seen: Mapping[str, TrainedOn]
    notes: tuple[str, ...] = ()


def _way(analysis: AdcAnalysis, model: ModelAdc, name: str, way: str, places: list[int]) -> Way:
    if not places:
        return Way(name, way, 0)
    right = meets_blimp(model.raw)
    met = {delta: analysis.met(model, delta) for delta in analysis.deltas}
    return Way(
        name,
        way,
        len(places),
        share([right[i] for i in places]),
        {delta: share([found[i] for i in places]) for delta, found in met.items()},
    )


def find_trained(
    analysis: AdcAnalysis, paths: Iterable[Path], cola: Path | None = None
) -> SeenInTraining:
    """What the classifiers among the models have seen: those of runs, and the released ones.

    The released classifiers were trained on all of CoLA; its folder is needed to know which
    sentences that are.
    """
    found: dict[str, TrainedOn] = {}
    notes: list[str] = []
    shown = {model.name for model in analysis.models}
    for path in paths:
        if (path / "run.json").is_file():
            for name, facts in load_run(path).info.models.items():
                try:
                    seen = trained_on(facts.string) if facts.string else None
                except ModelError as error:
                    if name not in shown:
                        continue
                    notes.append(f"{name} is not shown three ways: {error}")
                    continue
                if seen is not None:
                    found[name] = seen
    if cola is not None:
        released = [m.name for m in analysis.models if m.name.endswith(RELEASED)]
        if released:
            seen = seen_in_cola(cola)
            found |= dict.fromkeys((n for n in released if n not in found), seen)
    return SeenInTraining(found, tuple(notes))
