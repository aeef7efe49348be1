"""A complete example study: served, answered by simulated people, exported."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import uvicorn

from priscian.judge.app.admin import new_token
from priscian.judge.app.serve import make_app
from priscian.judge.app.site import Site
from priscian.judge.desk import Desk
from priscian.judge.export import export_store
from priscian.judge.new import new_study
from priscian.judge.opening import open_store, ready
from priscian.judge.simulate import Habits, simulate, wait_for
from priscian.web.serve import bound, configured


def run_demo(out: Path, *, port: int, raters: int, seed: int, stay: bool) -> None:
    """Make, serve, answer and export a study; `stay` goes on serving until it is stopped."""
    study = out / "study"
    paradigms = "adjunct_island,anaphor_number_agreement,passive_1,wh_island"
    new_study("fc", f"generated:{seed},5,{paradigms}", study)
    frozen = ready(study)
    listening = bound("127.0.0.1", port, False)
    store = open_store(study)
    token = new_token(store)
    desk = Desk(lambda: open_store(study))
    server = uvicorn.Server(configured(make_app(Site(frozen, desk), desk.close)))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    wait_for(url)
    ledger = simulate(url, frozen, Habits(raters, seed))
    done = export_store(store, frozen, out / "results")
    store.close()
    print(f"{len(ledger.codes)} simulated people gave {len(ledger.answers)} answers: {study}")
    print(f"{done.answers} of them are exported to {out / 'results'}")
    print(f"\nLook at it:\n  {url}/        as a participant\n  {url}/admin   token {token}")
    print(f"\nWhat to type next:\n  priscian analyse human {out / 'results' / 'choices.csv'}")
    print(f"  priscian judge answer {study} --model builtin:ngram", flush=True)
    try:
        while stay and thread.is_alive():
            time.sleep(0.2)
    except KeyboardInterrupt:
        pass
    server.should_exit = True
    thread.join(10)
