"""Programs that change the text of a page: translators, dictionaries, reading aids."""

from __future__ import annotations

from typing import Any

import pytest

from priscian.files import delimited_text
from priscian.judge.opening import latest, open_store
from priscian.judge.sitting import display
from tests.judge.browser import Online, enter, online, position, shown, until
from tests.judge.walks import TASKS, TRIALS, finished, give, give_all, items, take

__all__ = ["online"]  # fixtures
SLOW = pytest.mark.slow

CHANGE = """
window.change = (into) => {  // as Chrome's translator does it, also to what is written later
  const wrap = (node) => {
    if (!node.data.trim() || node.parentElement.closest("script, font")) return;
    const [outer, inner] = [1, 2].map(() => document.createElement("font"));
    inner.append(...into(node.data));
    outer.append(inner);
    node.replaceWith(outer);
  };
  const all = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) found.push(walker.currentNode);
    found.forEach(wrap);
  };
  all(document.body);
  new MutationObserver((changes) => changes.forEach((c) => c.addedNodes.forEach(
    (n) => n.isConnected && (n.nodeType === Node.TEXT_NODE ? wrap(n) : all(n))
  ))).observe(document.body, { childList: true, subtree: true });
};
"""
SAME = "(text) => [text]"
WORDS = """(text) => text.split(/(\\s+)/).map((word) => {
  const part = document.createElement("span");
  part.textContent = word;
  return part;
})"""
TRANSLATED = "(text) => ['Übersetzt: ' + text]"


def changing(visit: Any, into: str) -> Any:
    """Opens pages that are changed as soon as they are loaded."""

    def start(**options: Any) -> Any:
        page = visit(**options)
        page.context.add_init_script(
            f"{CHANGE} window.addEventListener('load', () => window.change({into}));"
        )
        return page

    return start


def sentences(page: Any) -> list[str]:
    """What somebody sees."""
    return [text.rsplit("\n", 1)[0] for text in page.locator(".sentence").all_inner_texts()]


def asked(served: Online) -> list[tuple[list[str], str | None]]:
    """The sentences of every trial, and the answer that was stored for them."""
    store = open_store(served.folder)
    frozen = latest(store, served.folder)
    trials = [t for s in store.sittings() for t in store.trials(s.id)]
    store.close()
    return [(display(frozen, t, 0)["sentences"], t.response) for t in trials]


@pytest.mark.parametrize("into", [SAME, pytest.param(WORDS, marks=SLOW)], ids=["whole", "words"])
@pytest.mark.parametrize("task", TASKS)
def test_every_trial_shows_its_own_sentences_when_texts_are_wrapped(
    task: str, into: str, visit: Any, online: Any
) -> None:
    served = online(task, items=items(task))
    page = changing(visit, into)()
    enter(page, served.url)
    page.wait_for_selector("form font", state="attached")
    seen = []
    for number in range(1, TRIALS + 1):
        shown(page, number)
        seen.append(sentences(page))
        give(page, task)
    finished(page)
    assert seen == [those for those, _ in asked(served)]
    assert len({tuple(those) for those in seen}) == TRIALS


@pytest.mark.parametrize(
    ("walk", "task"),
    [
        ("offline", "likert"),
        ("back", "choice"),
        ("two_tabs", "magnitude"),
        pytest.param("touch", "binary", marks=SLOW),
        pytest.param("reload", "choice", marks=SLOW),
        pytest.param("keyboard", "likert", marks=SLOW),
    ],
)
def test_every_answer_arrives_once_when_texts_are_wrapped(
    walk: str, task: str, visit: Any, online: Any
) -> None:
    take(walk, changing(visit, SAME), online(task, items=items(task)), task)


@pytest.mark.parametrize("width", [320, pytest.param(256, marks=SLOW)])
def test_wrapped_texts_need_no_sideways_scrolling_at_400_percent(
    width: int, visit: Any, online: Any
) -> None:
    served = online("likert", items=items("likert"))
    page = changing(visit, WORDS)(viewport={"width": width, "height": 256})
    enter(page, served.url)
    for number in range(1, TRIALS + 1):
        shown(page, number)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        give(page, "likert")
    finished(page)
    assert [said for _, said in asked(served)] == ["6"] * TRIALS


@pytest.mark.parametrize("task", ["choice", *(pytest.param(t, marks=SLOW) for t in TASKS[1:])])
def test_an_answer_to_other_words_than_ours_is_not_taken(
    task: str, visit: Any, online: Any
) -> None:
    served = online(task, items=items(task))
    page = visit()
    page.add_init_script(CHANGE)
    enter(page, served.url)
    give_all(page, task, last=1)
    shown(page, 2)
    page.evaluate(f"window.change({TRANSLATED})")
    assert sentences(page)[0].startswith("Übersetzt: ")
    with page.expect_navigation():
        give(page, task)
        page.wait_for_selector("#problem:has-text('Something has changed the text')")
    shown(page, 2)
    assert "Something has changed the text" in page.inner_text("#problem")
    assert not sentences(page)[0].startswith("Übersetzt: ")
    assert len(served.rows()) == 1
    give_all(page, task, first=2)
    finished(page)
    assert [row.position for row in served.rows()] == list(range(1, TRIALS + 1))
    assert served.revisions() == 0


@pytest.mark.parametrize(
    "place",
    [
        "button[value=yes]",
        pytest.param("legend", marks=SLOW),
        pytest.param("#sentence", marks=SLOW),
    ],
)
def test_what_is_asked_and_answered_has_to_be_ours_too(place: str, visit: Any, online: Any) -> None:
    served = online("binary", items=items("binary"))
    page = visit()
    enter(page, served.url)
    shown(page, 1)
    page.evaluate(
        "place => { const found = document.querySelector(place);"
        " (found.querySelector('[data-text]') || found).textContent = 'Other words'; }",
        place,
    )
    with page.expect_navigation():
        page.keyboard.press("j")
    assert position(page) == 1
    assert served.rows() == []


@pytest.mark.parametrize("after", ["#sentence [data-text]", pytest.param("#sentence", marks=SLOW)])
def test_a_translation_beside_a_sentence_is_noticed_too(
    after: str, visit: Any, online: Any
) -> None:
    served = online("likert", items=items("likert"))
    page = visit()
    enter(page, served.url)
    give_all(page, "likert", last=1)
    shown(page, 2)
    page.evaluate(
        "after => { const added = document.createElement('font');"
        " added.textContent = 'Übersetzt'; document.querySelector(after).after(added); }",
        after,
    )
    with page.expect_navigation():
        page.keyboard.press("6")
    shown(page, 2)
    assert len(served.rows()) == 1
    give_all(page, "likert", first=2)
    finished(page)


def test_an_answer_that_waits_is_sent_before_a_changed_page_is_loaded_again(
    visit: Any, online: Any
) -> None:
    served = online("likert", items=items("likert"))
    page = visit()
    page.add_init_script(
        CHANGE + "Object.defineProperty(window, 'localStorage', "
        "{get() { throw new DOMException('barred', 'SecurityError'); }})"
    )
    enter(page, served.url)
    page.route("**/answers", lambda route: route.abort())
    give_all(page, "likert", last=1)
    shown(page, 2)
    page.evaluate(f"window.change({TRANSLATED})")
    with page.expect_navigation():
        give(page, "likert")
        page.unroute("**/answers")
    shown(page, 2)
    assert [row.position for row in served.rows()] == [1]
    give_all(page, "likert", first=2)
    finished(page)


@SLOW
def test_a_page_that_is_translated_all_the_time_stores_nothing(visit: Any, online: Any) -> None:
    served = online("choice", items=items("choice"))
    page = changing(visit, TRANSLATED)()
    enter(page, served.url)
    for _ in range(2):
        page.wait_for_selector(".sentence font", state="attached")
        with page.expect_navigation():
            give(page, "choice")
        shown(page, 1)
    assert served.rows() == []


def test_browsers_are_told_not_to_translate(visit: Any, online: Any) -> None:
    served = online("likert", items=items("likert"))
    page = visit()
    for path in ("/", "/admin", "/nothing"):
        page.goto(served.url + path)
        assert page.get_attribute("html", "translate") == "no"
        assert page.get_attribute("meta[name=google]", "content") == "notranslate"


def test_the_page_and_the_server_agree_about_every_kind_of_text(visit: Any, online: Any) -> None:
    odd = [
        "Soft\u00adhyphens and zero\u200bwidth, a word\u2060joiner, \ufeffa mark.",
        "No\u00a0break, narrow\u202fspace,  two  spaces,\u3000wide.",
        "Emoji 👩‍👩‍👧 and combining e\u0301, Ω ≠ Ω, ﬁ.",
        "من أين أنت؟ — ‏(RTL)",
        "Quotes \"double\", &amp; <b>not bold</b>, 'single'.",
        "A control\x07character and \x85 another.",
        "नमस्ते दुनिया — 判断する",
    ]
    table = delimited_text(
        {"id": f"o{n}", "set": f"a{n}", "lexicalisation": n, "condition": "x", "sentence": text}
        for n, text in enumerate(odd)
    )
    served = online("binary", items=table)
    page = visit()
    statuses: list[int] = []
    page.on("response", lambda r: statuses.append(r.status) if "/answers" in r.url else None)
    enter(page, served.url)
    for number in range(1, len(odd) + 1):
        shown(page, number)
        give(page, "binary")
    finished(page)
    until(lambda: len(served.rows()) == len(odd), "every answer")
    assert set(statuses) == {200}
    assert len({row.item for row in served.rows()}) == len(odd)
