"""Requests over HTTP: a deadline for the whole of each, a limit of size, and no redirects.

Every request of Priscian as a client goes through here. It imports httpx, so import it late.
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import os
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from priscian.errors import brief, flat

Kind = Literal["address", "reach", "trust", "time", "size", "broken"]
Keep = Callable[[bytes], object]
HEADERS = {
    "User-Agent": "priscian",
    "Accept": "*/*",
    "Accept-Encoding": "identity",  # nothing is unpacked, so nothing small can become large
}
SAID = 1 << 16
"""Bytes that are read of an answer that is an error."""
MOST = 1 << 30
"""Bytes of a file that is downloaded."""
SILENCE, LONGEST = 30, 3600
"""Seconds that a server may be silent in a download, and that it may take in all."""
PLACES = 10
"""Addresses that are asked for a file, where each redirects to the next."""


class WebError(ConnectionError):
    """A request without a whole answer: what happened, in a few words.

    `kind` is where it failed: a wrong `address`, no server in `reach`, no `trust` in its
    certificate, no `time` left, an answer above its `size`, or a `broken` connection or answer.
    """

    def __init__(self, kind: Kind, said: str) -> None:
        super().__init__(brief(said))
        self.kind = kind


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """How long a request may take in all, and without a sign of life; bytes of the answer."""

    seconds: float
    most: int
    silence: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered; the names of headers are in lower case."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def redirect(self) -> str | None:
        """Where a redirect leads, empty if it does not say it; None for any other answer."""
        if self.status not in (301, 302, 303, 307, 308):
            return None
        return self.headers.get("location", "")


def request(
    url: str,
    limits: RequestLimits,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    keep: Keep | None = None,
) -> Reply:
    """The answer to GET, or to POST if there is a body; a failure is a `WebError`.

    `keep` gets the pieces of an answer with status 200, instead of the reply.
    """

    async def alone() -> Reply:
        async with connect(url) as transport:
            closing = {"Connection": "close", **(headers or {})}
            return await ask(transport, url, limits, headers=closing, body=body, keep=keep)

    if not _in_loop():
        return asyncio.run(alone())
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(alone())).result()


def download(url: str, file: Path) -> str:
    """Save what is at an address and return its SHA-256; any failure is a `ConnectionError`.

    Redirects are followed, but never from https to http.
    """
    digest = hashlib.sha256()
    place, until = url, time.monotonic() + LONGEST
    with file.open("wb") as out:

        def keep(piece: bytes) -> None:
            digest.update(piece)
            out.write(piece)

        for _ in range(PLACES):
            if not place.startswith(("https://", "http://")):
                raise ConnectionError(f"{brief(place)} is not a web address")
            limits = RequestLimits(max(until - time.monotonic(), 0), MOST, SILENCE)
            reply = request(place, limits, keep=keep)
            if reply.status == 200:
                return digest.hexdigest()
            if not reply.redirect:
                raise ConnectionError(f"{reply.status} {reply.reason}")
            try:
                found = urljoin(place, reply.redirect)
            except ValueError:
                found = ""
            if not found or (place.startswith("https://") and not found.startswith("https://")):
                said = brief(reply.redirect)
                raise ConnectionError(f"it redirects to {said}, which cannot be trusted")
            place = found
    raise ConnectionError(f"it is redirected more than {PLACES - 1} times")


def _in_loop() -> bool:
    """Whether this thread runs an event loop already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def connect(url: str) -> httpx.AsyncHTTPTransport:
    """Connections to the server at an address, made when they are needed.

    It is httpx without its client, which adds cookies, reads redirects and unpacks.
    """
    try:
        proxy = proxy_of(url)
    except ValueError as error:
        raise WebError("address", str(error)) from None
    try:
        by_way = proxy and httpx.Proxy(
            proxy, ssl_context=_trusted() if proxy.startswith("https:") else None
        )
        return httpx.AsyncHTTPTransport(verify=_trusted(), trust_env=False, proxy=by_way or None)
    except (httpx.InvalidURL, ValueError, ImportError):  # without the proxy's password
        raise WebError("address", "the proxy in the environment is not http://HOST:PORT") from None


async def ask(
    transport: httpx.AsyncHTTPTransport,
    url: str,
    limits: RequestLimits,
    *,
    headers: Mapping[str, str],
    body: bytes | None = None,
    keep: Keep | None = None,
) -> Reply:
    """As `request`, over connections that may be kept; httpx limits only the steps of a request."""
    # httpcore closes a connection whose handshake is too slow, but leaves one that is cancelled;
    # on a busy machine both may come late, so the first comes well before the second.
    steps = httpx.Timeout(limits.silence, connect=limits.silence or 0.7 * limits.seconds)
    try:
        _ = urlsplit(url).port  # a ValueError, if it is not one
        asked = httpx.Request(
            "GET" if body is None else "POST",
            url,
            headers={**HEADERS, **headers},
            content=body,
            extensions={"timeout": steps.as_dict()},
        )
        async with asyncio.timeout(limits.seconds):
            return await _read(await transport.handle_async_request(asked), limits, keep)
    except TimeoutError:
        raise _too_slow(limits) from None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, ExceptionGroup) as error:
        raise _explained(error, url, limits) from None


async def _read(answer: httpx.Response, limits: RequestLimits, keep: Keep | None) -> Reply:
    """The whole answer, or the beginning of an error."""
    body = bytearray()
    put = keep if keep and answer.status_code == 200 else body.extend
    size, most = 0, limits.most if answer.is_success else SAID
    async with aclosing(answer):
        try:
            async for piece in answer.aiter_raw():
                size += len(piece)
                if size > most:
                    break
                put(piece)
        except (httpx.ReadError, httpx.RemoteProtocolError):
            length = answer.headers.get("content-length", "")
            of = f" of {int(length):,}" if length.isdecimal() else ""
            raise WebError("broken", f"it was cut off after {size:,}{of} bytes") from None
    if size > most and answer.is_success:
        raise WebError("size", f"it has more than {most:,} bytes")
    found = {name.lower(): value for name, value in answer.headers.items()}
    return Reply(answer.status_code, brief(answer.reason_phrase), found, bytes(body))


def _trusted() -> ssl.SSLContext:
    """The certificates that the system trusts, or those of SSL_CERT_FILE and SSL_CERT_DIR."""
    return _trusting(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@cache
def _trusting(file: str | None, folder: str | None) -> ssl.SSLContext:
    return ssl.create_default_context()


def proxy_of(url: str) -> str | None:
    """The proxy that the environment or the system names; none for servers on this machine."""
    parts = urlsplit(url)
    if is_local(parts.hostname or "") or proxy_bypass(parts.netloc):
        return None
    proxy = getproxies().get(parts.scheme)
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def is_local(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _explained(error: Exception, url: str, limits: RequestLimits) -> WebError:
    """What went wrong, from the first cause that says it."""
    causes = list(_causes(error))
    said = flat(causes[-1]) or type(causes[-1]).__name__
    try:  # without the proxy's password
        proxy = proxy_of(url)
        by_way = (
            f", by way of the proxy {urlsplit(proxy).netloc.rpartition('@')[2]}" if proxy else ""
        )
    except ValueError:  # the address is not one
        by_way = ""
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return WebError("trust", f"its certificate is not trusted: {cause.verify_message}")
        if isinstance(cause, ssl.SSLError):
            return WebError("trust", f"no TLS: {cause.reason or flat(cause)}")
        if isinstance(cause, socket.gaierror):
            return WebError("reach", f"no such host: {cause.strerror}{by_way}")
        if isinstance(cause, ConnectionRefusedError):
            return WebError("reach", f"connection refused{by_way}")
        if isinstance(cause, httpx.TimeoutException):
            return _too_slow(limits, silent=True)
    if isinstance(error, httpx.ConnectError | httpx.ProxyError):
        return WebError("reach", said + by_way)
    if isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError):
        return WebError("broken", said)
    return WebError("address", said)


def _too_slow(limits: RequestLimits, silent: bool = False) -> WebError:
    if silent and limits.silence:
        return WebError("time", f"silent for {limits.silence:g} s")
    return WebError("time", f"no whole answer within {limits.seconds:g} s")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what caused it, the root last."""
    yield error
    for inner in getattr(error, "exceptions", ()):  # one for each address of a host
        yield from _causes(inner)
    before = error.__cause__
    if before is None and not isinstance(error, OSError | ValueError):  # httpcore names no cause
        before = error.__context__
    if before is not None:
        yield from _causes(before)
