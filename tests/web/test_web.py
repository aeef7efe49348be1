"""What web pages share: sockets, addresses behind a proxy, sessions and files."""

from __future__ import annotations

import contextlib
import socket
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from priscian.errors import UsageError
from priscian.web.assets import Assets
from priscian.web.front import Front, public_address
from priscian.web.serve import bound
from priscian.web.sessions import Sessions, is_token, new_token


def test_a_port_is_open_before_its_address_is_told_and_no_other_process_gets_it() -> None:
    with contextlib.closing(bound("127.0.0.1", 0, False)) as listening:
        address = listening.getsockname()
        socket.create_connection(address, timeout=5).close()
        with pytest.raises(UsageError, match="is in use; choose another"):
            bound("127.0.0.1", address[1], False)


def test_an_open_address_needs_a_proxy_and_a_port_must_be_free() -> None:
    with pytest.raises(Exception, match="behind_proxy"):
        bound("0.0.0.0", 0, False)
    bound("0.0.0.0", 0, True).close()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(Exception, match=r"port \d+ is in use"):
            bound("127.0.0.1", taken.getsockname()[1], False)


def test_who_comes_before_the_server_has_started_waits() -> None:
    with bound("127.0.0.1", 0, False) as listening, socket.socket() as early:
        early.connect(listening.getsockname())  # it was refused


def asked(client: str = "192.0.2.1", **headers: str) -> Request:
    named = [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()]
    scope: dict[str, Any] = {
        "type": "http", "scheme": "http", "path": "/", "query_string": b"",
        "server": ("127.0.0.1", 8000), "client": (client, 1), "headers": named,
    }  # fmt: skip
    return Request(scope)


def test_headers_of_a_proxy_count_only_behind_one() -> None:
    forged = asked(host="127.0.0.1:8000", x_forwarded_for="198.51.100.7", x_forwarded_host="evil")
    assert Front().address(forged) == "192.0.2.1"
    assert Front().origin(forged) == "http://127.0.0.1:8000"
    behind = Front(behind_proxy=True)
    assert behind.address(forged) == "198.51.100.7"
    assert behind.address(asked()) == ""
    assert behind.address(asked(x_forwarded_for="203.0.113.9, 198.51.100.7")) == "198.51.100.7"
    assert behind.origin(asked(host="study.example")) == "https://study.example"
    assert Front(True, "https://a.example/x").origin(forged) == "https://a.example"


def test_one_household_has_one_address_of_ipv6() -> None:
    one, two = (Front().address(asked(f"2001:db8:1:2::{n}")) for n in (1, 2))
    assert one == two == "2001:db8:1:2::/64"


def test_the_public_address_is_one_of_the_web() -> None:
    assert public_address("https://study.example.org/x").path == "/x"
    assert public_address("").path == ""
    with pytest.raises(UsageError, match="is not an address"):
        public_address("study.example.org")


def test_a_token_is_kept_as_a_salted_hash() -> None:
    token, kept = new_token()
    assert token not in kept
    assert is_token(token, kept)
    assert not is_token(token + "x", kept)
    assert not is_token("", "")
    assert new_token()[1] != kept


def pages(sessions: Sessions) -> TestClient:
    front = Front()

    async def login(request: Request) -> Response:
        response = PlainTextResponse("welcome")
        sessions.begin(request, response, front)
        return response

    async def form(request: Request) -> Response:
        return PlainTextResponse((await sessions.form(request, front))["said"])

    routes = [
        Route("/own/login", login, methods=["POST"]),
        Route("/own/form", form, methods=["POST"]),
    ]
    return TestClient(Starlette(routes=routes))


def test_a_form_needs_a_session_its_token_and_our_own_page() -> None:
    sessions = Sessions("own", "/own")
    client = pages(sessions)
    ours = {"Origin": "http://testserver"}
    assert client.post("/own/form", data={"said": "x"}, headers=ours).status_code == 403
    client.post("/own/login")
    ((csrf, _),) = sessions.known.values()
    good = {"said": "x", "csrf": csrf}
    assert client.post("/own/form", data=good, headers=ours).text == "x"
    assert client.post("/own/form", data=good, headers={"Origin": "http://x"}).status_code == 403
    assert client.post("/own/form", data={**good, "csrf": "é"}, headers=ours).status_code == 403
    sessions.known = dict.fromkeys(sessions.known, (csrf, 0.0))  # it has ended
    assert client.post("/own/form", data=good, headers=ours).status_code == 403


def test_files_are_those_listed_at_addresses_of_their_content() -> None:
    assets = Assets({"both.css": ["priscian.web/look.css", "priscian.web/look.css"]})
    client = TestClient(Starlette(routes=[Route("/static/{name}", assets.respond)]))
    found = client.get(assets.address("both.css"))
    assert found.headers["content-type"].startswith("text/css")
    assert "immutable" in found.headers["cache-control"]
    half = len(found.content) // 2
    assert found.content[:half] == found.content[half:]
    assert client.get("/static/both.css").headers["cache-control"] == "no-cache"
    again = {"If-None-Match": found.headers["etag"]}
    assert client.get("/static/both.css", headers=again).status_code == 304
    assert client.get("/static/look.css").status_code == 404
