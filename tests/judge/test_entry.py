"""Who may begin, who gets a place, whose codes are shown, and what is only a test."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from priscian.cli import run
from priscian.files import read_table
from priscian.judge.frozen import LATER
from priscian.judge.opening import freeze_study, open_store, ready
from priscian.judge.simulate import Habits, simulate
from priscian.judge.summary import summarise
from priscian.web.limits import Buckets
from tests.judge.client import Served, begin, fields, serve, walk
from tests.judge.process import Process, free_port
from tests.judge.studies import make

PROLIFIC = "[platform]\nkind = 'prolific'\ncomplete = 'CC1'\nfailed = 'FF1'\n"
SONA = (
    "[platform]\nkind='sona'\nsona_url='https://uni.sona-systems.com'\n"
    "experiment_id='7'\ncredit_token='secret'\n"
)
ONE = "[targets]\nsittings_per_list = 1\n"
Serving = Callable[..., Served]


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    opened: list[Served] = []

    def start(tables: str = "", task: str = "choice", top: str = "") -> Served:
        opened.append(serve(make(tmp_path / f"s{len(opened)}", task, tables, top)))
        return opened[-1]

    yield start
    for served in opened:
        served.close()


def left(shown: list[str]) -> str:
    return "left"


def answer_first(served: Served, place: str) -> None:
    """Answer one trial."""
    page = served.client.get(place)
    served.client.post(place, data={**fields(page), "answer": "left"})


def log_in(served: Served) -> str:
    """Log in; the token of the researcher's forms."""
    origin = {"origin": "http://study.test"}
    served.client.post("/admin/login", data={"token": served.token}, headers=origin)
    return fields(served.client.get("/admin"))["csrf"]


class TestPlaces:
    def test_requests_that_answer_nothing_do_not_close_a_study(self, serving: Serving) -> None:
        served = serving(ONE)
        for _ in range(30):
            assert served.client.post("/start", data={"consent": "yes"}).status_code == 303
        honest = begin(served.client)
        assert 'id="code"' in walk(served.client, honest, left).text

    def test_places_that_are_only_held_are_not_called_enough(self, serving: Serving) -> None:
        served = serving(ONE)
        for _ in range(2):
            answer_first(served, begin(served.client))
        said = served.client.post("/start", data={"consent": "yes"}).text
        assert "Enough people" not in said
        assert "All places are taken at the moment" in said

    def test_the_researcher_can_release_places_and_those_people_can_finish(
        self, serving: Serving
    ) -> None:
        served = serving(ONE)
        held = [begin(served.client) for _ in range(2)]
        for place in held:
            answer_first(served, place)
        csrf = log_in(served)
        ours = {"origin": "http://study.test"}
        forged = {"origin": "http://evil.test"}
        sent = {"csrf": csrf}
        assert served.client.post("/admin/release", data=sent, headers=forged).status_code == 403
        assert served.client.post("/start", data={"consent": "yes"}).status_code == 200
        assert served.client.post("/admin/release", data=sent, headers=ours).status_code == 303
        assert served.client.post("/start", data={"consent": "yes"}).status_code == 303
        for place in held:
            assert 'id="code"' in walk(served.client, place, left).text
        store = served.store()
        assert [(c.complete, c.live) for c in store.counts(1, 3600)] == [(1, 0), (1, 0)]
        store.close()

    def test_lists_are_filled_evenly_while_nobody_has_answered_yet(self, serving: Serving) -> None:
        served = serving()
        for _ in range(6):
            begin(served.client)
        store = served.store()
        assert [c.waiting for c in store.counts(1, 3600)] == [3, 3]
        store.close()

    def test_too_many_at_once_are_asked_to_wait_by_a_page_that_tries_again(
        self, serving: Serving
    ) -> None:
        served = serving(PROLIFIC)
        served.site.spare_loopback = False
        served.site.per_entry = Buckets(0.25, 1)
        start = {"consent": "yes", "PROLIFIC_PID": "ann", "SESSION_ID": "s"}
        assert served.client.post("/start", data=start).status_code == 303
        again = served.client.post("/start", data={**start, "PROLIFIC_PID": "bob"})
        assert again.status_code == 429
        assert int(again.headers["retry-after"]) >= 1
        assert f'data-wait="{again.headers["retry-after"]}"' in again.text
        assert fields(again) == {"consent": "yes", "PROLIFIC_PID": "bob", "SESSION_ID": "s"}
        assert "visit.js" in again.text


class TestPlatform:
    def test_people_without_an_id_of_the_platform_are_sent_back(self, serving: Serving) -> None:
        served = serving(PROLIFIC)
        assert served.client.get("/").status_code == 403
        said = served.client.post("/start", data={"consent": "yes"})
        assert said.status_code == 403
        assert "from the platform where you found it" in said.text
        assert served.client.get("/?PROLIFIC_PID=ann").status_code == 200
        store = served.store()
        assert store.sittings() == []
        store.close()

    def test_the_study_may_let_everybody_in(self, serving: Serving) -> None:
        served = serving(PROLIFIC + "required = false\n")
        assert served.client.get("/").status_code == 200
        begin(served.client)

    @pytest.mark.parametrize("name", ["PROLIFIC_PID", "id"])
    def test_an_id_alone_does_not_show_the_codes_of_somebody_who_has_finished(
        self, name: str, serving: Serving
    ) -> None:
        served = serving(PROLIFIC if name == "PROLIFIC_PID" else SONA)
        end = walk(served.client, begin(served.client, **{name: "4711"}), left)
        (deletion,) = re.findall(r"<code>(\w+)</code>", end.text)
        for guess in ({name: "4711"}, {name: "4711", "SESSION_ID": "guess"}):
            said = served.client.post("/start", data={"consent": "yes", **guess})
            assert said.status_code == 200
            assert "You have already taken part" in said.text
            assert "in the browser in which you took part" in said.text
            for secret in (deletion, "CC1", "secret", "/s/"):
                assert secret not in said.text.replace("/static/", "")

    def test_who_has_the_session_of_the_platform_sees_the_codes_again(
        self, serving: Serving
    ) -> None:
        served = serving(PROLIFIC)
        ann = {"PROLIFIC_PID": "ann", "SESSION_ID": "sess1"}
        place = begin(served.client, **ann)
        walk(served.client, place, left)
        again = served.client.post("/start", data={"consent": "yes", **ann})
        assert again.headers["location"] == place

    def test_a_worker_who_comes_back_with_another_assignment_submits_that_one(
        self, serving: Serving
    ) -> None:
        served = serving("[platform]\nkind = 'mturk'\n")
        worker = {"workerId": "W1", "turkSubmitTo": "https://www.mturk.com"}
        place = begin(served.client, **worker, assignmentId="A1")
        answer_first(served, place)
        assert begin(served.client, **worker, assignmentId="A2") == place
        end = walk(served.client, place, left)
        assert fields(end)["assignmentId"] == "A2"

    def test_the_consent_says_that_the_id_is_kept(self, serving: Serving) -> None:
        said = "tells us your id"
        assert said in serving(PROLIFIC).client.get("/?PROLIFIC_PID=ann").text
        assert said not in serving().client.get("/").text
        own = serving(PROLIFIC + "[consent]\ntext = 'Ours.'\n")
        assert said not in own.client.get("/?PROLIFIC_PID=ann").text


def test_the_deletion_code_is_there_from_the_beginning_and_after_failing(serving: Serving) -> None:
    once = "[checks]\ntries = 1\n[[checks.comprehension]]\nquestion='q'\n"
    served = serving(once + "options=['a','b']\nanswer='b'\n")
    place = served.client.post("/start", data={"consent": "yes"}).headers["location"]
    store = served.store()
    code = store.sittings()[0].deletion
    assert code in served.client.get(place).text
    served.client.post(place, data={"step": "instructions"})
    served.client.post(place, data={"step": "comprehension", "q1": "a"})
    failed = served.client.get(place).text
    assert "study ends here" in failed
    assert code in failed
    with store.backend.transaction():
        assert store.forget(code) == 1
    store.close()


class TestOnceMore:
    MORE = "[lists]\nper_sitting = 4\n[targets]\nsittings_per_person = 3\n"

    def test_somebody_may_take_part_again_and_never_sees_an_item_twice(
        self, serving: Serving
    ) -> None:
        served = serving(self.MORE, top='demographics = ["age"]')
        place = begin(served.client)
        met: list[str] = []
        for number in range(3):
            page = walk(served.client, place, left)
            if number == 0:
                served.client.post(place, data={"step": "about", "age": "33"})
                page = served.client.get(place)
            assert 'id="code"' in page.text
            assert ("Take part again" in page.text) is (number < 2)
            done = served.client.post(f"{place}/again")
            if number < 2:
                assert done.headers["location"] != place
            place = done.headers["location"]
            served.client.post(place, data={"step": "instructions"})
        store = served.store()
        sittings = store.sittings()
        met = [t.item for s in sittings for t in store.trials(s.id)]
        store.close()
        assert len({s.person for s in sittings}) == 1
        assert len(sittings) == 3
        assert len(set(met)) == len(met) == 12

    def test_nothing_more_is_offered_before_the_end_or_where_a_platform_pays(
        self, serving: Serving
    ) -> None:
        served = serving(self.MORE)
        place = begin(served.client)
        assert served.client.post(f"{place}/again").headers["location"] == place
        paid = serving(self.MORE + PROLIFIC)
        place = begin(paid.client, PROLIFIC_PID="ann")
        assert "Take part again" not in walk(paid.client, place, left).text
        assert paid.client.post(f"{place}/again").headers["location"] == place


class TestTests:
    def test_the_researchers_link_makes_a_sitting_that_counts_nowhere(
        self, serving: Serving, tmp_path: Path
    ) -> None:
        served = serving(ONE + PROLIFIC)
        log_in(served)
        (link,) = re.findall(r'href="(/\?test=[^"]+)"', served.client.get("/admin").text)
        key = link.partition("=")[2]
        welcome = served.client.get(link)
        assert welcome.status_code == 200
        assert "counts nowhere" in welcome.text
        for _ in range(3):  # more than there are places
            place = begin(served.client, **fields(welcome))
            assert 'id="code"' in walk(served.client, place, left).text
        store = served.store()
        assert [c.complete for c in store.counts(1, 3600)] == [0, 0]
        assert (store.sittings(), list(store.answers())) == ([], [])
        assert {s.kind for s in store.sittings(tests=True)} == {"test"}
        assert all(s.person.startswith("test-") for s in store.sittings(tests=True))
        found = summarise(store, served.site.frozen)
        assert (found.complete, found.live, found.answers, found.excluded) == (0, 0, 0, [])
        assert found.tests == 3
        store.close()
        archive = zipfile.ZipFile(io.BytesIO(served.client.get("/admin/export.zip").content))
        assert b"test-" not in b"".join(archive.read(name) for name in archive.namelist())
        assert served.client.get(f"/?test={key}x").status_code == 403
        forged = {"consent": "yes", "test": "x", "PROLIFIC_PID": "a"}
        assert served.client.post("/start", data=forged).status_code == 403
        honest = begin(served.client, PROLIFIC_PID="ann")
        assert 'id="code"' in walk(served.client, honest, left).text

    def test_simulated_people_are_tests_and_clear_deletes_them(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        process = Process(make(tmp_path), free_port())
        process.start()
        try:
            words = ["judge", "simulate", str(tmp_path), "--url", process.url, "--raters", "2"]
            assert run(words) == 0
            assert "2 sittings completed, 0 refused, 24 answers" in capsys.readouterr().out
            simulate(process.url, ready(tmp_path), Habits(1))
        finally:
            process.stop()
        store = open_store(tmp_path)
        kinds = [s.kind for s in store.sittings(tests=True)]
        assert kinds == ["test", "test", "person"]
        store.close()
        assert run(["judge", "clear", str(tmp_path)]) == 2
        assert "--tests" in capsys.readouterr().err
        assert run(["judge", "clear", str(tmp_path), "--tests"]) == 0
        assert "2 tests deleted" in capsys.readouterr().out
        store = open_store(tmp_path)
        assert [s.kind for s in store.sittings(tests=True)] == ["person"]
        assert len(list(store.answers(tests=True))) == 12
        store.close()

    def test_tests_are_exported_only_when_they_are_asked_for(self, tmp_path: Path) -> None:
        folder = make(tmp_path / "study")
        served = serve(folder)
        store = served.store()
        with store.backend.transaction():
            key = store.test_key()
        store.close()
        walk(served.client, begin(served.client, test=key), left)
        served.close()
        for options in ([], ["--tests"]):
            out = tmp_path / f"out{len(options)}"
            assert run(["judge", "export", str(folder), "--out", str(out), *options]) == 0
        assert "test-" not in "".join(f.read_text() for f in (tmp_path / "out0").iterdir())
        rows = [row for _, row in read_table(out / "choices.csv")]
        assert len(rows) == 12
        assert all(str(row["rater"]).startswith("test-") for row in rows)
        assert run(["analyse", "human", str(out / "choices.csv"), "--rule", "none"]) == 0

    def test_simulated_people_of_another_database_are_refused_in_one_line(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        process = Process(make(tmp_path / "served"), free_port())
        process.start()
        try:
            make(tmp_path / "other")
            words = ["judge", "simulate", str(tmp_path / "other"), "--url", process.url]
            assert run(words) == 1
        finally:
            process.stop()
        said = capsys.readouterr().err
        assert "another database" in said
        assert said.count("\n") == 1

    def test_a_test_does_not_freeze_a_study_and_an_edit_deletes_it(self, tmp_path: Path) -> None:
        folder = make(tmp_path)
        served = serve(folder)
        store = served.store()
        with store.backend.transaction():
            key = store.test_key()
        begin(served.client, test=key)
        served.close()
        text = (folder / "study.toml").read_text()
        (folder / "study.toml").write_text(text + "\n[scale]\npoints = 5\n")
        assert ready(folder).version == 1
        assert store.sittings(tests=True) == []
        store.close()


def test_nobody_begins_a_study_that_was_frozen_anew_while_it_is_served(tmp_path: Path) -> None:
    folder = make(tmp_path)
    served = serve(folder)
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(text + "\n[scale]\npoints = 5\n")
    assert freeze_study(folder).version == 1
    assert served.client.post("/start", data={"consent": "yes"}).status_code == 503
    log_in(served)
    assert "Frozen anew" in served.client.get("/admin").text
    served.close()


def test_a_study_that_an_older_priscian_froze_is_not_a_new_version(tmp_path: Path) -> None:
    folder = make(tmp_path)
    served = serve(folder)
    begin(served.client)
    served.close()
    hashed = freeze_study(folder).hash
    store = open_store(folder)
    older = json.loads(store.body(1))
    for table, settings in LATER.items():
        for name in settings:
            del older["study"][table][name]
    store.backend.run("UPDATE studies SET body = ?", (json.dumps(older),))
    store.close()
    (folder / "frozen.json").write_text(json.dumps(older))
    assert ready(folder).hash == hashed
    again = freeze_study(folder)
    assert (again.version, again.hash) == (1, hashed)
