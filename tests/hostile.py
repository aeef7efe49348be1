"""A web server that answers with the bytes that it is told to send, however wrong they are."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

RESET = "reset"
TLS = b"\x16"
"""With this begins what a client says that wants TLS."""
Pieces = Iterable[bytes | float | str]
"""What is sent: bytes; a number is a pause in seconds; RESET breaks the connection."""


@dataclass
class Hostile:
    """The server's address, and all requests that it has got."""

    url: str = ""
    heard: list[bytes] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)


def answer(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """A well-formed answer, if the headers are; the server closes the connection after it."""
    lines = [f"HTTP/1.1 {status}", "Connection: close", *headers]
    if not any(h.lower().startswith(("content-length", "transfer-encoding")) for h in headers):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def drip(data: bytes, pause: float = 0.05) -> Pieces:
    """One byte at a time, and then one more for ever."""
    for byte in data:
        yield bytes([byte])
        yield pause
    while True:
        yield b" "
        yield pause


def endless(head: bytes, piece: bytes, pause: float = 0.0) -> Pieces:
    """Something that never ends."""
    yield head
    while True:
        yield piece
        yield pause


@contextlib.contextmanager
def hostile(
    reply: Callable[[bytes], Pieces],
    host: str = "127.0.0.1",
    port: int = 0,
    tls: ssl.SSLContext | None = None,
) -> Iterator[Hostile]:
    """A server in a thread; each connection gets what `reply` says to its request."""
    made = Hostile()

    def serve(connection: socket.socket) -> None:
        connection.settimeout(30)
        with contextlib.suppress(OSError), connection:
            if tls is None:
                talk(connection)
                return
            with tls.wrap_socket(connection, server_side=True) as wrapped:
                talk(wrapped)

    def talk(connection: socket.socket) -> None:
        request = _request(connection)
        if not request:
            return
        made.heard.append(request)
        for piece in reply(request):
            if made.stopped.is_set():
                return
            if piece == RESET:
                linger = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                return
            if isinstance(piece, bytes):
                connection.sendall(piece)
            elif made.stopped.wait(float(piece)):
                return

    def listen() -> None:
        with contextlib.suppress(OSError):
            while not made.stopped.is_set():
                connection, _ = listening.accept()
                threading.Thread(target=serve, args=[connection], daemon=True).start()

    with socket.create_server((host, port)) as listening:
        scheme = "http" if tls is None else "https"
        made.url = f"{scheme}://{host}:{listening.getsockname()[1]}"
        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        try:
            yield made
        finally:
            made.stopped.set()
            with contextlib.suppress(OSError):
                socket.create_connection(listening.getsockname()[:2], 5).close()  # wakes accept
            thread.join()


def _request(connection: socket.socket) -> bytes:
    found = b""
    while b"\r\n\r\n" not in found:
        piece = connection.recv(65536)
        found += piece
        if not piece or found.startswith(TLS):
            return found
    head, _, body = found.partition(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            while len(body) < int(line.split(b":")[1]):
                body += connection.recv(65536)
    return head + b"\r\n\r\n" + body
