"""`priscian show`: minimal pairs in the terminal, with the difference marked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from priscian.cli.screen import out
from priscian.datasets.generation import generate_rows, generate_set
from priscian.errors import UsageError
from priscian.paradigms import find, load_paradigms
from priscian.paradigms import paradigms as known_paradigms
from priscian.suites import suites

if TYPE_CHECKING:
    from rich.text import Text as Rich

    from priscian.records import Sentence


@dataclass(frozen=True, slots=True)
class SuiteView:
    """What to show of a suite.

    Parameters
    ----------
    suites
        A Python file with suites of your own; show them as sg/NAME.
    item
        The number of an item of a suite.
    run
        A run folder with results on the suite.
    plot
        With --run: draw the means by region and condition, as .svg, .png or .pdf.
    """

    suites: Path | None = None
    item: int | None = None
    run: Path | None = None
    plot: Path | None = None


PLAIN = SuiteView()


def show_command(
    uid: str,
    *,
    n: Annotated[int, Parameter(name=("-n", "--n"))] = 5,
    seed: int | None = None,
    paradigms: Path | None = None,
    suite: Annotated[SuiteView, Parameter(name="*")] = PLAIN,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Print some pairs of a paradigm, or items of a suite with their regions.

    A suite is sg/NAME, one of ours, or a file of SyntaxGym's. With --run, every region's surprisal
    in that run is shown below it, or, without --item, the mean over items.

    Examples:
      priscian show adjunct_island
      priscian show principle_A_domain_3 -n 20 --seed 7
      priscian show sg/npz_ambig --item 3 --run runs/first
      priscian show sg/npz_ambig --run runs/first --plot npz.svg

    Parameters
    ----------
    uid
        A paradigm, a suite (with or without sg/), or the path of one; priscian list has all names.
    n
        How many pairs or items.
    seed
        Another seed gives other pairs; the default is 0 for paradigms and 1 for suites.
    paradigms
        A Python file with paradigms of your own.
    suite
        What to show of a suite.
    json_
        Rows in BLiMP's schema, as JSON lines.
    """
    if n < 1:
        raise UsageError("-n takes a whole number from 1")
    is_suite = uid.startswith("sg/") or Path(uid).suffix == ".json"
    if not is_suite and not paradigms:  # a name as `priscian list suites` prints it
        is_suite = uid not in known_paradigms() and uid in suites()
    if is_suite:
        from priscian.cli.show_suite import show_suite

        show_suite(uid, suite, n=n, seed=seed, json_=json_)
    elif suite != PLAIN:
        raise UsageError(
            f"--suites, --item, --run and --plot need a suite, such as sg/npz_ambig; not {uid!r}"
        )
    else:
        _show_pairs(uid, paradigms, n=n, seed=seed or 0, json_=json_)


def _show_pairs(uid: str, file: Path | None, *, n: int, seed: int, json_: bool) -> None:
    from rich.text import Text as Rich

    if file is not None:
        load_paradigms(file)
    paradigm = find(uid)
    if json_:
        for row in generate_rows(paradigm, n, seed):
            print(json.dumps(row, ensure_ascii=False))
        return
    console = out()
    console.print(
        Rich(f"{paradigm.uid}", style="bold"), f"({paradigm.phenomenon}, {paradigm.field})"
    )
    console.print(Rich(f"edit: {paradigm.edit.kind}", style="dim"))
    for pair in generate_set(paradigm, n, seed).items:
        console.print(marked(pair["good"], "  ", "green"))
        console.print(marked(pair["bad"], " *", "red"))


def marked(sentence: Sentence, lead: str, colour: str) -> Rich:
    """A sentence with its contrast in colour, and underlined for readers without colour."""
    from rich.text import Text as Rich

    text = Rich(lead + sentence.text)
    span = sentence.span("contrast")
    text.stylize(f"{colour} underline", span.start + len(lead), span.end + len(lead))
    return text
