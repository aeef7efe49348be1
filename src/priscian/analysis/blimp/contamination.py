"""Public pairs against fresh ones of the same paradigms: is the score on the public set inflated?

A model that has read BLiMP during training can be better on its sentences than on new ones. The
two sets can also differ in difficulty, so a model that has never read BLiMP shows how much
difference to expect: name it as the reference, and differences are taken minus its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Struct, field

from priscian.analysis.charts import dots, figure, tips
from priscian.analysis.named_results import pair_results, set_accuracies, words
from priscian.analysis.registry import Section, analysis
from priscian.analysis.result import OVERALL, AnalysisResult, Runs, Table, points
from priscian.analysis.vega import Figure, Row
from priscian.datasets.reference import REFERENCE, blimp_taxonomy
from priscian.errors import DataError, UnknownNameError
from priscian.files import HIDDEN, by
from priscian.runs import Result
from priscian.runs.choose import gather_results
from priscian.stats.differences import Difference, independent_difference, mean_difference
from priscian.stats.interval import Interval
from priscian.stats.proportions import Accuracy, mean_accuracy
from priscian.stats.sets import PairedTest, paired_t

LEVEL = 0.05
INTERVALS = (
    "Bars are 95 % intervals for other pairs of the same paradigms (Newcombe's); that of the mean "
    "is Student's t over paradigms, and covers other paradigms too."
)
Versions = Mapping[str, tuple[Accuracy, Accuracy]]
"""Accuracy on the public and on the fresh pairs of each paradigm."""


class ParadigmGap(Struct, frozen=True):
    """One paradigm: accuracy on public and on fresh pairs, and the first minus the second."""

    name: str
    phenomenon: str
    public: Accuracy
    fresh: Accuracy
    difference: float
    ci: Interval


class ModelGap(Struct, frozen=True):
    """A model's paradigms, and the mean of their differences tested over paradigms."""

    model: str
    public: float
    fresh: float
    overall: PairedTest
    beyond: PairedTest | None = field(name="beyond_reference")
    """The same mean minus that of the reference, if such a model was named."""
    phenomena: Mapping[str, Difference]
    """The mean difference in each phenomenon, for other pairs of its paradigms."""
    paradigms: Annotated[tuple[ParadigmGap, ...], by("name")]
    reference: Annotated[str | None, HIDDEN] = None

    @property
    def words(self) -> str:
        """The answer in a sentence."""
        test = self.beyond or self.overall
        other = f", judged by {self.reference}" if self.beyond else ""
        if test.p >= LEVEL:
            said = "no sign that the public score is inflated"
        elif test.difference > 0:
            said = "the public score is higher than chance explains"
        else:
            said = "the public score is the lower one, so it is not inflated"
        return f"{self.model}: {said}{other}"


class Contamination(AnalysisResult, frozen=True):
    """Every model that was scored on public and on fresh pairs."""

    reference: str | None
    models: Annotated[tuple[ModelGap, ...], by("model")]

    def tables(self) -> list[Table]:
        """The models, then the paradigms of each."""
        extra = (f"beyond {self.reference}", "p") if self.reference else ()
        head = ("model", "paradigms", "public", "fresh", "difference", "p", *extra)
        rows = tuple(
            (
                m.model,
                f"{m.overall.sets}",
                *_shares(m.public, m.fresh),
                *(
                    cell
                    for test in (m.overall, m.beyond)
                    if test
                    for cell in (points(test.difference, test.ci), f"{test.p:.2g}")
                ),
            )
            for m in self.models
        )
        return [
            Table("Public and fresh pairs: accuracy in per cent", head, rows),
            *map(_by_paradigm, self.models),
        ]

    @property
    def findings(self) -> list[str]:
        """The answer for each model."""
        return [
            *(f"{model.words}." for model in self.models),
            "Differences are public minus fresh, in points. Intervals of paradigms are for other "
            "pairs; the mean is tested by Student's t over paradigms.",
        ]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Differences by phenomenon with the mean of all paradigms, then by paradigm."""
        names = [model.model for model in self.models]
        told = " ".join(map(_told, self.models))
        return (
            _figure(
                "public-and-fresh",
                "Public pairs against fresh ones",
                "Accuracy on public BLiMP minus accuracy on fresh pairs of the same paradigms. "
                f"{told} {INTERVALS} The two sets can also differ in difficulty.",
                [row for model in self.models for row in _phenomena(model)],
                names,
            ),
            _figure(
                "public-and-fresh-by-paradigm",
                "Public pairs against fresh ones, by paradigm",
                f"The same for every paradigm, sorted by the first model's difference. {INTERVALS}",
                [
                    {
                        **_row(model, words(p.name), p.difference, p.ci),
                        "public": p.public.accuracy,
                        "fresh": p.fresh.accuracy,
                    }
                    for model in self.models
                    for p in _largest_first(model)
                ],
                names,
            ),
        )


def has_both(results: Sequence[Result]) -> bool:
    """Whether some model was scored on public and on fresh pairs of at least two paradigms."""
    return any(len(versions) > 1 for versions in _versions(results).values())


@analysis(
    "contamination",
    "public BLiMP against fresh pairs: is the score inflated?",
    section=Section(
        "Is the score on the public set inflated?",
        place=95,
        pick=lambda results: results if has_both(results) else (),
    ),
)
def contamination(runs: Runs, *, reference: str | None = None) -> Contamination:
    """Is the score on public BLiMP inflated? Compare it with fresh pairs of the same paradigms.

    A model that has read BLiMP can be better on its sentences than on new ones. The two sets can
    also differ in difficulty: name as `reference=` a model that has never read BLiMP, and its
    own difference is subtracted.

    Examples:
      priscian score smollm2 builtin:lstm --on blimp:DIR --on generated:7 --out runs/both
      priscian analyse contamination runs/both --reference builtin:lstm

    >>> import priscian
    >>> run = priscian.score("smollm2", ["blimp:DIR", "generated:7"])          # doctest: +SKIP
    >>> found = priscian.analyse.contamination(run).models[0]                  # doctest: +SKIP
    >>> found.public, found.fresh, found.overall.ci                            # doctest: +SKIP

    Parameters
    ----------
    runs
        Run folders.
    reference
        A model of these runs that has never read the public set.
    """
    found = {
        model: versions
        for model, versions in _versions(pair_results(gather_results(runs))).items()
        if len(versions) > 1
    }
    if not found:
        raise DataError(
            "no model was scored on public BLiMP and on fresh pairs of two or more of its "
            "paradigms; score both: `on=blimp:DIR` `on=generated:7`"
        )
    if reference and reference not in found:
        raise UnknownNameError("model with public and fresh pairs", reference, list(found))
    gaps = {model: _paradigms(versions) for model, versions in found.items()}
    expected = {p.name: p.difference for p in gaps.get(reference or "", ())}
    return Contamination(
        reference or None,
        tuple(_model(name, own, reference, expected) for name, own in gaps.items()),
    )


def _versions(results: Sequence[Result]) -> dict[str, Versions]:
    """For each model, the paradigms that it has in both versions."""
    seen: dict[str, dict[str, tuple[list[Accuracy], list[Accuracy]]]] = {}
    for result in results:
        if result.kind != "pairs":
            continue
        for name, accuracy in set_accuracies(result).items():
            if name in blimp_taxonomy():
                public = result.facts.sets[name].reference == REFERENCE
                sides = seen.setdefault(result.model, {}).setdefault(name, ([], []))
                sides[0 if public else 1].append(accuracy)
    return {
        model: {
            name: (mean_accuracy(public), mean_accuracy(fresh))
            for name, (public, fresh) in sides.items()
            if public and fresh
        }
        for model, sides in seen.items()
    }


def _paradigms(versions: Versions) -> tuple[ParadigmGap, ...]:
    found = []
    for name, (public, fresh) in versions.items():
        gap = independent_difference(public, fresh)
        phenomenon = blimp_taxonomy()[name][1]
        found.append(ParadigmGap(name, phenomenon, public, fresh, gap.difference, gap.ci))
    return tuple(found)


def _model(
    name: str,
    paradigms: tuple[ParadigmGap, ...],
    reference: str | None,
    expected: Mapping[str, float],
) -> ModelGap:
    """Every paradigm has Newcombe's interval; Student's t over paradigms tests their mean."""
    shared = [p.difference - expected[p.name] for p in paradigms if p.name in expected]
    groups: dict[str, list[Difference]] = {}
    for p in paradigms:
        gap = Difference(p.difference, p.public.n + p.fresh.n, p.ci)
        groups.setdefault(p.phenomenon, []).append(gap)
    return ModelGap(
        model=name,
        public=math.fsum(p.public.accuracy for p in paradigms) / len(paradigms),
        fresh=math.fsum(p.fresh.accuracy for p in paradigms) / len(paradigms),
        overall=paired_t([p.difference for p in paradigms]),
        beyond=paired_t(shared) if name != reference and len(shared) > 1 else None,
        phenomena={name: mean_difference(gaps) for name, gaps in sorted(groups.items())},
        paradigms=paradigms,
        reference=reference,
    )


def _largest_first(model: ModelGap) -> list[ParadigmGap]:
    return sorted(model.paradigms, key=lambda p: -p.difference)


def _shares(*values: float) -> list[str]:
    return [f"{100 * value:.1f}" for value in values]


def _by_paradigm(model: ModelGap) -> Table:
    rows = tuple(
        (
            p.name,
            p.phenomenon,
            *_shares(p.public.accuracy, p.fresh.accuracy),
            points(p.difference, p.ci),
        )
        for p in _largest_first(model)
    )
    head = ("paradigm", "phenomenon", "public", "fresh", "difference")
    return Table(f"{model.model}, by paradigm", head, rows, names=2)


def _told(model: ModelGap) -> str:
    test = model.overall
    low, high = (f"{100 * limit:+.1f}" for limit in test.ci)
    public, fresh = _shares(model.public, model.fresh)
    return (
        f"{model.model}: {public} and {fresh} on {test.sets} paradigms, "
        f"{100 * test.difference:+.1f} points ({low} to {high}, p = {test.p:.2g}); "
        f"{model.words.removeprefix(model.model + ': ')}."
    )


def _row(model: ModelGap, name: str, difference: float, ci: Interval) -> dict[str, object]:
    return {
        "model": model.model, "name": name, "difference": difference, "low": ci[0], "high": ci[1]
    }  # fmt: skip


def _phenomena(model: ModelGap) -> list[Row]:
    """A row for each, and one for the mean of all paradigms."""
    rows = [
        _row(model, words(name), gap.difference, gap.ci) for name, gap in model.phenomena.items()
    ]
    return [*rows, _row(model, OVERALL, model.overall.difference, model.overall.ci)]


def _figure(
    name: str, title: str, caption: str, rows: Sequence[Row], models: Sequence[str]
) -> Figure:
    x = {
        "field": "difference",
        "type": "quantitative",
        "title": "accuracy on public pairs minus that on fresh ones",
        "axis": {"format": "+.0%"},
    }
    tooltip = tips("name", "model", "difference:+.1%", "low:+.1%", "high:+.1%")
    if "public" in rows[0]:
        tooltip += tips("public:.1%", "fresh:.1%")
    order = list(dict.fromkeys(str(row["name"]) for row in rows))
    chart = dots(rows, models, order, x, tooltip, line=(0.0, "no difference"))
    return figure(name, title, caption, chart, rows)
