"""Requests over HTTP: the deadline holds whatever a server does, and nothing is followed."""

from __future__ import annotations

import asyncio
import hashlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.hostile import Pieces, answer, drip, endless, hostile

from priscian.files import web
from priscian.files.web import RequestLimits, WebError, download, proxy_of, request

PEM = Path(__file__).with_name("loopback.pem")
SOON = RequestLimits(0.3, 1000)
LATER = RequestLimits(60, 1000)
SLOW: dict[str, Callable[[bytes], Pieces]] = {
    "silence": lambda asked: [3600.0],
    "a status line byte by byte": lambda asked: drip(b"HTTP/1.1 200 "),
    "headers byte by byte": lambda asked: drip(b"HTTP/1.1 200 OK\r\nX-Header: "),
    "a body byte by byte": lambda asked: drip(b"HTTP/1.1 200 OK\r\n\r\n"),
    "half an answer": lambda asked: [answer(b"{", "Content-Length: 2"), 3600.0],
}


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    web._trusting.cache_clear()
    yield
    web._trusting.cache_clear()


def kind(url: str, limits: RequestLimits = LATER, body: bytes | None = None) -> str:
    """Of which kind the failure of a request is."""
    with pytest.raises(WebError) as caught:
        request(url, limits, body=body)
    return caught.value.kind


@pytest.mark.parametrize("body", [None, b"{}"], ids=["GET", "POST"])
@pytest.mark.parametrize("slow", SLOW)
def test_a_slow_server_is_left_at_the_deadline(slow: str, body: bytes | None) -> None:
    with hostile(SLOW[slow]) as server:
        assert kind(server.url, SOON, body) == "time"


def test_a_server_that_reads_nothing_is_left_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:  # the system takes the connection
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        assert kind(url, SOON, b"x" * 50_000_000) == "time"
        assert kind(url.replace("http:", "https:"), SOON) == "time"


def test_a_server_that_is_silent_for_too_long_is_left_before_the_deadline() -> None:
    begun: Pieces = [b"HTTP/1.1 200 OK\r\n", 3600.0]
    silent = pytest.raises(WebError, match=r"silent for 0\.2 s")
    with hostile(lambda asked: begun) as server, silent:
        request(server.url, RequestLimits(3600, 1000, 0.2))


def test_what_is_sent_and_what_comes_back() -> None:
    with hostile(lambda asked: [answer(b"[1]", "X-Some: Thing")]) as server:
        reply = request(f"{server.url}/a?b", LATER, body=b"{}", headers={"X-Own": "1"})
    (heard,) = server.heard
    assert heard.startswith(b"POST /a?b HTTP/1.1\r\n")
    assert heard.endswith(b"\r\n\r\n{}")
    lines = heard.lower().split(b"\r\n")
    for line in (b"x-own: 1", b"user-agent: priscian", b"accept-encoding: identity"):
        assert line in lines
    assert (reply.status, reply.reason, reply.body) == (200, "OK", b"[1]")
    assert reply.headers["x-some"] == "Thing"


def test_a_body_may_have_the_limit_and_no_byte_more() -> None:
    with hostile(lambda asked: [answer(b"x" * 1000)]) as server:
        assert len(request(server.url, LATER).body) == 1000
        assert kind(server.url, RequestLimits(60, 999)) == "size"
    with hostile(lambda asked: endless(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 9999)) as server:
        assert kind(server.url) == "size"


def test_of_an_endless_error_the_beginning_is_read() -> None:
    with hostile(lambda asked: endless(b"HTTP/1.1 500 Oops\r\n\r\n", b"x" * 9999)) as server:
        reply = request(server.url, LATER)
    assert reply.status == 500
    assert 0 < len(reply.body) <= web.SAID


def test_redirects_are_told_and_not_followed() -> None:
    found = answer(b"", "Location: /other", "Set-Cookie: a=b", status="302 Found")
    with hostile(lambda asked: [found]) as server:
        assert request(server.url, LATER).redirect == "/other"
        assert request(server.url, LATER).redirect == "/other"
    assert len(server.heard) == 2
    assert not any(b"ookie" in heard for heard in server.heard)


def test_requests_work_where_an_event_loop_runs_already() -> None:
    async def notebook() -> int:
        return request(server.url, LATER).status

    with hostile(lambda asked: [answer(b"")]) as server:
        assert asyncio.run(notebook()) == 200


@pytest.mark.parametrize(
    ("url", "of_kind", "said"),
    [
        ("http://127.0.0.1:9/", "reach", "connection refused"),
        ("http://nowhere.invalid/", "reach", "no such host"),
        ("http://127.0.0.1:99999/", "address", "Port out of range"),
        ("http://[::1", "address", "Invalid IPv6"),
        ("http://xn--zzzz/", "address", "punycode|punicode"),
        ("http://127.0.0.1:80\n/", "address", "non-printable"),
        ("gopher://127.0.0.1/", "address", "protocol"),
    ],
)
def test_an_address_without_a_server(url: str, of_kind: str, said: str) -> None:
    with pytest.raises(WebError, match=said) as caught:
        request(url, LATER)
    assert caught.value.kind == of_kind
    assert str(caught.value).isprintable()


def test_a_server_that_speaks_no_tls_is_not_trusted() -> None:
    with hostile(lambda asked: [answer(b"")]) as server:
        assert kind(server.url.replace("http:", "https:")) == "trust"


def test_certificates_are_checked_against_the_system_or_a_named_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(PEM)
    with hostile(lambda asked: [answer(b"safe")], tls=tls) as server:
        with pytest.raises(WebError, match="its certificate is not trusted: self") as caught:
            request(server.url, LATER)
        assert caught.value.kind == "trust"
        assert server.heard == []
        web._trusting.cache_clear()
        monkeypatch.setenv("SSL_CERT_FILE", str(PEM))
        assert request(server.url, LATER).body == b"safe"


class TestProxies:
    def test_the_proxy_of_the_environment_is_asked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with hostile(lambda asked: [answer(b"by proxy")]) as proxy:
            host = proxy.url.removeprefix("http://")
            for written in (proxy.url, host, f"http://me:word@{host}"):
                monkeypatch.setenv("http_proxy", written)
                assert request("http://far.invalid/a", LATER).body == b"by proxy"
        assert [h.splitlines()[0] for h in proxy.heard] == [
            b"GET http://far.invalid/a HTTP/1.1"
        ] * 3
        assert b"Proxy-Authorization: Basic bWU6d29yZA==" in proxy.heard[2]

    def test_https_goes_through_a_tunnel(self, monkeypatch: pytest.MonkeyPatch) -> None:
        refusal = answer(b"", status="407 Proxy Authentication Required")
        with hostile(lambda asked: [refusal]) as proxy:
            monkeypatch.setenv("https_proxy", proxy.url)
            with pytest.raises(WebError, match=r"407 Proxy.*by way of the proxy 127") as caught:
                request("https://far.invalid/a", LATER)
        assert caught.value.kind == "reach"
        assert proxy.heard[0].startswith(b"CONNECT far.invalid:443 ")

    def test_a_slow_proxy_is_left_at_the_deadline(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with hostile(lambda asked: drip(b"HTTP/1.1 200 ")) as proxy:
            monkeypatch.setenv("https_proxy", proxy.url)
            assert kind("https://far.invalid/a", SOON) == "time"

    def test_exceptions_and_this_machine_are_reached_directly(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("http_proxy", "http://proxy.invalid:1")
        monkeypatch.setenv("no_proxy", "near.invalid,.group.invalid")
        assert proxy_of("http://far.invalid:8000/v1") == "http://proxy.invalid:1"
        for host in ("near.invalid", "a.group.invalid:8000", "127.0.0.9", "[::1]:1", "localhost"):
            assert proxy_of(f"http://{host}/v1") is None

    @pytest.mark.parametrize("written", ["socks5://me:word@127.0.0.1:1", "http://me:word@:x:/"])
    def test_one_that_cannot_be_used_is_named_without_its_password(
        self, monkeypatch: pytest.MonkeyPatch, written: str
    ) -> None:
        monkeypatch.setenv("http_proxy", written)
        with pytest.raises(WebError, match="proxy in the environment is not http") as caught:
            request("http://far.invalid/", LATER)
        assert "word" not in str(caught.value)


class TestDownloads:
    def test_redirects_are_followed_without_credentials(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PRISCIAN_API_KEY", "SECRET-KEY")
        with hostile(lambda asked: [answer(b"data")], host="127.0.0.2") as other:
            there = answer(b"no", f"Location: {other.url}/b", "Set-Cookie: k=v", status="302 Go")
            relative = answer(b"no", "Location: a?x", status="307 Go")
            with hostile(lambda a: [there if b"/a?x" in a else relative]) as server:
                digest = download(f"{server.url}/folder/file", tmp_path / "file")
        assert digest == hashlib.sha256(b"data").hexdigest()
        assert (tmp_path / "file").read_bytes() == b"data"
        assert [h.split()[1] for h in server.heard] == [b"/folder/file", b"/folder/a?x"]
        for heard in (*server.heard, *other.heard):
            assert not any(word in heard for word in (b"SECRET", b"ookie", b"Authorization"))

    @pytest.mark.parametrize(
        ("location", "said"),
        [
            ("", "302 Go"),
            ("/again", "redirected more than 9 times"),
            ("file:///etc/passwd", "file:///etc/passwd is not a web address"),
            ("http://[::1/", "cannot be trusted"),
            ("http://127.0.0.1:99999/", "Port out of range"),
            ("/\x1b[2J", "non-printable"),
        ],
    )
    def test_other_redirects_are_refused(self, tmp_path: Path, location: str, said: str) -> None:
        found = answer(b"", f"Location: {location}", status="302 Go")
        with (
            hostile(lambda asked: [found]) as server,
            pytest.raises(ConnectionError, match=said) as caught,
        ):
            download(server.url, tmp_path / "file")
        assert str(caught.value).isprintable()

    def test_never_from_https_to_http(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(PEM))
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(PEM)
        down = answer(b"", "Location: http://127.0.0.1:9/x", status="301 Moved")
        with (
            hostile(lambda asked: [down], tls=tls) as server,
            pytest.raises(ConnectionError, match=r"redirects to http://127\.0\.0\.1:9/x, which"),
        ):
            download(server.url, tmp_path / "file")

    def test_a_packed_file_is_kept_as_it_is(self, tmp_path: Path) -> None:
        with hostile(lambda asked: [answer(b"\x1f\x8bxy", "Content-Encoding: gzip")]) as server:
            download(server.url, tmp_path / "file.tgz")
        assert (tmp_path / "file.tgz").read_bytes() == b"\x1f\x8bxy"

    def test_the_disk_may_be_full(self, tmp_path: Path) -> None:
        full = pytest.raises(OSError, match="No space left")
        with hostile(lambda asked: [answer(b"x" * 100_000)]) as server, full:
            download(server.url, Path("/dev/full"))


def test_many_requests_at_once(tmp_path: Path) -> None:
    found: list[bytes] = []
    with hostile(lambda asked: [0.01, answer(b"one")]) as server:
        threads = [
            threading.Thread(target=lambda: found.append(request(server.url, LATER).body))
            for _ in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [b"one"] * 20
