"""`priscian analyse training-size`: accuracy against the number of training tokens."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from priscian.cli.analyse.shared import (
    grid,
    print_json,
    read_runs,
    tell,
    write_pictures,
)
from priscian.errors import DataError, PriscianWarning, UsageError
from priscian.files import read_table, shown

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.curves.training_size import Curve, Trained, TrainingSize
    from priscian.runs import Run

UNITS = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12}
SIZE = re.compile(r"(\d+(?:\.\d+)?(?:e\d+)?)(?:/(\d{1,9}))?\s*([kmbgt]?)", re.IGNORECASE)
SIZE_COLUMNS = ("model", "tokens", "run", "curve")

Sizes = dict[tuple[str, str], tuple[float, str]]
"""Tokens and curve by run (or nothing for any run) and model."""


def training_size_command(
    *runs: Path,
    sizes: Path | None = None,
    tokens: Annotated[list[str] | None, Parameter(negative="", consume_multiple=False)] = None,
    method: str = "full",
    figures: Path | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Accuracy against log2 of training tokens, and how many tokens people's level would take.

    A line is fitted for each phenomenon; its slope is the accuracy gained with each doubling.
    Where people's level lies beyond the sizes that were trained it is marked as extrapolated.

    Examples:
      priscian analyse training-size runs/curve --tokens lstm-1M=1M --tokens lstm-4M=4M …
      priscian analyse training-size runs/a runs/b runs/c --sizes sizes.csv --figures pictures

    Parameters
    ----------
    runs
        Run folders.
    sizes
        CSV file with the columns model and tokens and, if need be, run and curve: models with
        another curve get a line of their own.
    tokens
        MODEL=1M, as 250k, 1/2M or 3.1B. Repeat for several.
    method
        full, one_prefix or two_prefix.
    figures
        Folder for the figure.
    json_
        Print JSON.
    """
    from priscian.analysis.curves.training_size import analyse_training_size
    from priscian.analysis.curves.training_size_figure import training_size_figure

    known = known_sizes(sizes, tokens or ())
    if not known:
        raise UsageError("training sizes are not in a run: add --sizes FILE or --tokens MODEL=1M")
    found = analyse_training_size(trained_models(read_runs(runs), known), method)
    write_pictures([training_size_figure(found)], figures)
    if json_:
        print_json(found.as_dict())
        return
    tell([_table(found)], _notes(found), figures)


def known_sizes(sizes: Path | None, tokens: Sequence[str]) -> Sizes:
    """Training sizes from a table and from MODEL=1M on the command line."""
    known: Sizes = read_sizes(sizes) if sizes is not None else {}
    for text in tokens:
        model, _, size = text.rpartition("=")
        if not model:
            raise UsageError(f"--tokens takes MODEL=1M, not {text!r}")
        known[("", model)] = (parse_tokens(size, f"--tokens {text}"), "")
    return known


def parse_tokens(text: str, where: str) -> float:
    """A number of tokens.

    >>> parse_tokens("1/2M", "here"), parse_tokens("3.1B", "here")
    (500000.0, 3100000000.0)
    """
    match = SIZE.fullmatch(text.strip().replace(",", "").replace("_", ""))
    value = 0.0
    if match and (match[2] is None or int(match[2])):
        value = float(match[1]) / int(match[2] or 1) * UNITS[match[3].lower()]
    if not 0 < value < math.inf:
        raise UsageError(
            f"{where}: {shown(text)} is not a number of tokens; write 250k, 1/2M or 3.1B"
        )
    return value


def read_sizes(file: Path) -> Sizes:
    """Training sizes from a table."""
    found: Sizes = {}
    for number, row in read_table(file, needs=("model", "tokens")):
        model, size, run, curve = (str(row.get(name) or "") for name in SIZE_COLUMNS)
        value = (parse_tokens(size, f"{file}:{number}"), curve)
        if found.setdefault((run.rstrip("/"), model), value) != value:
            raise DataError(
                f"{file}:{number}: another row gives {shown(model)} another size; keep one of "
                "the two"
            )
    return found


def trained_models(runs: Sequence[Run], sizes: Sizes) -> list[Trained]:
    """The results on pairs whose training size is known; the others are named in a note."""
    from priscian.analysis.curves.training_size import Trained
    from priscian.analysis.named_results import FORCED_CHOICE

    made: list[Trained] = []
    used: set[tuple[str, str]] = set()
    for run in runs:
        place = Path(run.path or "")
        names = (str(place).rstrip("/"), place.resolve().name, "")
        for result in run.results:
            if result.kind not in FORCED_CHOICE:
                continue
            key = next((k for n in names if (k := (n, result.model)) in sizes), None)
            if key is None:
                warnings.warn(
                    f"{result.model} of {run.path} is left out: its training size is not given; "
                    f"add --tokens {result.model}=1M",
                    PriscianWarning,
                    stacklevel=3,
                )
                continue
            used.add(key)
            made.append(Trained(result, *sizes[key]))
    for run_name, model in sizes.keys() - used:
        raise DataError(
            f"no result of {model!r}{f' in {run_name}' if run_name else ''}; the runs have "
            f"{', '.join(dict.fromkeys(r.model for run in runs for r in run.results))}"
        )
    data = {t.result.data for t in made}
    if len(data) > 1:
        warnings.warn(
            f"the models were scored on data of different names: {', '.join(sorted(data))}; "
            "curves use the paradigms that they share",
            PriscianWarning,
            stacklevel=3,
        )
    return made


def _table(found: TrainingSize) -> Table:
    made = grid(
        "Accuracy over log₂ of training tokens",
        ["curve", "phenomenon", "models", "slope", "95 % interval", "people", "tokens to people"],
        left=2,
    )
    for c in found.curves:
        people = f"{100 * c.reach.human:.1f}" if c.reach else ""
        made.add_row(
            c.curve,
            c.name,
            str(len(c.points)),
            f"{c.line.slope:+.4f}",
            f"{c.line.ci[0]:+.4f} to {c.line.ci[1]:+.4f}",
            people,
            _reach(c),
            style="bold" if c.name == "overall" else None,
        )
    return made


def _reach(curve: Curve) -> str:
    reach = curve.reach
    if reach is None:
        return ""
    if reach.log2_tokens is None:
        return "never: the line does not rise"
    text = written(reach.log2_tokens)
    if reach.ci is None:
        text += " (slope not told from 0)"
    else:
        high = reach.ci[1]
        text += f" ({written(reach.ci[0])} to {'∞' if high is None else written(high)})"
    return text + (" extrapolated" if reach.extrapolated else "")


def written(log2: float) -> str:
    """2 to some power, as people write it.

    >>> written(20), written(70), written(5000)
    ('1.0M', '1.2·10^21', '10^1505')
    """
    power = log2 * math.log10(2)
    for unit, digits in (("k", 3), ("M", 6), ("B", 9), ("T", 12)):
        if digits <= power < digits + 3:
            scaled = 10 ** (power - digits)
            return f"{scaled:.0f}{unit}" if scaled >= 100 else f"{scaled:.1f}{unit}"
    if power > 300:  # beyond what a float holds
        return f"10^{power:.0f}"
    if 0 <= power < 3:
        return f"{10**power:.0f}"
    mantissa, _, exponent = f"{10**power:.1e}".partition("e")
    return f"{mantissa}·10^{int(exponent)}"


def _notes(found: TrainingSize) -> list[str]:
    if not any(c.reach and c.reach.extrapolated for c in found.curves):
        return []
    return [
        "extrapolated: people's level lies beyond the sizes that were trained, and nothing says "
        "that the line goes on so far"
    ]
