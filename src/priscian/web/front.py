"""Where browsers find our pages, and whom a request comes from, with or without a proxy."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse

from priscian.errors import UsageError

LOOPBACK = ("127.0.0.1", "::1", "testclient")


def public_address(url: str) -> SplitResult:
    """The parts of the address at which people find the pages; its path is what a proxy removes."""
    parts = urlsplit(url)
    if url and (parts.scheme not in ("http", "https") or not parts.netloc):
        raise UsageError(f"url {url!r} is not an address; write https://study.example.org")
    return parts


def root_of(request: Request) -> str:
    """What the addresses of all pages begin with."""
    return str(request.scope.get("root_path", ""))


def go(request: Request, path: str) -> RedirectResponse:
    """Send the browser to one of our pages."""
    return RedirectResponse(f"{root_of(request)}{path}", 303)


def is_local(request: Request) -> bool:
    """Whether a request comes from this machine (or from its proxy)."""
    return request.client is not None and request.client.host in LOOPBACK


@dataclass(slots=True)
class Front:
    """What is in front of the pages: nothing, or a proxy that adds headers to requests."""

    behind_proxy: bool = False
    url: str = ""
    """Where people find the pages, if a proxy does not say so."""

    def address(self, request: Request) -> str:
        """The address to count a request for; never stored, never logged.

        Empty behind a proxy that does not pass it on. Of IPv6 it is the network, since one
        household has a whole network.
        """
        if self.behind_proxy:
            said = _last(request.headers.get("x-forwarded-for", ""))
        else:
            said = request.client.host if request.client else ""
        try:
            found = ipaddress.ip_address(said)
        except ValueError:
            return said
        return str(ipaddress.ip_network((found, 64), strict=False)) if found.version == 6 else said

    def origin(self, request: Request) -> str:
        """Scheme and host of our pages, as browsers see them."""
        headers = request.headers
        scheme, host = request.url.scheme, headers.get("host", "")
        if self.behind_proxy:
            scheme = _last(headers.get("x-forwarded-proto", "")) or "https"
            host = _last(headers.get("x-forwarded-host", "")) or host
        if self.url:
            scheme, host, *_ = urlsplit(self.url)
        return f"{scheme}://{host}".lower()

    def is_same_origin(self, request: Request) -> bool:
        """Whether a form was sent by one of our pages."""
        return request.headers.get("origin", "").lower() == self.origin(request)


def _last(header: str) -> str:
    """What the nearest proxy has added to a header that others may have begun."""
    return header.rpartition(",")[2].strip()
