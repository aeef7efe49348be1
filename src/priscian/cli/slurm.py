"""`priscian slurm`: scripts that compute a run as shards under SLURM."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from priscian.cli.app import load_command
from priscian.cli.score import FLAT, complete_options, name_specs
from priscian.errors import UsageError
from priscian.runs.slurm_scripts import Resources, slurm

Parameter(negative="")(Resources)
RESOURCES = Resources()


def slurm_command(
    run: Path,
    *score: str,
    shards: int | None = None,
    resources: Annotated[Resources, FLAT] = RESOURCES,
    submit: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Write SLURM scripts: an array job that computes the shards of a run, and one that merges.

    What to score follows after --, as for priscian score; it is checked before anything is
    submitted. If RUN has some shards already, leave it out: the scripts then make the shards that
    are missing or unfinished. Run this in a folder that all nodes see.

    Examples:
      priscian slurm runs/a --shards 8 --gres gpu:1 -- smollm2 --on blimp:data
      priscian slurm runs/a --shards 8 --cpus 4 --time 1:00:00 --submit -- hf:gpt2 --on blimp:data
      priscian slurm runs/a --submit

    Parameters
    ----------
    run
        The run folder, which the jobs fill.
    score
        After --: models, --on and the other arguments of priscian score.
    shards
        Number of shards; 8 by default.
    submit
        Submit both jobs with sbatch; the merge waits until all shards are done.
    """
    called = _call(score) if score else {}
    job = slurm(run, shards=shards, submit=submit, resources=resources, **called)
    print(f"Wrote {job.shards} and {job.merge}.")
    if job.array:
        print(f"Submitted the shards as job {job.array}, the merge as job {job.merging}.")
        print(f"If a shard fails: priscian slurm {run} --submit")
    else:
        print("Submit them with --submit, or:", *job.commands, sep="\n  ")


def _call(arguments: Sequence[str]) -> dict[str, Any]:
    """The arguments of `priscian score` as those of a function."""
    app = load_command("score:score_command", "priscian score", arguments)
    _, bound, _ = app.parse_args(list(arguments), exit_on_error=False, print_error=False)
    bound.apply_defaults()
    given = bound.arguments
    running, compute = given["running"], given["options"].compute
    if given["out"] or given["resume"] or compute.shard or compute.executor:
        raise UsageError("leave out --out, --resume, --shard and --executor: the scripts set them")
    if given["given"].from_scores:
        raise UsageError("--from-scores computes nothing, so it needs no cluster")
    return {
        "models": name_specs(given["models"], running),
        "on": given["on"],
        "options": complete_options(given["options"], given["given"]),
    }
