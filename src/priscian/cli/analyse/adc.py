"""`priscian analyse adc`: BLiMP's criterion and the ADC on graded data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from priscian.errors import DataError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.graded.adc import AdcAnalysis
    from priscian.datasets.graded import GradedSet, SentenceScores
    from priscian.datasets.type_pairs import Agreement, Formation
    from priscian.metrics.adc import AdcRule


def adc_command(
    data: Path,
    *,
    scores: Annotated[list[Path] | None, Parameter(negative="", consume_multiple=False)] = None,
    rule: str = "paper",
    population: str | None = None,
    ddof: int | None = None,
    sign: str | None = None,
    delta: str = "0.5,1,5",
    form_pairs: str | None = None,
    compare: str | None = None,
    figures: Path | None = None,
    lists: Path | None = None,
    full: Annotated[bool, Parameter(negative="")] = False,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """BLiMP's criterion, the Acceptability Delta Criterion and correlations with people.

    A model meets the ADC on a pair if its difference of z-scores has the sign of people's
    difference and is less than δ away from it (Vázquez Martínez 2021).

    Examples:
      priscian analyse adc data/li_adger
      priscian analyse adc data/li_adger --scores mine.csv --delta 0.25,0.5,1 --figures pictures
      priscian analyse adc rated.csv --scores runs/a --rule strict --json

    Parameters
    ----------
    data
        Folder of the LI-Adger release, or a graded set: a table of rated sentences, or a folder.
    scores
        Table of scores (id or sentence, and a column a model), or a run folder. Repeat for several.
    rule
        paper reproduces the published table; strict is Equations 1 and 2 to the letter.
    population
        z-scores over: sentences (all of them) or pairs (only sentences in pairs).
    ddof
        0 for the population's standard deviation (default), 1 for the sample's.
    sign
        positive (both differences above 0 or both not) or sign (equal signs, Equation 1).
    delta
        Values of δ, joined by commas.
    form_pairs
        Report how a rule forms pairs beside those of the data: overlap (ids and shared words),
        phenomenon, or a JSON file of type pairs.
    compare
        Two models, A,B: lists the pairs where one meets the ADC and the other does not.
    figures
        Folder for pictures (SVG and PNG): correlations, scatter, ADC over δ.
    lists
        Folder for lists of pairs (CSV): people against experts, BLiMP but not ADC, A but not B.
    full
        With --json: also intervals, correlations with people, groups and the curve over δ.
    json_
        Print JSON.
    """
    from priscian.analysis.graded.adc import analyse_adc
    from priscian.analysis.graded.adc_tables import adc_json, formation_json, pair_lists, write_list
    from priscian.files import file_names

    deltas = _deltas(delta)
    reading = _rule(rule, population, ddof, sign)
    both = _two(compare)
    graded, known = _read(data)
    for path in scores or ():
        known += _scores(path, graded)
    formed = _form(graded, form_pairs) if form_pairs else None
    analysis = analyse_adc(graded, known, deltas=deltas, rule=reading)
    chosen = pair_lists(analysis, min(deltas), both)
    if lists is not None:
        files = file_names(chosen)
        for name, pairs in chosen.items():
            write_list(analysis, pairs, lists / f"{files[name]}.csv")
    if figures is not None:
        from priscian.analysis.graded.adc_figures import write_figures

        write_figures(analysis, figures)
    if json_:
        found = adc_json(analysis, full=full)
        if formed:
            found["pair_formation"] = formation_json(*formed)
        print(json.dumps(found, ensure_ascii=False))
        return
    _print(analysis)
    if formed:
        _print_formation(*formed)
    print()
    for name, pairs in chosen.items():
        print(f"{name}: {len(pairs)} pairs" + ("" if "people" in name else f" (δ = {min(deltas)})"))
    for folder in (figures, lists):
        if folder is not None:
            print(f"Written to {folder}")


def _deltas(text: str) -> list[float]:
    from priscian.metrics.adc import check_delta

    try:
        return [check_delta(float(part)) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--delta {text!r}: not numbers joined by commas, as 0.5,1,5") from None


def _rule(name: str, population: str | None, ddof: int | None, sign: str | None) -> AdcRule:
    from dataclasses import replace
    from typing import Any

    from priscian.metrics.adc import RULES

    if name not in RULES:
        raise UnknownNameError("rule", name, RULES)
    given: dict[str, Any] = {"population": population, "ddof": ddof, "sign": sign}
    return replace(RULES[name], **{k: v for k, v in given.items() if v is not None})


def _two(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2:
        raise UsageError(f"--compare takes two models, A,B; not {text!r}")
    return (parts[0], parts[1])


def _read(data: Path) -> tuple[GradedSet, list[SentenceScores]]:
    from priscian.datasets.graded_read import read_graded
    from priscian.datasets.li_adger import SENTENCES, read_li_adger

    if data.is_dir() and any(
        (data / f"sentences{s}").is_file() for s in (".csv", ".tsv", ".jsonl")
    ):
        return read_graded(data), []
    if data.is_dir():
        found = read_li_adger(data)
        return found.graded, list(found.scores)
    if not data.exists():
        raise DataError(f"no file or folder {str(data)!r}; give a folder with {SENTENCES}")
    return read_graded(data), []


def _scores(path: Path, graded: GradedSet) -> list[SentenceScores]:
    from priscian.datasets.graded_scores import match_scores, read_scores

    files = sorted(path.glob("**/scores.csv")) if path.is_dir() else [path]
    if not files:
        raise DataError(f"{path}: no scores.csv in it; give a run on graded data, or a table")
    return [match_scores(found, graded) for file in files for found in read_scores(file)]


def _form(graded: GradedSet, how: str) -> tuple[Formation, Agreement]:
    from priscian.datasets import type_pairs as rules

    if how == "overlap":
        formed = rules.pairs_by_overlap(graded.sentences)
    elif how == "phenomenon":
        formed = rules.pairs_by_phenomenon(graded.sentences)
    else:
        formed = rules.pairs_by_types(graded.sentences, rules.read_type_pairs(how))
    return formed, rules.compare_pairs(formed.pairs, graded.pairs)


def _print(analysis: AdcAnalysis) -> None:
    from priscian.cli.screen import out

    console = out()
    console.print(_table1(analysis))
    if any(m.released for m in analysis.models):
        print("† z-scores as released: the scores of all sentences, which they rest on, are not")
    console.print(_matrix(analysis))


def _table1(analysis: AdcAnalysis) -> Table:
    from rich.table import Table

    title = f"{analysis.graded.name}: {len(analysis.graded.pairs):,} pairs"
    made = Table(title=title, title_justify="left", title_style="bold")
    made.add_column("Model")
    made.add_column("BLiMP", justify="right")
    for delta in analysis.deltas:
        made.add_column(f"ADC, δ = {delta}", justify="right")
    made.add_column("r, differences", justify="right")
    made.add_column("r, sentences", justify="right")
    for model in analysis.models:
        people = analysis.with_people(model)
        made.add_row(
            model.name + (" †" if model.released else ""),
            f"{model.blimp.accuracy:.3f}",
            *(f"{a.accuracy:.3f}" for a in model.adc.values()),
            *(
                f"{p.r:.2f}  {p.ci[0]:.2f}–{p.ci[1]:.2f}"
                for p in (people["deltas"]["pearson"], people["sentences"]["pearson"])
            ),
        )
    return made


def _matrix(analysis: AdcAnalysis) -> Table:
    from rich.table import Table

    matrix = analysis.matrix()
    made = Table(title="Pearson's r on differences", title_justify="left", title_style="bold")
    made.add_column("")
    for number in range(1, len(matrix) + 1):
        made.add_column(str(number), justify="right")
    for number, (name, row) in enumerate(matrix.items(), start=1):
        made.add_row(f"{number} {name}", *(f"{r:.2f}" for r in row.values()))
    return made


def _print_formation(formed: Formation, agreement: Agreement) -> None:
    from collections import Counter

    print(
        f"\nPairs by {formed.rule}: {agreement.found:,}; the data list {agreement.reference:,}; "
        f"recall {agreement.recall:.4f}, precision {agreement.precision:.4f}"
    )
    for what, ids in (("not in the data", agreement.extra), ("not found", agreement.missing)):
        shown = ", ".join(" / ".join(pair) for pair in ids[:8])
        more = f" and {len(ids) - 8} more" if len(ids) > 8 else ""
        print(f"  {len(ids)} {what}" + (f": {shown}{more}" if ids else ""))
    for reason, count in Counter(formed.left_out.values()).items():
        print(f"  {count} sentences left out: {reason}")
