"""Two commands that start at once in one place: each ends well or is refused, nothing is mixed."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.reporting.test_studies import judged
from tests.sweeps.conftest import COUNTS, write_corpus

import priscian

pytest.importorskip("fcntl")
Tree = dict[str, str]
OWN_TIME = {"created", "seconds", "scoring_seconds", "training_seconds", "store"}
"""Keys of JSON files that are different each time."""
ANY = re.compile(
    r"\.lock$|/lock$|\.sqlite$|\.log$|log\.txt$|\.html$|\.svg$|\.png$|\.pdf$|record\.json$|curve\.csv$"
)
"""Files of which only the name counts."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A command that writes to `o`; what must be there before; a variant has other inputs."""

    command: Callable[[Path, int], list[str]]
    before: str = ""


def scored(inputs: Path, number: int) -> list[str]:
    return ["score", "builtin:ngram", "--on", f"pairs:{inputs}/{number}/pairs.csv", "--out", "o",
            "--quiet"]  # fmt: skip


VERBS = {
    "score": Verb(scored),
    "shard": Verb(lambda i, n: [*scored(i, n), "--shard", "1/1"]),
    "merge": Verb(lambda i, n: ["merge", "o", "--quiet"], "shards"),
    "corpus": Verb(lambda i, n: ["corpus", f"{i}/{n}/text.txt", "--sizes", "1k", "--out", "o"]),
    "generate": Verb(
        lambda i, n: ["generate", "blimp", "--seed", f"{n}", "-n", "5", "--only", "wh_island",
                      "--out", "o"]
    ),
    "curve": Verb(lambda i, n: ["curve", f"{i}/{n}/sweep.toml", "--out", "o", "--processes", "1"]),
    "report": Verb(lambda i, n: ["report", f"{i}/{n}/run", "--out", "o"]),
    "figures": Verb(lambda i, n: ["compare", f"{i}/{n}/two", "--figures", "o"]),
    "export": Verb(lambda i, n: ["export", f"{i}/{n}/run", "--format", "csv", "--out", "o"]),
    "export-tasks": Verb(
        lambda i, n: ["export-tasks", "--on", f"pairs:{i}/{n}/pairs.csv", "--out", "o"]
    ),
    "ngram": Verb(
        lambda i, n: ["train", "ngram", "--corpus", f"{i}/{n}/text.txt", "--order", "2", "--out",
                      "o"]
    ),
    "cite": Verb(lambda i, n: ["cite", "o"], "run"),
    "judge freeze": Verb(lambda i, n: ["judge", "freeze", "o"], "study"),
}  # fmt: skip


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two variants of what the commands read, under the same names."""
    folder = tmp_path_factory.mktemp("inputs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRISCIAN_CACHE", str(folder / "cache"))
        for number, word in ((1, "cat"), (2, "cow")):
            place = folder / str(number)
            place.mkdir()
            write_corpus(place)
            for name in ("text.txt", "pairs.csv"):
                (place / name).write_text((place / name).read_text().replace("cat", word))
            sweep = COUNTS.replace("PAIRS", f"{place}/pairs.csv").replace(
                '"1k", "2k", "4k"', '"1k"'
            )
            (place / "sweep.toml").write_text(sweep)
            data = f"pairs:{place}/pairs.csv"
            priscian.score("builtin:ngram", data, out=place / "run")
            priscian.score(["builtin:ngram", "builtin:lstm"], data, out=place / "two")
            for shard in (1, 2):
                priscian.score("builtin:ngram", data, out=place / "shards", shard=(shard, 2))
            judged(place)
            (place / "study" / "frozen.json").unlink()
            (place / "study" / "judge.sqlite").unlink()
    return folder


def start(command: list[str], place: Path) -> subprocess.Popen[str]:
    """The command, with a cache of its own, so that it computes what it needs."""
    return subprocess.Popen(
        [sys.executable, "-m", "priscian", *command],
        cwd=place,
        env=os.environ | {"PRISCIAN_CACHE": tempfile.mkdtemp(dir=place.parent)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def tree(place: Path) -> Tree:
    """Every file with a hash of what does not change from one time to another."""
    found = {}
    for path in sorted(p for p in place.rglob("*") if p.is_file()):
        name = path.relative_to(place).as_posix()
        found[name] = "" if ANY.search(name) or name == "o" else _hash(path, place)
    return found


def _hash(path: Path, place: Path) -> str:
    data = path.read_bytes().replace(str(place).encode(), b"PLACE")
    if path.suffix == ".json":
        data = json.dumps(_lasting(json.loads(data)), sort_keys=True).encode()
    return hashlib.sha256(data).hexdigest()[:12]


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _lasting(v) for k, v in value.items() if k not in OWN_TIME}
    return [_lasting(v) for v in value] if isinstance(value, list) else value


def prepare(place: Path, inputs: Path, name: str, number: int) -> None:
    place.mkdir(exist_ok=True)
    if VERBS[name].before:
        source = inputs / str(number) / VERBS[name].before
        shutil.copytree(source, place / "o", dirs_exist_ok=True)


@pytest.fixture(scope="module")
def alone(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int], Tree]:
    """What a command leaves that has the place for itself."""
    home = tmp_path_factory.mktemp("alone")

    @cache
    def left(name: str, number: int) -> Tree:
        place = home / f"{name}-{number}"
        prepare(place, inputs, name, number)
        done = start(VERBS[name].command(inputs, number), place)
        complaint = done.communicate()[1]
        assert done.returncode == 0, complaint
        return tree(place)

    return left


@pytest.mark.slow
@pytest.mark.parametrize("second", VERBS)
@pytest.mark.parametrize("first", VERBS)
def test_two_that_start_at_once_end_well_or_are_refused_and_mix_nothing(
    first: str, second: str, inputs: Path, alone: Callable[[str, int], Tree], tmp_path: Path
) -> None:
    place = tmp_path / "place"
    other = 1 if first == second and VERBS[first].before else 2  # only one of them can be there
    prepare(place, inputs, second, other)
    prepare(place, inputs, first, 1)
    before = tree(place)
    both = [(first, alone(first, 1)), (second, alone(second, other))]
    running = [start(VERBS[v].command(inputs, n), place) for n, v in ((1, first), (other, second))]
    complaints = [process.communicate()[1] for process in running]
    for process, said in zip(running, complaints, strict=True):
        assert "unexpected" not in said
        assert "Traceback" not in said
        refusals = [x for x in said.splitlines() if x.startswith("priscian: ")
                    and not x.startswith("priscian: note:")]  # fmt: skip
        assert process.returncode == 0 or len(refusals) == 1, said
    well = [process.returncode == 0 for process in running]
    assert any(well), complaints
    now = tree(place)
    for name, digest in now.items():  # every file is whole, and somebody's
        assert digest in {t.get(name) for t in (before, *(left for _, left in both))}, name
    lacking = [{k for k, v in left.items() if now.get(k) != v} for _, left in both]
    if all(well):
        assert set() in lacking
    else:
        assert lacking[well.index(True)] == set()
