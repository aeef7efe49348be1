"""Participants in a real browser: every way through a study, and what can go wrong on it."""

from __future__ import annotations

import json
import re
import time
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from priscian.judge.opening import open_store
from tests.judge.browser import enter, online, press, shown, until
from tests.judge.process import Process, free_port
from tests.judge.studies import make
from tests.judge.walks import ANSWERS, TASKS, TRIALS, WALKS, finished, give, give_all, items, take

__all__ = ["online"]  # fixtures
SHORT = [
    ("desktop", "binary"),
    ("touch", "likert"),
    ("keyboard", "choice"),
    ("no_script", "magnitude"),
    ("offline", "likert"),
    ("reload", "choice"),
    ("back", "binary"),
    ("two_tabs", "magnitude"),
]


@pytest.mark.parametrize(("walk", "task"), SHORT)
def test_every_answer_arrives_once(walk: str, task: str, visit: Any, online: Any) -> None:
    take(walk, visit, online(task, items=items(task)), task)


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("walk", WALKS)
def test_every_task_every_way(walk: str, task: str, visit: Any, online: Any) -> None:
    take(walk, visit, online(task, items=items(task)), task)


def test_the_script_is_small_and_writes_no_html() -> None:
    script = (resources.files("priscian.judge") / "static" / "judge.js").read_text("utf-8")
    assert len(script.encode()) < 15_000
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function", script
    )


class TestOutbox:
    def test_an_answer_whose_acknowledgement_is_lost_is_sent_again_and_kept_once(
        self, visit: Any, online: Any
    ) -> None:
        served = online("choice", items=items("choice"))
        page = visit()
        lost: list[int] = []

        def lose(route: Any) -> None:
            if not lost:
                lost.append(route.fetch().status)
                route.abort()
            else:
                route.continue_()

        enter(page, served.url)
        page.route("**/answers", lose)
        give_all(page, "choice")
        finished(page)
        assert lost == [200]
        assert [r.position for r in served.rows()] == list(range(1, TRIALS + 1))
        assert served.revisions() == 0

    def test_a_block_that_was_made_before_an_answer_arrived_does_not_ask_for_it_again(
        self, visit: Any, online: Any
    ) -> None:
        served = online("choice", items=items("choice"))
        page = visit()

        enter(page, served.url)
        page.route("**/answers", lambda route: route.abort())
        give_all(page, "choice", last=1)
        shown(page, 2)
        early = page.request.get(page.url + "/block").text()  # nothing is saved yet

        def late(route: Any) -> None:
            until(lambda: served.rows(), "the answer is saved")
            time.sleep(0.5)  # for the acknowledgement to reach the page
            route.fulfill(status=200, body=early, content_type="application/json")

        page.unroute("**/answers")
        page.route("**/block", late)
        page.reload()
        give_all(page, "choice", first=2)
        finished(page)
        assert served.revisions() == 0

    @pytest.mark.slow
    @pytest.mark.parametrize("status", [507, 503, 429, "html"])
    def test_answers_are_kept_until_the_server_can_save_them(
        self, visit: Any, online: Any, status: Any
    ) -> None:
        served = online("likert", items=items("likert"))
        page = visit()
        refused: list[float] = []

        def refuse(route: Any) -> None:
            refused.append(page.evaluate("performance.now()"))
            if status == "html":  # a hotel's login page
                route.fulfill(status=200, body="<h1>Welcome</h1>", content_type="text/html")
            else:
                route.fulfill(status=status, json={"error": "The disk is full."})

        enter(page, served.url)
        page.route("**/answers", refuse)
        give_all(page, "likert")
        page.wait_for_selector("#banner:has-text('kept here')")
        until(lambda: page.wait_for_timeout(50) or len(refused) >= 3, "three attempts")
        assert refused[1] - refused[0] > 900  # waits longer each time
        assert refused[2] - refused[1] > 1900
        unsent = "Object.keys(localStorage).filter(k => k.startsWith('judge:')).length"
        assert page.evaluate(unsent) == TRIALS
        assert served.rows() == []
        page.unroute("**/answers")
        finished(page)
        assert len(served.rows()) == TRIALS
        assert page.evaluate(unsent) == 0

    @pytest.mark.slow
    def test_answers_survive_a_server_that_is_killed_and_started_again(
        self, visit: Any, tmp_path: Path
    ) -> None:
        server = Process(make(tmp_path / "s", "likert", items=items("likert")), free_port())
        server.start()
        try:
            page = visit()
            enter(page, server.url)
            give_all(page, "likert", last=1)
            shown(page, 2)
            server.kill()
            give_all(page, "likert", first=2)
            page.wait_for_selector("#banner:has-text('kept here')")
            server.start()
            finished(page)
        finally:
            server.stop()
        store = open_store(server.folder)
        rows = [(a.position, a.response) for a in store.answers()]
        store.close()
        assert rows == [(n, ANSWERS["likert"]) for n in range(1, TRIALS + 1)]

    @pytest.mark.slow
    def test_a_disk_that_is_really_full_is_507_and_the_outbox_keeps_the_answers(
        self, visit: Any, tmp_path: Path
    ) -> None:
        server = Process(make(tmp_path / "s", "likert", items=items("likert")), free_port())
        server.start()
        try:
            page = visit()
            statuses: list[int] = []
            page.on(
                "response",
                lambda r: statuses.append(r.status) if r.url.endswith("/answers") else None,
            )
            enter(page, server.url)
            with page.expect_response("**/answers"):
                give_all(page, "likert", last=1)
            server.fill_disk()
            give_all(page, "likert", first=2)
            page.wait_for_selector("#banner:has-text('kept here')")
            until(lambda: page.wait_for_timeout(50) or 507 in statuses, "507")
            kept = "Object.keys(localStorage).filter(k => k.startsWith('judge:')).length"
            assert page.evaluate(kept) == TRIALS - 1
            assert page.locator("#code").count() == 0
            server.free_disk()
            finished(page)
        finally:
            server.stop()
        assert set(statuses) == {200, 507}
        store = open_store(server.folder)
        rows = [(a.position, a.response) for a in store.answers()]
        store.close()
        assert rows == [(n, ANSWERS["likert"]) for n in range(1, TRIALS + 1)]

    @pytest.mark.slow
    def test_memory_serves_where_storage_is_barred(self, visit: Any, online: Any) -> None:
        served = online("binary", items=items("binary"))
        page = visit()
        page.add_init_script(
            "Object.defineProperty(window, 'localStorage', "
            "{get() { throw new DOMException('barred', 'SecurityError'); }})"
        )
        enter(page, served.url)
        give_all(page, "binary", last=1)
        page.context.set_offline(True)
        give_all(page, "binary", first=2)
        page.context.set_offline(False)
        finished(page)
        assert len(served.rows()) == TRIALS

    @pytest.mark.slow
    def test_a_trial_can_be_answered_before_the_others_have_arrived(
        self, visit: Any, online: Any
    ) -> None:
        served = online("choice", items=items("choice"))
        page = visit()
        failed: list[int] = []

        def refuse(route: Any) -> None:
            failed.append(1)
            route.abort() if len(failed) < 2 else route.continue_()

        page.route("**/block", refuse)
        enter(page, served.url)
        give_all(page, "choice")
        finished(page)
        assert len(failed) == 2
        assert [r.position for r in served.rows()] == list(range(1, TRIALS + 1))


class TestTime:
    @pytest.mark.slow
    def test_time_in_a_hidden_tab_is_kept_apart(self, visit: Any, online: Any) -> None:
        served = online("binary", items=items("binary"))
        page = visit()
        enter(page, served.url)
        shown(page, 1)
        show_or_hide = (
            "hidden => { Object.defineProperty(document, 'hidden', {get: () => hidden, "
            "configurable: true}); document.dispatchEvent(new Event('visibilitychange')); }"
        )
        before = page.evaluate("performance.now()")
        page.evaluate(show_or_hide, True)
        page.wait_for_timeout(1200)
        page.evaluate(show_or_hide, False)
        give(page, "binary")
        whole = (page.evaluate("performance.now()") - before) / 1000
        until(lambda: served.rows(), "the answer is saved")
        row = served.rows()[0]
        assert row.hidden >= 1.1
        assert row.time is not None
        assert row.time + row.hidden < whole + 1  # second 0 is before `before`

    @pytest.mark.slow
    def test_time_begins_at_the_second_frame(self, visit: Any, online: Any) -> None:
        served = online("binary", items=items("binary"))
        page = visit()
        page.add_init_script(  # frames are drawn when the test says so
            "const waiting = []; window.requestAnimationFrame = f => waiting.push(f);"
            "window.draw = () => waiting.splice(0).forEach(f => f(performance.now()));"
        )
        enter(page, served.url)
        page.wait_for_selector("#keys")
        page.keyboard.press("f")  # at once: nothing is on the screen yet
        page.wait_for_timeout(700)
        page.evaluate("draw()")
        page.wait_for_timeout(700)
        second = page.evaluate("draw(), performance.now()")
        page.wait_for_timeout(300)
        page.keyboard.press("j")
        answered = page.evaluate("performance.now()")
        until(served.rows, "an answer")
        page.wait_for_timeout(400)  # a browser that draws nothing: kept without a time
        page.keyboard.press("j")
        until(lambda: len(served.rows()) == 2, "another answer")
        first, untimed = served.rows()
        assert first.response == "no"
        assert first.time is not None
        assert 0.29 < first.time <= (answered - second) / 1000 + 0.02
        assert (untimed.time, untimed.timing) == (None, "none")

    def test_nothing_is_answered_by_a_held_key_or_a_double_click(
        self, visit: Any, online: Any
    ) -> None:
        served = online("choice", items=items("choice"))
        page = visit()
        enter(page, served.url)
        shown(page, 1)
        page.keyboard.down("j")
        page.keyboard.down("j")  # repeats
        page.keyboard.up("j")
        shown(page, 2)
        page.locator("button.sentence").first.dblclick()
        shown(page, 3)
        until(lambda: len(served.rows()) == 2, "two answers")
        page.wait_for_timeout(100)
        assert [r.response for r in served.rows()] == ["right", "left"]


class TestKeys:
    @pytest.mark.slow
    def test_single_keys_can_be_switched_off(self, visit: Any, online: Any) -> None:
        served = online("choice", items=items("choice"))
        page = visit()
        enter(page, served.url)
        shown(page, 1)
        page.uncheck("#keys")
        page.locator("h1").click()
        page.keyboard.press("j")
        page.reload()
        shown(page, 1)
        assert not page.is_checked("#keys")
        page.keyboard.press("f")
        page.check("#keys")
        page.locator("h1").click()
        page.keyboard.press("f")
        shown(page, 2)
        until(lambda: served.rows(), "one answer")
        assert [r.response for r in served.rows()] == ["left"]

    @pytest.mark.slow
    def test_a_number_that_is_none_is_said_without_a_request(self, visit: Any, online: Any) -> None:
        served = online("magnitude", items=items("magnitude"))
        page = visit()
        enter(page, served.url)
        shown(page, 1)
        for wrong in ("", "0", "-3", "ten", "1e5", "1.2.3", "1,2,3", "9" * 15):
            page.fill("#answer", wrong)
            page.keyboard.press("Enter")
            assert page.inner_text("#problem") == "Please enter a number above zero.", wrong
            assert page.evaluate("document.activeElement.id") == "answer"
            page.evaluate("document.getElementById('problem').textContent = ''")
        page.fill("#answer", " 0,5 ")
        page.keyboard.press("Enter")
        until(lambda: served.rows(), "the answer is saved")
        assert served.rows()[0].response == "0.5"


def test_a_sentence_is_text_in_every_trial(visit: Any, online: Any) -> None:
    hostile = [
        "<img src=x onerror=alert(1)>",
        "&lt;b&gt; {{7*7}}",
        "</button><script>alert(2)</script>",
    ]
    table = "id,set,lexicalisation,condition,sentence\n" + "".join(
        f"h{n},a{n},l{n},x,{json.dumps(text)}\n" for n, text in enumerate(hostile)
    )
    served = online("binary", items=table)
    page = visit()
    enter(page, served.url)
    seen = []
    for number in range(1, len(hostile) + 1):
        shown(page, number)
        seen.append(page.inner_text("#sentence"))
        give(page, "binary")
    finished(page)
    assert sorted(seen) == sorted(hostile)


@pytest.mark.slow
def test_left_is_left_where_writing_runs_from_right_to_left(visit: Any, online: Any) -> None:
    hebrew = 'language = "he"', "[words]\ncontinue = 'המשך'\n"
    for task in ("choice", "likert"):
        served = online(task, hebrew[1], hebrew[0], items(task))
        page = visit()
        enter(page, served.url)
        shown(page, 1)
        assert page.evaluate("getComputedStyle(document.body).direction") == "rtl"
        first, second = (b.bounding_box()["x"] for b in page.locator("[name=answer]").all()[:2])
        assert (first < second) is (task == "choice")
        for key in ("ArrowRight", "ArrowLeft") if task == "choice" else ("ArrowLeft",) * 2:
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        until(served.rows, "the answer is saved")
        assert served.rows()[0].response == ("left" if task == "choice" else "2")


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 256])
def test_pages_need_no_sideways_scrolling_at_400_percent(
    visit: Any, online: Any, width: int
) -> None:
    served = online("likert", items=items("likert"))
    page = visit(viewport={"width": width, "height": 256})
    page.goto(served.url)
    for _ in range(3):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if page.locator("form#trial").count() == 0:
            press(page, "button.primary")
            page.wait_for_load_state()
    assert ANSWERS["likert"] in page.inner_text(".points")
