"""`priscian show`: look at minimal pairs in the terminal, the difference marked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from priscian.errors import UsageError

if TYPE_CHECKING:
    from rich.text import Text as Rich

    from priscian.records import Sentence


def show_command(
    uid: str,
    *,
    n: Annotated[int, Parameter(name=("-n", "--n"))] = 5,
    seed: int | None = None,
    paradigms: Path | None = None,
    suites: Path | None = None,
    item: int | None = None,
    run: Path | None = None,
    plot: Path | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Print some pairs of a paradigm, or items of a suite with their regions.

    A suite is sg/NAME, one of ours, or a file of SyntaxGym's. With --run, every region's surprisal
    in that run stands below it, or, without --item, the mean over items.

    Examples:
      priscian show adjunct_island
      priscian show principle_A_domain_3 -n 20 --seed 7
      priscian show sg/npz_ambig --item 3 --run runs/first
      priscian show sg/npz_ambig --run runs/first --plot npz.svg

    Parameters
    ----------
    uid
        A paradigm, sg/SUITE, or the path of a suite; priscian list shows them all.
    n
        How many pairs or items.
    seed
        Another seed, other pairs; 1 is the default for our suites.
    paradigms
        A Python file with paradigms of your own.
    suites
        A Python file with suites of your own; show them as sg/NAME.
    item
        The number of an item of a suite.
    run
        A run folder with results on the suite.
    plot
        With --run: draw the means by region and condition, as .svg, .png or .pdf.
    json_
        Rows in BLiMP's schema, as JSON lines.
    """
    from rich.text import Text as Rich

    from priscian.cli.screen import out
    from priscian.datasets.generated_pairs import generate_rows, generate_set
    from priscian.paradigms import find, load_paradigms

    if n < 1:
        raise UsageError("-n takes a whole number from 1")
    if uid.startswith("sg/") or Path(uid).suffix == ".json":
        from priscian.cli.show_suite import show_suite
        from priscian.suites import load_suites

        if suites is not None:
            load_suites(suites)
        show_suite(uid, item=item, n=n, seed=seed, run=run, plot=plot, json_=json_)
        return
    if item is not None or run is not None or plot is not None:
        raise UsageError(f"--item, --run and --plot go with a suite, as sg/npz_ambig; not {uid!r}")
    seed = seed or 0
    if paradigms is not None:
        load_paradigms(paradigms)
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
    """A sentence with its contrast in colour; underlined too, for those who see no colour."""
    from rich.text import Text as Rich

    text = Rich(lead + sentence.text)
    span = sentence.span("contrast")
    text.stylize(f"{colour} underline", span.start + len(lead), span.end + len(lead))
    return text
