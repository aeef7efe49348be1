"""Commands that are killed at random moments, and resumed as a user would: the end is the same.

PRISCIAN_KILLS_SEED=2 draws other moments.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import itertools
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.sweeps.conftest import COUNTS, write_corpus
from tests.tiny import build_causal, build_masked
from tests.training.classifiers.toy_cola import write_cola

import priscian
from priscian.files import is_leftover

pytest.importorskip("fcntl")
torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

SEED = int(os.environ.get("PRISCIAN_KILLS_SEED", "1"))
WAYS = ("SIGKILL", "SIGTERM", "SIGINT")
ENDED = {-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT, 130}
BUSY = 60.0
"""Seconds for which workers of a killed command may still hold its folder."""
PAIRS = 90
Tree = dict[str, str]
OWN_TIME = {
    "created", "updated", "started", "finished", "seconds", "scoring_seconds", "training_seconds",
    "tokens_per_second", "computed", "notes", "store", "resumed",
}  # fmt: skip
"""Keys that are different each time; the notes on a model are there if it was loaded."""
PASSING = re.compile(r"\.lock$|/lock$|/log\.txt$|\.sqlite-(shm|wal)$|\.parts/")
"""Files that are no result."""
ROWS = (
    "SELECT key, hash, channel, offsets.data, scores.data FROM scores "
    "JOIN models ON models.id = model JOIN texts ON texts.id = scores.text "
    "JOIN offsets ON offsets.text = scores.text AND number = offsets ORDER BY 1, 2, 3"
)
"""What a store of scores holds, in whatever order it was written."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A command that writes to `o`, how it is resumed, and what must be there before."""

    words: str
    resume: str = ""
    before: str = ""


def network(architecture: str, *more: str) -> Verb:
    corpus = "trees.txt" if architecture == "rnng" else "text.txt"
    words = f"train {architecture} tiny --corpus INPUTS/{corpus} --tokens 24k --out o --quiet"
    counts = "--set checkpoints.at=[3000,6000,9000,12000,15000,18000,21000]"
    sets = " ".join(f"--set {each}" for each in ("training.batch_tokens=400", *more))
    return Verb(f"{words} {counts} {sets}", "--resume")


def classifier(method: str, *more: str) -> Verb:
    words = f"train classifier --on cola:INPUTS/cola --method {method} --out o"
    return Verb(f"{words} --encoder mlm:INPUTS/bert {' '.join(more)}", "--resume")


SCORE = "score MODELS --on pairs:INPUTS/pairs.csv --out o --batch-tokens 32 --workers 2 --quiet"
RECURRENT = ("network.embedding=16", "network.hidden=24")
ATTENTION = ("network.layers=2", "network.width=16", "network.heads=2", "text.tokenizer=bpe:300")
VERBS = {
    "score builtin": Verb(SCORE.replace("MODELS", "builtin:lstm builtin:ngram"), "--resume"),
    "score hf": Verb(SCORE.replace("MODELS", "hf:INPUTS/gpt2"), "--resume"),
    "score mlm": Verb(SCORE.replace("MODELS", "mlm:INPUTS/bert"), "--resume"),
    "shard": Verb(SCORE.replace("MODELS", "hf:INPUTS/gpt2") + " --shard 1/2", "--resume"),
    "merge": Verb("merge o --quiet", before="shards"),
    "lstm": network("lstm", *RECURRENT),
    "on-lstm": network("on-lstm", *RECURRENT, "network.chunk=8"),
    "transformer-xl": network("transformer-xl", *ATTENTION),
    "gpt2": network("gpt2", *ATTENTION),
    "rnng": network("rnng", *RECURRENT),
    "ngram": Verb("train ngram --corpus INPUTS/text.txt --order 3 --out o --quiet"),
    "finetune": classifier("finetune", "--restarts", "4", "--epochs", "2"),
    "mlp": classifier("mlp", "--restarts", "4", "--epochs", "4"),
    "probe": classifier("probe"),
    "parse": Verb("parse INPUTS/long.txt --model INPUTS/parser --out o --workers 2 --quiet"),
    "parse --train": Verb(
        "parse --train INPUTS/trees.txt --out o --epochs 4 --quiet --set network.hidden=24 "
        "--set network.span=24 --set network.filters=16 --set network.context=16",
        "--resume",
    ),
    "curve": Verb("curve INPUTS/sweep.toml --out o --processes 2"),
    "watch": Verb("watch INPUTS/training --on pairs:INPUTS/pairs.csv --out o --once --settle 0"),
    "surprisal": Verb("surprisal hf:INPUTS/gpt2 --file INPUTS/lines.txt --entropy --out o.tsv"),
}


@pytest.fixture(autouse=True)
def heeded() -> Iterator[None]:
    """Ctrl-C means what it means in a terminal, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the commands read."""
    folder = tmp_path_factory.mktemp("inputs")
    draw = random.Random(3)
    write_corpus(folder)
    lines = (folder / "text.txt").read_text().splitlines()
    (folder / "long.txt").write_text("".join(f"{line}\n" for line in lines * 3))
    (folder / "lines.txt").write_text("".join(f"{line}\n" for line in lines[:PAIRS]))
    nouns = ("nurse", "goose", "kite", "village", "lawyer", "painting")
    stems = [
        f"The {draw.choice(nouns)} {n} was near the {draw.choice(nouns)}" for n in range(PAIRS)
    ]
    pairs = ["good,bad", *(f"{stem} here.,{stem} near." for stem in stems)]
    (folder / "pairs.csv").write_text("\n".join(pairs) + "\n")
    write_cola(folder / "cola")
    build_causal("gpt2", folder / "gpt2")
    build_masked(folder / "bert", cased=True)
    for step in (1, 2, 3):
        shutil.copytree(folder / "gpt2", folder / "training" / f"checkpoint-{step}")
    sweep = COUNTS.replace("PAIRS", f"{folder}/pairs.csv").replace("text.txt", f"{folder}/text.txt")
    (folder / "sweep.toml").write_text(sweep)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRISCIAN_CACHE", str(folder / "cache"))
        priscian.train_parser(
            folder / "trees.txt", folder / "parser",
            overrides={"network.hidden": 24, "network.span": 24, "network.filters": 16,
                       "network.context": 16, "training.epochs": 1},
        )  # fmt: skip
        for shard in (1, 2):
            priscian.score(
                "builtin:lstm", f"pairs:{folder}/pairs.csv", out=folder / "shards", shard=(shard, 2)
            )
    return folder


class Place:
    """Where a command runs: a folder and a cache of its own."""

    def __init__(self, folder: Path, inputs: Path, verb: Verb) -> None:
        self.folder, self.cache, self.inputs, self.verb = (
            folder / "here",
            folder / "c",
            inputs,
            verb,
        )
        self.folder.mkdir(parents=True)
        if verb.before:
            shutil.copytree(inputs / verb.before, self.folder / "o")

    def start(self) -> subprocess.Popen[str]:
        """The command; with --resume where it has begun before."""
        begun = self.verb.resume and (self.folder / "o").exists()
        words = f"{self.verb.words} {self.verb.resume if begun else ''}"
        return subprocess.Popen(
            [sys.executable, "-m", "priscian", *words.replace("INPUTS", str(self.inputs)).split()],
            cwd=self.folder,
            env=os.environ | {"PRISCIAN_CACHE": str(self.cache)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def at_work(self, process: subprocess.Popen[str]) -> float:
        """The time at which the command, just started, has written something, or has ended."""
        before = self._marks()
        while process.poll() is None and self._marks() == before:
            time.sleep(0.005)
        return time.monotonic()

    def _marks(self) -> set[tuple[str, int]]:
        found = set()
        for folder in (self.folder, self.cache):
            for path in folder.rglob("*"):
                with contextlib.suppress(OSError):
                    found.add((str(path), path.stat().st_mtime_ns))
        return found

    def tree(self) -> Tree:
        """Every file with a hash of what does not change from one time to another."""
        found = {}
        for path in sorted(p for p in self.folder.rglob("*") if p.is_file()):
            name = path.relative_to(self.folder).as_posix()
            if not PASSING.search(name) and not is_leftover(path.name):
                found[name] = digest(path, self.folder)
        return found


def digest(path: Path, place: Path) -> str:
    data = path.read_bytes()
    if path.suffix == ".sqlite":
        with contextlib.closing(sqlite3.connect(path)) as store:
            data = repr(store.execute(ROWS).fetchall()).encode()
    elif path.suffix == ".pt":
        data = repr(lasting(torch.load(path, weights_only=True))).encode()
    elif path.suffix == ".json":
        data = json.dumps(lasting(json.loads(data)), sort_keys=True).encode()
    elif path.suffix == ".html":
        data = b""  # it shows times and notes; the numbers are in files beside it
    elif path.suffix == ".csv":
        with path.open(newline="") as file:
            data = repr([lasting(row) for row in csv.DictReader(file)]).encode()
    elif path.suffix == ".jsonl":
        data = b"\n".join(
            json.dumps(lasting(json.loads(line)), sort_keys=True).encode()
            for line in data.splitlines()
        )
    return hashlib.sha256(data.replace(str(place).encode(), b"PLACE")).hexdigest()[:12]


def lasting(value: Any) -> Any:
    """Without what is different each time; tensors as their bits."""
    if isinstance(value, dict):
        own = OWN_TIME | ({"digest"} if "seconds" in value else set())  # a checksum of both
        return {k: lasting(v) for k, v in value.items() if k not in own}
    if isinstance(value, list | tuple):
        return [lasting(v) for v in value]
    return value.numpy().tobytes() if isinstance(value, torch.Tensor) else value


@dataclass(frozen=True, slots=True)
class Calm:
    """An undisturbed run: what it left, and how long it wrote."""

    tree: Tree
    seconds: float


@pytest.fixture(scope="module")
def calm(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Calm]:
    home = tmp_path_factory.mktemp("calm")

    @cache
    def run(name: str) -> Calm:
        place = Place(home / name.replace(" ", "-"), inputs, VERBS[name])
        process = place.start()
        began = place.at_work(process)
        said = process.communicate()[1]
        assert process.returncode == 0, said
        return Calm(place.tree(), time.monotonic() - began)

    return run


def ended(process: subprocess.Popen[str], *, struck: bool = False) -> bool:
    """Whether it ended well; if not, it was struck, or workers of the last one hold the folder."""
    said = process.communicate()[1]
    assert "Traceback" not in said
    assert "unexpected" not in said
    assert process.returncode == 0 or struck or "another" in said, said
    time.sleep(0 if struck or not process.returncode else 0.5)
    return process.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", VERBS)
def test_a_command_that_was_killed_ends_bit_for_bit_like_an_undisturbed_one(
    name: str, inputs: Path, calm: Callable[[str], Calm], tmp_path: Path
) -> None:
    draw, whole, kills, places = random.Random(f"{SEED} {name}"), calm(name), [], itertools.count()

    def fresh() -> Place:
        return Place(tmp_path / str(next(places)), inputs, VERBS[name])

    def compare(place: Place) -> None:
        now = place.tree()
        assert {k for k, v in now.items() if whole.tree.get(k) != v} == set(), kills
        assert now.keys() == whole.tree.keys(), kills

    place, seconds = fresh(), whole.seconds
    for way in draw.sample(WAYS, len(WAYS)):
        killed = False
        until = time.monotonic() + BUSY + 20 * seconds
        while not killed:
            assert time.monotonic() < until
            process = place.start()
            moment = place.at_work(process) + draw.random() * seconds
            while process.poll() is None and time.monotonic() < moment:
                time.sleep(0.002)
            struck = process.poll() is None
            if struck:  # Ctrl-C reaches all processes, `kill` the one that it names
                (os.killpg if way == "SIGINT" else os.kill)(process.pid, getattr(signal, way))
            well = ended(process, struck=struck)
            killed = struck and process.returncode in ENDED
            if well:  # too late
                compare(place)
                place, seconds = fresh(), seconds * 0.8
        kills.append(f"{way} {process.returncode}")
    until = time.monotonic() + BUSY + 20 * seconds
    while not ended(place.start()):
        assert time.monotonic() < until
    compare(place)
    print(f"killed {name}: {kills} in {next(places)} runs of {whole.seconds:.1f} s")
