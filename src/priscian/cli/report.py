"""`priscian report`: one page of what models know; or its tables, for a README or a paper."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from priscian.errors import UsageError
from priscian.files import write_text

if TYPE_CHECKING:
    from priscian.runs import Result, Run


def report_command(
    *runs: Path,
    out: Path | None = None,
    title: str = "",
    format_: Annotated[Literal["html", "md", "tex"], Parameter(name=("--format", "-f"))] = "html",
    figures: Path | None = None,
    sizes: Path | None = None,
    tokens: Annotated[list[str] | None, Parameter(negative="", consume_multiple=False)] = None,
    perplexity: Path | None = None,
) -> None:
    """Make a page of one or several runs: scores, heat map, every sentence, every figure.

    The page is one file that opens offline and can be sent by mail.

    Examples:
      priscian report runs/two --out report.html
      priscian report runs/a runs/b --title "Before and after" --out report.html
      priscian report runs/two --format md

    Parameters
    ----------
    runs
        Run folders, as priscian score --out made them.
    out
        File to write; by default report.html, and the screen for md and tex.
    title
        Title of the page.
    format_
        html, md (tables for a README) or tex (tables with booktabs for a paper).
    figures
        Folder for every figure as SVG, PNG, PDF and CSV.
    sizes
        CSV of model and tokens, for the figure of training size.
    tokens
        The same for one model: MODEL=1M. Repeat for several.
    perplexity
        CSV of model and perplexity, for the figure of SG against perplexity.
    """
    from priscian.cli.analyse.shared import read_runs
    from priscian.cli.report_parts import extra_sections, read_graded_sets

    if not runs:
        raise UsageError("name at least one run folder, as priscian score --out made it")
    loaded = read_runs(runs)
    if format_ != "html":
        _write_tables(loaded, format_, out)
        if figures is None:
            return
    extra = extra_sections(loaded, sizes, tokens or (), perplexity)
    if format_ == "html":
        from priscian.reporting import build_page

        page = build_page(
            loaded,
            title=title,
            command=shlex.join(["priscian", *sys.argv[1:]]) if len(sys.argv) > 1 else "",
            created=time.strftime("%d %B %Y").lstrip("0"),
            graded=read_graded_sets(loaded),
            extra=extra,
        )
        file = out or Path("report.html")
        write_text(file, page.html)
        print(f"{file}  {len(page.html.encode()) / 1e6:.1f} MB; open it in a browser")
        sections = page.sections
    else:
        from priscian.reporting.boards import make_boards
        from priscian.reporting.sections import make_sections

        graded = read_graded_sets(loaded)
        sections = tuple(make_sections(make_boards(_results(loaded)), graded, extra))
    if figures is not None:
        from priscian.analysis.vega import write_figures
        from priscian.reporting.sections import figures_of

        written = write_figures(figures_of(sections), figures)
        print(f"{figures}  {len(written)} files")


def _results(runs: Sequence[Run]) -> list[Result]:
    return [result for run in runs for result in run.results]


def _write_tables(runs: Sequence[Run], form: str, out: Path | None) -> None:
    from priscian.reporting import markdown_tables, tex_tables
    from priscian.reporting.boards import make_boards

    boards = make_boards(_results(runs))
    text = markdown_tables(boards) if form == "md" else tex_tables(boards)
    if out is None:
        print(text, end="")
        return
    write_text(out, text)
    print(out)
