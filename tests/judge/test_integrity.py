"""What is kept of what browsers send: in which order, how often, and whether it can be true."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from priscian.files import read_table
from priscian.judge.exclusion import LEAST, one_side, paces
from priscian.judge.export import export_store
from priscian.judge.preregister import rules_text
from priscian.judge.sitting import seal
from priscian.judge.store import Sitting, StoredAnswer
from priscian.judge.study import Exclusion
from tests.judge.client import Served, begin, fields, serve, walk
from tests.judge.studies import complaints, make

Serving = Callable[..., Served]
QUESTION = "[[checks.comprehension]]\nquestion='How many?'\noptions=['one','two']\nanswer='two'\n"


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    opened: list[Served] = []

    def start(tables: str = "", task: str = "choice", top: str = "") -> Served:
        opened.append(serve(make(tmp_path / f"s{len(opened)}", task, tables, top)))
        return opened[-1]

    yield start
    for served in opened:
        served.close()


def start(served: Served) -> str:
    """Agree; the address of the sitting, before the instructions."""
    return str(served.client.post("/start", data={"consent": "yes"}).headers["location"])


def send(served: Served, place: str, *rows: dict[str, Any]) -> tuple[int, list[int]]:
    """Send answers as the outbox does; the status, and the positions that were saved."""
    done = served.client.post(f"{place}/answers", json={"answers": list(rows)})
    return done.status_code, done.json().get("saved", [])


def stored(served: Served, table: str = "answers") -> list[tuple[int, str]]:
    store = served.store()
    found = [(a.position, a.response) for a in getattr(store, table)()]
    store.close()
    return found


def facts(served: Served) -> dict[str, Any]:
    store = served.store()
    found = dict(store.sittings()[0].facts)
    store.close()
    return found


class TestOrder:
    def test_answers_before_the_instructions_are_not_taken(self, serving: Serving) -> None:
        served = serving()
        place = start(served)
        assert send(served, place, {"position": 1, "response": "left"})[0] == 409
        served.client.post(place, data={"step": "trial", "position": "1", "answer": "left"})
        assert stored(served) == []

    def test_answers_before_the_questions_are_understood_are_not_taken(
        self, serving: Serving
    ) -> None:
        served = serving(QUESTION)
        place = begin(served.client)
        row = {"position": 1, "response": "left"}
        assert send(served, place, row)[0] == 409
        served.client.post(place, data={"step": "trial", "position": "1", "answer": "left"})
        assert stored(served) == []
        served.client.post(place, data={"step": "comprehension", "q1": "two"})
        assert send(served, place, row) == (200, [1])

    def test_guesses_at_once_cannot_both_fail_and_understand(self, serving: Serving) -> None:
        served = serving(QUESTION)
        for _ in range(15):
            place = begin(served.client)
            ready = threading.Barrier(4)

            def guess(said: str, place: str = place, ready: threading.Barrier = ready) -> None:
                ready.wait()
                served.client.post(place, data={"step": "comprehension", "q1": said})

            threads = [
                threading.Thread(target=guess, args=(said,))
                for said in ("two", "one", "one", "one")
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        store = served.store()
        ends = [(s.state, bool(s.facts.get("understood"))) for s in store.sittings()]
        store.close()
        assert set(ends) <= {("live", True), ("failed", False)}

    def test_when_the_instructions_were_read_does_not_change(self, serving: Serving) -> None:
        served = serving()
        place = begin(served.client)
        before = facts(served)["read"]
        served.client.post(place, data={"step": "instructions"})
        assert facts(served)["read"] == before

    def test_what_people_say_of_themselves_is_asked_at_the_end(self, serving: Serving) -> None:
        served = serving(top='demographics = ["age"]')
        place = begin(served.client)
        served.client.post(place, data={"step": "about", "age": "1"})
        assert "about" not in facts(served)
        walk(served.client, place, lambda shown: "left")
        served.client.post(place, data={"step": "about", "age": "2"})
        assert facts(served)["about"] == {"age": "2"}

    def test_a_sitting_begins_again_once_after_a_long_pause(self, serving: Serving) -> None:
        served = serving()
        place = begin(served.client)
        send(served, place, {"position": 1, "response": "left"})
        store = served.store()
        store.backend.run("UPDATE sittings SET seen = seen - 200000")
        (before,) = store.sittings()
        from priscian.judge.app.participant import _resume

        token = place.rsplit("/", 1)[1]
        with store.backend.transaction():  # two requests that both saw the pause
            _resume(store, served.site, token)
        with store.backend.transaction():
            store.answer(before.id, 1, _answer())
            _resume(store, served.site, token)
        assert [(a.position, a.response) for a in store.answers()] == [(1, "right")]
        store.close()


def _answer() -> Any:
    from priscian.judge.store import SentAnswer

    return SentAnswer(1, "right")


class TestShown:
    def test_an_answer_to_other_words_than_those_of_the_trial_is_refused(
        self, serving: Serving
    ) -> None:
        served = serving()
        place = begin(served.client)
        trials = served.client.get(f"{place}/block").json()["trials"]
        right = [
            {"position": t["position"], "response": "left", "shown": seal(t["sentences"])}
            for t in trials
        ]
        wrong = {**right[0], "shown": right[1]["shown"]}
        assert send(served, place, wrong, right[1]) == (422, [2])
        assert stored(served) == [(2, "left")]
        assert facts(served)["changed"] == 1
        assert send(served, place, *right) == (200, list(range(1, 13)))

    def test_what_cannot_be_a_position_is_refused(self, serving: Serving) -> None:
        served = serving()
        place = begin(served.client)
        for position in (0, -1, 13, 10**30, True, "1", 1.0, None):
            assert send(served, place, {"position": position, "response": "left"})[0] == 422


class TestRevisions:
    def test_a_few_later_answers_to_a_trial_are_kept_and_no_more(self, serving: Serving) -> None:
        served = serving(task="likert")
        place = begin(served.client)
        for said in "1234567" * 3:
            send(served, place, {"position": 1, "response": said})
        assert stored(served) == [(1, "1")]
        assert stored(served, "revisions") == [(1, "2"), (1, "3"), (1, "4")]

    def test_one_request_gives_one_answer_to_a_trial(self, serving: Serving) -> None:
        served = serving()
        place = begin(served.client)
        rows = [{"position": 1, "response": said} for said in ("left", "right") * 50]
        assert send(served, place, *rows)[0] == 200
        assert stored(served) == [(1, "left")]
        assert stored(served, "revisions") == []

    def test_nothing_is_kept_once_a_sitting_is_complete(self, serving: Serving) -> None:
        served = serving()
        place = begin(served.client)
        assert 'id="code"' in walk(served.client, place, lambda shown: "left").text
        status, saved = send(served, place, {"position": 1, "response": "right"})
        assert (status, saved) == (200, [1])  # so that an outbox does not send it for ever
        served.client.post(place, data={"step": "trial", "position": "1", "answer": "right"})
        assert stored(served, "revisions") == []


def sat(read: object = 100.0, kind: str = "person") -> Sitting:
    known = {} if read is None else {"read": read}
    return Sitting(1, "t", "p", 1, 1, "complete", 90.0, 0.0, None, "", "", kind, known)  # type: ignore[arg-type]


def gave(*answers: tuple[float | None, float], sides: Sequence[str] = ()) -> list[StoredAnswer]:
    """Answers with the time that the page said, and when they arrived."""
    return [
        StoredAnswer(1, "p", "person", 1, 1, n, f"i{n}", "item", "", "left",
              sides[n - 1] if sides else "left", time, 0.0, "script", received)
        for n, (time, received) in enumerate(answers, start=1)
    ]  # fmt: skip


class TestPace:
    def test_times_that_fit_into_the_time_of_the_server_are_plausible(self) -> None:
        answers = gave((3.0, 104.0), (2.0, 107.0), (1.5, 110.0))
        found = paces([sat()], answers)[1]
        assert (found.total, found.said, found.plausible) == (10.0, 6.5, True)

    def test_answers_that_waited_without_a_connection_are_plausible(self) -> None:
        assert paces([sat()], gave((5.0, 120.0), (6.0, 120.0), (7.0, 120.1)))[1].plausible is True

    @pytest.mark.parametrize(
        "answers",
        [
            [(0.0, 100.1)] * 6,  # a whole sitting in one request, after a tenth of a second
            [(86400.0, 130.0)],  # a day, half a minute after the instructions
            [(20.0, 105.0), (1.0, 200.0)],  # 20 s of 5, hidden behind a long end
            [(None, 100.0 + LEAST / 2)],
        ],
    )
    def test_forged_times_are_not_plausible(self, answers: list[tuple[float, float]]) -> None:
        assert paces([sat()], gave(*answers))[1].plausible is False

    def test_where_nothing_can_be_compared_nothing_is_said(self) -> None:
        assert paces([sat()], [])[1].plausible is None
        assert paces([sat(None)], gave((1.0, 105.0)))[1].plausible is None
        assert paces([sat("damaged")], gave((1.0, 105.0)))[1].plausible is None
        assert paces([sat(kind="model")], gave((1.0, 105.0)))[1].plausible is None

    def test_one_side_is_the_share_of_the_more_frequent_one(self) -> None:
        answers = gave(*[(1.0, 110.0)] * 4, sides=("left", "left", "right", "left"))
        assert one_side(answers) == 0.75
        assert one_side(gave((1.0, 105.0), sides=("yes",))) is None

    def test_a_whole_sitting_in_one_request_is_marked(self, serving: Serving) -> None:
        served = serving()
        place = begin(served.client)
        rows = [{"position": n, "response": "left", "time": 3600.0} for n in range(1, 13)]
        send(served, place, *rows)
        store = served.store()
        (found,) = paces(store.sittings(), store.answers()).values()
        store.close()
        assert found.plausible is False
        assert found.said == 12 * 3600
        assert found.one_side == 1.0
        assert found.total is not None
        assert found.total < 3600


class TestRules:
    RULES = (
        "[exclusion]\ntotal_time_below = 30\none_side_above = 0.9\nimplausible = true\n"
        "incomplete = false\n"
    )

    def test_a_sitting_in_one_request_is_left_out_where_the_study_says_so(
        self, serving: Serving, tmp_path: Path
    ) -> None:
        for rules in (self.RULES, "[exclusion]\nincomplete = false\n"):
            served = serving(rules)
            place = begin(served.client)
            rows = [{"position": n, "response": "left", "time": 3600.0} for n in range(1, 13)]
            send(served, place, *rows)
            store = served.store()
            out = tmp_path / f"out{bool(rules == self.RULES)}"
            done = export_store(store, served.site.frozen, out)
            store.close()
            (row,) = [row for _, row in read_table(out / "sittings.csv")]
            assert row["plausible"] == "0"
            assert row["said_seconds"] == "43200.0"
            assert float(str(row["server_seconds"])) < 3600
            assert row["one_side"] == "1.000"
            assert {e.reason for e in done.excluded} == (
                {
                    "all answers in less than 30 s",
                    "more than 90 % of the answers on one side",
                    "times that cannot be true",
                }
                if rules == self.RULES
                else set()
            )

    def test_the_rules_are_in_the_preregistration(self) -> None:
        rules = Exclusion(total_time_below=30, one_side_above=0.9, implausible=True)
        said = rules_text(rules)
        for words in ("less than 30 s by the server", "more than 90 % on one side", "cannot be"):
            assert words in said

    @pytest.mark.parametrize(
        ("task", "rule", "said"),
        [
            ("likert", "one_side_above = 0.9", "only forced choices have sides"),
            ("choice", "one_side_above = 90", "it takes a number from 0 to below 1"),
            ("choice", "one_side_above = 0.4", "not a share"),
            ("choice", "total_time_below = -1", "it takes a number from 0"),
        ],
    )
    def test_a_rule_that_means_nothing_is_a_problem(self, task: str, rule: str, said: str) -> None:
        text = (
            f'name = "x"\ntask = "{task}"\n[items]\nsource = "generated:1"\n[exclusion]\n{rule}\n'
        )
        assert any(said in line for line in complaints(text))


def test_forms_of_a_page_that_was_left_change_nothing(serving: Serving) -> None:
    served = serving()
    place = begin(served.client)
    old = fields(served.client.get(place))
    walk(served.client, place, lambda shown: "left")
    served.client.post(place, data={**old, "answer": "right"})
    assert {said for _, said in stored(served)} == {"left"}
