"""The HTTP of simulated raters: connections that are kept, and patience."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from priscian.errors import DataError
from priscian.files.web import Reply, RequestLimits, WebError, ask, connect

RETRY = (429, 503, 507)
PATIENCE = 60.0
"""Seconds that somebody tries again before giving up; the page itself never does."""
LIMITS = RequestLimits(30, 1 << 24)


class Client:
    """Sends requests to one server; lost connections are made anew."""

    def __init__(
        self,
        url: str,
        timed: Callable[[float], None] = lambda seconds: None,
        patience: float = PATIENCE,
    ) -> None:
        self.url = url.rstrip("/")
        self.timed = timed
        self.patience = patience
        self._connections = connect(self.url)

    async def get(self, path: str) -> Reply:
        """GET a path."""
        return await self._patiently(path, None, "")

    async def form(self, path: str, fields: Mapping[str, str]) -> Reply:
        """POST a form."""
        body = urlencode(fields).encode()
        return await self._patiently(path, body, "application/x-www-form-urlencoded")

    async def json(self, path: str, data: object) -> Reply:
        """POST JSON."""
        return await self._patiently(path, json.dumps(data).encode(), "application/json")

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.aclose()

    async def _patiently(self, path: str, body: bytes | None, kind: str) -> Reply:
        """Send a request until it is answered, as the page's outbox does."""
        wait, given_up = 0.1, time.monotonic() + self.patience
        url, headers = f"{self.url}{path}", {"Content-Type": kind} if kind else {}
        while True:
            begun = time.monotonic()
            try:
                reply = await ask(self._connections, url, LIMITS, headers=headers, body=body)
                self.timed(time.monotonic() - begun)
                if reply.status not in RETRY or time.monotonic() > given_up:
                    return reply
            except WebError as error:
                lasting = error.kind in ("address", "trust", "size")
                if lasting or time.monotonic() > given_up:
                    raise DataError(f"{url}: {error}; is the study served there?") from None
            await asyncio.sleep(wait)
            wait = min(2.0, 2 * wait)
