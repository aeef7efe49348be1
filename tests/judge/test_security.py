"""Probes that must be refused, and headers that every response has."""

from __future__ import annotations

import asyncio
import io
import re
import time
import zipfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from priscian.files import delimited_text
from priscian.judge.export import export_store
from priscian.web.headers import content_policy
from priscian.web.limits import Buckets
from priscian.web.serve import bound
from tests.judge.client import Served, begin, fields, serve, walk
from tests.judge.studies import make

XSS = (Path(__file__).parent / "data" / "xss.txt").read_text("utf-8").splitlines()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    folder = make(
        tmp_path, "choice",
        "[platform]\nkind = 'prolific'\ncomplete = 'CC'\nrequired = false\n",
        top='demographics = ["comments"]',
    )  # fmt: skip
    made = serve(folder)
    yield made
    made.close()


def login(served: Served, token: str = "") -> int:
    done = served.client.post(
        "/admin/login",
        data={"token": token or served.token},
        headers={"origin": "http://study.test"},
    )
    return done.status_code


def test_every_response_has_the_headers(served: Served) -> None:
    place = begin(served.client)
    for path in ("/", place, f"{place}/block", "/admin", "/static/judge.css", "/nothing", "/s/no"):
        found = served.client.get(path).headers
        assert found["content-security-policy"] == content_policy(), path
        assert "default-src 'none'" in found["content-security-policy"]
        # browsers send forms of a page with no-referrer as `Origin: null`, which is refused
        expected = "same-origin" if path == "/admin" else "no-referrer"
        assert found["referrer-policy"] == expected
        assert found["x-content-type-options"] == "nosniff"
        assert found["cache-control"] == ("no-cache" if path.startswith("/static") else "no-store")
        assert "server" not in found


def test_pages_ask_nothing_of_other_hosts_and_have_no_inline_code(served: Served) -> None:
    place = begin(served.client)
    for path in ("/", place, "/admin"):
        text = served.client.get(path).text
        assert "http://" not in text
        assert "https://" not in text
        assert "<script>" not in text
        assert "style=" not in text
        assert " on" not in "".join(text.split('"')[::2]).replace(" one", "")


def test_forty_strings_of_script_stay_text(tmp_path: Path) -> None:
    assert len(XSS) == 40
    table = delimited_text(
        {"id": f"p{n}", "set": f"s{n}", "good": f"{x} a", "bad": f"{x} b"}
        for n, x in enumerate(XSS)
    )
    made = serve(make(tmp_path, items=table, top='demographics = ["comments"]'))
    place = begin(made.client)
    markup = [x for x in XSS if "<" in x]
    for _ in range(len(XSS)):
        page = made.client.get(place)
        assert not any(x in page.text for x in markup)
        made.client.post(place, data={**fields(page), "answer": "left"})
    for x in XSS:
        for page in (
            made.client.get("/", params={"PROLIFIC_PID": x, "list": x}),
            made.client.post("/start", data={"consent": x, "PROLIFIC_PID": x}),
            made.client.post(place, data={"step": "trial", "position": x, "answer": x}),
            made.client.get(f"/s/{x}"),
        ):
            assert x not in page.text or "<" not in x
            assert page.headers["content-security-policy"] == content_policy()
    made.client.post(place, data={"step": "about", "comments": "".join(XSS)})
    login(made)
    assert not any(x in made.client.get("/admin").text for x in markup)
    made.close()


def test_parameters_of_a_platform_are_plain(served: Served) -> None:
    for x in XSS:
        assert served.client.get("/", params={"PROLIFIC_PID": x}).status_code == 400
        sent = {"consent": "yes", "PROLIFIC_PID": x}
        assert served.client.post("/start", data=sent).status_code == 400


def test_sql_is_never_put_together_from_what_people_send(served: Served) -> None:
    place = begin(served.client)
    for text in (
        "' OR '1'='1",
        "1; DROP TABLE answers;--",
        '" UNION SELECT token FROM sittings --',
    ):
        assert served.client.get(f"/s/{text}").status_code == 404
        done = served.client.post(
            f"{place}/answers", json={"answers": [{"position": 1, "response": text}]}
        )
        assert done.status_code == 422
    walk(served.client, place, lambda shown: "left")
    served.client.post(place, data={"step": "about", "comments": "'); DROP TABLE answers;--"})
    store = served.store()
    assert len(list(store.answers())) == 12
    assert store.sittings()[0].facts["about"] == {"comments": "'); DROP TABLE answers;--"}
    store.close()


def test_other_files_cannot_be_reached(served: Served) -> None:
    for path in (
        "/static/../study.py", "/static/..%2fstudy.py", "/static/%2e%2e/%2e%2e/records.py",
        "/static/judge.sqlite", "/judge.sqlite", "/static//etc/passwd",
    ):  # fmt: skip
        assert served.client.get(path).status_code == 404, path


def test_a_foreign_token_opens_nothing(served: Served) -> None:
    place = begin(served.client)
    for path in (place[:-1], place + "x", "/s/" + "A" * 22, "/s/" + "A" * 5000):
        assert served.client.get(path).status_code == 404
        assert served.client.get(f"{path}/block").status_code == 404
        assert served.client.post(f"{path}/answers", json={"answers": []}).status_code == 404


def test_large_and_strange_bodies_are_refused(served: Served) -> None:
    place = begin(served.client)
    big = b"x" * 10_000_000
    form = {"content-type": "application/x-www-form-urlencoded"}
    as_json = {"content-type": "application/json"}
    assert served.client.post("/start", content=big, headers=form).status_code == 413
    assert served.client.post(f"{place}/answers", content=big, headers=as_json).status_code == 413

    def pieces() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 1000

    assert served.client.post("/start", content=pieces(), headers=form).status_code == 413
    for body in (b"", b"[]", b"{", b'{"answers": 3}', b"[" * 20_000, b"\xff\xfe"):
        done = served.client.post(f"{place}/answers", content=body, headers=as_json)
        assert done.status_code == 400, body[:20]
    assert served.client.post("/start", content=b"consent=yes").status_code == 415
    assert served.client.post("/start", content=b"a=%ff", headers=form).status_code == 400
    many = "&".join(f"a{n}=1" for n in range(99)).encode()
    assert served.client.post("/start", content=many, headers=form).status_code == 400


class TestResearcher:
    def test_the_token_opens_the_page_and_nothing_else_does(self, served: Served) -> None:
        assert "Token" in served.client.get("/admin").text
        for path in ("/admin/export.zip", "/admin/data.json"):
            assert served.client.get(path).status_code == 403
        assert login(served, "guess") == 403
        assert login(served) == 303
        assert "Progress by list" in served.client.get("/admin").text
        assert served.client.get("/admin/data.json").json()["version"] == 1
        assert served.client.get("/admin/export.zip").content[:2] == b"PK"
        cookie = next(iter(served.client.cookies.jar))
        assert cookie.has_nonstandard_attr("HttpOnly")
        assert cookie.get_nonstandard_attr("SameSite") == "strict"

    def test_guessing_is_slowed_down(self, served: Served) -> None:
        said = [login(served, f"guess{n}") for n in range(12)]
        assert said[:6] == [403] * 6
        assert 429 in said[6:]

    def test_a_forged_form_changes_nothing(self, served: Served) -> None:
        login(served)
        csrf = fields(served.client.get("/admin"))["csrf"]
        ours = {"origin": "http://study.test"}
        for headers, sent in (
            ({"origin": "http://evil.test"}, {"paused": "1", "csrf": csrf}),
            ({}, {"paused": "1", "csrf": csrf}),
            ({"origin": "null"}, {"paused": "1", "csrf": csrf}),
            (ours, {"paused": "1", "csrf": "wrong"}),
            (ours, {"paused": "1"}),
        ):
            assert served.client.post("/admin/pause", data=sent, headers=headers).status_code == 403
        assert served.client.get("/").status_code == 200
        sent = {"paused": "1", "csrf": csrf}
        assert served.client.post("/admin/pause", data=sent, headers=ours).status_code == 303
        assert served.client.get("/").status_code == 503
        done = served.client.post("/admin/logout", data={"csrf": csrf}, headers=ours)
        assert done.status_code == 303
        assert "Token" in served.client.get("/admin").text

    def test_the_scheme_of_the_origin_counts(self, served: Served) -> None:
        origin = {"origin": "https://study.test"}
        sent = {"token": served.token}
        assert served.client.post("/admin/login", data=sent, headers=origin).status_code == 403
        assert login(served) == 303

    def test_only_a_hash_of_the_token_is_stored(self, served: Served) -> None:
        token = served.token.encode()
        files = [f for f in served.folder.iterdir() if f.is_file()]
        assert all(token not in f.read_bytes() for f in files)


def test_too_many_requests_are_refused_and_forgotten() -> None:
    now = [0.0]
    buckets = Buckets(1.0, 3, lambda: now[0])
    for _ in range(3):
        buckets.take("a")
    with pytest.raises(Exception, match="429"):
        buckets.take("a")
    buckets.take("b")
    now[0] = 1.0
    buckets.take("a")


def test_entries_from_one_address_are_limited(served: Served) -> None:
    served.site.spare_loopback = False
    served.site.per_entry = Buckets(0.001, 2)
    said = [served.client.post("/start", data={"consent": "yes"}).status_code for _ in range(4)]
    assert said == [303, 303, 429, 429]


def test_no_address_is_stored(served: Served) -> None:
    place = begin(served.client, PROLIFIC_PID="ann")
    walk(served.client, place, lambda shown: "left")
    store = served.store()
    tables = [r[0] for r in store.backend.run("SELECT name FROM sqlite_master WHERE type='table'")]
    text = "".join(str(store.backend.run(f"SELECT * FROM {t}")) for t in tables)
    store.close()
    assert "testclient" not in text
    assert "127.0.0.1" not in text


Probe = Callable[[str, int], Awaitable[Any]]


def probed(served: Served, probe: Probe) -> Any:
    """What a probe finds out about a real server, at a host and a port."""
    import uvicorn

    from priscian.judge.app.serve import make_app
    from priscian.web.serve import configured

    async def whole() -> Any:
        listening = bound("127.0.0.1", 0, False)
        config = configured(make_app(served.site))
        config.log_level = "critical"
        server = uvicorn.Server(config)
        server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
        task = asyncio.create_task(server._serve([listening]))
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            return await probe(*listening.getsockname()[:2])
        finally:
            server.should_exit = True
            await task

    return asyncio.run(whole())


async def said(host: str, port: int, request: bytes) -> bytes:
    """All that a server answers to one request."""
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(request)
    found = await asyncio.wait_for(reader.read(), 60)
    writer.close()
    return found


def test_slow_headers_are_cut_off(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("priscian.web.serve.HEADERS", 0.3)

    async def probe(host: str, port: int) -> float:
        begun = time.monotonic()
        assert await said(host, port, b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ") == b""
        return time.monotonic() - begun

    assert probed(served, probe) >= 0.2


HALF = (
    b"POST /start HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\nconsent="
)


@pytest.mark.parametrize("sent", [b"", HALF], ids=["silent", "half a form"])
def test_idle_connections_close_before_anybody_is_refused(
    sent: bytes, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("priscian.web.serve._connections", lambda: 20)
    health = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    async def probe(host: str, port: int) -> list[bytes]:
        idle = []
        for _ in range(30):
            idle.append(await asyncio.open_connection(host, port))
            idle[-1][1].write(sent)
            await asyncio.sleep(0.02)
        found = [(await said(host, port, health))[:15] for _ in range(5)]
        for _, writer in idle:
            writer.close()
        return found

    assert probed(served, probe) == [b"HTTP/1.1 200 OK"] * 5


def test_a_body_of_two_lengths_is_refused(served: Served) -> None:
    request = (
        b"POST /start HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\nTransfer-Encoding: chunked\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n\r\nb\r\nconsent=yes\r\n0\r\n\r\n"
    )

    async def probe(host: str, port: int) -> bytes:
        return await said(host, port, request)

    answer = probed(served, probe)
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"default-src 'none'" in answer
    store = served.store()
    assert store.sittings() == []
    store.close()


def test_an_address_of_ipv6_counts_for_its_network(served: Served) -> None:
    def address(forwarded: str) -> str:
        scope = {"type": "http", "headers": [(b"x-forwarded-for", forwarded.encode())]}
        return served.site.front.address(Request(scope))

    served.site.front.behind_proxy = True
    assert address("2001:db8::1") == address("2001:db8::ffff:2") != address("2001:db8:0:1::1")
    assert address("203.0.113.9, 198.51.100.7") == "198.51.100.7"


def test_styles_and_scripts_are_kept_by_browsers_until_they_change(served: Served) -> None:
    page = served.client.get("/").text
    (place,) = re.findall(r'href="(/static/judge\.css[^"]*)"', page)
    found = served.client.get(place)
    assert "immutable" in found.headers["cache-control"]
    assert "no-store" not in found.headers["cache-control"]
    plain = served.client.get("/static/judge.css")
    assert plain.headers["cache-control"] == "no-cache"
    tag = {"if-none-match": plain.headers["etag"]}
    again = served.client.get("/static/judge.css", headers=tag)
    assert (again.status_code, again.content) == (304, b"")
    assert served.client.get("/static/judge.css?v=old").headers["cache-control"] == "no-cache"


def test_the_export_of_a_study_with_any_name_can_be_downloaded(tmp_path: Path) -> None:
    folder = make(tmp_path)
    text = (folder / "study.toml").read_text().replace('"small"', '"判断 Ä"')
    (folder / "study.toml").write_text(text)
    made = serve(folder)
    login(made)
    found = made.client.get("/admin/export.zip")
    made.close()
    assert found.status_code == 200
    said = found.headers["content-disposition"]
    assert said.endswith("filename*=UTF-8''%E5%88%A4%E6%96%AD%20%C3%84.zip")
    assert said.isascii()


def test_formulas_do_not_reach_a_spreadsheet(served: Served, tmp_path: Path) -> None:
    place = begin(served.client)
    walk(served.client, place, lambda shown: "left")
    served.client.post(place, data={"step": "about", "comments": "=1+1"})
    served.client.get(place)
    store = served.store()
    export_store(store, served.site.frozen, tmp_path / "out")
    export_store(store, served.site.frozen, tmp_path / "raw", guard="none")
    store.close()
    assert "'=1+1" in (tmp_path / "out" / "demographics.csv").read_text()
    assert ",=1+1" in (tmp_path / "raw" / "demographics.csv").read_text()
    assert login(served) == 303
    archive = zipfile.ZipFile(io.BytesIO(served.client.get("/admin/export.zip").content))
    assert "'=1+1" in archive.read("demographics.csv").decode()
