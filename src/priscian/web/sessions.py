"""A secret token, of which only a hash is kept, and the sessions of those who know it."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from priscian.web.front import Front, root_of
from priscian.web.limits import read_form

HOURS = 12
"""How long a session lasts."""
REFUSED = (
    "The request does not come from this page. If a proxy is in front of it, tell the server that "
    "it is behind a proxy, and the address that you see in your browser."
)


def new_token() -> tuple[str, str]:
    """A new token, and the salted hash to keep."""
    token, salt = secrets.token_urlsafe(18), secrets.token_bytes(16)
    return token, f"{salt.hex()}:{_hash(token, salt)}"


def is_token(token: str, kept: str) -> bool:
    """Whether a token has the hash that was kept; slow on purpose."""
    salt, _, known = kept.partition(":")
    return bool(known) and hmac.compare_digest(_hash(token, bytes.fromhex(salt)), known)


def _hash(token: str, salt: bytes) -> str:
    return hashlib.scrypt(token.encode(), salt=salt, n=2**14, r=8, p=1).hex()


@dataclass(slots=True)
class Sessions:
    """Who has logged in to the pages below a path; forgotten when the process ends."""

    cookie: str
    path: str
    """Where browsers send the cookie: `/admin`."""
    refused: str = REFUSED
    """What is said of a form that another page has sent."""
    known: dict[str, tuple[str, float]] = field(default_factory=dict)
    """By session: the token against forged requests, and when it ends."""

    def begin(self, request: Request, response: Response, front: Front) -> None:
        """Begin a session: the browser gets a cookie that scripts and other sites cannot use."""
        now = time.time()
        self.known = {k: v for k, v in self.known.items() if v[1] > now}
        session = secrets.token_urlsafe(24)
        self.known[session] = (secrets.token_urlsafe(18), now + 3600 * HOURS)
        response.set_cookie(
            self.cookie,
            session,
            max_age=3600 * HOURS,
            path=f"{root_of(request)}{self.path}",
            httponly=True,
            samesite="strict",
            secure=front.origin(request).startswith("https:"),
        )

    def end(self, request: Request) -> None:
        """End the session of a request."""
        self.known.pop(request.cookies.get(self.cookie, ""), None)

    def csrf(self, request: Request) -> str:
        """The token against forged requests of a session; empty without a session."""
        csrf, until = self.known.get(request.cookies.get(self.cookie, ""), ("", 0.0))
        return csrf if until >= time.time() else ""

    def require(self, request: Request) -> str:
        """The same; 403 without a session."""
        csrf = self.csrf(request)
        if not csrf:
            raise HTTPException(403, "Log in first.")
        return csrf

    def check_origin(self, request: Request, front: Front) -> None:
        """Refuse a form that another site has sent."""
        if not front.is_same_origin(request):
            raise HTTPException(403, self.refused)

    async def form(self, request: Request, front: Front) -> dict[str, str]:
        """The form of somebody who has logged in, sent from our own page."""
        csrf = self.require(request)
        self.check_origin(request, front)
        form = await read_form(request)
        if not hmac.compare_digest(form.get("csrf", "").encode(), csrf.encode()):
            raise HTTPException(403, "The form is out of date; load the page again.")
        return form
