"""Serve an app with uvicorn: one process, and connections that must say what they want in time."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import socket
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from priscian.errors import UsageError

HEADERS = 10.0
"""Seconds in which the headers of a request must be there."""
CONNECTIONS = 1000
ROOM = 200
"""Files that the process opens besides connections."""
IDLE = 0.8
"""The share of the connections above which one that says nothing is closed for a new one."""


class PromptProtocol(H11Protocol):
    """HTTP that closes a connection whose headers do not arrive in time."""

    _timer: asyncio.TimerHandle | None = None
    _since = 0.0

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request; of too many connections the oldest idle one goes."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._wait()
        if len(self.connections) > IDLE * (self.limit_concurrency or CONNECTIONS):
            others = [c for c in self.connections if isinstance(c, PromptProtocol) and c._is_idle]
            if silent := [c for c in others if c is not self]:
                min(silent, key=lambda c: c._since).transport.close()

    @property
    def _is_idle(self) -> bool:
        """Whether no whole request is here that has not been answered."""
        cycle = self.cycle
        waits = cycle is None or cycle.response_complete or cycle.more_body
        return waits and not self.transport.is_closing()

    def data_received(self, data: bytes) -> None:
        """Stop waiting when a request is whole; wait anew when only a part of one is there."""
        super().data_received(data)
        self._since = self.loop.time()
        busy = self.cycle is not None and not self.cycle.response_complete
        if busy and self._timer is not None:
            self._timer.cancel()
            self._timer = None
        elif not busy and self._timer is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timer."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._timer = self.loop.call_later(HEADERS, self._too_slow)

    def _too_slow(self) -> None:
        self._timer = None
        busy = self.cycle is not None and not self.cycle.response_complete
        if not busy and self.transport is not None and not self.transport.is_closing():
            self.transport.close()


def bound(host: str, port: int, behind_proxy: bool) -> socket.socket:
    """A listening socket; plain HTTP for other machines is refused without a proxy for TLS."""
    try:
        local = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host).is_loopback
    except ValueError:
        local = False
    if not local and not behind_proxy:
        raise UsageError(
            f"{host} can be reached from other machines, and HTTP is not encrypted; serve on "
            "127.0.0.1 behind a proxy with TLS, or set behind_proxy if there is one"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen()  # its address is shown before uvicorn starts; who comes at once can wait
    except OSError as error:
        found.close()
        if error.errno == errno.EADDRINUSE:
            raise UsageError(f"port {port} is in use; choose another") from None
        raise UsageError(f"cannot listen on {host}:{port} ({error.strerror})") from None
    return found


def _connections() -> int:
    """How many connections there may be at once: files that a process may open, with some room."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + ROOM
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return max(1, soft - ROOM)
    return CONNECTIONS


def configured(app: Starlette, root_path: str = "") -> uvicorn.Config:
    """How uvicorn runs an app: quiet, with limits, and without anything that names it."""
    return uvicorn.Config(
        app,
        root_path=root_path,
        http=PromptProtocol,
        ws="none",
        log_level="warning",
        access_log=False,  # addresses would have tokens
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=5,
        limit_concurrency=_connections(),
        h11_max_incomplete_event_size=16 * 1024,
    )
