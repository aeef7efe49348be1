"""A study on a port of its own, and participants of it in a browser."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from priscian.judge.app.admin import new_token
from priscian.judge.app.serve import make_app
from priscian.judge.app.site import Site
from priscian.judge.desk import Desk
from priscian.judge.opening import open_store, ready
from priscian.judge.store import StoredAnswer
from priscian.web.serve import bound
from tests.judge.studies import make


@dataclass(slots=True)
class Online:
    """A study served by a thread of this process."""

    folder: Path
    url: str
    token: str
    site: Site
    server: uvicorn.Server
    thread: threading.Thread = field(init=False)

    def rows(self) -> list[StoredAnswer]:
        """Every answer in the table."""
        store = open_store(self.folder)
        found = list(store.answers())
        store.close()
        return found

    def revisions(self) -> int:
        """How many later answers there are."""
        store = open_store(self.folder)
        found = store.backend.run("SELECT COUNT(*) FROM revisions")
        store.close()
        return int(found[0][0])

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)


def put_online(folder: Path) -> Online:
    """Serve a folder until it is stopped."""
    listening = bound("127.0.0.1", 0, False)
    frozen = ready(folder)
    store = open_store(folder)
    token = new_token(store)
    store.close()
    desk = Desk(lambda: open_store(folder))
    site = Site(frozen, desk)
    app = make_app(site, desk.close)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, ws="none"))
    made = Online(folder, f"http://127.0.0.1:{listening.getsockname()[1]}", token, site, server)
    made.thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    made.thread.start()
    until(lambda: server.started, "the server starts")
    return made


def until(holds: Callable[[], Any], what: str, seconds: float = 60) -> None:
    """Wait until a test of ours holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"after {seconds} s not yet: {what}"
        time.sleep(0.02)


@pytest.fixture
def online(tmp_path: Path) -> Iterator[Callable[..., Online]]:
    """Serves studies of `tests.judge.studies.make`."""
    opened: list[Online] = []

    def start(
        task: str = "choice", tables: str = "", top: str = "", items: str = "", practice: str = ""
    ) -> Online:
        folder = make(tmp_path / f"s{len(opened)}", task, tables, top, items)
        if practice:
            (folder / "practice.csv").write_text(practice)
        opened.append(put_online(folder))
        return opened[-1]

    yield start
    for served in opened:
        served.stop()


def enter(page: Any, url: str, tap: bool = False) -> None:
    """Agree, and read the instructions: the first trial is there."""
    page.goto(url)
    press(page, "button[value=yes]", tap)
    press(page, "button.primary", tap)
    page.wait_for_selector("form#trial")
    page.wait_for_load_state()  # a form can be there before its style sheet


def press(page: Any, what: str, tap: bool = False) -> None:
    """Click, or tap with a finger."""
    place = page.locator(what).first
    place.tap() if tap else place.click()


def position(page: Any) -> int:
    """The number of the trial that is shown."""
    return int(page.locator("#trial input[name=position]").input_value())


def shown(page: Any, number: int) -> None:
    """Wait until a trial is on the screen and takes answers."""
    page.wait_for_function(
        "n => { const f = document.getElementById('trial'); return f "
        "&& !f.hasAttribute('hidden') && f.elements.namedItem('position').value == n; }",
        arg=number,
    )
    frames = "requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(f)))"
    page.evaluate(f"() => new Promise(f => {frames})")
