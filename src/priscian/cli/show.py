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
    seed: int = 0,
    paradigms: Path | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Print some pairs of a paradigm, the good sentence above the bad one.

    Examples:
      priscian show adjunct_island
      priscian show principle_A_domain_3 -n 20 --seed 7

    Parameters
    ----------
    uid
        A paradigm; priscian list paradigms shows them all.
    n
        How many pairs.
    seed
        Another seed, other pairs.
    paradigms
        A Python file with paradigms of your own.
    json_
        Rows in BLiMP's schema, as JSON lines.
    """
    from rich.text import Text as Rich

    from priscian.cli.screen import out
    from priscian.paradigms import find, generate_items, generate_rows, load_paradigms

    if n < 1:
        raise UsageError("-n takes a whole number from 1")
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
    for item in generate_items(paradigm, n, seed):
        console.print(marked(item["good"], "  ", "green"))
        console.print(marked(item["bad"], " *", "red"))


def marked(sentence: Sentence, lead: str, colour: str) -> Rich:
    """A sentence with its contrast in colour; underlined too, for those who see no colour."""
    from rich.text import Text as Rich

    text = Rich(lead + sentence.text)
    span = sentence.span("contrast")
    text.stylize(f"{colour} underline", span.start + len(lead), span.end + len(lead))
    return text
