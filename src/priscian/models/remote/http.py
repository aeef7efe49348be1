"""JSON over HTTP with the standard library: time limits, retries with back-off, one-line errors."""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any

from priscian.errors import BackendError

TRIES = 6
FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Answers that may be better a little later."""
TOKEN = "PRISCIAN_API_KEY"
"""Environment variable with the key of a server that wants one."""
KEPT = "what was scored is kept: repeat the command, with --resume if it has --out"


def refused(url: str, status: int, said: str) -> BackendError:
    """The error for a server that answered with one."""
    remedy = {
        401: f"set {TOKEN} to the server's API key",
        403: f"set {TOKEN} to the server's API key",
        404: "check the URL and model= (the URL ends in /v1 for most servers)",
        429: f"it limits requests; {KEPT}",
    }.get(status, KEPT if status in BUSY else "check the server and its log")
    return BackendError(f"{url} answered {status} ({said}); {remedy}", status)


@dataclass(frozen=True, slots=True)
class Server:
    """A server that takes and gives JSON."""

    base: str
    timeout: float = 120.0

    def get(self, path: str) -> Any:
        """An answer to GET, asked once."""
        return self._send(path, None)

    def post(self, path: str, body: dict[str, Any], tries: int = TRIES) -> Any:
        """An answer to POST; busy servers, lost connections and time-outs are tried again."""
        wait = FIRST_WAIT
        for left in range(tries - 1, -1, -1):
            try:
                return self._send(path, body)
            except _Later as later:
                if not left:
                    raise later.error from None
                time.sleep(min(max(wait, later.wait), LONGEST_WAIT))
                wait *= 2
        raise AssertionError("a loop without end")

    def _send(self, path: str, body: dict[str, Any] | None) -> Any:
        url = f"{self.base}/{path}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
        if os.environ.get(TOKEN):
            request.add_header("Authorization", f"Bearer {os.environ[TOKEN]}")
        try:
            with _opener(url).open(request, timeout=self.timeout) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                found = refused(url, error.code, _said(error.read()))
            if error.code in BUSY and body is not None:
                raise _Later(found, _retry_after(error.headers.get("Retry-After"))) from None
            raise found from None
        except (json.JSONDecodeError, UnicodeDecodeError):
            raise BackendError(f"{url} did not answer with JSON; check the URL") from None
        except (OSError, http.client.HTTPException) as error:
            raise self._lost(url, error, body is not None) from None

    def _lost(self, url: str, error: Exception, again: bool) -> Exception:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            found = BackendError(
                f"{url} did not answer within {self.timeout:g} s; raise timeout=SECONDS or lower "
                f"parallel=; {KEPT}"
            )
        elif isinstance(reason, ConnectionRefusedError) or isinstance(error, urllib.error.URLError):
            kept = f"; {KEPT}" if again else ""
            found = BackendError(
                f"no server at {self.base} ({reason}); start it, or correct the URL{kept}"
            )
        else:
            found = BackendError(f"lost the connection to {url} ({reason}); {KEPT}")
        return _Later(found) if again else found


class _Later(Exception):
    """An error that may be gone after a while."""

    def __init__(self, error: BackendError, wait: float = 0.0) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait = wait


def _opener(url: str) -> urllib.request.OpenerDirector:
    """Servers on this machine are reached without a proxy."""
    if _is_local(urllib.parse.urlsplit(url).hostname or ""):
        return urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener()


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _said(body: bytes) -> str:
    """What a server says of an error, in a few words."""
    text = body.decode("utf-8", "replace")
    try:
        told = json.loads(text)
        while isinstance(told, dict | list) and told:
            if isinstance(told, list):
                told = told[0]
            else:
                names = ("error", "message", "detail", "msg")
                told = next((told[n] for n in names if n in told), str(told))
        text = str(told)
    except ValueError:
        pass
    text = " ".join(text.split())
    return text[:200] or "no reason given"


def _retry_after(value: str | None) -> float:
    try:
        return max(float(value or 0), 0.0)
    except ValueError:
        return 0.0
