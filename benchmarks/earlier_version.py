"""Compare this version with an earlier commit: scores bit for bit, and speed.

    python benchmarks/earlier_version.py abffb0c [--n 200] [--rounds 3]
    python benchmarks/earlier_version.py abffb0c --goldens [--keep FOLDER]

Both versions are installed in folders of their own and take turns; every job is a process of its
own, started through the command line. The least processor time of a job counts, since other
processes can only add to it. Exit 1 if a job is slower than 0.95 × the earlier one, or a value
differs. --goldens compares instead what the commands of tests/goldens print and write
(scripts/goldens.py). Exit 1 if something differs that tests/goldens/changed.md does not list.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BAR = 0.95
MODELS = ("builtin:lstm", "builtin:ngram")
RUN = "from priscian.cli import main; main()"


def main() -> int:
    """Install, measure, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit")
    parser.add_argument("--n", type=int, default=200, help="pairs per paradigm")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--goldens", action="store_true", help="compare what commands give")
    parser.add_argument("--keep", type=Path, help="with --goldens: a new folder for recordings")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        sides = {given.commit: install(given.commit, here), "now": install("HEAD", here)}
        if given.goldens:
            return same_goldens(sides, given.keep or here / "goldens")
        data = make_data(sides["now"], here, given.n)
        times: dict[str, dict[str, float]] = {name: {} for name in sides}
        for _ in range(given.rounds):
            for name, packages in sides.items():
                plain = ["--no-tokens"] if name == "now" else []
                for job, seconds in measure(packages, here / name, data, given.n, plain).items():
                    times[name][job] = min(seconds, times[name].get(job, seconds))
        good = [tell(job, times[given.commit][job], times["now"][job]) for job in times["now"]]
        again = ["score", *MODELS, "--on", f"blimp:{data / 'blimp'}", "--out"]
        kept = min(cli(sides["now"], here / "now", *again, f"kept{n}") for n in range(3))
        print(f"score again and keep its tokens: {kept:.2f} s")
        good += [same_accuracies(here, given.commit), same_scores(here, given.commit)]
    return 0 if all(good) else 1


def install(commit: str, here: Path) -> Path:
    """The packages of a commit, with the metadata that names its model providers."""
    source, packages = here / f"source-{commit}", here / f"packages-{commit}"
    source.mkdir()
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True)
    subprocess.run(["tar", "x", "-C", str(source)], input=archive.stdout, check=True)
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(packages)]
    subprocess.run([*pip, str(source)], check=True)
    return packages


def same_goldens(sides: dict[str, Path], folder: Path) -> int:
    """Record the goldens of both versions and compare them; 1 if they differ unawares."""
    script = [sys.executable, str(ROOT / "scripts" / "goldens.py")]
    for name, packages in sides.items():
        record = [*script, "record", str(folder / name), "--packages", str(packages)]
        subprocess.run(record, check=False)  # 1 if a command does not end as it should
    return subprocess.call([*script, "compare", *(str(folder / name) for name in sides)])


def make_data(packages: Path, here: Path, n: int) -> Path:
    """Pairs and suites that both versions read."""
    for what, count in (("blimp", n), ("sg", 40)):
        cli(packages, here, "generate", what, "--seed", "5", "-n", str(count),
            "--out", str(here / what))  # fmt: skip
    return here


def measure(packages: Path, here: Path, data: Path, n: int, plain: list[str]) -> dict[str, float]:
    """Processor seconds of each job, from an empty cache, without the files that are new."""
    shutil.rmtree(here, ignore_errors=True)
    here.mkdir()
    run = ["score", *MODELS, *plain, "--out"]
    return {
        "generate": cli(packages, here, "generate", "blimp", "--seed", "1", "-n", str(n),
                        "--out", "made"),
        "generate suites": cli(packages, here, "generate", "sg", "--seed", "1", "--out", "suites"),
        "score pairs": cli(packages, here, *run, "pairs", "--on", f"blimp:{data / 'blimp'}"),
        "score again": cli(packages, here, *run, "again", "--on", f"blimp:{data / 'blimp'}"),
        "score suites": cli(packages, here, *run, "sg", "--on", f"sg:{data / 'sg'}"),
        "report": cli(packages, here, "report", "pairs", "sg", "--out", "report.html"),
    }  # fmt: skip


def cli(packages: Path, here: Path, *arguments: str) -> float:
    """Run one command and return its processor seconds."""
    env = os.environ | {
        "PYTHONPATH": str(packages),
        "PRISCIAN_CACHE": str(here / "cache"),
        "OMP_NUM_THREADS": "1",
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments], cwd=here, env=env, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def tell(job: str, before: float, now: float) -> bool:
    """Print the ratio and return True if it reaches the bar."""
    good = before >= BAR * now
    print(f"{job:16} before {before:6.2f} s  now {now:6.2f} s  {before / now:5.2f} ×"
          f"{'' if good else f'  short of {BAR}'}", flush=True)  # fmt: skip
    return good


def same_accuracies(here: Path, commit: str) -> bool:
    """Whether both versions give every paradigm and suite the same accuracy."""
    found = [{name: accuracies(here / side / name) for name in ("pairs", "sg")}
             for side in (commit, "now")]  # fmt: skip
    count = sum(len(x) for x in found[1].values())
    equal = found[0] == found[1] and count > 0
    print(f"accuracies: {count}, {'all equal' if equal else 'NOT equal'}")
    return equal


def accuracies(run: Path) -> dict[str, object]:
    """One score for each model and set; earlier run folders load through the upgrader."""
    import priscian

    return {
        f"{result.model} {name}": (score.accuracy, score.n)
        for result in priscian.load_run(run).results
        for name, score in result.summary.by_set().items()
    }


def same_scores(here: Path, commit: str) -> bool:
    """Whether the earlier store has the same rows as this version's own store."""
    from priscian.models import model_key, parse_model
    from priscian.records import Text
    from priscian.scoring import ScoreStore

    texts = [
        Text(json.loads(line)[side])
        for path in sorted((here / "blimp").glob("*.jsonl"))
        for line in path.read_text().splitlines()
        for side in ("sentence_good", "sentence_bad")
    ]
    good = True
    for string in MODELS:
        key = model_key(parse_model(string))
        rows = []
        for side in (commit, "now"):
            with ScoreStore(here / side / "cache" / "scores.sqlite") as store:
                rows.append(store.read(key, texts))
        equal = rows[0] == rows[1] and len(rows[1]) == len(set(texts))
        good &= equal
        print(
            f"stored scores of {string}: {len(rows[1]):,} texts, {'all' if equal else 'NOT'} equal"
        )
    return good


if __name__ == "__main__":
    sys.exit(main())
