"""What a request may be: how large, how slow, how often."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from priscian.files import whole_number

BODY = 32 * 1024
"""Bytes of a body."""
SLOW = 20.0
"""Seconds in which a body must be there."""
FIELDS = 60
MOST_KEYS = 20_000


class PlainFraming:
    """Refuses requests that give the length of their body twice: a proxy may read the other one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http":
            names = {name for name, _ in scope["headers"]}
            if names >= {b"content-length", b"transfer-encoding"}:
                refused = PlainTextResponse("Send one length.", 400, {"Connection": "close"})
                await refused(scope, receive, send)
                return
        await self.app(scope, receive, send)


async def read_body(request: Request) -> bytes:
    """The body of a request, refused when it is too large or too slow."""
    if whole_number(request.headers.get("content-length", "0"), BODY) is None:
        raise HTTPException(413, "The request is too large.")
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(SLOW):
            async for part in request.stream():
                size += len(part)
                if size > BODY:
                    raise HTTPException(413, "The request is too large.")
                parts.append(part)
    except TimeoutError:
        raise HTTPException(408, "The request took too long.") from None
    except ClientDisconnect:
        raise HTTPException(400, "The connection was closed.") from None
    return b"".join(parts)


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form; of a field that is there twice, the last."""
    if media_type(request) != "application/x-www-form-urlencoded":
        raise HTTPException(415, "Send a form.")
    body = await read_body(request)
    try:
        pairs = parse_qsl(
            body.decode("utf-8"), keep_blank_values=True, max_num_fields=FIELDS, errors="strict"
        )
    except ValueError:
        raise HTTPException(400, "The form cannot be read.") from None
    return dict(pairs)


async def read_json(request: Request, form: str) -> Any:
    """The JSON of a request; `form` is what a refusal asks for."""
    if media_type(request) != "application/json":
        raise HTTPException(415, "Send JSON.")
    try:
        return json.loads(await read_body(request))
    except (ValueError, RecursionError):
        raise HTTPException(400, f"Send {form}.") from None


def media_type(request: Request) -> str:
    """The type of a request's body, without parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


class Buckets:
    """A token-bucket rate limit for each key: `rate` requests per second, `burst` at once.

    Kept in memory, under salted hashes of the keys.
    """

    def __init__(self, rate: float, burst: int, now: Callable[[], float] = time.monotonic) -> None:
        self.rate = rate
        self.burst = burst
        self.now = now
        self._salt = secrets.token_bytes(16)
        self._levels: dict[bytes, tuple[float, float]] = {}

    def take(self, key: str) -> None:
        """Count a request; too many are refused with 429."""
        hashed = hmac.digest(self._salt, key.encode("utf-8", "replace"), hashlib.sha256)[:12]
        now = self.now()
        level, then = self._levels.get(hashed, (float(self.burst), now))
        level = min(float(self.burst), level + (now - then) * self.rate)
        if level < 1:
            wait = max(1, round((1 - level) / self.rate))
            raise HTTPException(429, "Too many requests.", {"Retry-After": str(wait)})
        if len(self._levels) >= MOST_KEYS:
            self._levels.clear()
        self._levels[hashed] = (level - 1, now)
