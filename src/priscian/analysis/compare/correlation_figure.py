"""The figure of correlations: a heat map of all systems."""

from __future__ import annotations

from priscian.analysis.charts import correlation_square
from priscian.analysis.compare.correlation import NAMES, Coefficient, Correlations
from priscian.analysis.vega import Chart, Figure
from priscian.runs.show import counted
from priscian.stats.correlations import Correlation


def correlation_figure(found: Correlations, coefficient: Coefficient = "pearson") -> Figure:
    """A heat map of all systems."""
    matrix = found.matrix(coefficient)
    rows: list[dict[str, object]] = []
    for a, cells in matrix.items():
        for b, r in cells.items():
            cell = None if a == b else found.between(a, b)
            value: Correlation | None = getattr(cell, coefficient) if cell else None
            rows.append(
                {
                    "a": a,
                    "b": b,
                    "r": None if r is None else round(r, 4),
                    "shown": "–" if r is None else f"{r:.2f}",
                    "low": round(value.ci[0], 4) if value else None,
                    "high": round(value.ci[1], 4) if value else None,
                    "n": cell.n if cell else len(found.accuracies[a]),
                }
            )
    sizes = sorted({c.n for c in found.cells})
    over = counted(sizes[0], "set") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} sets"
    how = "Fisher's" if coefficient == "pearson" else "Bonett and Wright's"
    star = (
        " * published, on BLiMP's own data (Warstadt et al. 2020); paradigms are matched by name."
        if found.published
        else ""
    )
    caption = (
        f"{NAMES[coefficient]} of accuracies over {over}, between every two rows; 95 % intervals "
        f"({how}) are in the tooltips and the data.{star}"
    )
    title = f"Who finds the same things hard: {NAMES[coefficient]}"
    name = f"correlation-{coefficient}"
    return Figure(name, title, caption, _heat_map(rows, list(matrix), NAMES[coefficient]), rows)


def _heat_map(rows: list[dict[str, object]], order: list[str], title: str) -> Chart:
    chart = correlation_square(rows, order, title, least=180, labelLimit=200)
    chart["encoding"]["tooltip"] = [
        {"field": "a", "type": "nominal"},
        {"field": "b", "type": "nominal"},
        {"field": "r", "type": "quantitative", "format": ".3f", "title": title},
        {"field": "low", "type": "quantitative", "format": ".3f", "title": "95 % from"},
        {"field": "high", "type": "quantitative", "format": ".3f", "title": "to"},
        {"field": "n", "type": "quantitative", "title": "sets"},
    ]
    return chart
