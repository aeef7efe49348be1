"""The driver of a cluster, with a stand-in for Ray: workers die and differ, nothing is lost."""

from __future__ import annotations

import random
import socket
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from priscian import __version__
from priscian.errors import PriscianWarning, ScoreError, SetAsideError, UsageError, WorkerError
from priscian.models import open_model, parse_model
from priscian.records import Text, TokenScores
from priscian.scoring import Options, ScoreStore, cluster, executors, score_texts
from priscian.scoring.cluster import BatchWorker, Gone, Ready, Remote, pack_batch, unpack_batch
from priscian.scoring.plan import Work
from priscian.scoring.ray_cluster import check_address

TEXTS = [Text(f"Geese {i} saw {'us ' * (i % 3)}here.") for i in range(60)]
LSTM = "builtin:lstm"


class Fake:
    """Workers of this process. `dies(worker, stage, batch)` says who dies at which question."""

    def __init__(self, work: Work, size: int, dies: Callable[..., bool] | None = None) -> None:
        self.size, self.work = size, work
        self.dies = dies or (lambda worker, stage, number: False)
        self.pending: deque[tuple[int, int, str, int]] = deque()
        self.tickets = 0
        self.most: dict[int, int] = {}
        self.unavailable: dict[int, int] = {}
        self.version, self.machines = __version__, ["here"]
        self.ready: dict[str, str] = {}
        self.closed = False
        self.random = random.Random(5)

    def _ask(self, worker: int, stage: str, number: int = -1) -> int:
        self.tickets += 1
        self.pending.append((self.tickets, worker, stage, number))
        mine = sum(w == worker and s == "compute" for _, w, s, _ in self.pending)
        self.most[worker] = max(self.most.get(worker, 0), mine)
        return self.tickets

    def greet(self, worker: int) -> int:
        return self._ask(worker, "greet")

    def prepare(self, worker: int) -> int:
        return self._ask(worker, "prepare")

    def compute(self, worker: int, number: int) -> int:
        return self._ask(worker, "compute", number)

    def wait(self, tickets: Sequence[int], seconds: float) -> list[int]:
        if not tickets:
            return []
        workers = sorted({w for t, w, _, _ in self.pending if t in tickets})
        chosen = self.random.choice(workers)  # any worker may be the fastest
        return [next(t for t, w, _, _ in self.pending if t in tickets and w == chosen)]

    def answer(self, ticket: int) -> Any:
        (found,) = [p for p in self.pending if p[0] == ticket]
        self.pending.remove(found)
        _, worker, stage, number = found
        if self.dies(worker, stage, number):
            raise Gone("killed")
        if stage == "greet":
            return self.version
        if stage == "prepare":
            plan = self.work.plan
            told = {"key": KEY, "digest": plan.digest, "inputs": plan.inputs, "host": "node7",
                    "machine": self.machines[worker % len(self.machines)]}  # fmt: skip
            return Ready(**(told | self.ready))
        return pack_batch(self.work.compute(number))

    def close(self) -> None:
        self.closed = True


KEY = ""


@pytest.fixture(scope="module")
def lstm() -> Any:
    return open_model(LSTM)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    from priscian.models import model_key

    global KEY
    KEY = model_key(parse_model(LSTM)).digest
    monkeypatch.setattr("priscian.scoring.plan.SIMPLE_BATCH", 5)
    monkeypatch.setattr(cluster, "PAUSE", 0.0)


@pytest.fixture
def wanted(lstm: Any) -> dict[Text, TokenScores]:
    return score_texts(LSTM, TEXTS, ScoreStore(), loaded=lstm).scores


Run = Callable[..., Any]


@pytest.fixture
def run(lstm: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """`run(size, dies)` scores the texts on a stand-in; `run.made` has the clusters."""
    made: list[Fake] = []

    def score(
        size: int = 2,
        dies: Callable[..., bool] | None = None,
        store: ScoreStore | None = None,
        **changes: Any,
    ) -> Any:
        def choose(work: Work) -> Remote:
            made.append(Fake(work, size, dies))
            for name, value in changes.items():
                setattr(made[-1], name, value)
            return Remote(made[-1])

        monkeypatch.setattr("priscian.scoring.engine.choose_executor", choose)
        return score_texts(LSTM, TEXTS, store or ScoreStore(), loaded=lstm)

    score.made = made  # type: ignore[attr-defined]
    yield score
    assert all(fake.closed for fake in made)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_any_number_of_workers_gives_the_scores_of_one_process(
    size: int, run: Any, wanted: dict[Text, TokenScores]
) -> None:
    scored = run(size)
    assert scored.scores == wanted
    assert scored.notes["machines"] == "here"
    assert max(run.made[0].most.values()) == 2  # two in flight, never more


def test_workers_that_die_at_random_moments_lose_nothing(
    run: Any, wanted: dict[Text, TokenScores]
) -> None:
    for seed in range(5):
        assert run(3, Deaths(random.Random(seed))).scores == wanted


class Deaths:
    """Ten deaths at random moments, at most two of them during the same batch."""

    def __init__(self, rng: random.Random) -> None:
        self.random, self.left = rng, 10
        self.batches: dict[int, int] = {}

    def __call__(self, worker: int, stage: str, number: int) -> bool:
        spared = stage == "prepare" or self.batches.get(number, 0) >= 2
        if spared or not self.left or self.random.random() > 0.3:
            return False
        self.left -= 1
        if number >= 0:
            self.batches[number] = self.batches.get(number, 0) + 1
        return True


def test_a_batch_that_kills_three_workers_is_set_aside_and_the_rest_finishes(
    run: Any, wanted: dict[Text, TokenScores]
) -> None:
    deaths: list[int] = []

    def dies(worker: int, stage: str, number: int) -> bool:
        if number == 4:
            deaths.append(worker)
        return number == 4

    store = ScoreStore()
    with pytest.raises(SetAsideError) as caught:
        run(2, dies, store)
    assert len(deaths) == 3
    assert caught.value.texts == tuple(text.text for text in TEXTS[20:25])
    line = str(caught.value)
    assert line.startswith("builtin:lstm: 5 texts set aside: workers died each time they were comp")
    assert f"{TEXTS[20].text!r}, {TEXTS[21].text!r}" in line
    assert " and 1 more; everything else is scored and kept" in line
    key = score_texts(LSTM, TEXTS[:1], ScoreStore()).key
    kept = store.read(key, TEXTS)
    assert kept == {text: s for text, s in wanted.items() if text.text not in caught.value.texts}


def test_the_batch_behind_a_deadly_one_is_not_blamed(run: Any) -> None:
    """With one worker, batch 5 waits behind batch 4 each time; only batch 4 is at fault."""
    with pytest.raises(SetAsideError, match="5 texts set aside"):
        run(1, lambda worker, stage, number: number == 4)


def test_the_other_models_of_a_run_are_scored_when_texts_are_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import priscian
    from priscian.scoring.engine import choose_executor

    def choose(work: Work) -> Any:
        if work.task.spec.id != "lstm":
            return choose_executor(work)
        return Remote(Fake(work, 2, lambda worker, stage, number: number == 0))

    monkeypatch.setattr("priscian.scoring.engine.choose_executor", choose)
    data = tmp_path / "p.csv"
    data.write_text("good,bad\nGo now.,Now the go.\nShe ran.,Ran she.\n")
    with pytest.raises(SetAsideError, match="builtin:lstm: 4 texts set aside"):
        priscian.score([LSTM, "builtin:ngram"], f"pairs:{data}", out=tmp_path / "run")
    found = priscian.load_run(tmp_path / "run")
    assert found.info.status == "failed"
    assert found.models == ("builtin:ngram",)
    monkeypatch.setattr("priscian.scoring.engine.choose_executor", choose_executor)
    with pytest.warns(PriscianWarning, match="set aside"):
        again = priscian.score(
            [LSTM, "builtin:ngram"], f"pairs:{data}", out=tmp_path / "run", resume=True
        )
    assert again.finished


def test_workers_that_always_die_while_they_load_the_model_end_the_run(run: Any) -> None:
    with pytest.raises(WorkerError, match=r"every worker died 3 times while it loaded builtin:lst"):
        run(2, lambda worker, stage, number: stage == "prepare")


def test_one_worker_that_cannot_load_the_model_does_not_stop_the_others(
    run: Any, wanted: dict[Text, TokenScores]
) -> None:
    assert run(2, lambda worker, stage, number: (worker, stage) == (1, "prepare")).scores == wanted


def test_a_cluster_that_never_answers_ends_in_one_line(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.0)
    with pytest.raises(WorkerError, match=r"no worker answered for 0 s .* CPUs .*`resume=True`"):
        run(2, wait=lambda tickets, seconds: [])


@pytest.mark.parametrize(("version", "said"), [("0.1.0", "Priscian 0.1.0"), ("", "no Priscian")])
def test_a_cluster_with_another_version_is_refused(run: Any, version: str, said: str) -> None:
    with pytest.raises(WorkerError, match=f"the cluster has {said}, this process has .*; install"):
        run(2, version=version)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"key": "x"}, "other files"),
        ({"inputs": "x"}, "other tokens"),
        ({"digest": "x"}, "batches"),
    ],
)
def test_a_worker_with_another_model_or_other_tokens_is_refused(
    run: Any, told: dict[str, str], said: str
) -> None:
    with pytest.raises(WorkerError, match=f"builtin:lstm: a worker on node7 has .*{said}"):
        run(2, ready=told)


def test_machines_that_differ_are_counted_and_said(
    run: Any, wanted: dict[Text, TokenScores]
) -> None:
    with pytest.warns(PriscianWarning, match=r"builtin:lstm was scored on machines that differ"):
        scored = run(2, machines=["one", "two"])
    assert scored.notes["machines"].startswith("one (")
    assert sum(int(part.split("(")[1].split()[0])
               for part in scored.notes["machines"].split(";")) == 12  # fmt: skip


def test_an_error_of_the_model_reaches_the_caller(run: Any) -> None:
    def broken(ticket: Any) -> Any:
        raise ScoreError("the model gave nan")

    with pytest.raises(ScoreError, match="gave nan"):
        run(1, answer=broken)


def test_a_worker_rebuilds_the_batches_and_packs_exact_numbers(
    lstm: Any, wanted: dict[Text, TokenScores]
) -> None:
    from priscian.scoring.plan import ScoringTask, prepare

    task = ScoringTask(parse_model(LSTM), TEXTS)
    plan = prepare(task, lstm.model).plan
    worker = BatchWorker(task, plan, ".")
    assert worker.ready().inputs == plan.inputs
    assert unpack_batch(worker.compute(2)) == [wanted[text] for text in TEXTS[10:15]]
    odd = [TokenScores((0,), (1,), (-0.1,), {"boundary": (-1e-300, -0.3)})]
    assert unpack_batch(pack_batch(odd)) == odd


@pytest.mark.parametrize("name", ["rai", "dask:host", "forked"])
def test_an_unknown_executor_is_refused(name: str, tmp_path: Path) -> None:
    import priscian

    with pytest.raises(UsageError, match="`executor=` takes auto, ray or ray:ADDRESS"):
        priscian.score("builtin:lstm", "generated:7,2,wh_island", executor=name)


def test_without_ray_one_line_says_how_to_get_it(
    lstm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"needs Ray: pip install .*'.\[ray\]'"):
        score_texts(LSTM, TEXTS, ScoreStore(), loaded=lstm, options=Options(executor="ray"))
    assert executors.address_of("ray:10.0.0.1:6379") == "10.0.0.1:6379"


def test_an_address_where_nothing_listens_is_refused_at_once() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound, but it does not listen
        port = closed.getsockname()[1]
        with pytest.raises(WorkerError, match=rf"no Ray cluster at 127.0.0.1:{port} .*ray status"):
            check_address(f"127.0.0.1:{port}")
    with socket.create_server(("127.0.0.1", 0)) as server:
        check_address(f"127.0.0.1:{server.getsockname()[1]}")
        check_address(f"ray://127.0.0.1:{server.getsockname()[1]}")
    with pytest.raises(UsageError, match=r"write ray:HOST:PORT"):
        check_address("head")
    check_address("auto")
