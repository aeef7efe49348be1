"""Scripts for SLURM, with a stand-in for sbatch: what they say, and that they make the run."""

from __future__ import annotations

import json
import shlex
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import priscian
from priscian.cli import run as cli
from priscian.errors import RunError, UnknownNameError, UsageError
from priscian.runs import Resources

DATA = "generated:7,3,wh_island"

SBATCH = """#!{python}
import json, os, re, subprocess, sys
from pathlib import Path
log = Path({log!r})
calls = json.loads(log.read_text()) if log.exists() else []
calls.append(sys.argv[1:])
log.write_text(json.dumps(calls))
text = Path(sys.argv[-1]).read_text()
found = re.search(r"^#SBATCH --array=(\\d+)-(\\d+)%", text, re.M)
if {runs}:
    for task in range(int(found[1]), int(found[2]) + 1) if found else [0]:
        env = os.environ | dict(SLURM_ARRAY_TASK_ID=str(task))
        subprocess.run(["bash", sys.argv[-1]], env=env, check=True, stdout=subprocess.DEVNULL)
print(f"{{40 + len(calls)}};cluster")
"""


@pytest.fixture
def sbatch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """A stand-in for sbatch on the path, which notes its arguments, and may run the script."""

    def make(runs: bool = False) -> Path:
        file, log = tmp_path / "bin/sbatch", tmp_path / "calls.json"
        file.parent.mkdir()
        file.write_text(SBATCH.format(python=sys.executable, log=str(log), runs=runs))
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", str(file.parent), prepend=":")
        return log

    return make


@pytest.fixture(autouse=True)
def quick(loaded_once: None) -> None:
    """Models are loaded once."""


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def test_the_scripts_say_what_was_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wants = Resources(gres="gpu:1", cpus=4, mem="16G", time="4:00:00", partition="long",
                      account="ling", sbatch=("--constraint=a100",))  # fmt: skip
    job = priscian.slurm("a run", "builtin:ngram", DATA, shards=8, resources=wants, tie="half")
    run = tmp_path / "a run"
    assert lines(job.shards) == [
        "#!/bin/bash",
        '#SBATCH --job-name="priscian-a run"',
        "#SBATCH --array=1-8%4",
        "#SBATCH --gres=gpu:1",
        "#SBATCH --cpus-per-task=4",
        "#SBATCH --mem=16G",
        "#SBATCH --time=4:00:00",
        f'#SBATCH --output="{run}/slurm/%A_%a.log"',
        "#SBATCH --partition=long",
        "#SBATCH --account=ling",
        f"#SBATCH --chdir={tmp_path}",
        "#SBATCH --requeue",
        "#SBATCH --open-mode=append",
        "#SBATCH --constraint=a100",
        "set -eu",
        f"exec {sys.executable} -m priscian score builtin:ngram --on {DATA} --tie half "
        f"--shard \"$SLURM_ARRAY_TASK_ID\"/8 --out '{run}' --quiet",
    ]
    assert lines(job.merge)[-1] == f"exec {sys.executable} -m priscian merge '{run}'"
    assert "#SBATCH --partition=long" in lines(job.merge)
    assert not any("gres" in line or "array" in line for line in lines(job.merge))


def test_a_million_shards_are_refused_at_once_and_fewer_are_one_span(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with pytest.raises(UsageError, match="100000000 shards are too many; give 999,999 or fewer"):
        priscian.slurm(run, "builtin:ngram", DATA, shards=100_000_000)
    assert not run.exists()
    job = priscian.slurm(run, "builtin:ngram", DATA, shards=999_999)
    assert "#SBATCH --array=1-999999%4" in lines(job.shards)
    assert all(len(line) < 300 for line in lines(job.shards))


def test_submitting_gives_the_merge_the_number_of_the_array(
    tmp_path: Path, sbatch: Callable[..., Path]
) -> None:
    log = sbatch()
    job = priscian.slurm(tmp_path / "run", "builtin:ngram", DATA, shards=3, submit=True)
    assert (job.array, job.merging) == ("41", "42")
    assert json.loads(log.read_text()) == [
        ["--parsable", str(job.shards)],
        ["--parsable", "--dependency=afterok:41", "--kill-on-invalid-dep=yes", str(job.merge)],
    ]


@pytest.mark.slow
def test_the_jobs_make_the_run_of_one_process(
    tmp_path: Path, sbatch: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.runs.test_shards import frames

    sbatch(runs=True)
    monkeypatch.chdir(tmp_path)
    words = ["slurm", "run", "--shards", "2", "--submit", "--", "builtin:ngram", "--on", DATA]
    assert cli(words) == 0
    assert priscian.load_run("run").finished
    priscian.score("builtin:ngram", DATA, out="one")
    (ours,), (theirs,) = frames(Path("run")), frames(Path("one"))
    assert ours.equals(theirs)


def test_a_run_with_some_shards_gets_scripts_for_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in (2, 5):
        priscian.score("builtin:ngram", DATA, out="run", shard=(number, 6), tie="half")
    assert cli(["slurm", "run"]) == 0
    shards = tmp_path / "run/slurm/shards.sh"
    assert "#SBATCH --array=1,3-4,6%4" in lines(shards)
    assert "--tie half --shard" in lines(shards)[-1]
    assert f"job=$(sbatch --parsable {shards})" in capsys.readouterr().out
    with pytest.raises(UsageError, match=r"divided into 6 shards; leave out `shards=8`"):
        priscian.slurm("run", shards=8)
    for number in (1, 3, 4, 6):
        priscian.score("builtin:ngram", DATA, out="run", shard=(number, 6), tie="half")
    with pytest.raises(UsageError, match="all shards of run are finished: priscian merge run"):
        priscian.slurm("run")
    assert priscian.merge("run").finished
    with pytest.raises(RunError, match="is a run already"):
        priscian.slurm("run", "builtin:ngram", DATA)


def test_what_cannot_be_scored_is_refused_before_anything_is_written(
    tmp_path: Path, sbatch: Callable[..., Path]
) -> None:
    log, run = sbatch(), tmp_path / "run"
    with pytest.raises(UnknownNameError):
        priscian.slurm(run, "builtin:ngran", DATA, submit=True)
    with pytest.raises(UsageError, match="say what to score"):
        priscian.slurm(run)
    assert not log.exists()
    assert not run.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--", "builtin:ngram", "--on", DATA, "--out", "x"], "leave out --out, --resume, --sha"),
        (["--", "builtin:ngram", "--on", DATA, "--shard", "1/2"], "leave out --out, --resume, --"),
        (["--shards", "0", "--", "builtin:ngram", "--on", DATA], "there is no shard 1/0"),
        (["--", "builtin:ngram"], "--on"),
    ],
)
def test_wrong_arguments_are_one_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], in_folder: Path
) -> None:
    assert cli(["slurm", "run", *words]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert said in told


def test_without_sbatch_the_scripts_stay_and_the_commands_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    run = tmp_path / "run"
    with pytest.raises(RunError, match=r"cannot run sbatch .*submit them where SLURM is: job=\$"):
        priscian.slurm(run, "builtin:ngram", DATA, submit=True)
    assert (run / "slurm/merge.sh").is_file()


def test_a_refusal_of_sbatch_is_one_line(tmp_path: Path, sbatch: Callable[..., Path]) -> None:
    log = sbatch()
    file = log.parent / "bin/sbatch"
    file.write_text("#!/bin/sh\necho 'sbatch: error: Invalid gres' >&2\nexit 1\n")
    with pytest.raises(RunError, match=r"sbatch refused .*shards.sh: sbatch: error: Invalid gres;"):
        priscian.slurm(tmp_path / "run", "builtin:ngram", DATA, submit=True)


def test_the_command_in_a_script_is_one_that_the_shell_splits_correctly(tmp_path: Path) -> None:
    data = tmp_path / "my pairs.csv"
    data.write_text("good,bad\nGo now.,Now the go.\n")
    job = priscian.slurm(tmp_path / "run", "builtin:ngram", f"pairs:{data}", shards=2)
    words: Any = shlex.split(lines(job.shards)[-1])
    assert words[words.index("--on") + 1] == f"pairs:{data}"
