"""The garden-path plot: mean surprisal by region, a line for each condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from priscian.analysis.vega import SCHEMA, Chart
from priscian.formulas import region_labels
from priscian.metrics.generalization import RegionMean


def region_chart(regions: Sequence[str], models: Mapping[str, Sequence[RegionMean]]) -> Chart:
    """Regions from left to right, one panel for each model; bars are 95 % intervals of the mean."""
    labels = region_labels(regions)
    values = [
        {
            "model": model,
            "condition": m.condition,
            "region": labels[int(m.region) - 1],
            "mean": m.mean,
            "low": m.ci[0],
            "high": m.ci[1],
        }
        for model, means in models.items()
        for m in means
    ]
    across = {
        "field": "region",
        "type": "ordinal",
        "sort": list(labels),
        "title": "region",
        "axis": {"labelAngle": -30},
    }
    colour = {"field": "condition", "type": "nominal", "title": "condition"}
    up = {"field": "mean", "type": "quantitative", "title": "mean surprisal (bits)"}
    return {
        "$schema": SCHEMA,
        "data": {"values": values},
        "facet": {"column": {"field": "model", "type": "nominal", "title": None}},
        "spec": {
            "width": 70 * len(labels),
            "height": 260,
            "layer": [
                {
                    "mark": {"type": "line", "point": True},
                    "encoding": {
                        "x": across,
                        "y": up,
                        "color": colour,
                        "strokeDash": {"field": "condition", "type": "nominal", "legend": None},
                    },
                },
                {
                    "mark": {"type": "rule"},
                    "encoding": {
                        "x": across,
                        "y": {"field": "low", "type": "quantitative"},
                        "y2": {"field": "high"},
                        "color": colour,
                    },
                },
            ],
        },
    }
