"""axe-core finds nothing on any page, light or dark, wide or narrow; the researcher logs in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from priscian.web.limits import Buckets
from tests.axe import axe_source, violations
from tests.browser import DESKTOP, PHONE
from tests.judge.browser import (
    Online,
    enter,
    online,
    press,
    shown,
    until,
)
from tests.judge.walks import TASKS, finished, give, give_all, items

__all__ = ["online"]  # fixtures
EVERYTHING = """
[checks]
honeypot = true
[[checks.comprehension]]
question = "How many sentences will you see at a time?"
options = ["one", "two"]
answer = "two"
[consent]
retention = "Ten years."
contact = "lab@example.org"
[practice]
table = "practice.csv"
[pages]
welcome = "Welcome to **our** study. [Read more](https://example.org/more)."
instructions = "# How it works\\n\\n- read\\n- choose"
[targets]
sittings_per_person = 2
"""
PRACTICE = "id,set,good,bad\nx,practice,A dog barked.,A dog bark.\n"
ABOUT = (
    'title = "Which is better?"\nquestion = "Which is more acceptable?"\n'
    'demographics = ["age", "gender", "native_languages", "country", "comments"]'
)
PREVIEW = "/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE"
LOOKS = {
    "wide, light": {**DESKTOP, "color_scheme": "light"},
    "narrow, dark": {**PHONE, "color_scheme": "dark"},
    "wide, dark": {**DESKTOP, "color_scheme": "dark"},
    "narrow, light": {**PHONE, "color_scheme": "light"},
}
Study = Callable[..., Online]


@pytest.fixture(autouse=True)
def axe() -> None:
    """Skip where axe-core is not there."""
    axe_source()


class Look:
    """A page and what axe has found on the way."""

    def __init__(self, page: Any, found: dict[str, list[str]] | None = None) -> None:
        self.page = page
        self.found = {} if found is None else found

    def at(self, name: str) -> None:
        self.page.wait_for_load_state()
        found = violations(self.page)
        if found:
            self.found[name] = found


def log_in(page: Any, served: Online) -> None:
    page.goto(f"{served.url}/admin")
    page.fill("input[name=token]", served.token)
    page.click("button.primary")
    page.wait_for_selector(".facts")


@pytest.mark.parametrize(
    "look", [pytest.param(k, marks=[pytest.mark.slow] if n else []) for n, k in enumerate(LOOKS)]
)
def test_no_page_of_a_whole_study_has_a_violation(look: str, visit: Any, online: Study) -> None:
    served = online("choice", EVERYTHING, ABOUT, "id,set,good,bad\np0,a,Good.,Bad.\n", PRACTICE)
    page = visit(**LOOKS[look])
    seen = Look(page)
    page.goto(served.url)
    seen.at("welcome")
    press(page, "button[value=yes]")
    page.wait_for_selector("input[value=instructions]", state="attached")
    seen.at("instructions")
    press(page, "button.primary")
    page.check("input[value=one]")
    press(page, "button.primary")
    page.wait_for_selector(".problem")
    seen.at("comprehension, wrong")
    page.check("input[value=two]")
    press(page, "button.primary")
    shown(page, 1)
    assert page.inner_text("h1 .tag") == "Practice"
    seen.at("practice")
    page.context.set_offline(True)
    give(page, "choice")
    shown(page, 2)
    page.wait_for_selector("#banner:not(:empty)")
    seen.at("trial without a connection")
    page.context.set_offline(False)
    give(page, "choice")
    page.wait_for_selector("input[name=age]")
    seen.at("about")
    press(page, "button.primary")
    finished(page)
    seen.at("end")
    page.goto(served.url)
    page.wait_for_selector("#before", state="visible")
    seen.at("coming back")
    page.goto(f"{served.url}/nothing")
    seen.at("error")
    page.goto(f"{served.url}/admin")
    seen.at("login")
    page.fill("input[name=token]", "wrong")
    page.click("button.primary")
    page.wait_for_selector(".problem")
    seen.at("login, wrong")
    log_in(page, served)
    seen.at("admin")
    press(page, "button:has-text('Pause')")
    page.wait_for_selector(".banner")
    seen.at("admin, paused")
    page.goto(served.url)
    seen.at("paused")
    assert seen.found == {}


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_no_trial_has_a_violation(task: str, visit: Any, online: Study) -> None:
    served = online(task, items=items(task))
    for look in (LOOKS["wide, light"], LOOKS["narrow, dark"]):
        page = visit(**look)
        seen = Look(page)
        enter(page, served.url)
        shown(page, 1)
        seen.at(task)
        if task == "magnitude":
            page.fill("#answer", "no number")
            page.keyboard.press("Enter")
            seen.at("not a number")
        assert seen.found == {}


@pytest.mark.slow
def test_messages_have_no_violation(visit: Any, online: Study) -> None:
    served = online("likert", "[targets]\nsittings_per_list = 1\n", items=items("likert"))
    page = visit()
    seen = Look(page)
    page.goto(served.url)
    press(page, "button[value=no]")
    seen.at("declined")
    others = [visit() for _ in range(2)]
    for other in others:
        enter(other, served.url)
        give_all(other, "likert", last=1)
        shown(other, 2)
    until(lambda: len(served.rows()) == 2, "two places are held")
    page.goto(served.url)
    press(page, "button[value=yes]")
    assert "All places are taken at the moment" in page.inner_text("main")
    seen.at("held")
    for other in others:
        give_all(other, "likert", first=2)
        finished(other)
    page.goto(served.url)
    press(page, "button[value=yes]")
    assert "Enough people" in page.inner_text("main")
    seen.at("full")
    served.site.spare_loopback = False
    served.site.per_entry = Buckets(0.01, 0)
    page.goto(served.url)
    press(page, "button[value=yes]")
    page.wait_for_selector("#retry")
    seen.at("busy")
    page = visit()
    seen = Look(page, seen.found)
    other = online("choice", items=items("choice"))
    enter(page, other.url)
    shown(page, 1)
    page.evaluate("document.querySelector('[data-sentence]').textContent = 'Other words.'")
    page.keyboard.press("f")
    page.wait_for_selector("#problem:not(:empty)")
    seen.at("changed")
    once = EVERYTHING.replace("[checks]", "[checks]\ntries = 1")
    page.goto(online("choice", once, ABOUT, items("choice"), PRACTICE).url)
    press(page, "button[value=yes]")
    press(page, "button.primary")
    page.check("input[value=one]")
    press(page, "button.primary")
    page.wait_for_selector("main:has-text('the study ends here')")
    seen.at("failed")
    page.goto(online("choice", "[platform]\nkind = 'mturk'\n").url + PREVIEW)
    assert page.locator("form").count() == 0
    seen.at("preview")
    assert seen.found == {}


def test_the_researcher_logs_in_and_sees_bars(visit: Any, online: Study) -> None:
    served = online("choice", items=items("choice"))
    page = visit()
    enter(page, served.url)
    give_all(page, "choice")
    finished(page)
    log_in(page, served)
    facts = dict(zip(page.locator(".facts dt").all_inner_texts(),
                     page.locator(".facts dd").all_inner_texts(), strict=True))  # fmt: skip
    assert facts["Complete"] == "1"
    assert facts["Answers"] == "3"
    widths = [float(bar.get_attribute("width")) for bar in page.locator("#items .value").all()]
    assert widths == [100.0, 100.0, 100.0]
    shares = [float(bar.get_attribute("width")) for bar in page.locator("#lists .value").all()]
    assert sorted(shares) == [0.0, 100.0]
    rows = page.locator("#accuracy tbody tr").all_inner_texts()
    bars = page.locator("#accuracy .value").all()
    for row, bar in zip(rows, bars, strict=True):  # one answer a set: 0 or 100 %
        assert f"{float(bar.get_attribute('width')):.1f} %" in row
    with page.expect_download() as download:
        page.click("text=Export")
    assert download.value.suggested_filename == "small.zip"
    press(page, "button:has-text('Log out')")
    page.wait_for_selector("input[name=token]")
