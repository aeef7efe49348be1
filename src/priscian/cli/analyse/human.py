"""`priscian analyse human`: how well people agree with the labels of pairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.people.agreement import HumanAgreement


def human_command(
    file: Path,
    *,
    rule: str = "4/5",
    keep_failed: Annotated[bool, Parameter(negative="")] = False,
    paradigms: Annotated[bool, Parameter(negative="")] = False,
    figures: Path | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """People's forced choices: individual and majority agreement with the labels.

    FILE is the MTurk export that BLiMP's authors released, or a table with a row for each choice:
    set, item, rater, response (good or bad), and if wanted attention_check and phenomenon.

    Examples:
      priscian analyse human blimp/human_responses.csv
      priscian analyse human judgements.csv --rule none --json

    Parameters
    ----------
    file
        CSV or TSV of forced choices.
    rule
        Sets that count: at least K pairs, and K of N, with a majority for the label; none for all.
    keep_failed
        Count people who failed an attention check as well.
    paradigms
        Print every paradigm, not only phenomena.
    figures
        Folder for the picture, as SVG, PNG and PDF, with its data.
    json_
        Print JSON.
    """
    from priscian.analysis.people.agreement import human_agreement
    from priscian.datasets.choices import read_choices

    found = human_agreement(read_choices(file), rule=rule, keep_failed=keep_failed)
    if figures is not None:
        from priscian.analysis.people.agreement_figure import human_figure
        from priscian.analysis.vega import write_figures

        write_figures([human_figure(found)], figures)
    if json_:
        print(json.dumps(found.as_dict(), ensure_ascii=False))
        return
    _print(found, paradigms)
    if figures is not None:
        print(f"Written to {figures}")


def _print(found: HumanAgreement, paradigms: bool) -> None:
    from priscian.cli.screen import out
    from priscian.stats.proportions import wilson

    out().print(_table(found, paradigms))
    low, high = found.ci
    print(
        f"individual {100 * found.individual:.2f} % ({100 * low:.2f}–{100 * high:.2f}): mean of "
        f"pairs, then of sets; 95 % bootstrap over pairs within sets, {found.draws:,} draws"
    )
    low, high = wilson(found.majority, found.pairs)
    ties = sum(s.ties for s in found.included)
    print(
        f"majority   {100 * found.majority:.2f} % ({100 * low:.2f}–{100 * high:.2f}): "
        f"{found.majority_pairs} of {found.pairs} pairs, {ties} ties against; 95 % by Wilson"
    )
    judgements = sum(s.judgements for s in found.included)
    print(f"{judgements:,} judgements of {found.raters:,} people in {len(found.included)} sets")
    dropped = [f"{s.name} ({s.agreed} of {len(s.means)})" for s in found.sets if not s.included]
    if dropped:
        print(f"not counted by the rule {found.rule.name}: {', '.join(dropped)}")
    checks = found.attention
    print(
        f"attention checks: {checks.passed:,} of {checks.checks:,} passed; {len(checks.failed)} "
        f"people failed, {checks.dropped:,} of their judgements left out"
        if checks.checks
        else "no attention checks in the file"
    )
    for reason, count in found.left_out.items():
        if count:
            print(f"{reason}: {count:,}, left out")


def _table(found: HumanAgreement, paradigms: bool) -> Table:
    from rich.table import Table

    made = Table(title="Agreement of people with the labels, %", title_justify="left")
    made.add_column("paradigm" if paradigms else "phenomenon")
    for name in ("sets", "pairs", "individual", "majority"):
        made.add_column(name, justify="right")
    groups = {s.name: (s,) for s in found.included} if paradigms else found.phenomena()
    groups = groups or {s.name: (s,) for s in found.included}
    for name, sets in groups.items():
        pairs = sum(len(s.means) for s in sets)
        made.add_row(
            name,
            str(len(sets)),
            str(pairs),
            f"{100 * sum(s.individual for s in sets) / len(sets):.1f}",
            f"{100 * sum(s.agreed for s in sets) / pairs:.1f}",
        )
    made.add_section()
    made.add_row(
        "overall",
        str(len(found.included)),
        str(found.pairs),
        f"{100 * found.individual:.1f}",
        f"{100 * found.majority:.1f}",
        style="bold",
    )
    return made
