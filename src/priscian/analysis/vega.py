"""Figures: Vega-Lite charts with captions and data, and how they are drawn as files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from priscian.analysis.paper import PAPERS, figure_tex, find_paper, fit, style, untitled
from priscian.errors import UsageError
from priscian.files import delimited_text, file_names, inside, plain, write_bytes, write_text
from priscian.files.folder import lock_folder
from priscian.runs.show import Chart as Shown

Chart = dict[str, Any]
Row = Mapping[str, object]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
FORMATS = ("svg", "png", "pdf")
CAPTIONS = "figures.tex"
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML, and so SVG, cannot hold."""
PALETTE = ("#0b6e99", "#d1495b", "#e0a100", "#3a7d44", "#7b5ea7", "#8a5a44", "#5c6b73", "#00a3a3")
"""Colours of models, distinguishable with any colour vision and by their lightness."""
CONFIG: Chart = {
    "font": "system-ui, sans-serif",
    "background": "white",
    "axis": {"gridColor": "#e6e6e6", "domainColor": "#888", "tickColor": "#888"},
    "range": {"category": list(PALETTE)},
    "view": {"stroke": None},
}
"""The style of image files; a page has its own light and dark styles."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its title, caption and data."""

    name: str
    """Used as a file name and an anchor: `methods-by-phenomenon`."""
    title: str
    caption: str
    """What is plotted, for how many items, and how the intervals were computed."""
    chart: Chart
    """Vega-Lite without text and background colours, which depend on where it is shown."""
    rows: Sequence[Row]
    """What is plotted, one row for each mark."""

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        bundle = Shown(self.chart | {"title": self.title})._repr_mimebundle_()
        return bundle | {"text/plain": f"{self.title}. {self.caption}"}

    def csv(self) -> str:
        """The rows as a table that other tools read."""
        return delimited_text(self.rows) if self.rows else ""


class HasFigures:
    """A result of an analysis that can be drawn; a notebook shows its first figure."""

    __slots__ = ()
    as_dict = plain
    """Plain values, ready for JSON."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every figure of the result."""
        raise NotImplementedError

    def write_figures(self, folder: Path | str, paper: str = "") -> list[Path]:
        """Every figure as SVG, PNG and PDF, its data as CSV, and `figures.tex` with captions.

        `paper="one-column"` or `"two-column"` makes them as wide as a column or page of a paper.
        """
        return write_figures(self.figures, Path(folder), paper=paper)

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        figures = self.figures
        shown = figures[0]._repr_mimebundle_() if figures else {}
        return {**shown, "text/plain": repr(self)}


def draw(chart: Chart, file: Path, config: Chart = CONFIG) -> None:
    """Write a chart as SVG, PNG or PDF, by the file extension."""
    import vl_convert  # heavy: imported only when an image is drawn

    chart = printable(chart)
    suffix = file.suffix.lower().removeprefix(".")
    if suffix == "svg":
        data = vl_convert.vegalite_to_svg(chart, config=config).encode()
    elif suffix == "png":
        data = vl_convert.vegalite_to_png(chart, config=config, scale=2)
    elif suffix == "pdf":
        data = vl_convert.vegalite_to_pdf(chart, config=config)
    else:
        raise UsageError(f"{file} does not end in .svg, .png or .pdf; rename it")
    write_bytes(file, data)


def drawn_width(chart: Chart, config: Chart) -> float:
    """The width of a chart with its axes and legends, in points."""
    import vl_convert

    svg = vl_convert.vegalite_to_svg(printable(chart), config={**CONFIG, **config})
    found = re.search(r'<svg[^>]* width="([\d.]+)"', svg)
    return float(found[1]) if found else 0.0


def printable(part: Any) -> Any:
    """A chart whose texts have only characters that are valid in SVG.

    Others, such as NUL in a user's name of a paradigm, abort the process that draws them. They
    become the replacement character.

    >>> printable({"title": ["a\\x00b"]})
    {'title': ['a\ufffdb']}
    """
    if isinstance(part, str):
        return FORBIDDEN.sub("\ufffd", part)
    if isinstance(part, Mapping):
        return {printable(key): printable(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [printable(value) for value in part]
    return part


def set_apart(figures: Iterable[Figure]) -> list[Figure]:
    """The same figures; of several with one name, each but the first gets a number.

    >>> figure = Figure("curve", "", "", {}, [])
    >>> [f.name for f in set_apart([figure, figure])]
    ['curve', 'curve-2']
    """
    found: dict[str, Figure] = {}
    for figure in figures:
        name, number = figure.name, 1
        while name in found:
            number += 1
            name = f"{figure.name}-{number}"
        found[name] = replace(figure, name=name)
    return list(found.values())


def write_figures(
    figures: Iterable[Figure], folder: Path, formats: Sequence[str] = FORMATS, paper: str = ""
) -> list[Path]:
    """Every figure in every format, its data as CSV, and `figures.tex` with all captions.

    No file has a title in it. `paper` is `one-column` or `two-column`: figures are then as wide as
    that, with small letters.
    """
    figures = set_apart(figures)
    place = find_paper(paper) if paper else PAPERS["one-column"]
    names = file_names(figure.name for figure in figures)
    written: list[Path] = []
    if not figures:
        return written
    with lock_folder(folder, "process"):
        for figure in figures:
            chart, config = untitled(figure.chart), CONFIG
            if paper:
                chart, config = fit(figure.chart, place, drawn_width), {**CONFIG, **style(place)}
            for suffix in formats:
                path = inside(folder, f"{names[figure.name]}.{suffix}")
                draw(chart, path, config)
                written.append(path)
            table = inside(folder, f"{names[figure.name]}.csv")
            write_text(table, figure.csv())
            written.append(table)
        written.append(folder / CAPTIONS)
        made = (figure_tex(names[f.name], f.title, f.caption, place) for f in figures)
        write_text(written[-1], "\n".join(("% \\usepackage{graphicx}\n", *made)))
    return written
