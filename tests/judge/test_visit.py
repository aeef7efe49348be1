"""A browser remembers its sitting: coming back, the back button, other people, waiting, frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from priscian.judge.opening import open_store
from priscian.judge.store import Sitting
from priscian.web.limits import Buckets
from tests.browser import PHONE
from tests.judge.browser import Online, enter, online, press, shown, until
from tests.judge.walks import finished, give, give_all, items

__all__ = ["online"]  # fixtures


def sittings(served: Online) -> list[Sitting]:
    store = open_store(served.folder)
    found = store.sittings()
    store.close()
    return found


def test_who_comes_back_is_offered_to_go_on_and_the_back_button_leads_there(
    visit: Any, online: Any
) -> None:
    served = online("choice", items=items("choice"))
    page = visit()
    enter(page, served.url)
    give_all(page, "choice", last=1)
    shown(page, 2)
    other = page.context.new_page()
    other.goto(served.url)
    other.wait_for_selector("#before", state="visible")
    assert not other.locator("#start").is_visible()
    press(other, "#go-on")
    shown(other, 2)
    give_all(other, "choice", first=2)
    code = finished(other)
    for _ in range(4):  # as far back as it goes
        other.go_back()
        if other.url.rstrip("/") == served.url:
            other.wait_for_selector("#before", state="visible")
            break
    press(other, "#go-on")
    assert finished(other) == code
    assert len(sittings(served)) == 1


def test_another_person_at_the_same_device_begins_anew_and_it_is_noted(
    visit: Any, online: Any
) -> None:
    served = online("choice", items=items("choice"))
    page = visit()
    enter(page, served.url)
    page.goto(served.url)
    page.wait_for_selector("#before", state="visible")
    press(page, "#another")
    enter_here(page)
    first, second = sittings(served)
    assert first.person != second.person
    assert "another" not in first.facts
    assert second.facts["another"] is True
    page.goto(served.url)
    page.wait_for_selector("#before", state="visible")
    assert page.get_attribute("#go-on", "href") == f"/s/{second.token}"


def enter_here(page: Any) -> None:
    """Agree, and read the instructions."""
    press(page, "button[value=yes]")
    press(page, "input[value=instructions] + button")
    page.wait_for_selector("form#trial")


def test_a_sitting_that_was_deleted_is_not_offered(visit: Any, online: Any) -> None:
    served = online("choice", items=items("choice"))
    page = visit()
    enter(page, served.url)
    store = open_store(served.folder)
    with store.backend.transaction():
        store.forget(store.sittings()[0].deletion)
    store.close()
    page.goto(served.url)
    page.wait_for_selector("#start", state="visible")
    page.wait_for_selector("#before", state="hidden")
    until(lambda: page.evaluate("localStorage.length") == 0, "it is forgotten here, too")


def test_people_of_a_platform_who_share_a_device_are_told_apart(visit: Any, online: Any) -> None:
    tables = "[platform]\nkind = 'prolific'\ncomplete = 'CC'\n"
    served = online("choice", tables, items=items("choice"))
    page = visit()
    ann = f"{served.url}/?PROLIFIC_PID=ann&SESSION_ID=s1"
    enter(page, ann)
    page.goto(ann)
    page.wait_for_selector("#before", state="visible")
    page.goto(f"{served.url}/?PROLIFIC_PID=bob&SESSION_ID=s2")
    assert page.locator("#start").is_visible()
    enter_here(page)
    assert len({s.person for s in sittings(served)}) == 2
    kept = page.evaluate("JSON.stringify(localStorage)")
    assert "ann" not in kept
    assert "bob" not in kept


def test_who_has_to_wait_begins_without_doing_anything(visit: Any, online: Any) -> None:
    served = online("choice", items=items("choice"))
    served.site.spare_loopback = False
    clock = [0.0]
    served.site.per_entry = Buckets(1.0, 1, lambda: clock[0])
    served.site.per_entry.take("127.0.0.1")
    page = visit()
    statuses: list[int] = []

    def note(response: Any) -> None:
        if response.url.endswith("/start"):
            statuses.append(response.status)
            clock[0] += 1.0

    page.on("response", note)
    page.goto(served.url)
    press(page, "button[value=yes]")
    page.wait_for_selector("input[value=instructions]", state="attached")
    assert statuses == [429, 303]
    assert len(sittings(served)) == 1


@pytest.mark.parametrize("task", ["choice", "likert"])
def test_a_word_of_any_length_fits_a_phone(task: str, visit: Any, online: Any) -> None:
    word = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 2
    table = (
        f"id,set,good,bad\np0,a,{word}.,{word}.\n"
        if task == "choice"
        else f"id,set,lexicalisation,condition,sentence\ns0,a,l,x,{word}.\n"
    )
    served = online(task, items=table)
    page = visit(**{**PHONE, "viewport": {"width": 390, "height": 800}})
    enter(page, served.url, tap=True)
    shown(page, 1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    inside = (
        "[...document.querySelectorAll('.sentence')].every(s => s.scrollWidth <= s.clientWidth)"
    )
    assert page.evaluate(inside)


def test_pairs_are_counted_as_pairs(visit: Any, online: Any) -> None:
    page = visit()
    enter(page, online("choice", items=items("choice")).url)
    shown(page, 1)
    assert page.inner_text("#progress") == "Pair 1 of 3"
    give(page, "choice")
    shown(page, 2)
    assert page.inner_text("#progress") == "Pair 2 of 3"
    german = online("choice", '[words]\ntrial = "Satz {n} von {total}"\n', items=items("choice"))
    enter(page, german.url)
    assert page.inner_text("#progress") == "Satz 1 von 3"


MTURK = {
    "https://worker.mturk.com/projects/X/tasks/Y": True,
    "https://workersandbox.mturk.com/projects/X/tasks/Y": True,
    "https://requester.mturk.com/create/projects": True,
    "https://requestersandbox.mturk.com/create/projects": True,
    "https://worker.mturk.com.evil.example/": False,
    "http://worker.mturk.com/": False,
}


def test_only_pages_of_mturk_can_show_a_study_in_a_frame(chromium: Any, online: Any) -> None:
    served = online("choice", "[platform]\nkind = 'mturk'\n", items=items("choice"))
    study = "https://study.example"
    inner = f"{study}/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE"

    def answer(route: Any) -> None:
        url = str(route.request.url)
        if url.startswith(study):  # our answer, headers and all, as it comes through a proxy
            route.fulfill(response=route.fetch(url=url.replace(study, served.url)))
        else:
            route.fulfill(content_type="text/html", body=f"<iframe src='{inner}'></iframe>")

    context = chromium.new_context()
    context.route("**/*", answer)
    found = {}
    for address in MTURK:
        page = context.new_page()
        page.goto(address)
        page.wait_for_load_state("load")
        (frame,) = page.main_frame.child_frames
        found[address] = "This is a preview" in frame.content()
    context.close()
    assert found == MTURK


def test_the_pages_of_a_sitting_say_how_to_come_back_and_how_to_be_deleted(
    visit: Any, online: Any, tmp_path: Path
) -> None:
    served = online("choice", items=items("choice"))
    page = visit(java_script_enabled=False)
    page.goto(served.url)
    press(page, "button[value=yes]")
    (sitting,) = sittings(served)
    assert page.url == f"{served.url}/s/{sitting.token}"
    assert "open the address of this page again" in page.inner_text("main")
    assert page.inner_text("main code") == sitting.deletion
