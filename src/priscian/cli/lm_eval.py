"""`priscian lm-eval` and `priscian export-tasks`: the bridge to lm-evaluation-harness."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from priscian.errors import UsageError


def export_tasks_command(
    *,
    on: Annotated[list[str], Parameter(negative="")],
    out: Path,
    limit: int | None = None,
    only: Annotated[list[str] | None, Parameter(negative="")] = None,
) -> None:
    """Write minimal pairs as tasks of lm-evaluation-harness, YAML and JSONL.

    Every set of pairs becomes a task, every data set a group of tasks. A sentence is scored as it
    is, without a space before it, and a tie counts as wrong, so that the harness and `priscian
    score` give the same accuracies. The YAML files name the folder: export again after moving it.

    Examples:
      priscian export-tasks --on pairs:mine.csv --out tasks
      lm-eval run --model hf --model_args pretrained=gpt2 --include_path tasks --tasks priscian_mine

    Parameters
    ----------
    on
        A data set, as for priscian score; may be given several times.
    out
        Folder to write to.
    limit
        Only the first N pairs of each set.
    only
        Only sets with these names or patterns.
    """
    from priscian.api import export_tasks

    made = export_tasks(on, out, limit=limit, only=only or ())
    rows = {path.stem for path in made if path.suffix == ".jsonl"}
    groups = [n for n, path in enumerate(made) if path.stem not in rows]
    for first, after in zip(groups, [*groups[1:], len(made)], strict=True):
        print(f"{made[first]}: {(after - first) // 2} tasks")


def lm_eval_command(
    *arguments: Annotated[str, Parameter(allow_leading_hyphen=True)],
) -> None:
    """Run lm-evaluation-harness with Priscian's engine as `--model priscian`.

    Everything after `--` goes to the harness's own command line. `--model_args` takes model=STRING,
    any model string of Priscian that has no comma, or pretrained=ID as for the harness's hf. Scores
    are kept in Priscian's store and never computed twice. Tasks that need generated text, or the
    model's first choice, are refused.

    For example:
      priscian lm-eval -- --model priscian --model_args model=smollm2 --tasks blimp
      priscian lm-eval -- --model priscian --model_args pretrained=gpt2 --tasks multiblimp_deu

    Parameters
    ----------
    arguments
        Arguments for lm-eval.
    """
    from priscian.bridges.lm_eval_engine import run_harness

    if not arguments:
        raise UsageError("no arguments for lm-eval; priscian lm-eval --help has examples")
    try:
        run_harness(arguments)
    except ValueError as error:  # how the harness says that a task or argument is wrong
        raise UsageError(f"lm-eval: {error}; see lm-eval run --help") from error
