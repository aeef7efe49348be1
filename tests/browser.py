"""Chromium through Playwright: the one way in which tests look at the report and at studies."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
WIDE = {"viewport": {"width": 1400, "height": 900}}
OPTIONS = ["--no-sandbox", "--disable-dev-shm-usage"]
REMEDY = "apt install chromium, or python -m playwright install chromium, or set PRISCIAN_CHROMIUM"
OURS = ("file:", "data:", "blob:", "http://127.0.0.1:")
"""Where a page of ours may load from."""
Visit = Callable[..., Any]


def find_chromium() -> str | None:
    """Chromium's program, if it is installed; PRISCIAN_CHROMIUM names another one."""
    named = os.environ.get("PRISCIAN_CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


@contextlib.contextmanager
def launched() -> Iterator[Any]:
    """A headless Chromium, the machine's or else Playwright's own; None where there is neither."""
    from playwright.sync_api import Error, sync_playwright

    program = find_chromium()
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=program, args=OPTIONS)
        except Error:
            if program is not None:
                raise
            browser = None
        yield browser
        if browser is not None:
            browser.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """One browser for each module; Playwright's event loop must not outlive it."""
    pytest.importorskip("playwright", reason="no Playwright: pip install playwright")
    with launched() as browser:
        if browser is None:
            pytest.skip(f"no Chromium: {REMEDY}")
        yield browser


def open_context(chromium: Any, problems: list[str], options: dict[str, Any]) -> Any:
    """A context whose pages note their errors, dialogs and requests elsewhere as problems."""

    def watch(page: Any) -> None:
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
        page.on("console", lambda said: note(said) if said.type in ("error", "assert") else None)

    def note(said: Any) -> None:
        if "Failed to load resource" not in said.text:  # no connection, or a status that is tested
            problems.append(said.text)

    def asked(request: Any) -> None:
        if not request.url.startswith(OURS):
            problems.append(f"asks {request.url}")

    context = chromium.new_context(**{**DESKTOP, **options})
    context.set_default_timeout(60_000)
    context.on("page", watch)
    context.on("request", asked)
    return context


@pytest.fixture
def visit(chromium: Any) -> Iterator[Visit]:
    """Opens a page: `visit(**PHONE)`; fails if one has errors, opens a dialog or asks elsewhere."""
    opened: list[Any] = []
    problems: list[str] = []

    def start(**options: Any) -> Any:
        opened.append(open_context(chromium, problems, options))
        return opened[-1].new_page()

    yield start
    for context in opened:
        with contextlib.suppress(Exception):
            context.close()
    assert problems == []


@pytest.fixture(scope="module")
def kept(chromium: Any) -> Iterator[tuple[Any, list[str]]]:
    """The page of `wide`, and its problems."""
    problems: list[str] = []
    context = open_context(chromium, problems, WIDE)
    yield context.new_page(), problems
    context.close()


@pytest.fixture
def wide(kept: tuple[Any, list[str]]) -> Iterator[Any]:
    """A wide page, empty at first and watched as by `visit`.

    Tests of a module take turns with it, since a new page costs as much as a report. What a test
    sets for the page itself, such as its size, would stay: use `visit` for that.
    """
    page, problems = kept
    problems.clear()
    yield page
    page.evaluate("() => { try { localStorage.clear(); } catch {} }")
    page.goto("about:blank")
    assert problems == []


def wait_for(page: Any, condition: str) -> None:
    """Wait until a JavaScript expression holds; as a function, since our pages forbid eval."""
    page.wait_for_function(f"() => {condition}")


def cut_off(page: Any) -> list[str]:
    """The figures of a report that are wider than their place."""
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('figure[data-figure]')].filter(f =>"
        " f.querySelector('svg').getBoundingClientRect().width >"
        " f.querySelector('.scroll').clientWidth + 1).map(f => f.id)"
    )
    return found


def open_report(page: Any, file: Path) -> None:
    """Open a report and wait until its script has run."""
    page.goto(file.resolve().as_uri())
    wait_for(page, "document.documentElement.dataset.ready === 'yes'")
