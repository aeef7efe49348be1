"""`priscian analyse human`: how well people agree with the labels of pairs."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from priscian.cli.output import FLAT, Output, show
from priscian.errors import counted

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.people.agreement import HumanAgreement


def human_command(
    file: Path,
    /,
    *,
    rule: str = "4/5",
    keep_failed: bool = False,
    paradigms: bool = False,
    raters: Literal["people", "models", "all"] = "people",
    output: Annotated[Output, FLAT] = Output(),  # noqa: B008
) -> None:
    """People's forced choices: individual and majority agreement with the labels.

    FILE is the MTurk export that BLiMP's authors released, or a table with one row per choice:
    set, item, rater, response (good or bad), and optionally attention_check, phenomenon and
    kind (person or model), as priscian judge export writes it.

    Examples:
      priscian analyse human blimp/human_responses.csv
      priscian analyse human judgements.csv --rule none --json

    Parameters
    ----------
    file
        CSV or TSV of forced choices.
    rule
        Sets that count: at least K of N pairs with a majority for the label, e.g. 4/5; none: all.
    keep_failed
        Include people who failed an attention check.
    paradigms
        Print every paradigm, not only phenomena.
    raters
        Whose answers count: people, models (rows with kind model) or all.
    """
    from priscian import analyse

    found = analyse.human(file, rule=rule, keep_failed=keep_failed, raters=raters)
    show(found, found.as_dict(), output, [_table(found, paradigms)], list(_notes(found)))


def _notes(found: HumanAgreement) -> Iterator[str]:
    low, high = found.ci
    yield (
        f"individual {100 * found.individual:.2f} % ({100 * low:.2f}–{100 * high:.2f}): mean of "
        f"pairs, then of sets; 95 % bootstrap over pairs within sets, {found.draws:,} draws"
    )
    low, high = found.shares.majority_ci
    ties = sum(s.ties for s in found.included)
    yield (
        f"majority   {100 * found.majority:.2f} % ({100 * low:.2f}–{100 * high:.2f}): "
        f"{found.majority_pairs} of {found.pairs} pairs, {ties} ties against; 95 % by Wilson"
    )
    judgements = sum(s.judgements for s in found.included)
    people = counted(found.raters, "person").replace("persons", "people")
    yield f"{counted(judgements, 'judgement')} of {people} in {counted(len(found.included), 'set')}"
    if found.exclusion:
        yield found.exclusion
    checks = found.attention
    yield (
        f"attention checks: {checks.passed:,} of {checks.checks:,} passed; {len(checks.failed)} "
        f"people failed, {checks.dropped:,} of their judgements left out"
        if checks.checks
        else "no attention checks in the file"
    )
    between = found.between
    if not isnan(between.raw):
        yield (
            f"people with each other: two agree in {100 * between.raw:.1f} %, Fleiss’ κ "
            f"{between.fleiss_kappa:.3f}, Krippendorff’s α {between.krippendorff_alpha:.3f}. "
            f"{between.note}"
        )
    for reason, count in found.left_out.items():
        if count:
            yield f"{reason}: {count:,}, left out"


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
