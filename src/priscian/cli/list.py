"""`priscian list`: available paradigms, suites, models, data formats and measures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from rich.table import Table

from priscian.cli.edge import as_flags
from priscian.cli.screen import out
from priscian.datasets import data_formats
from priscian.datasets.coverage import coverage, covered_line, outside
from priscian.datasets.reference import published_suites
from priscian.formulas import chance_of, formula_words, parse_formula
from priscian.metrics import MEASURES, UNIGRAM_MEASURES
from priscian.models import PRESETS, provider_names
from priscian.models.registry import broken_providers, describe
from priscian.paradigms import paradigms
from priscian.suites import suites

if TYPE_CHECKING:
    from priscian.datasets.reference import PublishedSuite
    from priscian.suites import Suite


def list_command(
    what: Literal[
        "paradigms", "suites", "models", "datasets", "measures", "coverage"
    ] = "paradigms",
    *,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """List the paradigms, suites, kinds of models, data formats, measures or topics covered.

    Parameters
    ----------
    what
        paradigms, suites, models, datasets, measures, or coverage: the topics of a syntax
        textbook and how many paradigms, suites and textbook phenomena test each.
    json_
        Print JSON.
    """
    if what == "coverage":
        _show_coverage(json_)
        return
    rows = {
        "paradigms": _paradigms,
        "suites": _suites,
        "models": _models,
        "datasets": _datasets,
        "measures": _measures,
    }[what]()
    if json_:
        print(json.dumps(rows, ensure_ascii=False))
        return
    # a formula is said in words on the screen; JSON has both
    _print_table(what, [{k: v for k, v in row.items() if k != "formula"} for row in rows])


def _print_table(title: str, rows: list[dict[str, str]]) -> None:
    made = Table(title=title, title_justify="left", title_style="bold")
    for column in rows[0]:
        made.add_column(column)
    for row in rows:
        made.add_row(*row.values())
    out().print(made)


def _show_coverage(json_: bool) -> None:
    found = coverage()
    if json_:
        rows = [
            {
                "chapter": c.topic.chapter,
                "topic": c.topic.name,
                "hu2020": c.topic.hu2020,
                "paradigms": c.paradigms,
                "suites": c.suites,
                "textbook": c.textbook,
            }
            for c in found
        ]
        left = {kind: outside(kind) for kind in ("paradigm", "suite", "textbook")}
        print(json.dumps({"topics": rows, "outside": left}, ensure_ascii=False))
        return
    shown = [
        {
            "chapter": f"{c.topic.chapter} {c.topic.title}",
            "topic": c.topic.name,
            "Hu et al.": "yes" if c.topic.hu2020 else "",
            "paradigms": str(len(c.paradigms) or ""),
            "suites": str(len(c.suites) or ""),
            "textbook": str(len(c.textbook) or ""),
        }
        for c in found
    ]
    _print_table("topics of Carnie (2012), as Hu et al. (2020, Table 5) list them", shown)
    print(f"{covered_line()}\nNames: priscian list coverage --json, or docs/coverage.md")


def _paradigms() -> list[dict[str, str]]:
    return [
        {
            "paradigm": p.uid + (" (extra)" if p.extra else ""),
            "phenomenon": p.phenomenon,
            "field": p.field,
            "prefix": p.prefix or "",
            "edit": p.edit.kind,
            "example": f"{p.good_example} / *{p.bad_example}",
        }
        for p in sorted(paradigms().values(), key=lambda p: (p.phenomenon, p.uid))
    ]


def _suites() -> list[dict[str, str]]:
    ours, known = suites(), published_suites()
    rows = []
    for name in sorted({*ours, *known}, key=lambda n: (_circuit(n, ours, known), n)):
        formula = known[name].formulas[0] if name in known else ours[name].predictions[0]
        regions = ours[name].regions if name in ours else ()
        rows.append(
            {
                "suite": name,
                "circuit": _circuit(name, ours, known),
                "ours": "no" if name not in ours else "further" if ours[name].further else "yes",
                "published": _selections(name, known),
                "chance": f"{chance_of(parse_formula(formula)):.3f}",
                "prediction": formula_words(parse_formula(formula), regions),
                "formula": formula,
            }
        )
    return rows


def _circuit(name: str, ours: Mapping[str, Suite], known: Mapping[str, PublishedSuite]) -> str:
    return known[name].circuit if name in known else ours[name].circuit


def _selections(name: str, known: Mapping[str, PublishedSuite]) -> str:
    suite = known.get(name)
    if suite is None:
        return "no"
    return "31, 33, 34" if suite.in_31 else "33, 34" if suite.in_33 else "34"


def _models() -> list[dict[str, str]]:
    broken = broken_providers()
    rows = [
        {"model": f"{name}:…", "what": what, "example": example}
        for name in provider_names()
        if name not in broken
        for what, example in [describe(name)]
    ]
    for name in PRESETS:
        what, example = describe(name)
        rows.append({"model": name, "what": what, "example": example})
    return rows


def _datasets() -> list[dict[str, str]]:
    forms = data_formats().values()
    return [{"data": f"{f.name}:…", "what": as_flags(f.summary)} for f in forms]


def _measures() -> list[dict[str, str]]:
    known: dict[str, object] = {**MEASURES, **UNIGRAM_MEASURES}
    return [
        {"measure": name, "what": (measure.__doc__ or "").splitlines()[0]}
        for name, measure in known.items()
    ]
