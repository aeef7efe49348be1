"""`priscian judge simulate` and `demo`: simulated people over HTTP."""

from __future__ import annotations

import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from priscian.cli.output import Flag
from priscian.errors import DataError, UsageError, counted, install
from priscian.judge.opening import open_store, ready
from priscian.judge.simulate import Habits, simulate, wait_for


def demo_command(
    *,
    out: Path = Path("judge-demo"),
    port: int = 8000,
    raters: int = 12,
    seed: int = 1,
    stay: Annotated[bool, Parameter(negative="--leave")] = True,
) -> None:
    """A complete example: a fresh study, simulated people, an export, and the pages to look at.

    Parameters
    ----------
    out
        Folder to make.
    port
        Port to serve on; 0 for any that is free.
    raters
        Number of simulated people.
    seed
        Another seed gives other sentences and people.
    stay
        Go on serving afterwards, until Ctrl-C.
    """
    try:
        from priscian.judge.demo import run_demo
    except ImportError as error:
        raise UsageError(f"serving needs {error.name}: {install('judge')}") from None
    with run_demo(out, port=port, raters=raters, seed=seed) as demo, suppress(KeyboardInterrupt):
        people, answers = len(demo.ledger.codes), len(demo.ledger.answers)
        print(f"{people} simulated people gave {answers} answers: {demo.study}")
        print(f"{demo.exported} of them are exported to {demo.results}")
        print(f"\nLook at it:\n  {demo.url}/        as a participant")
        print(f"  {demo.url}/admin   token {demo.token}")
        choices = demo.results / "choices.csv"
        print(f"\nWhat to type next:\n  priscian analyse human {choices}")
        print(f"  priscian judge answer {demo.study} --model builtin:ngram", flush=True)
        while stay and demo.server.is_alive():
            time.sleep(0.2)


def simulate_command(
    study: Path,
    /,
    *,
    url: str = "http://127.0.0.1:8000",
    raters: int = 20,
    pause: float = 0.0,
    accuracy: float = 0.9,
    seed: int = 1,
    database: str = "",
) -> None:
    """Let simulated people answer a study that is being served, and check that nothing is lost.

    Try a study before real people see it: priscian judge serve study/ in one terminal, this in
    another. They are tests: they count nowhere, and priscian judge clear --tests deletes them.

    Parameters
    ----------
    study
        Folder of the study.
    url
        Where it is served.
    raters
        Number of simulated people.
    pause
        Mean seconds between two answers.
    accuracy
        How often somebody prefers the acceptable sentence.
    seed
        The same seed gives the same people.
    database
        Where answers are kept.
    """
    frozen = ready(study, database)
    with closing(open_store(study, database)) as store, store.backend.transaction():
        key = store.test_key()
    wait_for(url)
    ledger = simulate(url, frozen, Habits(raters, seed, pause, accuracy, test_key=key))
    with closing(open_store(study, database)) as store:
        tokens = {s.id: s.token for s in store.sittings(tests=True)}
        kept = {(tokens[a.sitting], a.position): a.response for a in store.answers(tests=True)}
    lost = [key for key, said in ledger.answers.items() if kept.get(key) != said]
    print(
        f"{counted(len(ledger.codes), 'sitting')} completed, {ledger.refused} refused, "
        f"{counted(len(ledger.answers), 'answer')} acknowledged, {len(lost)} missing"
    )
    half, most, nearly = (1000 * ledger.quantile(q) for q in (0.5, 0.95, 0.99))
    print(f"response times: median {half:.0f} ms, p95 {most:.0f} ms, p99 {nearly:.0f} ms")
    if lost:
        raise DataError(f"{counted(len(lost), 'acknowledged answer')} not in the database")


def clear_command(study: Path, /, *, tests: Flag = False, database: str = "") -> None:
    """Delete tests: the sittings of simulated people, and those that you began from /admin.

    Answers of people stay.

    Examples:
      priscian judge clear study/ --tests

    Parameters
    ----------
    study
        Folder of the study.
    tests
        Confirm that tests are to be deleted.
    database
        Where answers are kept.
    """
    if not tests:
        raise UsageError("say what to delete: --tests")
    with closing(open_store(study, database)) as store, store.backend.transaction():
        gone = store.clear_tests()
    print(f"{counted(gone, 'test')} deleted")
