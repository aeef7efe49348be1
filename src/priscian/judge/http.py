"""A small HTTP client for simulated raters: one connection, and patience."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

RETRY = (429, 503, 507)
PATIENCE = 60.0
"""Seconds that somebody tries again before giving up; the page itself never does."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A response."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def place(self) -> str:
        """Where a redirect leads."""
        return self.headers.get("location", "")


class Client:
    """Sends requests to one server over one connection; lost connections are made anew."""

    def __init__(
        self,
        url: str,
        timed: Callable[[float], None] = lambda seconds: None,
        patience: float = PATIENCE,
    ) -> None:
        parts = urlsplit(url)
        self.host, self.port = parts.hostname or "127.0.0.1", parts.port or 80
        self.timed = timed
        self.patience = patience
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> Answered:
        """GET a path."""
        return await self._patiently("GET", path, b"", "")

    async def form(self, path: str, fields: Mapping[str, str]) -> Answered:
        """POST a form."""
        body = urlencode(fields).encode()
        return await self._patiently("POST", path, body, "application/x-www-form-urlencoded")

    async def json(self, path: str, data: object) -> Answered:
        """POST JSON."""
        return await self._patiently("POST", path, json.dumps(data).encode(), "application/json")

    async def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _patiently(self, method: str, path: str, body: bytes, kind: str) -> Answered:
        """Send a request until it is answered, as the page's outbox does."""
        wait, given_up = 0.1, time.monotonic() + self.patience
        while True:
            begun = time.monotonic()
            try:
                answered = await asyncio.wait_for(self._once(method, path, body, kind), 30)
                self.timed(time.monotonic() - begun)
                if answered.status not in RETRY or time.monotonic() > given_up:
                    return answered
            except (OSError, EOFError, asyncio.IncompleteReadError, TimeoutError, ValueError):
                await self.close()
                if time.monotonic() > given_up:
                    raise
            await asyncio.sleep(wait)
            wait = min(2.0, 2 * wait)

    async def _once(self, method: str, path: str, body: bytes, kind: str) -> Answered:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self._streams
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}:{self.port}"]
        if method == "POST":
            lines += [f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        size = int(headers.get("content-length", "0"))
        found = await reader.readexactly(size) if size else b""
        if headers.get("connection", "").lower() == "close":
            await self.close()
        return Answered(int(head[0].split(" ")[1]), headers, found)
