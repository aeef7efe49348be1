"""`priscian report`: one page about what models know, or its tables for a README or paper."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from priscian.cli.output import FLAT
from priscian.errors import UsageError, counted
from priscian.files import write_text


@dataclass(frozen=True, slots=True)
class Known:
    """Facts about the models that are not in the runs.

    Parameters
    ----------
    sizes
        Table of model and tokens, for the figure of training size.
    tokens
        The same for one model: MODEL=1M. Repeat for several.
    perplexity
        Table of model and perplexity, for the figure of SG against perplexity.
    """

    sizes: Path | None = None
    tokens: Annotated[list[str] | None, Parameter(consume_multiple=False)] = None
    perplexity: Path | None = None


def report_command(
    *runs: Path,
    out: Path | None = None,
    title: str = "",
    format_: Annotated[Literal["html", "md", "tex"], Parameter(name=("--format", "-f"))] = "html",
    figures: Path | None = None,
    paper: Literal["one-column", "two-column"] | None = None,
    known: Annotated[Known, FLAT] = Known(),
) -> None:
    """Make a page about one or more runs: scores, heat map, every sentence, every figure.

    The page is one file that opens offline and can be sent by mail.

    Examples:
      priscian report runs/two --out report.html
      priscian report runs/a runs/b --title "Before and after" --out report.html
      priscian report runs/two --format md
      priscian report runs/two --format tex --figures paper/ --paper one-column
      priscian report runs/two results/ --out report.html

    Parameters
    ----------
    runs
        Run folders that priscian score --out wrote; folders of priscian judge export, whose
        people are shown beside the models; folders of priscian analyse transfer --out.
    out
        File to write; by default report.html, and the screen for md and tex.
    title
        Title of the page.
    format_
        html, md (tables for a README) or tex (tables with booktabs for a paper).
    figures
        Folder for every figure as SVG, PNG and PDF without a title, its data as CSV, and
        figures.tex with the captions.
    paper
        Make the figures as wide as one column (7.7 cm) or the page (16 cm) of a paper in ACL's
        style, with small letters.
    """
    if paper is not None and figures is None:
        raise UsageError("--paper sets the width of figures; add --figures DIR")
    from priscian import ReportOptions, report, report_tables
    from priscian.reporting.make_report import refuse_data

    if format_ != "html":
        tables = report_tables(runs, format_)
        if out is None:
            print(tables, end="")
        else:
            refuse_data(out, runs)
            write_text(out, tables)
            print(out)
        if figures is None:
            return
    typed = shlex.join(["priscian", *sys.argv[1:]]) if len(sys.argv) > 1 else ""
    options = ReportOptions(title, known.sizes, known.tokens or (), known.perplexity, typed)
    file = None if format_ != "html" else out or Path("report.html")
    page = report(runs, file, options)
    if file is not None:
        print(f"{file}  {len(page.html.encode()) / 1e6:.1f} MB; open it in a browser")
    if figures is not None:
        print(f"{figures}  {counted(len(page.write_figures(figures, paper or '')), 'file')}")
