"""A complete example study: served, answered by simulated people, exported."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from priscian.judge.app.admin import new_token
from priscian.judge.app.serve import make_app
from priscian.judge.app.site import Site
from priscian.judge.desk import Desk
from priscian.judge.export import export_store
from priscian.judge.opening import new_study, open_store, ready
from priscian.judge.simulate import Habits, Ledger, simulate, wait_for
from priscian.web.serve import bound, configured


@dataclass(frozen=True, slots=True)
class Demo:
    """An example that is being served."""

    study: Path
    results: Path
    url: str
    token: str
    """The researcher's token."""
    ledger: Ledger
    exported: int
    """Answers in the tables."""
    server: threading.Thread


@contextmanager
def run_demo(out: Path, *, port: int, raters: int, seed: int) -> Iterator[Demo]:
    """Make, serve, answer and export a study; it is served until the end of the block."""
    study, results = out / "study", out / "results"
    paradigms = "adjunct_island,anaphor_number_agreement,passive_1,wh_island"
    new_study("fc", f"generated:{seed},5,{paradigms}", study)
    frozen = ready(study)
    listening = bound("127.0.0.1", port, False)
    with closing(open_store(study)) as store:
        token = new_token(store)
        desk = Desk(lambda: open_store(study))
        server = uvicorn.Server(configured(make_app(Site(frozen, desk), desk.close)))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        wait_for(url)
        ledger = simulate(url, frozen, Habits(raters, seed))
        exported = export_store(store, frozen, results).answers
    try:
        yield Demo(study, results, url, token, ledger, exported, thread)
    finally:
        server.should_exit = True
        thread.join(10)
