"""Scripts for SLURM: an array job that computes shards, and a job that merges them."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from priscian.datasets import Dataset
from priscian.errors import RunError, UsageError
from priscian.files.write import write_text
from priscian.runs.job import Models, set_up
from priscian.runs.merging import find_shards
from priscian.runs.options import ScoreOptions
from priscian.runs.record import FILE, SLURM
from priscian.runs.shards import ShardInfo, command_of, describe_shard
from priscian.scoring import Shard
from priscian.scoring.shard import Span, missing_shards, span_text

AT_MOST = 4
"""Shards that run at the same time, by default."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What each job of the array asks SLURM for."""

    gres: str | None = None
    """Generic resources of each shard, such as gpu:1."""
    cpus: int | None = None
    """CPUs of each shard (--cpus-per-task)."""
    mem: str | None = None
    """Memory of each shard, such as 16G."""
    time: str | None = None
    """Time limit of each shard, such as 4:00:00."""
    partition: str | None = None
    """Partition of all jobs."""
    account: str | None = None
    """Account of all jobs."""
    at_most: int = AT_MOST
    """How many shards may run at the same time."""
    sbatch: tuple[str, ...] = ()
    """Other options of sbatch for the shards, such as --constraint=a100; repeat for several."""


@dataclass(frozen=True, slots=True)
class SlurmJob:
    """The scripts of a run, and the numbers of its jobs if they were submitted."""

    shards: Path
    merge: Path
    array: str = ""
    merging: str = ""

    @property
    def commands(self) -> tuple[str, str]:
        """What submits both scripts, for the shell."""
        one, two = shlex.quote(str(self.shards)), shlex.quote(str(self.merge))
        after = "--dependency=afterok:${job%%;*} --kill-on-invalid-dep=yes"
        return f"job=$(sbatch --parsable {one})", f"sbatch {after} {two}"


def slurm(
    run: str | Path,
    models: Models | None = None,
    on: str | Dataset | Sequence[str | Dataset] | None = None,
    *,
    shards: int | None = None,
    submit: bool = False,
    resources: Resources | None = None,
    options: ScoreOptions | None = None,
    **settings: Any,
) -> SlurmJob:
    """Write the scripts that compute a run as shards under SLURM, and merge them.

    `slurm("runs/a", "smollm2", "blimp:data", shards=8, submit=True)`; models, data and options are
    those of `score`, and are checked before anything is submitted. Without models and data, `run`
    is a folder that has some shards, and the scripts make those that are missing or unfinished.
    """
    path = Path(run)
    if (path / FILE).is_file():
        raise RunError(f"{path} is a run already; give another folder")
    if models is None or on is None:
        info, spans = _unfinished(path, shards)
    else:
        count = 8 if shards is None else shards
        given = (options or ScoreOptions()).updated(settings)
        first = Shard(1, count)
        info = describe_shard(given, set_up(models, on, given).request, first)
        spans = [(1, count)]
    job = _write(path.resolve(), info, spans, resources or Resources())
    if not submit:
        return job
    array = _sbatch(job, [str(job.shards)])
    after = [f"--dependency=afterok:{array}", "--kill-on-invalid-dep=yes"]  # or it waits for ever
    merging = _sbatch(job, [*after, str(job.merge)])
    return SlurmJob(job.shards, job.merge, array, merging)


def _unfinished(path: Path, shards: int | None) -> tuple[ShardInfo, list[Span]]:
    """A shard that is there, and the numbers of those that are not finished."""
    there = find_shards(path) if path.is_dir() else {}
    if not there:
        raise UsageError(
            f"{path} has no shards yet: say what to score, as for priscian score, after --, "
            "such as: -- smollm2 `on=blimp:data`"
        )
    info = next(iter(there.values()))
    count = info.shard[1]
    if shards not in (None, count):
        raise UsageError(f"{path} is divided into {count} shards; leave out `shards={shards}`")
    done = {
        shard.number
        for shard, told in there.items()
        if shard.count == count and told.status == "finished"
    }
    spans = missing_shards(done, count)
    if not spans:
        raise UsageError(f"all shards of {path} are finished: priscian merge {path}")
    return info, spans


def _write(path: Path, info: ShardInfo, spans: Sequence[Span], resources: Resources) -> SlurmJob:
    folder = path / SLURM
    jobs = sum(last - first + 1 for first, last in spans)
    program = f"{shlex.quote(sys.executable)} -m priscian"
    score = command_of(info, path, f'"$SLURM_ARRAY_TASK_ID"/{info.shard[1]}', program)
    log = str(folder).replace("%", "%%")
    both = {"partition": resources.partition, "account": resources.account, "chdir": info.folder}
    shards = {
        "job-name": f"priscian-{path.name}",
        "array": f"{span_text(spans)}%{max(1, min(resources.at_most, jobs))}",
        "gres": resources.gres,
        "cpus-per-task": resources.cpus,
        "mem": resources.mem,
        "time": resources.time,
        "output": f"{log}/%A_%a.log",
        **both,
    }
    merge = {"job-name": f"merge-{path.name}", "output": f"{log}/merge-%j.log", **both}
    job = SlurmJob(folder / "shards.sh", folder / "merge.sh")
    # a shard that was stopped continues, so it may be put back into the queue
    more = ("--requeue", "--open-mode=append", *resources.sbatch)
    write_text(job.shards, _script(shards, more, f"{score} --quiet"))
    write_text(job.merge, _script(merge, (), f"{program} merge {shlex.quote(str(path))}"))
    return job


def _script(options: Mapping[str, object], more: Sequence[str], command: str) -> str:
    lines = ["#!/bin/bash"]
    for name, value in options.items():
        if value is None:
            continue
        written = str(value)
        if "\n" in written or '"' in written:
            raise UsageError(
                f"sbatch cannot take {written!r}; use a name without quotes and line breaks"
            )
        quote = '"' if re.search(r"[\s#]", written) else ""
        lines.append(f"#SBATCH --{name}={quote}{written}{quote}")
    lines += [f"#SBATCH {option}" for option in more]
    return "\n".join([*lines, "set -eu", f"exec {command}", ""])


def _sbatch(job: SlurmJob, arguments: Sequence[str]) -> str:
    """Submit a script and return the number of its job."""
    written = f"the scripts are in {job.shards.parent}"
    try:
        done = subprocess.run(
            ["sbatch", "--parsable", *arguments], capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise RunError(
            f"cannot run sbatch ({error.strerror}); {written}: submit them where SLURM is: "
            + "; ".join(job.commands)
        ) from None
    number = done.stdout.strip().partition(";")[0]
    if done.returncode or not number.isdigit():
        said = (done.stderr or done.stdout).strip().replace("\n", "; ") or "it said nothing"
        raise RunError(f"sbatch refused {arguments[-1]}: {said}; {written}")
    return number
