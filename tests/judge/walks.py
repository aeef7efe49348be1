"""Ways through a study in a browser: each ends at the completion code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser import PHONE, Visit
from tests.judge.browser import Online, enter, position, press, shown, until

TRIALS = 3
PAIRS = "id,set,good,bad\n" + "".join(f"p{n},a{n},Good {n}.,Bad {n}.\n" for n in range(TRIALS))
SINGLES = "id,set,lexicalisation,condition,sentence\n" + "".join(
    f"s{n}{c},a{n},l{n},{c},The {c} sentence {n}.\n" for n in range(TRIALS) for c in ("good", "bad")
)
TASKS = ("choice", "likert", "binary", "magnitude")
ANSWERS = {"choice": "right", "likert": "6", "binary": "no", "magnitude": "12,5"}
KEPT = {**ANSWERS, "magnitude": "12.5"}
Walk = Callable[[Visit, Online, str], None]


def items(task: str) -> str:
    """The table of a study with three trials."""
    return PAIRS if task == "choice" else SINGLES


def give(page: Any, task: str, tap: bool = False) -> None:
    """Answer the trial that is shown, by mouse or finger."""
    if tap:
        page.wait_for_timeout(450)  # two taps at once are a double tap, which is ignored
    if task == "magnitude":
        page.fill("#answer", ANSWERS[task])
        press(page, "#trial button.primary", tap)
    else:
        press(page, f"button[name=answer][value='{ANSWERS[task]}']", tap)


def give_all(page: Any, task: str, first: int = 1, last: int = TRIALS, tap: bool = False) -> None:
    """Answer trials one after the other."""
    for number in range(first, last + 1):
        shown(page, number)
        give(page, task, tap)


def finished(page: Any) -> str:
    """The completion code, once it is there."""
    page.wait_for_selector("#code")
    return str(page.inner_text("#code"))


def desktop(visit: Visit, served: Online, task: str) -> None:
    page = visit()
    enter(page, served.url)
    give_all(page, task)
    finished(page)


def touch(visit: Visit, served: Online, task: str) -> None:
    page = visit(**PHONE)
    enter(page, served.url, tap=True)
    assert page.locator("#trial button:visible").count()
    fits(page)
    give_all(page, task, tap=True)
    finished(page)
    fits(page)


def fits(page: Any) -> None:
    """Nothing is wider than the screen, and what is pressed is at least 44 pixels high and wide."""
    page.wait_for_load_state()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    targets = page.locator("button:visible, .button:visible, .option:visible").all()
    for target in targets:
        box = target.bounding_box()
        assert box["width"] >= 44, target
        assert box["height"] >= 44, target


def keyboard(visit: Visit, served: Online, task: str) -> None:
    """No pointer at all: Tab and Enter on the first pages, then the task's own keys."""
    page = visit()
    page.goto(served.url)
    for arrived in ("input[value=instructions]", "form#trial"):
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector(arrived, state="attached")
    page.wait_for_selector("form#trial")
    for number in range(1, TRIALS + 1):
        shown(page, number)
        if task == "magnitude":
            page.keyboard.type("12,5")
            page.keyboard.press("Enter")
        elif number % 2:
            page.keyboard.press("6" if task == "likert" else "j")
        else:  # arrows move, Enter confirms
            for _ in range(6 if task == "likert" else 2):
                page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
    finished(page)


def no_script(visit: Visit, served: Online, task: str) -> None:
    page = visit(java_script_enabled=False)
    enter(page, served.url)
    for number in range(1, TRIALS + 1):
        assert position(page) == number
        give(page, task)
        page.wait_for_load_state()
    finished(page)


def offline(visit: Visit, served: Online, task: str) -> None:
    """The connection is lost after the first answer and comes back after the last."""
    page = visit()
    enter(page, served.url)
    with page.expect_response("**/answers"):
        give_all(page, task, last=1)
    page.context.set_offline(True)
    give_all(page, task, first=2)
    page.wait_for_selector("#banner:has-text('No connection')")
    assert page.locator("#code").count() == 0
    assert len(served.rows()) == 1
    page.context.set_offline(False)
    finished(page)


def reload(visit: Visit, served: Online, task: str) -> None:
    """Reloads with an answer unsent: it is neither lost nor asked for again."""
    page = visit()
    enter(page, served.url)
    page.route("**/answers", lambda route: route.abort())
    give_all(page, task, last=1)
    shown(page, 2)
    page.reload()
    shown(page, 2)
    assert served.rows() == []
    page.unroute("**/answers")
    page.reload()
    give_all(page, task, first=2)
    finished(page)


def back(visit: Visit, served: Online, task: str) -> None:
    """The back button shows no old trial, and nothing is lost or answered twice."""
    page = visit()
    enter(page, served.url)
    give_all(page, task, last=1)
    shown(page, 2)
    until(lambda: served.rows(), "one answer is saved")
    page.go_back()
    page.wait_for_load_state()
    page.go_forward()
    page.wait_for_load_state()
    give_all(page, task, first=2)
    code = finished(page)
    page.go_back()
    page.go_forward()
    assert finished(page) == code


def two_tabs(visit: Visit, served: Online, task: str) -> None:
    """Two tabs take turns; what one answers, the other skips."""
    one = visit()
    enter(one, served.url)
    shown(one, 1)
    two = one.context.new_page()
    with two.expect_response("**/block"):
        two.goto(one.url)
    for number, page in enumerate((one, two, one), start=1):
        page.bring_to_front()
        shown(page, number)
        give(page, task)
    assert finished(one) == finished(two)


WALKS: dict[str, Walk] = {
    walk.__name__: walk
    for walk in (desktop, touch, keyboard, no_script, offline, reload, back, two_tabs)
}


def take(walk: str, visit: Visit, served: Online, task: str) -> None:
    """Walk, and compare the table with what was answered."""
    WALKS[walk](visit, served, task)
    rows = served.rows()
    assert [row.position for row in rows] == list(range(1, TRIALS + 1))
    assert {row.response for row in rows} == {KEPT[task]}
    assert {row.timing for row in rows} == {"server" if walk == "no_script" else "script"}
    assert all(row.time is not None and 0 < row.time < 60 for row in rows)
    assert served.revisions() == 0
