"""`priscian demo`: fresh pairs, real models, a table and a report, in one go."""

from __future__ import annotations

import os
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from priscian import ReportOptions, report
from priscian.cli.screen import Progress
from priscian.cli.show import show_command
from priscian.cli.tables import print_run
from priscian.datasets import Dataset, read_dataset
from priscian.datasets.generation import generate
from priscian.errors import ModelError, counted
from priscian.models import parse_model
from priscian.models.builtin import MODELS
from priscian.runs import score

SUITE_ITEMS = 25
"""Items of each suite, out of 100; about as many as the published suites have."""


def demo_command(
    *models: str,
    seed: int = 1,
    n: Annotated[int, Parameter(name=("--n", "-n"))] = 100,
    full: Annotated[bool, Parameter(negative="")] = False,
    out: Path | None = None,
) -> None:
    """Generate fresh minimal pairs, score the built-in models on them, and write a report.

    The models are scored on the pairs, on suites of syntactic generalization and on textbook
    examples. Two small models come with Priscian. With torch and Transformers installed, smollm2, a
    model of 135M parameters, can be added: priscian demo smollm2.

    Parameters
    ----------
    models
        Models to add, as in priscian score.
    seed
        Another seed gives another benchmark.
    n
        Pairs of each of the 67 paradigms.
    full
        1,000 pairs of each, and all items of the suites.
    out
        Folder for pairs, run and page; by default demo/ followed by the date and time.
    """
    chosen = [f"builtin:{name}" for name, model in MODELS.items() if model.here] + list(models)
    for model in chosen:
        parse_model(model)  # fail before any work is done
    n = 1000 if full else n
    folder = out or Path("demo") / time.strftime("%Y%m%d-%H%M%S")
    data = folder / f"seed{seed}"
    with Progress() as progress:
        made = generate("blimp", seed=seed, n=n, out=data, watch=progress)
    paradigms = counted(len(made.names), "paradigm")
    print(f"{counted(made.count, 'fresh pair')} of {paradigms} (seed {seed}): {data}\n")
    show_command("principle_A_domain_3", n=2, seed=seed)
    print(flush=True)
    with Progress() as progress:
        suites = read_dataset("sg", limit=None if full else SUITE_ITEMS)
        on: list[str | Dataset] = [f"blimp:{data}", suites, "graded:textbook"]
        run = score(list(chosen), on, out=folder / "run", watch=progress)
    if not run.results:
        raise ModelError("no model was scored")
    shown = tuple(r for r in run.results if r.data != "textbook")  # too long for the screen
    print_run(replace(run, results=shown), baselines=("5-gram", "LSTM", "GPT-2", "human"))
    page = folder / "report.html"
    report(run, page, ReportOptions(command=f"priscian demo --seed {seed}"))
    print(f"""
The report, with every sentence and figure: {page}
Open it in a browser; it needs no network.

What to type next{_activation()}:
  priscian show adjunct_island -n 10                     look at pairs
  priscian surprisal {chosen[-1]} "The keys to the cabinet is here."
  priscian generate blimp --seed 7 --out data/seed7      a benchmark nobody has seen
  priscian score MODEL --on blimp:data/seed7             your own model on it""")


def _activation() -> str:
    """What puts the command into the shell, where it is not there yet, as after `make demo`."""
    script = Path(sys.prefix) / "bin" / "activate"
    if shutil.which("priscian") or not script.is_file():
        return ""
    return f", after `. {os.path.relpath(script)}`"
