"""A server of JSON: typed answers, retries with back-off within one deadline, one-line errors."""

from __future__ import annotations

import contextlib
import json
import math
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from priscian.errors import BackendError, brief, flat

if TYPE_CHECKING:
    from priscian.files.web import Reply, WebError

Form = TypeVar("Form")

TRIES = 6
FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Answers that may be better a little later."""
TOKEN = "PRISCIAN_API_KEY"
"""Environment variable with the key of a server that wants one."""
KEPT = "what was scored is kept: repeat the command, with `resume=True` if it has `out=`"
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Server:
    """A server that takes and gives JSON; `timeout` is for a request with all its retries."""

    base: str
    timeout: float = 120.0

    def get(self, path: str, form: type[Form], what: str) -> Form:
        """An answer to GET, asked once."""
        try:
            return self._send(path, None, form, what, self.timeout, 4 * MEGABYTE)
        except _Later as later:
            raise later.error from None

    def post(
        self,
        path: str,
        body: dict[str, Any],
        form: type[Form],
        what: str,
        *,
        most: int = 4 * MEGABYTE,
        tries: int = TRIES,
    ) -> Form:
        """An answer to POST; busy servers and lost connections are tried again while time is left.

        `what` names what is expected; `most` is the largest answer, in bytes.
        """
        wait, end = FIRST_WAIT, time.monotonic() + self.timeout
        for left in range(tries - 1, -1, -1):
            try:
                return self._send(path, body, form, what, end - time.monotonic(), most)
            except _Later as later:
                pause = min(max(wait, later.wait), LONGEST_WAIT)
                if not left or time.monotonic() + pause >= end:
                    raise later.error from None
            time.sleep(pause)
            wait *= 2
        raise AssertionError("a loop without end")

    def _send(
        self,
        path: str,
        body: dict[str, Any] | None,
        form: type[Form],
        what: str,
        seconds: float,
        most: int,
    ) -> Form:
        from priscian.files.web import RequestLimits, WebError, request

        url = f"{self.base}/{path}"
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        if api_key():
            headers["Authorization"] = f"Bearer {api_key()}"
        try:
            reply = request(url, RequestLimits(seconds, most), headers=headers, body=data)
        except WebError as error:
            raise self._failed(url, error, f"; {KEPT}" if body else "") from None
        if not 200 <= reply.status < 300:
            raise _refused(url, reply)
        if reply.headers.get("content-encoding", "").lower() not in ("", "identity"):
            raise BackendError(f"{url} compresses its answers; turn that off on the server")
        return _decoded(url, reply.body, form, what)

    def _failed(self, url: str, error: WebError, kept: str) -> Exception:
        """The error for a request without an answer, and whether it may be repeated."""
        match error.kind:
            case "address":
                return BackendError(f"{url} cannot be asked ({error}); correct the URL")
            case "trust":
                return BackendError(
                    f"{url} cannot be trusted ({error}); correct the URL, or name the file with "
                    f"its certificates in SSL_CERT_FILE"
                )
            case "size":
                return BackendError(f"{url} answered too much ({error}); check the server")
            case "time":
                return BackendError(
                    f"{url} did not answer within {self.timeout:g} s; raise timeout=SECONDS or "
                    f"lower parallel={kept}"
                )
            case "reach":
                return _Later(
                    f"no server at {self.base} ({error}); start it, or correct the URL{kept}"
                )
            case "broken":
                return _Later(f"lost the connection to {url} ({error}); check the server{kept}")


class _Later(Exception):
    """An error that may be gone after a while."""

    def __init__(self, said: str, status: int = 0, wait: float = 0.0) -> None:
        super().__init__(said)
        self.error = BackendError(said, status)
        self.wait = wait


def api_key() -> str:
    """The key for servers, empty if there is none."""
    key = os.environ.get(TOKEN, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise BackendError(f"{TOKEN} has characters that no API key has; set it again")
    return key


@contextlib.contextmanager
def discreet() -> Iterator[None]:
    """Hides the API key in errors, where a server says it."""
    try:
        yield
    except BackendError as error:
        key, said = api_key(), str(error)
        if key and key in said:
            raise BackendError(said.replace(key, "…"), error.status) from None
        raise


def _decoded(url: str, body: bytes, form: type[Form], what: str) -> Form:
    try:
        return msgspec.json.decode(body, type=form)
    except msgspec.ValidationError as error:
        wrong = f"{what} ({brief(flat(error))})"
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        wrong = "JSON"
    raise BackendError(
        f"{url} answered something that is not {wrong}; check the URL and the server"
    )


def _refused(url: str, reply: Reply) -> Exception:
    """The error for a server that answered with one, or sends us elsewhere."""
    if reply.redirect is not None:
        return BackendError(
            f"{url} redirects to {brief(reply.redirect) or 'nowhere'}; nothing was sent there: "
            f"write the address of the server itself",
            reply.status,
        )
    remedy = {
        401: f"set {TOKEN} to the server's API key",
        403: f"set {TOKEN} to the server's API key",
        404: "check the URL and model= (the URL ends in /v1 for most servers)",
        429: f"it limits requests; {KEPT}",
    }.get(reply.status, KEPT if reply.status in BUSY else "check the server and its log")
    said = f"{url} answered {reply.status} ({_said(reply.body)}); {remedy}"
    if reply.status in BUSY:
        return _Later(said, reply.status, _retry_after(reply.headers.get("retry-after", "")))
    return BackendError(said, reply.status)


def _said(body: bytes) -> str:
    """What a server says of an error, in a few words."""
    text = body.decode("utf-8", "replace")
    try:
        told: Any = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        told = text
    while isinstance(told, dict | list) and told:
        if isinstance(told, list):
            told = told[0]
        else:
            names = ("error", "message", "detail", "msg")
            told = next((told[n] for n in names if n in told), text)
    return brief(told if isinstance(told, str) else text) or "no reason given"


def _retry_after(value: str) -> float:
    """Seconds that a server asks to wait; 0 if it does not say it as a number."""
    try:
        seconds = float(value)
    except ValueError:
        return 0.0
    return 0.0 if math.isnan(seconds) else max(seconds, 0.0)
