"""`priscian analyse adc`: BLiMP's criterion and the ADC on graded data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from priscian.cli.output import FLAT, print_json, rich_table
from priscian.cli.screen import out
from priscian.errors import UnknownNameError, UsageError, counted

if TYPE_CHECKING:
    from priscian.analysis.graded.adc import AdcAnalysis
    from priscian.datasets.graded import Formation, PairOverlap
    from priscian.metrics.adc import AdcRule


@dataclass(frozen=True, slots=True)
class Reading:
    """How the criterion is applied.

    Parameters
    ----------
    rule
        paper reproduces the published table; strict follows Equations 1 and 2 exactly.
    population
        z-scores over: sentences (all of them) or pairs (only sentences in pairs).
    ddof
        0 for the population's standard deviation (default), 1 for the sample's.
    sign
        positive (both differences above 0 or neither) or sign (equal signs, Equation 1).
    delta
        Values of δ, separated by commas.
    """

    rule: str = "paper"
    population: str | None = None
    ddof: int | None = None
    sign: str | None = None
    delta: str = "0.5,1,5"

    def deltas(self) -> list[float]:
        """The values of δ."""
        from priscian.metrics.adc import check_delta

        try:
            return [check_delta(float(part)) for part in self.delta.split(",")]
        except ValueError:
            raise UsageError(
                f"--delta {self.delta!r}: not numbers separated by commas, such as 0.5,1,5"
            ) from None

    def chosen(self) -> AdcRule:
        """The rule with its changes."""
        from priscian.metrics.adc import RULES

        if self.rule not in RULES:
            raise UnknownNameError("rule", self.rule, RULES)
        given: dict[str, Any] = {
            "population": self.population,
            "ddof": self.ddof,
            "sign": self.sign,
        }
        return replace(RULES[self.rule], **{k: v for k, v in given.items() if v is not None})


@dataclass(frozen=True, slots=True)
class AdcOutput:
    """What is shown and written.

    Parameters
    ----------
    form_pairs
        Compare the pairs that a rule forms with those of the data: overlap (ids and shared words),
        phenomenon, or a JSON file of type pairs.
    compare
        Two models, A,B: lists the pairs where one meets the ADC and the other does not.
    figures
        Folder for figures: correlations, scatter, ADC over δ.
    lists
        Folder for lists of pairs (CSV): people against experts, BLiMP but not ADC, A but not B.
    full
        With --json: also intervals, correlations with people, groups and the curve over δ.
    json
        Print JSON.
    """

    form_pairs: str | None = None
    compare: str | None = None
    figures: Path | None = None
    lists: Path | None = None
    full: bool = False
    json: bool = False


def adc_command(
    data: Path,
    /,
    *,
    scores: Annotated[list[Path] | None, Parameter(consume_multiple=False)] = None,
    cola: Path | None = None,
    reading: Annotated[Reading, FLAT] = Reading(),
    output: Annotated[AdcOutput, FLAT] = AdcOutput(),
) -> None:
    """BLiMP's criterion, the Acceptability Delta Criterion and correlations with people.

    A model meets the ADC on a pair if its difference of z-scores has the sign of people's
    difference and is less than δ away from it (Vázquez Martínez 2021).

    Examples:
      priscian analyse adc runs/li
      priscian analyse adc data/li_adger --scores mine.csv --delta 0.25,0.5,1 --figures pictures
      priscian analyse adc rated.csv --scores runs/a --rule strict --json

    Parameters
    ----------
    data
        A run on graded data, the folder of the LI-Adger release, or a graded set: a table of rated
        sentences, or a folder.
    scores
        Table of scores (id or sentence, and one column per model), or a run folder. Repeat for
        several.
    cola
        Folder of CoLA's release: shows the released classifiers, which were trained on it, also on
        the pairs without training sentences. Classifiers of a run are shown so in any case.
    """
    from priscian import analyse
    from priscian.analysis.graded.adc import (
        adc_json,
        formation_json,
        pair_lists,
        write_lists,
    )

    both: tuple[str, str] | None = None
    if output.compare is not None:
        named = [part.strip() for part in output.compare.split(",")]
        if len(named) != 2:
            raise UsageError(f"--compare takes two models, A,B; not {output.compare!r}")
        both = (named[0], named[1])
    rule, deltas = reading.chosen(), reading.deltas()
    found = analyse.adc(data, scores or (), deltas=deltas, rule=rule, cola=cola)
    formed = _form(found, output.form_pairs) if output.form_pairs else None
    chosen = pair_lists(found, min(deltas), both)
    if output.lists is not None:
        write_lists(found, chosen, output.lists)
    if output.figures is not None:
        found.write_figures(output.figures)
    if output.json:
        facts = adc_json(found, full=output.full)
        if formed:
            facts["pair_formation"] = formation_json(*formed)
        print_json(facts)
        return
    console = out()
    for table in found.tables():
        console.print(rich_table(table))
    for note in found.findings:
        print(note)
    if formed:
        _print_formation(*formed)
    print()
    for name, pairs in chosen.items():
        where = "" if "people" in name else f" (δ = {min(deltas)})"
        print(f"{name}: {counted(len(pairs), 'pair')}{where}")
    for folder in (output.figures, output.lists):
        if folder is not None:
            print(f"Written to {folder}")


def _form(found: AdcAnalysis, how: str) -> tuple[Formation, PairOverlap]:
    from priscian.datasets import graded as rules

    graded = found.graded
    if how == "overlap":
        formed = rules.pairs_by_overlap(graded.sentences)
    elif how == "phenomenon":
        formed = rules.pairs_by_phenomenon(graded.sentences)
    else:
        formed = rules.pairs_by_types(graded.sentences, rules.read_type_pairs(how))
    return formed, rules.compare_pairs(formed.pairs, graded.pairs)


def _print_formation(formed: Formation, agreement: PairOverlap) -> None:
    print(
        f"\nPairs by {formed.rule}: {agreement.found:,}; the data list {agreement.reference:,}; "
        f"recall {agreement.recall:.4f}, precision {agreement.precision:.4f}"
    )
    for what, ids in (("not in the data", agreement.extra), ("not found", agreement.missing)):
        shown = ", ".join(" / ".join(pair) for pair in ids[:8])
        more = f" and {len(ids) - 8} more" if len(ids) > 8 else ""
        print(f"  {len(ids)} {what}" + (f": {shown}{more}" if ids else ""))
    for reason, count in Counter(formed.left_out.values()).items():
        print(f"  {counted(count, 'sentence')} left out: {reason}")
