"""The garden-path plot: mean surprisal by region, a line for each condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from priscian.errors import RunError, UsageError
from priscian.metrics.generalization import RegionMean

Chart = dict[str, Any]


def region_chart(
    title: str, regions: Sequence[str], models: Mapping[str, Sequence[RegionMean]]
) -> Chart:
    """A Vega-Lite chart: regions from left to right, one panel a model, bars of one error."""
    labels = [f"{number} {name}" for number, name in enumerate(regions, 1)]
    values = [
        {
            "model": model,
            "condition": m.condition,
            "region": labels[int(m.region) - 1],
            "mean": m.mean,
            "low": m.mean - m.error,
            "high": m.mean + m.error,
        }
        for model, means in models.items()
        for m in means
    ]
    across = {
        "field": "region",
        "type": "ordinal",
        "sort": labels,
        "title": "region",
        "axis": {"labelAngle": -30},
    }
    colour = {"field": "condition", "type": "nominal", "title": "condition"}
    up = {"field": "mean", "type": "quantitative", "title": "mean surprisal (bits)"}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": title,
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


def draw(chart: Chart, file: Path) -> None:
    """Write a chart as SVG or PNG, by the ending of the file's name."""
    import vl_convert

    suffix = file.suffix.lower()
    if suffix == ".svg":
        data = vl_convert.vegalite_to_svg(chart).encode()
    elif suffix == ".png":
        data = vl_convert.vegalite_to_png(chart, scale=2)
    else:
        raise UsageError(f"{file} ends neither in .svg nor in .png; rename it")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    except OSError as error:
        raise RunError(f"cannot write {file}: {error.strerror}; give another place") from None
