"""`priscian analyse trees`: the trees that an ON-LSTM has found, against real ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def trees_command(
    model: str,
    /,
    *,
    on: Path,
    layer: int = 2,
    limit: int | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Trees that an ON-LSTM has found by itself, against those of a treebank.

    A layer's distance of a word is how much of the memory it forgets; sentences are split where
    the distance is largest. Unlabelled F1 is a mean over sentences of two words or more, without
    punctuation and without spans of one word or of the whole sentence. Baselines are printed too.
    This way of splitting favours right branching, so compare with random distances.

    Examples:
      priscian analyse trees my-onlstm --on gum.txt.xz
      priscian analyse trees my-onlstm --on gum.txt.xz --layer 3 --json

    Parameters
    ----------
    model
        An ON-LSTM of priscian train on-lstm.
    on
        Trees in the brackets of the Penn Treebank; plain, .gz or .xz.
    layer
        Whose distances to use, counted from 1.
    limit
        Only the first trees of the file.
    json
        Print JSON.
    """
    from priscian import analyse
    from priscian.cli.output import grid, print_json
    from priscian.cli.screen import out

    found = analyse.trees(model, on, layer=layer, limit=limit)
    if json:
        print_json(found.as_dict())
        return
    made = grid(f"Unlabelled F1 on {found.sentences:,} sentences of {on.name}", ["trees", "F1"])
    for name, value in (
        (f"{found.model}, layer {found.layer}", found.f1),
        ("right-branching", found.right_branching),
        ("random trees", found.random_trees),
        ("random distances", found.random_distances),
    ):
        made.add_row(name, f"{value:.1f}")
    out().print(made)
