"""Random schedules of score, resume, prune and kill by several processes on one store.

`python schedules.py FIRST COUNT` runs the schedules of some seeds. Three chains of processes work
at the same time; each step of a chain scores texts with a toy model, or prunes, and may be killed
at a random moment, after which it is resumed under its saved plan. At the end every finished run
must have given the scores that its model gives undisturbed, and every row of the store must be
that model's own.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from priscian.models import ModelKey, ModelSpec, model_key, register
from priscian.records import Text, TokenScores
from priscian.scoring import Plan, SavedPlan, ScoreStore, plan, score_texts

MODELS = ("toy:1", "toy:2", "toy:3", "toy:4")
TEXTS = [Text(f"the {i} keys to {'the ' * (i % 4)}cabinets are here") for i in range(48)]
QUICK = Path("/dev/shm")  # a disk in memory, where there is one
CHAINS, STEPS = 3, 3
KILLED = 0.45
"""How often a step is killed."""


class Toy:
    """Cuts a text at every n-th character; the value of a token tells model, text and place."""

    def __init__(self, number: int) -> None:
        self.number = number

    def score(self, texts: Sequence[Text]) -> Iterator[TokenScores]:
        time.sleep(0.001)
        for text in texts:
            yield toy_scores(self.number, text)


def toy_scores(number: int, text: Text) -> TokenScores:
    starts = range(0, len(text.text), 2 + number % 2)  # two tokenizers, each of two models
    ends = [*starts[1:], len(text.text)]
    seed = 10 * TEXTS.index(text) + number
    values = tuple(-(seed + place / 1000) for place in starts)
    return TokenScores(tuple(starts), tuple(ends), values)


class ToyProvider:
    example = "toy:1"

    def key(self, spec: ModelSpec) -> ModelKey:
        return ModelKey({"provider": "toy", "id": spec.id})

    def load(self, spec: ModelSpec) -> Toy:
        return Toy(int(spec.id))

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        return []


@dataclass(frozen=True, slots=True)
class Step:
    """One process of a chain; `model` is pruned if there are no texts."""

    model: str
    texts: tuple[Text, ...]
    killed_after: float | None


def plan_step(rng: random.Random) -> Step:
    killed = rng.random() * 0.04 if rng.random() < KILLED else None
    model = rng.choice(MODELS)
    if rng.random() < 0.3:
        return Step(rng.choice((model, "all")), (), killed)
    first = rng.randrange(len(TEXTS))
    return Step(model, tuple(TEXTS[first : first + rng.randint(1, len(TEXTS))]), killed)


def score_step(step: Step, store: Path, folder: Path) -> None:
    """Score under the saved plan, if there is one, and write the scores down."""
    saved = folder / "plan.json"
    plan = Plan(**json.loads(saved.read_text())) if saved.exists() else None

    def save(plan: Plan) -> None:
        draft = folder / "draft"
        draft.write_text(json.dumps(asdict(plan)))
        draft.replace(saved)

    with ScoreStore(store) as opened:
        scored = score_texts(step.model, step.texts, opened, saved=SavedPlan(plan, save))
    (folder / "scores.json").write_text(
        json.dumps([[s.starts, s.ends, s.logps] for s in map(scored.scores.get, step.texts) if s])
    )


def prune_step(step: Step, store: Path) -> None:
    with ScoreStore(store) as opened:
        keys = [m.key for m in opened.models()]
        opened.prune(keys if step.model == "all" else [model_key(step.model).digest])


def start(work: Callable[[], None]) -> int:
    """Do some work in a forked process; its id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def run_chain(chain: Sequence[Step], store: Path, folder: Path, rng: random.Random) -> None:
    """Steps one after another, each in a process of its own; a killed one is run again."""
    for number, step in enumerate(chain):
        place = folder / str(number)
        place.mkdir(parents=True)
        killed_after = step.killed_after
        while True:
            child = start(
                lambda step=step, place=place: (
                    score_step(step, store, place) if step.texts else prune_step(step, store)
                )
            )
            if killed_after is not None:
                time.sleep(killed_after)
                os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            if os.WIFEXITED(status):
                assert os.WEXITSTATUS(status) == 0, f"{folder}: step {number} failed: {step}"
                break
            killed_after = rng.random() * 0.04 if rng.random() < KILLED else None


def check_scores(step: Step, found: list[list[list[float]]]) -> None:
    wanted = [toy_scores(int(step.model[-1]), text) for text in step.texts]
    assert found == [[list(s.starts), list(s.ends), list(s.logps)] for s in wanted], step


def check_store(store: Path) -> int:
    """Every row is its own model's; the number of rows."""
    rows = 0
    with ScoreStore(store) as opened:
        for model in MODELS:
            found = opened.read(model_key(model), TEXTS)
            assert all(s == toy_scores(int(model[-1]), text) for text, s in found.items()), model
            rows += len(found)
        (kept,) = opened._db.execute("SELECT COUNT(*) FROM scores").fetchone()
        told = sum(m.texts for m in opened.models())
        assert rows == kept == told, f"{rows} rows can be read, {kept} are there, {told} are told"
        (lost,) = opened._db.execute(
            "SELECT COUNT(*) FROM offsets WHERE text NOT IN (SELECT id FROM texts)"
        ).fetchone()
        assert lost == 0
        assert opened._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return rows


def run_schedule(seed: int, root: Path) -> int:
    """One schedule; the number of rows that the store has at its end."""
    rng = random.Random(seed)
    store = root / "scores.sqlite"
    chains = [[plan_step(rng) for _ in range(STEPS)] for _ in range(CHAINS)]
    started = []
    for number, chain in enumerate(chains):
        own, folder = random.Random(rng.random()), root / str(number)
        work = lambda c=chain, f=folder, r=own: run_chain(c, store, f, r)  # noqa: E731
        started.append(start(work))
    failed = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in started]
    assert failed == [0] * CHAINS, f"seed {seed}: chains ended with {failed}"
    for number, chain in enumerate(chains):
        for place, step in enumerate(chain):
            if step.texts:
                result = root / str(number) / str(place) / "scores.json"
                check_scores(step, json.loads(result.read_text()))
    return check_store(store)


def main(first: int, count: int) -> None:
    register("toy", ToyProvider())
    plan.SIMPLE_BATCH = 5
    rows = 0
    for seed in range(first, first + count):
        root = Path(tempfile.mkdtemp(prefix="schedule-", dir=QUICK if QUICK.is_dir() else None))
        try:
            rows += run_schedule(seed, root)
        finally:
            shutil.rmtree(root)
    print(f"{count} schedules, {rows} rows")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
