"""Table 1 and Figure 1 of the ADC paper, for any graded set and any models' scores.

The numbers, their JSON, lists of pairs to look at, and figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct

from priscian.analysis.charts import colour, correlation_square, dash, inline
from priscian.analysis.result import Table
from priscian.analysis.vega import SCHEMA, Chart, Figure, HasFigures
from priscian.datasets.graded import (
    Formation,
    GradedPair,
    GradedSet,
    PairOverlap,
    SentenceScores,
    listed,
)
from priscian.errors import DataError, UnknownNameError, counted
from priscian.files import file_names, inside, only, plain, write_delimited
from priscian.metrics.adc import (
    DELTAS,
    PAPER,
    AdcRule,
    adc_curve,
    check_delta,
    differences,
    meets_adc,
    meets_blimp,
    share,
    z_scores,
)
from priscian.stats.correlations import Correlation, correlation_matrix, pearson, spearman
from priscian.stats.lines import fitted_line
from priscian.stats.proportions import Accuracy

if TYPE_CHECKING:
    from priscian.analysis.graded.leak import Way

FEWEST = 4
"""Fewest points whose correlation says anything."""
CURVE = tuple(n / 20 for n in range(101))  # δ from 0 to 5
COLUMNS = 3
MET, UNMET, FIT = "#1b7837", "#9e9e9e", "#b2182b"


@dataclass(frozen=True, slots=True)
class ModelAdc:
    """One model on the pairs: its differences, raw and as z-scores, and the criteria it meets."""

    name: str
    z_from: str
    raw: tuple[float, ...]
    deltas: tuple[float, ...]
    blimp: Accuracy
    adc: Mapping[float, Accuracy]

    @property
    def released(self) -> bool:
        """Whether the released z-scores are used, because the scores are incomplete."""
        return self.z_from == "released"


class SourceAdc(Struct, frozen=True):
    """One model on the pairs of one source."""

    pairs: int
    blimp: Annotated[Accuracy, only("accuracy")]
    adc: Annotated[Mapping[float, Accuracy], only("accuracy")]
    pearson: Correlation | None
    """With people, on differences; None where they are too few or all alike."""


@dataclass(frozen=True, slots=True)
class AdcAnalysis(HasFigures):
    """People and models on the pairs of one graded set."""

    graded: GradedSet
    human: tuple[float, ...]
    models: tuple[ModelAdc, ...]
    scores: tuple[SentenceScores, ...]
    rule: AdcRule
    deltas: tuple[float, ...]
    ways: tuple[Way, ...] = ()
    """Models that were trained on CoLA: all pairs, those untouched by training, without ad03."""
    notes: tuple[str, ...] = ()
    """Classifiers that cannot be shown so, with the reason."""

    def tables(self) -> list[Table]:
        """Table 1 of the paper; classifiers three ways; by source; correlations of all models."""
        criteria = ("BLiMP", *(f"ADC, δ = {delta}" for delta in self.deltas))

        def shares(blimp: Accuracy, adc: Mapping[float, Accuracy]) -> list[str]:
            return [f"{a.accuracy:.3f}" for a in (blimp, *adc.values())]

        def interval(found: Correlation) -> str:
            return f"{found.r:.2f}  {found.ci[0]:.2f}–{found.ci[1]:.2f}"

        rows = []
        for model in self.models:
            people = self.with_people(model)
            r = (interval(people[level]["pearson"]) for level in ("deltas", "sentences"))
            name = model.name + (" †" if model.released else "")
            rows.append((name, *shares(model.blimp, model.adc), *r))
        title = f"{self.graded.name}: {counted(len(self.graded.pairs), 'pair')}"
        head = ("Model", *criteria, "r, differences", "r, sentences")
        made = [Table(title, head, tuple(rows))]
        if self.ways:
            ways = []
            for way in self.ways:
                trained = ["not trained", *[""] * len(self.deltas)]
                if way.blimp is not None and way.adc is not None:
                    trained = shares(way.blimp, way.adc)
                ways.append((way.model, way.way, f"{way.pairs:,}", *trained))
            title = "Trained on CoLA, which shares sentences with these pairs"
            made.append(Table(title, ("Model", "", "pairs", *criteria), tuple(ways), names=2))
        if len({pair.group for pair in self.graded.pairs} - {""}) > 1:
            sources = tuple(
                (
                    model.name,
                    source,
                    f"{found.blimp.n:,}",
                    *shares(found.blimp, found.adc),
                    interval(found.pearson) if found.pearson else "",
                )
                for model in self.models
                for source, found in self.groups(model).items()
            )
            head = ("Model", "source", "pairs", *criteria, "r, differences")
            made.append(Table("By source", head, sources, names=2))
        matrix = self.matrix()
        numbers = (str(number) for number in range(1, len(matrix) + 1))
        cells = tuple(
            (f"{number} {name}", *(f"{r:.2f}" for r in row.values()))
            for number, (name, row) in enumerate(matrix.items(), start=1)
        )
        return [*made, Table("Pearson's r on differences", ("", *numbers), cells)]

    @property
    def findings(self) -> list[str]:
        """Where z-scores are from, and which classifiers cannot be shown three ways."""
        released = "† z-scores as released: not all scores behind them were released"
        return [
            *([released] if any(m.released for m in self.models) else ()),
            *(way.note for way in self.ways if way.note),
            *self.notes,
        ]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Correlations, scatter plots, and the ADC over δ."""
        return (heat_map(self), scatter(self), curves(self))

    def model(self, name: str) -> ModelAdc:
        """The model of that name."""
        for model in self.models:
            if model.name == name:
                return model
        raise UnknownNameError("model", name, [m.name for m in self.models])

    def met(self, model: ModelAdc, delta: float) -> list[bool]:
        """Whether the model meets the ADC, pair by pair."""
        return meets_adc(self.human, model.deltas, delta, self.rule.sign)

    def matrix(self) -> dict[str, dict[str, float]]:
        """Pearson's r on the pairs' differences, people included: Figure 1."""
        columns: dict[str, Sequence[float]] = {"human": self.human}
        return correlation_matrix(columns | {m.name: m.deltas for m in self.models})

    def with_people(self, model: ModelAdc) -> dict[str, dict[str, Correlation]]:
        """Correlations with people on differences and on sentences."""
        values = next(s.values for s in self.scores if s.name == model.name)
        rated = [(s.rating, values[s.id]) for s in self.graded.sentences
                 if s.rating is not None and s.id in values]  # fmt: skip
        people, scores = [r for r, _ in rated], [v for _, v in rated]
        return {
            "deltas": {
                "pearson": pearson(self.human, model.deltas),
                "spearman": spearman(self.human, model.deltas),
            },
            "sentences": {
                "pearson": pearson(people, scores),
                "spearman": spearman(people, scores),
            },
        }

    def curve(self, model: ModelAdc, deltas: Sequence[float] = CURVE) -> list[tuple[float, float]]:
        """ADC over δ."""
        return adc_curve(self.human, model.deltas, deltas, self.rule.sign)

    def groups(self, model: ModelAdc) -> dict[str, SourceAdc]:
        """The same by data set or source, where the pairs name one."""
        places: dict[str, list[int]] = {}
        for place, pair in enumerate(self.graded.pairs):
            if pair.group:
                places.setdefault(pair.group, []).append(place)
        right = meets_blimp(model.raw)
        met = {d: self.met(model, d) for d in self.deltas}
        found = {}
        for group, where in places.items():
            people, own = [self.human[i] for i in where], [model.deltas[i] for i in where]
            alike = min(len(set(people)), len(set(own))) == 1
            found[group] = SourceAdc(
                len(where),
                share([right[i] for i in where]),
                {d: share([m[i] for i in where]) for d, m in met.items()},
                None if len(where) < FEWEST or alike else pearson(people, own),
            )
        return found


def analyse_adc(
    graded: GradedSet,
    scores: Sequence[SentenceScores],
    *,
    deltas: Sequence[float] = DELTAS,
    rule: AdcRule = PAPER,
) -> AdcAnalysis:
    """BLiMP criterion and ADC of every model on the pairs of a rated set."""
    if not graded.pairs:
        raise DataError(f"{graded.name}: no pairs; without pairs there are no differences")
    if not scores:
        raise DataError(f"{graded.name}: no model's scores; add them with `scores=FILE.csv`")
    for delta in deltas:
        check_delta(delta)
    twice = sorted({s.name for s in scores if [t.name for t in scores].count(s.name) > 1})
    if twice:
        raise DataError(f"two sets of scores are called {twice[0]!r}; rename a column")
    deltas = tuple(dict.fromkeys(float(d) for d in deltas))
    human = graded.human_deltas()
    models = tuple(_model(graded, human, s, deltas, rule) for s in scores)
    return AdcAnalysis(graded, tuple(human), models, tuple(scores), rule, deltas)


def _model(
    graded: GradedSet,
    human: Sequence[float],
    scores: SentenceScores,
    deltas: Sequence[float],
    rule: AdcRule,
) -> ModelAdc:
    """z-scores are over the rule's population; the released ones if scores are incomplete."""
    ids = [p.ids for p in graded.pairs]
    missing = [i for pair in ids for i in pair if i not in scores.values]
    name = f"{scores.source or scores.name}: {scores.name}"
    if missing:
        raise DataError(
            f"{name} has no score for {listed(dict.fromkeys(missing))}; score these sentences too"
        )
    if rule.population == "pairs":
        over = list(dict.fromkeys(i for pair in ids for i in pair))
    else:
        over = [s.id for s in graded.sentences]
    missing = [i for i in over if i not in scores.values]
    if missing and scores.z is None:
        raise DataError(
            f"{name} has no score for {len(missing)} of {len(over)} sentences "
            f"({listed(missing)}); score them too, or use `population=pairs`"
        )
    if missing and scores.z is not None:
        z, z_from = scores.z, "released"
    else:
        z = z_scores(scores.values, over, ddof=rule.ddof, name=scores.name)
        z_from = f"{len(over)} sentences"
    raw, own = differences(ids, scores.values), differences(ids, z)
    ties = sum(d == 0 for d in raw)
    return ModelAdc(
        scores.name,
        z_from,
        tuple(raw),
        tuple(own),
        share(meets_blimp(raw), ties),
        {d: share(meets_adc(human, own, d, rule.sign), ties) for d in deltas},
    )


def disagreements(
    analysis: AdcAnalysis, a: ModelAdc, b: ModelAdc, delta: float
) -> list[GradedPair]:
    """Pairs where one model meets the ADC and another does not."""
    met = zip(analysis.graded.pairs, analysis.met(a, delta), analysis.met(b, delta), strict=True)
    return [pair for pair, first, second in met if first and not second]


def against_experts(analysis: AdcAnalysis) -> list[GradedPair]:
    """Pairs where people rate the sentence that experts accept below the other."""
    both = zip(analysis.graded.pairs, analysis.human, strict=True)
    return [pair for pair, delta in both if delta < 0]


def blimp_not_adc(analysis: AdcAnalysis, model: ModelAdc, delta: float) -> list[GradedPair]:
    """Pairs that a model gets right by BLiMP's criterion and wrong by the ADC."""
    met = zip(
        analysis.graded.pairs, meets_blimp(model.raw), analysis.met(model, delta), strict=True
    )
    return [pair for pair, right, matched in met if right and not matched]


# ---------------------------------------------------------------- JSON and lists of pairs


def adc_json(analysis: AdcAnalysis, *, full: bool = False) -> dict[str, Any]:
    """`{"pairs": …, "models": {NAME: {"blimp": …, "adc": {"0.5": …}}}, "pearson": {…}}`.

    `full` adds intervals, correlations with people, groups, the curve over δ, and the rule.
    """
    found: dict[str, Any] = {
        "pairs": len(analysis.graded.pairs),
        "models": {
            m.name: {
                "blimp": m.blimp.accuracy,
                "adc": {str(d): a.accuracy for d, a in m.adc.items()},
                "ties": m.blimp.ties,
                "z": m.z_from,
            }
            for m in analysis.models
        },
        "pearson": analysis.matrix(),
    }
    if analysis.ways:
        found["three_ways"] = plain(analysis.ways)
    if analysis.notes:
        found["notes"] = list(analysis.notes)
    if not full:
        return found
    found["rule"] = {
        "population": analysis.rule.population,
        "ddof": analysis.rule.ddof,
        "sign": analysis.rule.sign,
    }
    for model in analysis.models:
        found["models"][model.name] |= {
            "blimp_ci": list(model.blimp.ci),
            "adc_ci": {str(d): list(a.ci) for d, a in model.adc.items()},
            "with_people": plain(analysis.with_people(model)),
            "groups": plain(analysis.groups(model)),
            "curve": analysis.curve(model),
        }
    return found


def formation_json(formation: Formation, agreement: PairOverlap) -> dict[str, Any]:
    """The pairs that a rule forms, compared with the pairs that the data list."""
    reasons: dict[str, list[str]] = {}
    for name, reason in formation.left_out.items():
        reasons.setdefault(reason, []).append(name)
    return {
        "rule": formation.rule,
        "pairs": agreement.found,
        "reference": agreement.reference,
        "recall": agreement.recall,
        "precision": agreement.precision,
        "extra": [list(ids) for ids in agreement.extra],
        "missing": [list(ids) for ids in agreement.missing],
        "left_out": reasons,
    }


def pair_lists(
    analysis: AdcAnalysis, delta: float, compare: tuple[str, str] | None = None
) -> dict[str, list[GradedPair]]:
    """Lists by name: people against experts; BLiMP but not ADC; one model but not another."""
    lists = {"people-against-experts": against_experts(analysis)}
    for model in analysis.models:
        lists[f"blimp-not-adc {model.name}"] = blimp_not_adc(analysis, model, delta)
    if compare:
        a, b = (analysis.model(name) for name in compare)
        lists[f"{a.name} not {b.name}"] = disagreements(analysis, a, b, delta)
        lists[f"{b.name} not {a.name}"] = disagreements(analysis, b, a, delta)
    return lists


def write_lists(
    analysis: AdcAnalysis, lists: Mapping[str, Sequence[GradedPair]], folder: Path
) -> None:
    """Write every list as a CSV file with its name."""
    files = file_names(lists)
    for name, pairs in lists.items():
        write_list(analysis, pairs, inside(folder, f"{files[name]}.csv"))


def write_list(analysis: AdcAnalysis, pairs: Iterable[GradedPair], path: Path) -> None:
    """Pairs with both sentences, people's difference and every model's, as CSV."""
    sentences = analysis.graded.by_id
    places = {pair.ids: n for n, pair in enumerate(analysis.graded.pairs)}
    names = [f"delta_{m.name}" for m in analysis.models]
    columns = ["good_id", "bad_id", "good", "bad", "delta_human", *names]
    rows = []
    for pair in pairs:
        n = places[pair.ids]
        texts = [sentences[i].text for i in pair.ids]
        own = [f"{m.deltas[n]:.6f}" for m in analysis.models]
        cells = [*pair.ids, *texts, f"{analysis.human[n]:.6f}", *own]
        rows.append(dict(zip(columns, cells, strict=True)))
    write_delimited(path, rows, columns)


# ---------------------------------------------------------------- figures


def heat_map(analysis: AdcAnalysis) -> Figure:
    """The matrix of correlations on differences: Figure 1."""
    matrix = analysis.matrix()
    names = {name: "people" if name == "human" else name for name in matrix}
    rows = [
        {"a": names[a], "b": names[b], "r": r, "shown": f"{r:.2f}"}
        for a, row in matrix.items()
        for b, r in row.items()
    ]
    chart = correlation_square(rows, list(names.values()), "r") | {
        "title": "Pearson's r on differences"
    }
    caption = (
        f"Pearson's r between differences of {len(analysis.human):,} pairs: the acceptable "
        "sentence's z-score minus the other's, people included."
    )
    return Figure("correlations", "Correlations on differences", caption, chart, rows)


def scatter(analysis: AdcAnalysis, delta: float | None = None) -> Figure:
    """People's difference against each model's, with the fitted line and the band of δ."""
    band = delta if delta is not None else min(analysis.deltas)
    panels, rows = [], []
    for model in analysis.models:
        points = [
            {"model": model.name, "lm": round(m, 4), "h": round(h, 4), "met": met}
            for m, h, met in zip(
                model.deltas, analysis.human, analysis.met(model, band), strict=True
            )
        ]
        panels.append(_panel(analysis, model, band, points))
        rows += points
    chart: Chart = {
        "$schema": SCHEMA,
        "title": f"Differences of people and models; within the band |Δh − Δlm| < {band:g}",
        "columns": COLUMNS,
        "concat": panels,
    }
    caption = (
        f"A point is one of {len(analysis.human):,} pairs: people's difference over the model's, "
        f"in standard deviations. In the band, differences are less than {band:g} apart; points in "
        "it whose signs agree meet the ADC. The line is the least-squares fit."
    )
    return Figure("scatter", "People's differences against models'", caption, chart, rows)


def _panel(
    analysis: AdcAnalysis, model: ModelAdc, delta: float, points: Sequence[dict[str, object]]
) -> Chart:
    edge = 0.03 * (max(model.deltas) - min(model.deltas))  # room for points at the ends
    low, high = min(model.deltas) - edge, max(model.deltas) + edge
    slope, intercept = fitted_line(model.deltas, analysis.human)
    x = {
        "field": "lm",
        "type": "quantitative",
        "title": "Δlm",
        "scale": {"domain": [low, high], "nice": False},
    }
    tall = {"domain": [min(analysis.human), max(analysis.human)], "nice": False}
    y = {"field": "h", "type": "quantitative", "title": "Δh", "scale": tall}
    met = {
        "field": "met",
        "type": "nominal",
        "title": "meets the ADC",
        "scale": {"domain": [True, False], "range": [MET, UNMET]},
        "legend": {"symbolOpacity": 1, "symbolSize": 80},
    }
    edges = [{"lm": at, "low": at - delta, "high": at + delta} for at in (low, high)]
    line = [{"lm": at, "h": slope * at + intercept} for at in (low, high)]
    return {
        "title": model.name,
        "width": 220,
        "height": 220,
        "layer": [
            {
                "data": inline(edges),
                "mark": {"type": "area", "opacity": 0.15, "color": MET, "clip": True},
                "encoding": {
                    "x": x,
                    "y": {
                        "field": "low",
                        "type": "quantitative",
                        "stack": None,
                        "title": "Δh",
                        "scale": tall,
                    },
                    "y2": {"field": "high"},
                },
            },
            {
                "data": inline(points),
                "mark": {"type": "circle", "size": 10, "opacity": 0.35, "clip": True},
                "encoding": {"x": x, "y": y, "color": met},
            },
            {
                "data": inline(line),
                "mark": {"type": "line", "color": FIT, "clip": True},
                "encoding": {"x": x, "y": y},
            },
        ],
    }


def curves(analysis: AdcAnalysis) -> Figure:
    """ADC over δ from 0 to 5, one line for each model; dashes are BLiMP's criterion."""
    order = [m.name for m in analysis.models]
    rows = [
        {"model": m.name, "delta": d, "adc": value}
        for m in analysis.models
        for d, value in analysis.curve(m)
    ]
    blimp = [{"model": m.name, "blimp": m.blimp.accuracy} for m in analysis.models]
    looks = {"color": colour(order), "strokeDash": dash(order)}
    share = {"type": "quantitative", "title": "share of pairs", "scale": {"domain": [0, 1]}}
    chart: Chart = {
        "$schema": SCHEMA,
        "title": "Acceptability Delta Criterion over δ",
        "width": 480,
        "height": 320,
        "layer": [
            {
                "data": inline(rows),
                "mark": {"type": "line"},
                "encoding": {
                    "x": {
                        "field": "delta",
                        "type": "quantitative",
                        "title": "δ (standard deviations)",
                    },
                    "y": {"field": "adc", **share},
                    **looks,
                },
            },
            {
                "data": inline(blimp),
                "mark": {"type": "rule", "strokeWidth": 0.7, "opacity": 0.7},
                "encoding": {"y": {"field": "blimp", **share}, **looks},
            },
        ],
    }
    caption = (
        f"Share of {len(analysis.human):,} pairs that meet the ADC, as δ grows from 0 to 5; "
        "thin straight lines are the share by BLiMP's criterion, which ignores size."
    )
    return Figure("adc-curve", "ADC over δ", caption, chart, rows)
