"""`priscian judge new`, `check` and `freeze`: from a data set to a fixed design."""

from __future__ import annotations

from pathlib import Path

from priscian.cli.edge import as_flags
from priscian.cli.output import Flag, print_json
from priscian.errors import DataError, counted
from priscian.judge.check import notes, problems
from priscian.judge.frozen import Frozen, build, read_frozen
from priscian.judge.opening import freeze_study, new_study
from priscian.judge.reach import reach_problems
from priscian.judge.study import read_study


def new_command(*, preset: str = "likert", on: str, out: Path = Path("study")) -> None:
    """Write a study that runs as it is: study.toml, to be edited at will.

    Presets: blimp-validation (BLiMP's own validation), likert (1 to 7), me (magnitude estimation),
    yesno, fc (forced choice).

    Examples:
      priscian judge new --preset fc --on generated:7,5 --out study/
      priscian judge new --preset likert --on graded:textbook --out study/

    Parameters
    ----------
    preset
        Which study to begin with.
    on
        What is judged: blimp:DIR, pairs:FILE, graded:FILE, generated:SEED,N.
    out
        Folder of the study.
    """
    made = new_study(preset, on, out)
    print(f"{made.file}: {_size(made.frozen)}")
    print(f"Edit it, then: priscian judge serve {out}")


def check_command(study: Path, /, *, url: str = "", json: Flag = False) -> None:
    """Say what is wrong with a study: one line for each problem, exit code 1.

    Lines that begin with a note are no problems: texts that are still English in a study of another
    language, names of languages that nobody may write.

    Examples:
      priscian judge check study/
      priscian judge check study/ --url https://study.example.org

    Parameters
    ----------
    study
        Folder of the study.
    url
        Also look whether people can reach it there: proxy, TLS, forms, limits.
    json
        Print JSON.
    """
    read = read_study(study)
    for problem in (found := list(problems(read)))[:-1]:
        print(f"{study}: {problem}")
    if found:
        raise DataError(f"{study}: {found[-1]}")
    frozen = build(study)
    if url:
        served = read_frozen(study)
        hashes = {frozen.hash, *([served.hash] if served else [])}
        found = list(reach_problems(url, hashes, frozen.study.platform.kind == "mturk"))
        for line in found[:-1]:
            print(as_flags(line))
        if found:
            raise DataError(found[-1])
    noted = list(notes(read))
    if json:
        lists = len(frozen.plans)
        print_json({"hash": frozen.hash, "lists": lists, "problems": [], "notes": noted})
        return
    for line in noted:
        print(f"note: {line}")
    print(f"{study}: {_size(frozen)}; no problems")
    if url:
        print(f"{url}: people can reach the study")


def freeze_command(study: Path, /, *, database: str = "") -> None:
    """Fix study, items and lists in frozen.json, with their SHA-256.

    A study that somebody has answered gets a new version if it was edited; every answer is stored
    with the version that the person saw.

    Parameters
    ----------
    study
        Folder of the study.
    database
        Where answers are kept: by default judge.sqlite in the folder; or postgresql://…
    """
    frozen = freeze_study(study, database)
    print(f"{study}: version {frozen.version}, {_size(frozen)}")
    for name, sha in frozen.hashes.items():
        print(f"  {name:6} {sha}")
    print(f"  {'all':6} {frozen.hash}")


def _size(frozen: Frozen) -> str:
    items = sum(m.kind == "item" for m in frozen.materials.values())
    longest = max(len(plan.trials) for plan in frozen.plans)
    return (
        f"{counted(items, 'item')} in {counted(len(frozen.plans), 'list')} of at most "
        f"{counted(longest, 'item')}"
    )
