"""The pages of participants, without a browser: forms, JSON, resuming, codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from priscian.judge.exclusion import passed
from priscian.judge.opening import freeze_study
from priscian.judge.sitting import response_of
from priscian.judge.study import Study, StudyItems
from tests.judge.client import Served, begin, fields, sentences, serve, walk
from tests.judge.studies import make

Serving = Callable[..., Served]


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    opened: list[Served] = []

    def start(task: str = "choice", tables: str = "", top: str = "", items: str = "") -> Served:
        opened.append(serve(make(tmp_path / f"s{len(opened)}", task, tables, top, items)))
        return opened[-1]

    yield start
    for served in opened:
        served.close()


ANSWERS = {"choice": "left", "likert": "5", "binary": "yes", "magnitude": "12,5"}


@pytest.mark.parametrize("task", list(ANSWERS))
def test_every_task_works_without_a_script(serving: Serving, task: str) -> None:
    served = serving(task)
    place = begin(served.client)
    page = walk(served.client, place, lambda shown: ANSWERS[task])
    assert 'id="code"' in page.text
    store = served.store()
    answers = list(store.answers())
    assert len(answers) == 12
    assert {a.response for a in answers} == {"12.5" if task == "magnitude" else ANSWERS[task]}
    assert {a.timing for a in answers} == {"server"}
    assert store.sittings()[0].code in page.text
    store.close()


def test_the_code_is_not_shown_before_the_last_answer(serving: Serving) -> None:
    served = serving()
    place = begin(served.client)
    for _ in range(12):
        page = served.client.get(place)
        assert 'id="code"' not in page.text
        served.client.post(place, data={**fields(page), "answer": "left"})
    assert 'id="code"' in served.client.get(place).text


def test_a_wrong_answer_is_said_and_not_kept(serving: Serving) -> None:
    served = serving("magnitude")
    place = begin(served.client)
    for said in ("", "0", "-3", "ten", "1e5", "1.2.3", "9" * 30):
        sent = fields(served.client.get(place))
        done = served.client.post(place, data={**sent, "answer": said})
        assert done.status_code == 422, said
        assert 'role="alert"' in done.text
    store = served.store()
    assert not list(store.answers())
    store.close()


def test_the_outbox_may_send_everything_twice(serving: Serving) -> None:
    served = serving()
    place = begin(served.client)
    block = served.client.get(f"{place}/block").json()
    assert [t["position"] for t in block["trials"]] == list(range(1, 13))
    assert set(block["trials"][0]) == {"position", "total", "practice", "sentences"}
    rows = [{"position": n, "response": "left", "time": 0.7, "hidden": 0.1} for n in (1, 2, 3)]
    for _ in range(2):
        done = served.client.post(f"{place}/answers", json={"answers": rows})
        assert done.status_code == 200
        assert done.json() == {"saved": [1, 2, 3], "refused": 0}
    done = served.client.post(
        f"{place}/answers", json={"answers": [{"position": 99, "response": "left"}]}
    )
    assert done.status_code == 422
    store = served.store()
    assert [(a.position, a.time, a.hidden, a.timing) for a in store.answers()] == [
        (n, 0.7, 0.1, "script") for n in (1, 2, 3)
    ]
    store.close()
    assert len(served.client.get(f"{place}/block").json()["trials"]) == 9


def test_a_reload_or_the_same_platform_id_resumes(serving: Serving) -> None:
    served = serving("choice", "[platform]\nkind = 'prolific'\ncomplete = 'CC1'\n")
    ann = {"PROLIFIC_PID": "ann", "SESSION_ID": "s1"}
    place = begin(served.client, **ann)
    first = served.client.get(place)
    served.client.post(place, data={**fields(first), "answer": "left"})
    second = sentences(served.client.get(place))
    assert begin(served.client, **ann) == place
    assert sentences(served.client.get(place)) == second != sentences(first)
    page = walk(served.client, place, lambda shown: "right")
    assert "https://app.prolific.com/submissions/complete?cc=CC1" in page.text
    again = served.client.post("/start", data={"consent": "yes", **ann})
    assert again.headers["location"] == place


def test_comprehension_has_two_tries(serving: Serving) -> None:
    table = "[[checks.comprehension]]\nquestion='How many?'\noptions=['one','two']\nanswer='two'\n"
    served = serving("choice", table)
    one = begin(served.client)
    assert "How many?" in served.client.get(one).text
    wrong = {"step": "comprehension", "q1": "one"}
    assert served.client.post(one, data=wrong).status_code == 422
    assert served.client.post(one, data={**wrong, "q1": "two"}).status_code == 303
    assert fields(served.client.get(one))["step"] == "trial"
    two = begin(served.client)
    assert served.client.post(two, data=wrong).status_code == 422
    assert served.client.post(two, data=wrong).status_code == 303
    assert "study ends here" in served.client.get(two).text
    refused = served.client.post(f"{two}/answers", json={"answers": []})
    assert refused.status_code == 409


def test_demographics_are_asked_only_if_listed(serving: Serving) -> None:
    served = serving("choice", top='demographics = ["age", "comments"]')
    place = begin(served.client)
    page = walk(served.client, place, lambda shown: "left")
    assert 'name="age"' in page.text
    assert "gender" not in page.text
    served.client.post(place, data={"step": "about", "age": "33", "comments": "x" * 5000})
    assert 'id="code"' in served.client.get(place).text
    store = served.store()
    about = store.sittings()[0].facts["about"]
    store.close()
    assert (about["age"], len(about["comments"])) == ("33", 2000)


def test_no_consent_stores_nothing(serving: Serving) -> None:
    served = serving("choice", "[platform]\nkind='prolific'\ncomplete='A'\nno_consent='NO1'\n")
    done = served.client.post("/start", data={"consent": "no", "PROLIFIC_PID": "ann"})
    assert "cc=NO1" in done.text
    store = served.store()
    assert store.sittings() == []
    assert store.backend.run("SELECT * FROM identities") == []
    store.close()


class TestPlatforms:
    def test_mturk_shows_a_preview_and_submits_to_its_own_hosts(self, serving: Serving) -> None:
        served = serving("choice", "[platform]\nkind = 'mturk'\n")
        seen = served.client.get("/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
        assert "<form" not in seen.text
        policy = dict(
            part.strip().split(" ", 1)
            for part in seen.headers["content-security-policy"].split(";")
        )
        assert policy["frame-ancestors"].split() == [
            "https://worker.mturk.com",
            "https://workersandbox.mturk.com",
            "https://requester.mturk.com",
            "https://requestersandbox.mturk.com",
        ]
        assert "x-frame-options" not in seen.headers
        assert {"https://www.mturk.com", "https://workersandbox.mturk.com"} <= set(
            policy["form-action"].split()
        )
        evil = served.client.get("/", params={"turkSubmitTo": "https://evil.example"})
        assert evil.status_code == 400
        for host in ("https://www.mturk.com.evil.example", "http://www.mturk.com"):
            assert served.client.get("/", params={"turkSubmitTo": host}).status_code == 400
        place = begin(
            served.client,
            workerId="W1",
            assignmentId="A1",
            turkSubmitTo="https://workersandbox.mturk.com",
        )
        page = walk(served.client, place, lambda shown: "left")
        assert 'action="https://workersandbox.mturk.com/mturk/externalSubmit"' in page.text
        assert fields(page)["assignmentId"] == "A1"

    def test_sona_gets_its_code_back(self, serving: Serving) -> None:
        served = serving(
            "choice",
            "[platform]\nkind='sona'\nsona_url='https://uni.sona-systems.com'\n"
            "experiment_id='7'\ncredit_token='t'\n",
        )
        page = walk(served.client, begin(served.client, id="4711"), lambda shown: "left")
        expected = "webstudy_credit.aspx?experiment_id=7&amp;credit_token=t&amp;survey_code=4711"
        assert f"https://uni.sona-systems.com/{expected}" in page.text

    def test_a_list_may_be_asked_for_only_if_the_study_says_so(self, serving: Serving) -> None:
        for allowed in (True, False):
            served = serving("choice", f"[lists]\nfrom_url = {str(allowed).lower()}\n")
            for _ in range(4):
                begin(served.client, list="2")
            store = served.store()
            assert ({s.list for s in store.sittings()} == {2}) is allowed
            store.close()


def test_lists_that_are_full_are_said(serving: Serving) -> None:
    served = serving("choice", "[targets]\nsittings_per_list = 1\n")
    for place in [begin(served.client) for _ in range(2)]:
        walk(served.client, place, lambda shown: "left")
    done = served.client.post("/start", data={"consent": "yes"})
    assert "Enough people" in done.text


def test_answers_are_numbers_that_a_task_allows() -> None:
    def study(task: str) -> Study:
        return Study(name="x", task=task, items=StudyItems())  # type: ignore[arg-type]

    assert response_of(study("magnitude"), "0,5") == "0.5"
    assert response_of(study("likert"), "8") is None
    assert response_of(study("binary"), "maybe") is None
    assert passed(study("likert"), "5-7", "", "6")
    assert not passed(study("likert"), "5-7", "", "4")
    assert passed(study("magnitude"), "100-", "", "250")
    assert passed(study("binary"), "1", "", "yes")
    assert passed(study("choice"), "good", "right", "right")


def test_a_full_disk_is_507_and_the_answer_can_be_sent_again(serving: Serving) -> None:
    served = serving()
    place = begin(served.client)
    backend = served.site.desk._store.backend
    (pages,) = backend.run("PRAGMA page_count")[0]
    rows = [{"position": n, "response": "left", "time": 1.0} for n in range(1, 13)]
    backend.run(f"PRAGMA max_page_count = {pages}")
    filler = "x" * 300_000

    async def fill() -> None:
        await served.site.desk.write(lambda s: s.event(None, "fill", filler))

    import asyncio

    from priscian.errors import StoreFullError

    with pytest.raises(StoreFullError):
        asyncio.run(fill())
    job = served.site.desk._commit

    def full(batch: list[object]) -> None:
        for _, future in batch:  # type: ignore[misc]
            future.set_exception(StoreFullError("the disk is full"))

    served.site.desk._commit = full  # type: ignore[method-assign, assignment]
    done = served.client.post(f"{place}/answers", json={"answers": rows})
    assert done.status_code == 507
    assert "disk is full" in done.json()["error"]
    served.site.desk._commit = job  # type: ignore[method-assign]
    assert served.client.post(f"{place}/answers", json={"answers": rows}).status_code == 200
    assert 'id="code"' in served.client.get(place).text


def test_serving_loads_no_heavy_library() -> None:
    import subprocess
    import sys

    code = (
        "import sys, priscian.judge.app.serve, priscian.judge.databases, priscian.judge.export\n"
        "print(sorted({'polars', 'scipy', 'torch', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_somebody_who_began_an_earlier_version_goes_on_with_it(tmp_path: Path) -> None:
    folder = make(tmp_path, "likert", "[scale]\npoints = 5\n")
    first = serve(folder)
    place = begin(first.client)
    first.close()
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(text.replace("points = 5", "points = 7"))
    assert freeze_study(folder).version == 2
    second = serve(folder)
    page = second.client.get(place)
    assert 'value="5"' in page.text
    assert 'value="6"' not in page.text
    assert 'value="7"' in second.client.get(begin(second.client)).text
    walk(second.client, place, lambda shown: "5")
    store = second.store()
    assert {a.version for a in store.answers()} == {1}
    store.close()
    second.close()
