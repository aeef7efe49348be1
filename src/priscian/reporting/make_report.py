"""Make a report of runs: the page, or its tables for a README or a paper."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from priscian.analysis.curves.curve import analyse_sweeps
from priscian.analysis.curves.sizes import known_sizes
from priscian.analysis.graded.sources import read_graded_sets
from priscian.analysis.people.study import StudyBesideModels, beside_models, is_study
from priscian.analysis.sg.of_runs import read_perplexity
from priscian.analysis.transfer.record import is_record
from priscian.analysis.transfer.transfer import Transfer, read_transfer
from priscian.errors import UnknownNameError, UsageError
from priscian.files import write_text
from priscian.reporting.boards import make_boards
from priscian.reporting.page import Page, build_page
from priscian.reporting.sections import ReportData
from priscian.reporting.sections.of_page import study_tables
from priscian.reporting.tables import markdown_tables, tex_tables
from priscian.runs import Result, Run
from priscian.runs.choose import Choice, gather_runs

Form = Literal["md", "tex"]


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """The title of a report, and facts about its models that are not in the runs.

    `sizes` and `tokens` give training sizes, as in `priscian.analyse.training_size`;
    `perplexity` gives perplexities, as in `priscian.analyse.sg`. `command` is shown on the page.
    """

    title: str = ""
    sizes: Path | str | None = None
    tokens: Mapping[str, str | float] | Sequence[str] = ()
    perplexity: Mapping[str, float] | Path | str | None = None
    command: str = ""


DEFAULTS = ReportOptions()


def report(
    runs: Choice | Iterable[Choice],
    out: Path | str | None = None,
    options: ReportOptions = DEFAULTS,
) -> Page:
    """One self-contained HTML page about some runs: scores, heat map, every sentence and figure.

    Folders of studies that `priscian judge export` wrote may be among the runs: people then stand
    beside the models. So may saved transfer analyses. The page is written to `out`, if given.
    `page.figures` has all figures, and `page.write_figures(folder)` writes them.

    >>> import priscian
    >>> run = priscian.score("builtin:ngram", "generated:7,3,wh_island,causative")
    >>> page = priscian.report(run)
    >>> page.boards[0].kind, [figure.name for figure in page.figures][0]
    ('pairs', 'b1-heat-map')
    """
    runs = [runs] if isinstance(runs, str | Path | Run | Result) else list(runs)
    if out is not None:
        refuse_data(Path(out), runs)
    loaded, studies, transfers = _gather(runs)
    perplexities = options.perplexity
    if isinstance(perplexities, str | Path):
        perplexities = read_perplexity(Path(perplexities))
    sizes = None if options.sizes is None else Path(options.sizes)
    rated = read_graded_sets(loaded)
    given = ReportData(
        runs=loaded,
        graded=rated.analyses,
        graded_problems=rated.problems,
        sizes=known_sizes(sizes, options.tokens),
        perplexities=perplexities or {},
        studies=studies,
        curves=analyse_sweeps(runs),
        transfers=transfers,
    )
    page = build_page(
        loaded,
        given=given,
        title=options.title,
        command=options.command,
        created=time.strftime("%d %B %Y").lstrip("0"),
    )
    if out is not None:
        write_text(Path(out), page.html)
    return page


def refuse_data(out: Path, runs: Iterable[Choice]) -> None:
    """Refuse a page that would take the place of data in a folder that it shows."""
    for run in runs:
        inside = isinstance(run, str | Path) and out.resolve().is_relative_to(Path(run).resolve())
        if inside and out.is_file() and out.suffix in (".json", ".parquet", ".csv"):
            raise UsageError(f"`out={out}` would replace data of {run}; name another file")


def report_tables(runs: Choice | Iterable[Choice], form: Form = "md") -> str:
    """The tables of a report as Markdown, or as LaTeX with booktabs.

    >>> import priscian
    >>> run = priscian.score("builtin:ngram", "generated:7,3,wh_island,causative")
    >>> "builtin:ngram" in priscian.report_tables(run)
    True
    """
    if form not in ("md", "tex"):
        raise UnknownNameError("form of tables", form, ("md", "tex"))
    loaded, studies, transfers = _gather(runs)
    boards = make_boards([result for run in loaded for result in run.results])
    tables = [table for study in studies for table in study_tables(study)]
    tables += [table for found in transfers for table in found.tables()]
    return markdown_tables(boards, tables) if form == "md" else tex_tables(boards, tables)


def _gather(
    runs: Choice | Iterable[Choice],
) -> tuple[list[Run], list[StudyBesideModels], list[Transfer]]:
    """Runs, studies compared with them, and transfer analyses."""
    given = [runs] if isinstance(runs, str | Path | Run | Result) else list(runs)
    paths = [Path(choice) for choice in given if isinstance(choice, str | Path)]
    studies = [path for path in paths if is_study(path)]
    transfers = [path for path in paths if is_record(path)]
    beside = {*studies, *transfers}
    others = [c for c in given if not (isinstance(c, str | Path) and Path(c) in beside)]
    if beside and not others:
        what = "a study" if studies else "a transfer analysis"
        remedy = "whose models are shown beside people" if studies else "which it is shown with"
        raise UsageError(f"{paths[0]} is {what}; name a run as well, {remedy}")
    loaded = gather_runs(others)
    results = [result for run in loaded for result in run.results]
    # two exports of one study would share the names of their figures
    met: Counter[str] = Counter()
    compared = []
    for folder in studies:
        study = beside_models(folder, results)
        met[study.name] += 1
        if met[study.name] > 1:
            study = replace(study, name=f"{study.name} ({met[study.name]})")
        compared.append(study)
    return loaded, compared, [read_transfer(path) for path in transfers]
