"""Assemble the page: boards, items, figures and provenance in one self-contained file."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from priscian import __version__
from priscian.analysis.charts import FIELDS, PEOPLE_INK, PUBLISHED_INKS
from priscian.analysis.compare.matching import match
from priscian.analysis.graded.adc import AdcAnalysis
from priscian.analysis.intervals import overall_interval
from priscian.analysis.vega import PALETTE, Figure, HasFigures
from priscian.errors import PriscianError
from priscian.files import hide_paths
from priscian.reporting.boards import Board, class_label, heat_figure, make_boards
from priscian.reporting.items import gather, people_of
from priscian.reporting.pack import (
    compress,
    index_words,
    pack_answers,
    pack_json,
    pack_texts,
    pack_tokens,
)
from priscian.reporting.provenance import about_adc, describe_run, limits, run_name
from priscian.reporting.sections import DrawnSection, ReportData, figures_of, make_sections
from priscian.reporting.standings import MOST_CARDS, RULE, headlines, standings
from priscian.reporting.suites import about_suites, lay_out, pack_bits, pack_layout
from priscian.runs import Run

SCRIPTS = ("unpack", "address", "bits", "grid", "boards", "pairs", "suites", "suite_view", "links",
           "filters", "browse", "picker", "picked", "marks", "figures", "print", "standings",
           "page")  # fmt: skip
"""The page's scripts in `page/`, in their order."""


@dataclass(frozen=True, slots=True, repr=False)
class Page(HasFigures):
    """The page, and what it was made of."""

    html: str
    boards: tuple[Board, ...]
    sections: tuple[DrawnSection, ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The heat maps, and all figures in the order of the page."""
        return (*map(heat_figure, self.boards), *figures_of(self.sections))

    def __repr__(self) -> str:
        return f"<Page of {len(self.html.encode()) / 1e6:.1f} MB, {len(self.figures)} figures>"


def build_page(
    runs: Sequence[Run],
    *,
    title: str = "",
    command: str = "",
    created: str = "",
    given: ReportData | None = None,
) -> Page:
    """One self-contained HTML file about some runs."""
    boards = make_boards([result for run in runs for result in run.results])
    given = given or ReportData()
    sections = make_sections(boards, given)
    blobs: dict[str, str] = {}
    about = [_board_data(board, blobs, given.graded) for board in boards]
    charts = {f.name: {"chart": f.chart, "csv": f.csv()} for f in figures_of(sections)}
    blobs["charts"] = pack_json(charts)
    vega = _vega()
    lines = headlines(boards)
    blobs["vega"] = compress(vega.encode())
    parts = "\n".join(_file(f"{name}.js") for name in SCRIPTS)
    script = f'(() => {{\n"use strict";\n{parts}\n}})();'
    data = {
        "boards": about,
        "names": {line.model: line.label for line in lines},
        # the colours that charts have, so that the page can show its own in their place
        "palette": list(PALETTE),
        "inks": {"people": PEOPLE_INK, "published": list(PUBLISHED_INKS)},
        "fields": list(FIELDS),
    }
    html = _template().render(
        title=title or _title(boards),
        created=created,
        command=hide_paths(command),
        version=__version__,
        policy=_policy(script, vega),
        css=_file("page.css"),
        script=script,
        data=_inert(data),
        blobs=blobs,
        boards=boards,
        shared={b.id: _sharing(b) for b in boards},
        headlines=lines,
        standings=standings(boards, lines),
        most_cards=MOST_CARDS,
        many=len(PALETTE),
        wider=_wider(boards),
        rule=RULE,
        limits=limits(runs),
        adc=hide_paths(
            about_adc([r for board in boards for r in board.results], given.graded_problems)
        ),
        sections=sections,
        runs=[describe_run(run) for run in runs],
        unfinished=[run for run in runs if not run.finished],
        words=class_label,
        hide=hide_paths,
        run_name=run_name,
    )
    return Page(html, tuple(boards), tuple(sections))


def _title(boards: Sequence[Board]) -> str:
    models = list(dict.fromkeys(e.model for b in boards for e in b.results))
    if len(models) == 1:
        return f"What {models[0]} knows about grammar"
    if len(models) > 3:
        return f"What {len(models)} models know about grammar"
    return f"What {', '.join(models[:-1])} and {models[-1]} know about grammar"


# ---------------------------------------------------------------- data


def _board_data(
    board: Board, blobs: dict[str, str], graded: Mapping[str, AdcAnalysis]
) -> dict[str, Any]:
    """The data of a board that the page loads at once; the items go into blobs."""
    first = board.results[0]
    sets = [name for own in board.classes.values() for name in own]
    labels = {name: class_label(name) for name in (*board.classes, *board.groups)}
    # a suite keeps its name; the names of other sets become words
    labels |= {name: name if board.kind == "suites" else class_label(name) for name in sets}
    data: dict[str, Any] = {
        "id": board.id,
        "kind": board.kind,
        "name": board.name,
        "data": list(dict.fromkeys(result.data for result in board.results)),
        "title": board.heading,
        "level": board.level,
        "unit": board.unit,
        "classes": {name: list(own) for name, own in board.classes.items()},
        "groups": board.groups,
        "labels": labels,
        "rows": [
            {
                "label": row.label,
                "published": row.published,
                "people": row.people,
                "sets": {name: cell.as_list() for name, cell in row.sets.items()},
            }
            for row in board.rows
        ],
        "models": [result.label for result in board.results],
        "measure": first.summary.measure,
    }
    if board.kind == "suites":
        rows = reversed(board.models)
        data["chances"] = {name: cell.chance for row in rows for name, cell in row.sets.items()}
        data["predictions"] = getattr(first.summary, "predictions", "")
        layout = lay_out(board.results)
        blobs[f"{board.id}-texts"] = pack_layout(layout)
        blobs[f"{board.id}-about"] = pack_json(about_suites(board.results, layout.head))
        for number, result in enumerate(board.results):
            blobs[f"{board.id}-bits-{number}"] = pack_bits(layout, result)
        return data
    items = gather(board.results)
    index = index_words(items.texts)
    blobs[f"{board.id}-texts"] = pack_texts(items, index)
    data["sets"] = [list(s) for s in items.sets]
    people = people_of(items, board.results, graded)
    if people is not None:
        blobs[f"{board.id}-people"] = pack_json(people)
        data["people"] = True
    data["tokens"] = []
    blobs[f"{board.id}-answers"] = pack_answers(items.answers)
    for number, (result, answers) in enumerate(zip(board.results, items.answers, strict=True)):
        table = result.tokens(items.texts)
        data["tokens"].append(table is not None)
        if table is not None:
            summed = answers.state if result.summary.measure == "surprisal" else None
            blobs[f"{board.id}-tokens-{number}"] = pack_tokens(items, index, table, summed)
    return data


def _sharing(board: Board) -> list[str]:
    """Which items each marked row shares with the first."""
    first = board.results[0]
    found = []
    for result, row in zip(board.results, board.models, strict=True):
        if not row.marked:
            continue
        try:
            overlap = match(first, result).overlap
            found.append(f"{result.label} and {first.label} share {overlap.words}")
        except PriscianError:
            found.append(f"{result.label} and {first.label} share no items: different sentences")
    return found


def _wider(boards: Sequence[Board]) -> dict[tuple[str, str, str], tuple[float, float]]:
    """Intervals of overall scores that cover other paradigms too, by model, board and data."""
    found = {}
    for board in boards:
        for result in board.results:
            if board.kind != "pairs":
                continue
            method = next(iter(result.methods))
            if len(result.summary.by_set(method)) < 2:
                continue
            ci = overall_interval(result, method, "both").ci
            found[result.model, board.name, result.data] = ci
    return found


# ---------------------------------------------------------------- the file


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    return environment.from_string(_file("page.html.j2"))


def _file(name: str) -> str:
    return (resources.files("priscian.reporting") / "page" / name).read_text("utf-8")


@cache
def _vega() -> str:
    """Vega, Vega-Lite and Vega-Embed, from the library that draws the image files."""
    import vl_convert

    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def _policy(*scripts: str) -> str:
    """A content security policy: our own scripts by their hashes, nothing from the network."""
    hashes = (base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts)
    allowed = " ".join(f"'sha256-{h}'" for h in hashes)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _inert(data: object) -> str:
    """JSON that cannot close the HTML element that contains it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
