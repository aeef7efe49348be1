"""A study on a port of its own, and Debian's Chromium, driven by Playwright, as its participant."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from priscian.judge.app.admin import new_token
from priscian.judge.app.make import make_app
from priscian.judge.app.serve import bound
from priscian.judge.app.site import Site
from priscian.judge.desk import Desk
from priscian.judge.opening import open_store, ready
from priscian.judge.records import Given
from tests.judge.studies import make
from tests.reporting.browser import find_chromium

PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
AXE_FOLDER = Path(os.environ.get("PRISCIAN_AXE", "~/.cache/priscian/axe/package")).expanduser()
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice")


@dataclass(slots=True)
class Online:
    """A study served by a thread of this process."""

    folder: Path
    url: str
    token: str
    server: uvicorn.Server
    thread: threading.Thread = field(init=False)

    def rows(self) -> list[Given]:
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
    app = make_app(Site(frozen, desk), desk.close)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, ws="none"))
    made = Online(folder, f"http://127.0.0.1:{listening.getsockname()[1]}", token, server)
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


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """One browser for a module; Playwright's event loop must not outlive it."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs pip install playwright")
    program = find_chromium()
    if program is None:
        pytest.skip("no Chromium: install it (apt install chromium) or set PRISCIAN_CHROMIUM")
    with sync_api.sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=program, args=options)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens a visitor's browser; fails if a page complains, opens a dialog or asks another host."""
    opened: list[Any] = []
    problems: list[str] = []

    def watch(page: Any) -> None:
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
        page.on("console", lambda said: note(said) if said.type == "error" else None)

    def note(said: Any) -> None:
        if "Failed to load resource" not in said.text:  # no connection, or a status that is tested
            problems.append(said.text)

    def start(**options: Any) -> Any:
        context = chromium.new_context(**{**DESKTOP, **options})
        context.set_default_timeout(30_000)
        context.on("page", watch)
        context.on(
            "request",
            lambda r: None if "//127.0.0.1:" in r.url else problems.append(f"asks {r.url}"),
        )
        opened.append(context)
        return context.new_page()

    yield start
    for context in opened:
        with contextlib.suppress(Exception):
            context.close()
    assert problems == []


def enter(page: Any, url: str, tap: bool = False) -> None:
    """Agree, and read the instructions: the first trial is there."""
    page.goto(url)
    press(page, "button[value=yes]", tap)
    press(page, "button.primary", tap)
    page.wait_for_selector("form#trial")


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


def axe_source() -> str:
    """axe-core, which is not part of this project."""
    file = AXE_FOLDER / "axe.min.js"
    if not file.is_file():
        pytest.skip(
            f"no axe-core in {AXE_FOLDER}: cd {AXE_FOLDER.parent} && npm pack axe-core && "
            "tar xzf axe-core-*.tgz, or set PRISCIAN_AXE to the folder of axe.min.js"
        )
    return file.read_text("utf-8")


def violations(page: Any) -> list[str]:
    """What axe-core finds on a page; it is put in from outside the page's own policy."""
    session = page.context.new_cdp_session(page)
    session.send("Page.setBypassCSP", {"enabled": True})
    page.evaluate(axe_source() + "; 0")
    found = page.evaluate(
        "rules => axe.run(document, {runOnly: {type: 'tag', values: rules}})", list(RULES)
    )
    return [
        f"{v['id']}: {v['help']}: {[n['html'][:120] for n in v['nodes']]}"
        for v in found["violations"]
    ]
