"""Agreement at a distance, across attractors, and with irregular nouns.

Warstadt et al. (2020), § 6.1 and § 6.2, Figures 3 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct

from priscian.analysis.blimp.published_rows import find_systems, starred
from priscian.analysis.charts import (
    LANES,
    colour,
    columns,
    figure,
    shape,
    share,
    share_domain,
    tips,
)
from priscian.analysis.named_results import pair_results, set_accuracies
from priscian.analysis.registry import Section, analysis
from priscian.analysis.result import AnalysisResult, Runs, Table, percent, points
from priscian.analysis.vega import Chart, Figure
from priscian.datasets.reference import published
from priscian.errors import DataError
from priscian.files import HIDDEN, INLINE, by, read_tsv
from priscian.runs.choose import gather_results
from priscian.stats.differences import independent_difference
from priscian.stats.interval import Interval
from priscian.stats.proportions import Accuracy, mean_accuracy

Contrasts = dict[str, dict[str, tuple[str, ...]]]


@cache
def contrasts() -> Contrasts:
    """Paradigms by comparison and condition; the first condition is the baseline.

    The paper does not say which paradigms have no attractor. Of five choices that were tried on the
    published accuracies (all four paradigms, the regular ones, those whose verb varies, those whose
    noun varies, the first regular one) only the last gives its 20 points for the LSTM and 5 for
    Transformer-XL, so it is used here; with all four they are 16 and 11.

    >>> contrasts()["subject and verb"]["relational noun"]
    ('distractor_agreement_relational_noun',)
    """
    found: dict[str, dict[str, list[str]]] = {}
    for _, row in read_tsv(Path(__file__).parent / "data" / "agreement_contrasts.tsv"):
        members = found.setdefault(row["comparison"], {})
        members.setdefault(row["condition"], []).append(row["paradigm"])
    return {c: {k: tuple(v) for k, v in members.items()} for c, members in found.items()}


class Condition(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Accuracy in one condition, and how it differs from the comparison's first."""

    comparison: str
    condition: str
    model: str
    published: bool
    accuracy: float
    n: int | None = None
    """Known of models that were scored here, like ties and intervals."""
    ties: int | None = None
    ci: Interval | None = None
    change: float | None = None
    change_ci: Interval | None = None
    paradigms: int
    missing: tuple[str, ...]
    """Paradigms of the condition that were not scored."""


class Distance(AnalysisResult, frozen=True):
    """Every comparison, condition by condition and model by model."""

    conditions: Annotated[tuple[Condition, ...], by("comparison", "condition", many=True), INLINE]
    n: Annotated[Mapping[str, int], HIDDEN]
    """Pairs that were compared, by model, each counted once."""

    def tables(self) -> list[Table]:
        """A row for each condition and model, with a rule between comparisons."""
        rows: list[tuple[str, ...] | None] = []
        for comparison in dict.fromkeys(c.comparison for c in self.conditions):
            rows += [
                (
                    comparison,
                    c.condition,
                    c.model,
                    percent(c),
                    "" if c.change is None else points(c.change, c.change_ci),
                )
                for c in self.conditions
                if c.comparison == comparison
            ]
            rows.append(None)
        return [
            Table(
                "Agreement: accuracy in per cent, and change from the first condition in points",
                ("comparison", "condition", "model", "accuracy", "change"),
                tuple(rows[:-1]),
                names=3,
            )
        ]

    @property
    def findings(self) -> list[str]:
        """Where other figures are from, and what was not scored."""
        said = []
        if any(c.published for c in self.conditions):
            said.append("* published, on BLiMP's own sentences (Warstadt et al. 2020)")
        missing = {p for c in self.conditions for p in c.missing}
        return [*said, *([f"Not scored: {', '.join(sorted(missing))}"] if missing else [])]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """A panel for each comparison, with a lane for each model."""
        names = list(dict.fromkeys(c.model for c in self.conditions))
        rows = [
            {
                "comparison": c.comparison,
                "condition": c.condition,
                "model": c.model,
                "kind": "published" if c.published else "scored",
                "accuracy": c.accuracy,
                "low": c.ci[0] if c.ci else None,
                "high": c.ci[1] if c.ci else None,
                "n": c.n,
                "paradigms": c.paradigms,
                "change": c.change,
            }
            for c in self.conditions
        ]
        domain = share_domain([v for r in rows for v in (r["low"], r["accuracy"])])
        counts = ", ".join(f"{count:,} pairs ({name})" for name, count in self.n.items())
        if len(set(self.n.values())) == 1:
            counts = f"{next(iter(self.n.values())):,} pairs"
        panels = [
            _panel([r for r in rows if r["comparison"] == comparison], comparison, names, domain)
            for comparison in contrasts()
            if any(r["comparison"] == comparison for r in rows)
        ]
        caption = (
            "Accuracy on agreement with and without an adjective between, with attractors of the "
            "other number, and with irregular plurals: means of paradigms; n = "
            f"{counts}. Bars are 95 % intervals: Wilson's, combined for means of paradigms (Zou et "
            "al. 2009)."
        )
        if any(c.published for c in self.conditions):
            caption += " Diamonds (*) are published figures on BLiMP's own sentences."
        chart: Chart = {"columns": 2, "concat": panels, "resolve": LANES}
        return (figure("agreement-distance", "Agreement at a distance", caption, chart, rows),)


@analysis(
    "distance",
    "agreement at a distance, attractors",
    section=Section(
        "distance",
        place=40,
        kinds=frozenset({"pairs"}),
        pick=lambda results: results if any("phenomenon" in r.levels for r in results) else (),
    ),
)
def distance(runs: Runs, baselines: str | Sequence[str] = "none") -> Distance:
    """Agreement at a distance, across attractors, and with irregular nouns.

    Determiner and noun with and without an adjective between; subject and verb with no attractor,
    one in a relational noun and one in a relative clause; regular against irregular plurals.

    Examples:
      priscian analyse distance runs/two
      priscian analyse distance runs/two --baselines all --figures pictures

    >>> import priscian
    >>> data = "generated:7,5,determiner_noun_agreement_2,determiner_noun_agreement_with_adj_2"
    >>> found = priscian.analyse.distance(priscian.score("builtin:ngram", data))
    >>> found.conditions[0].model
    'builtin:ngram'

    Parameters
    ----------
    runs
        Run folders.
    baselines
        Published systems to show, separated by commas: human, 5-gram, LSTM, Transformer-XL, GPT-2;
        all or none.
    """
    made: list[Condition] = []
    n: dict[str, int] = {}
    for result in pair_results(gather_results(runs)):
        sets = set_accuracies(result)
        mine = _conditions(result.label, sets, known=False)
        used = {p for c in mine for p in contrasts()[c.comparison][c.condition]} & sets.keys()
        if used:
            n[result.label] = sum(sets[p].n for p in used)
        made += mine
    if not made:
        raise DataError(
            "no paradigm of determiner–noun or subject–verb agreement was scored; "
            "score all of BLiMP: `on=blimp:DIR`"
        )
    here = {c.comparison for c in made}
    for system in find_systems(baselines):
        rows = {
            name: Accuracy(value, 0, 0, (value, value))
            for name, value in published()[system].items()
        }
        found = _conditions(starred(system), rows, known=True)
        made += [c for c in found if c.comparison in here]
    return Distance(tuple(made), n)


def _conditions(model: str, sets: Mapping[str, Accuracy], *, known: bool) -> list[Condition]:
    made = []
    for comparison, conditions in contrasts().items():
        parts = {
            condition: [sets[p] for p in paradigms if p in sets]
            for condition, paradigms in conditions.items()
        }
        if sum(map(bool, parts.values())) < 2:
            continue
        first = next(iter(conditions))
        base = mean_accuracy(parts[first]) if parts[first] else None
        for condition, paradigms in conditions.items():
            if not parts[condition]:
                continue
            mean = mean_accuracy(parts[condition])
            change = independent_difference(mean, base) if base and condition != first else None
            made.append(
                Condition(
                    comparison=comparison,
                    condition=condition,
                    model=model,
                    published=known,
                    accuracy=mean.accuracy,
                    n=None if known else mean.n,
                    ties=None if known else mean.ties,
                    ci=None if known else mean.ci,
                    change=change.difference if change else None,
                    change_ci=change.ci if change and not known else None,
                    paradigms=len(parts[condition]),
                    missing=tuple(p for p in paradigms if p not in sets),
                )
            )
    return made


def _panel(
    rows: list[dict[str, Any]], comparison: str, names: list[str], domain: list[float]
) -> Chart:
    order = list(contrasts()[comparison])
    y = share("accuracy", "accuracy", domain)
    x = {
        "field": "condition",
        "type": "nominal",
        "sort": order,
        "title": None,
        "axis": {"labelAngle": 0, "labelLimit": 120},
    }
    lane = {"field": "model", "type": "nominal", "sort": names}
    tooltip = tips(
        "condition", "model", "accuracy:.1%", "low:.1%", "high:.1%", "change:+.1%", "n:,"
    )
    shared = {"x": x, "xOffset": lane, "color": colour(names), "tooltip": tooltip}
    return columns(
        rows,
        y,
        shared,
        title=comparison,
        line="chance",
        size=(270, 190),
        point=55,
        shape=shape(names),
    )
